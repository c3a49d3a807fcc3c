"""`tf.experimental`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental",
    {
        "data.optional": "Optional",
        "ops.composite.batch_encoder": "ExtensionTypeBatchEncoder",
        "ops.composite.dispatch":
        "dispatch_for_api dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis "
        "dispatch_for_unary_elementwise_apis unregister_dispatch_for",
        "ops.composite.dynamic_ragged_shape": "DynamicRaggedShape",
        "ops.composite.extension_type": "BatchableExtensionType ExtensionType",
        "ops.composite.row_partition": "RowPartition",
        "ops.composite.structured_tensor": "StructuredTensor",
        "tools.unmodified.imports": "as_tensorflow",
    },
    below=("dlpack", "dtensor", "extension_type", "numpy"),
)
