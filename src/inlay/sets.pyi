"""`tf.sets`: sets in the last axis of tensors."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.composite.sets import difference, intersection, size, union
__all__ = [
    "difference", "intersection", "size", "union"
]
