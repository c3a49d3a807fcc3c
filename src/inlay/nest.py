"""`tf.nest`: nested structures."""

from inlay.types.nest import (
    assert_same_structure as assert_same_structure,
)
from inlay.types.nest import (
    flatten as flatten,
)
from inlay.types.nest import (
    is_nested as is_nested,
)
from inlay.types.nest import (
    map_structure as map_structure,
)
from inlay.types.nest import (
    pack_sequence_as as pack_sequence_as,
)

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]
