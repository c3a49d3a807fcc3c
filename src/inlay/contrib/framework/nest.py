"""`tf.contrib.framework.nest`: nested structures, shallow ones included."""

from inlay.types.nest import (
    assert_same_structure,
    assert_shallow_structure,
    flatten,
    flatten_up_to,
    is_nested,
    map_structure,
    map_structure_up_to,
    pack_sequence_as,
)
from inlay.types.nest import is_nested as is_sequence

__all__ = [
    "assert_same_structure",
    "assert_shallow_structure",
    "flatten",
    "flatten_up_to",
    "is_nested",
    "is_sequence",
    "map_structure",
    "map_structure_up_to",
    "pack_sequence_as",
]
