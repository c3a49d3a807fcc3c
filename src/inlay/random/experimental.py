"""`tf.random.experimental`: places in permutations."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "random.experimental",
    {
        "ops.index_shuffle": "index_shuffle",
        "ops.random": "stateless_shuffle",
        "ops.seed_splits": "stateless_fold_in stateless_split",
    },
)
