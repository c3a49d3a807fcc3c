"""`tf.experimental`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.types.dtypes import (
    float4_e2m1fn, float8_e4m3b11fnuz, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, int2, int4, uint2,
    uint4
)
from inlay._src.data.optional import Optional
from inlay._src.ops.composite.batch_encoder import ExtensionTypeBatchEncoder
from inlay._src.ops.composite.dispatch import (
    dispatch_for_api, dispatch_for_binary_elementwise_apis, dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis, unregister_dispatch_for
)
from inlay._src.ops.composite.dynamic_ragged_shape import DynamicRaggedShape
from inlay._src.ops.composite.extension_type import BatchableExtensionType, ExtensionType, ExtensionTypeSpec
from inlay._src.ops.composite.row_partition import RowPartition
from inlay._src.ops.composite.structured_tensor import StructuredTensor
from inlay._src.tools.unmodified.imports import as_tensorflow
from inlay.experimental import dlpack, dtensor, extension_type, numpy
__all__ = [
    "BatchableExtensionType", "DynamicRaggedShape", "ExtensionType", "ExtensionTypeBatchEncoder", "ExtensionTypeSpec",
    "Optional", "RowPartition", "StructuredTensor", "as_tensorflow", "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis", "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis", "dlpack", "dtensor", "extension_type", "float4_e2m1fn",
    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "int2", "int4",
    "numpy", "uint2", "uint4", "unregister_dispatch_for"
]
