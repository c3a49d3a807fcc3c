"""`tf.nest`: nested structures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.types.nest import assert_same_structure, flatten, is_nested, map_structure, pack_sequence_as
__all__ = [
    "assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"
]
