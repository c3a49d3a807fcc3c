"""`tf.contrib.framework.nest`: nested structures, shallow ones included."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.types.nest import (
    assert_same_structure, assert_shallow_structure, flatten, flatten_up_to, is_nested, is_nested as is_sequence,
    map_structure, map_structure_up_to, pack_sequence_as
)
__all__ = [
    "assert_same_structure", "assert_shallow_structure", "flatten", "flatten_up_to", "is_nested", "is_sequence",
    "map_structure", "map_structure_up_to", "pack_sequence_as"
]
