"""`tf.ragged`: tensors whose rows differ in length."""

from inlay.composite.ragged import RaggedTensor as RaggedTensor
from inlay.composite.ragged_ops import (
    boolean_mask as boolean_mask,
)
from inlay.composite.ragged_ops import (
    constant as constant,
)
from inlay.composite.ragged_ops import (
    constant_value as constant_value,
)
from inlay.composite.ragged_ops import (
    ids_to_splits as segment_ids_to_row_splits,
)
from inlay.composite.ragged_ops import (
    map_flat_values as map_flat_values,
)
from inlay.composite.ragged_ops import (
    placeholder as placeholder,
)
from inlay.composite.ragged_ops import (
    range_ as range,
)
from inlay.composite.ragged_ops import (
    splits_to_ids as row_splits_to_segment_ids,
)
from inlay.composite.ragged_ops import (
    stack as stack,
)
from inlay.composite.ragged_value import RaggedTensorValue as RaggedTensorValue

__all__ = [
    "RaggedTensorValue",
    "boolean_mask",
    "constant",
    "constant_value",
    "map_flat_values",
    "placeholder",
    "range",
    "row_splits_to_segment_ids",
    "segment_ids_to_row_splits",
    "stack",
]
