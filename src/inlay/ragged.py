"""`tf.ragged`: tensors whose rows differ in length."""

from inlay.composite import ragged_rules as ragged_rules  # from here on ops answer for ragged tensors
from inlay.composite.ragged_ops import boolean_mask, constant, map_flat_values, placeholder, stack
from inlay.composite.ragged_ops import ids_to_splits as segment_ids_to_row_splits
from inlay.composite.ragged_ops import range_ as range
from inlay.composite.ragged_ops import splits_to_ids as row_splits_to_segment_ids
from inlay.composite.ragged_value import RaggedTensorValue, constant_value

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
