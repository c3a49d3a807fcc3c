"""`tf.experimental`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental",
    {
        "composite.batch_encoder": "ExtensionTypeBatchEncoder",
        "composite.dispatch":
        "dispatch_for_api dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis "
        "dispatch_for_unary_elementwise_apis unregister_dispatch_for",
        "composite.dynamic_ragged_shape": "DynamicRaggedShape",
        "composite.extension_type": "BatchableExtensionType ExtensionType",
        "composite.row_partition": "RowPartition",
        "composite.structured_tensor": "StructuredTensor",
        "datasets.optional": "Optional",
        "unmodified.imports": "as_tensorflow",
    },
    below=("dlpack", "dtensor", "extension_type", "numpy"),
)
