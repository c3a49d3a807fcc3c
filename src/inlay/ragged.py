"""`tf.ragged`: tensors whose rows differ in length."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "ragged",
    {
        "ops.composite.crossing": "cross cross_hashed",
        "ops.composite.ragged_ops":
        "boolean_mask constant map_flat_values placeholder range row_splits_to_segment_ids "
        "segment_ids_to_row_splits stack stack_dynamic_partitions",
        "ops.composite.ragged_value": "RaggedTensorValue constant_value",
    },
)
