"""`tf.contrib.opt`: further optimizers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.training.optimizers import AdaMaxOptimizer as _AdaMaxOptimizer
from typing import Any as _Any
__all__ = [
    "AdaMaxOptimizer"
]
class AdaMaxOptimizer(_AdaMaxOptimizer):
    def __init__(self, learning_rate: _Any = 0.001, beta1: _Any = 0.9, beta2: _Any = 0.999, epsilon: _Any = 1e-08, use_locking: builtins.bool = False, name: str | None = "AdaMax") -> None: ...
