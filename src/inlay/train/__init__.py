"""`tf.train`: checkpoints, optimizers and learning rates."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.training.checkpoint import Checkpoint
from inlay.training.checkpoint_state import (
    CheckpointState, checkpoint_exists, get_checkpoint_state, latest_checkpoint, list_variables, load_checkpoint,
    load_variable, remove_checkpoint, update_checkpoint_state
)
from inlay.training.global_step import (
    assert_global_step, create_global_step, get_global_step, get_or_create_global_step, global_step
)
from inlay.training.manager import CheckpointManager
from inlay.training.optimizer import Optimizer
from inlay.training.optimizers import (
    AdagradOptimizer, AdamOptimizer, GradientDescentOptimizer, MomentumOptimizer, RMSPropOptimizer
)
from inlay.training.saver import Saver
from inlay.training.schedules import (
    cosine_decay, exponential_decay, inverse_time_decay, natural_exp_decay, piecewise_constant, piecewise_constant as
    piecewise_constant_decay, polynomial_decay
)
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "experimental": "inlay.train.experimental",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.train' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
