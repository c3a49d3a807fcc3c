"""`tf.dtypes`: the element types."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.base.types.dtypes import (
    DType, QUANTIZED_DTYPES, as_dtype, bfloat16, bool_ as bool, complex128, complex64, float64 as double, float16,
    float32, float64, float16 as half, int16, int32, int64, int8, qint16, qint32, qint8, quint16, quint8, resource,
    string, uint16, uint32, uint64, uint8, variant
)
from inlay._src.ops.clipping import saturate_cast
from inlay._src.ops.complex_numbers import complex
from inlay._src.ops.math import cast
from inlay._src.ops.printed_numbers import as_string
from inlay.dtypes import experimental
__all__ = [
    "DType", "QUANTIZED_DTYPES", "as_dtype", "as_string", "bfloat16", "bool", "cast", "complex", "complex128",
    "complex64", "double", "experimental", "float16", "float32", "float64", "half", "int16", "int32", "int64", "int8",
    "qint16", "qint32", "qint8", "quint16", "quint8", "resource", "saturate_cast", "string", "uint16", "uint32",
    "uint64", "uint8", "variant"
]
