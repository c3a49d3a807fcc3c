"""`tf.compat.v1.random`: random numbers, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import multinomial
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.ops.random import stateless_multinomial
from inlay._src.ops.seeds import get_seed, set_seed as set_random_seed
from inlay.random import (
    Algorithm, Generator, all_candidate_sampler, categorical, create_rng_state, experimental,
    fixed_unigram_candidate_sampler, fold_in, gamma, get_global_generator, log_uniform_candidate_sampler, normal,
    set_global_generator, set_seed, shuffle, split, stateless_binomial, stateless_categorical, stateless_gamma,
    stateless_normal, stateless_poisson, stateless_truncated_normal, stateless_uniform, truncated_normal, uniform,
    uniform_candidate_sampler
)
from typing import Any as _Any
__all__ = [
    "Algorithm", "Generator", "all_candidate_sampler", "categorical", "create_rng_state", "experimental",
    "fixed_unigram_candidate_sampler", "fold_in", "gamma", "get_global_generator", "get_seed",
    "log_uniform_candidate_sampler", "multinomial", "normal", "poisson", "set_global_generator", "set_random_seed",
    "set_seed", "shuffle", "split", "stateless_binomial", "stateless_categorical", "stateless_gamma",
    "stateless_multinomial", "stateless_normal", "stateless_poisson", "stateless_truncated_normal",
    "stateless_uniform", "truncated_normal", "uniform", "uniform_candidate_sampler"
]
def poisson(lam: _Any, shape: _Any, dtype: _Any = ..., seed: _Any = None, name: str | None = None) -> _Tensor:
    """Poisson distributed numbers.

    Args:
      lam: the means.
      shape: of the numbers of each mean.
      dtype: float16, float32, float64, int32 or int64.
      seed: the op's seed.
      name: the scope of the nodes.

    Returns:
      [shape..., shape of `lam`...]."""
