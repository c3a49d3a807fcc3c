"""`tf.random.experimental`: places in permutations."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.ops.index_shuffle import index_shuffle
from inlay.ops.random import stateless_shuffle
__all__ = [
    "index_shuffle", "stateless_shuffle"
]
