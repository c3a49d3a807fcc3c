"""`tf.random.experimental`: places in permutations, and generators by their first names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "random.experimental",
    {
        "ops.draws": "Algorithm",
        "ops.generator": "Generator create_rng_state get_global_generator set_global_generator",
        "ops.index_shuffle": "index_shuffle",
        "ops.random": "stateless_shuffle",
        "ops.seed_splits": "stateless_fold_in stateless_split",
    },
)
