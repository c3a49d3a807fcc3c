"""`tf.random`: random numbers, and the seeds they follow from."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.candidate_sampling import (
    all_candidate_sampler, fixed_unigram_candidate_sampler, log_uniform_candidate_sampler, uniform_candidate_sampler
)
from inlay._src.ops.draws import Algorithm
from inlay._src.ops.generator import Generator, create_rng_state, get_global_generator, set_global_generator
from inlay._src.ops.random import (
    categorical, normal, shuffle, stateless_categorical, stateless_normal, stateless_truncated_normal,
    stateless_uniform, truncated_normal, uniform
)
from inlay._src.ops.seed_splits import fold_in, split
from inlay._src.ops.seeds import set_seed
from inlay._src.ops.shaped_draws import (
    random_gamma as gamma, random_poisson as poisson, stateless_random_binomial as stateless_binomial,
    stateless_random_gamma as stateless_gamma, stateless_random_poisson as stateless_poisson
)
from inlay.random import experimental
__all__ = [
    "Algorithm", "Generator", "all_candidate_sampler", "categorical", "create_rng_state", "experimental",
    "fixed_unigram_candidate_sampler", "fold_in", "gamma", "get_global_generator", "log_uniform_candidate_sampler",
    "normal", "poisson", "set_global_generator", "set_seed", "shuffle", "split", "stateless_binomial",
    "stateless_categorical", "stateless_gamma", "stateless_normal", "stateless_poisson", "stateless_truncated_normal",
    "stateless_uniform", "truncated_normal", "uniform", "uniform_candidate_sampler"
]
