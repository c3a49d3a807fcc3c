"""`tf.random`: random numbers, and the seeds they follow from."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "random",
    {
        "ops.candidate_sampling":
        "all_candidate_sampler fixed_unigram_candidate_sampler log_uniform_candidate_sampler "
        "uniform_candidate_sampler",
        "ops.draws": "Algorithm",
        "ops.generator": "Generator create_rng_state get_global_generator set_global_generator",
        "ops.random":
        "categorical normal shuffle stateless_categorical stateless_normal stateless_truncated_normal "
        "stateless_uniform truncated_normal uniform",
        "ops.seed_splits": "fold_in split",
        "ops.seeds": "set_seed",
        "ops.shaped_draws": "gamma poisson stateless_binomial stateless_gamma stateless_poisson",
    },
    below=("experimental",),
    absent={
        "learned_unigram_candidate_sampler": "random.fixed_unigram_candidate_sampler takes counted frequencies",
        "stateless_parameterized_truncated_normal": "scale random.stateless_truncated_normal",
    },
)
