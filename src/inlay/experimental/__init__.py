"""`tf.experimental`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental",
    {
        "base.types.dtypes":
        "float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int2 int4 "
        "uint2 uint4",
        "data.optional": "Optional",
        "ops.composite.batch_encoder": "ExtensionTypeBatchEncoder",
        "ops.composite.dispatch":
        "dispatch_for_api dispatch_for_binary_elementwise_apis dispatch_for_binary_elementwise_assert_apis "
        "dispatch_for_unary_elementwise_apis unregister_dispatch_for",
        "ops.composite.dynamic_ragged_shape": "DynamicRaggedShape",
        "ops.composite.extension_type": "BatchableExtensionType ExtensionType ExtensionTypeSpec",
        "ops.composite.row_partition": "RowPartition",
        "ops.composite.structured_tensor": "StructuredTensor",
        "tools.unmodified.imports": "as_tensorflow",
    },
    below=("dlpack", "dtensor", "extension_type", "numpy"),
    absent={
        "async_clear_error": "an eager op has run when its call returns: its error is raised there",
        "async_scope": "an eager op has run when its call returns; tf.py_function(executor=) runs functions beside",
        "enable_strict_mode": "warnings.simplefilter('error') turns warnings into errors",
        "function_executor_type": "executor= of tf.py_function and ConfigProto say how a function runs",
        "output_all_intermediates": "a branch keeps what its gradient needs; there is nothing to set",
        "register_filesystem_plugin": "file systems come from fsspec: fsspec.register_implementation",
        "tensorrt": "tf.function(jit_compile=True) compiles with XLA",
    },
)
