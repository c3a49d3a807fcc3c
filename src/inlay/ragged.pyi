"""`tf.ragged`: tensors whose rows differ in length."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.composite.crossing import ragged_cross as cross, ragged_cross_hashed as cross_hashed
from inlay._src.ops.composite.ragged_ops import (
    boolean_mask, constant, map_flat_values, placeholder, range_ as range, splits_to_ids as row_splits_to_segment_ids,
    ids_to_splits as segment_ids_to_row_splits, stack, stack_dynamic_partitions
)
from inlay._src.ops.composite.ragged_value import RaggedTensorValue, constant_value
__all__ = [
    "RaggedTensorValue", "boolean_mask", "constant", "constant_value", "cross", "cross_hashed", "map_flat_values",
    "placeholder", "range", "row_splits_to_segment_ids", "segment_ids_to_row_splits", "stack",
    "stack_dynamic_partitions"
]
