"""`tf.manip`: shapes, rows and blocks of tensors, by the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import (
    batch_to_space as batch_to_space_nd, reshape, reverse, roll, scatter_nd, space_to_batch as space_to_batch_nd, tile
)
from inlay.compat.v1 import gather_nd
__all__ = [
    "batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile"
]
