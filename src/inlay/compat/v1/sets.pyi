"""`tf.compat.v1.sets`: sets in the last axis of tensors, by the 1.x names too."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.composite.sets import (
    difference, intersection, difference as set_difference, intersection as set_intersection, size as set_size, union
    as set_union, size, union
)
__all__ = [
    "difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union", "size", "union"
]
