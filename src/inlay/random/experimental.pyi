"""`tf.random.experimental`: places in permutations, and generators by their first names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.draws import Algorithm
from inlay._src.ops.generator import Generator, create_rng_state, get_global_generator, set_global_generator
from inlay._src.ops.index_shuffle import index_shuffle
from inlay._src.ops.random import stateless_shuffle
from inlay._src.ops.seed_splits import fold_in as stateless_fold_in, split as stateless_split
__all__ = [
    "Algorithm", "Generator", "create_rng_state", "get_global_generator", "index_shuffle", "set_global_generator",
    "stateless_fold_in", "stateless_shuffle", "stateless_split"
]
