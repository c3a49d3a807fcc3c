"""`tf.compat.v1.random`: random numbers, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.random import (
    Generator, categorical, experimental, fold_in, gamma, get_global_generator, normal, set_global_generator, set_seed,
    shuffle, split, stateless_binomial, stateless_categorical, stateless_gamma, stateless_normal, stateless_poisson,
    stateless_truncated_normal, stateless_uniform, truncated_normal, uniform
)
from typing import Any as _Any
__all__ = [
    "Generator", "categorical", "experimental", "fold_in", "gamma", "get_global_generator", "normal", "poisson",
    "set_global_generator", "set_seed", "shuffle", "split", "stateless_binomial", "stateless_categorical",
    "stateless_gamma", "stateless_normal", "stateless_poisson", "stateless_truncated_normal", "stateless_uniform",
    "truncated_normal", "uniform"
]
def poisson(lam: _Any, shape: _Any, dtype: _Any = ..., seed: _Any = None, name: str | None = None) -> _Any: ...
