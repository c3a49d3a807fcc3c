"""`tf.compat.v1.train`: `tf.train` with the `Checkpoint` of 1.x, whose second argument is the session."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.train import *
from inlay.training.checkpoint import CheckpointV1 as Checkpoint
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "experimental": "inlay.train.experimental",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.compat.v1.train' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
