"""`tf.contrib.framework.nest`: nested structures, shallow ones included."""

from inlay.types.nest import (
    assert_same_structure as assert_same_structure,
)
from inlay.types.nest import (
    assert_shallow_structure as assert_shallow_structure,
)
from inlay.types.nest import (
    flatten as flatten,
)
from inlay.types.nest import (
    flatten_up_to as flatten_up_to,
)
from inlay.types.nest import (
    is_nested as is_nested,
)
from inlay.types.nest import (
    is_nested as is_sequence,
)
from inlay.types.nest import (
    map_structure as map_structure,
)
from inlay.types.nest import (
    map_structure_up_to as map_structure_up_to,
)
from inlay.types.nest import (
    pack_sequence_as as pack_sequence_as,
)

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
