"""`tf.dtypes`: the element types."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "dtypes",
    {
        "base.types.dtypes":
        "DType QUANTIZED_DTYPES as_dtype bfloat16 bool complex128 complex64 double float16 float32 float64 "
        "half int16 int32 int64 int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64 "
        "uint8 variant",
        "ops.clipping": "saturate_cast",
        "ops.complex_numbers": "complex",
        "ops.math": "cast",
        "ops.printed_numbers": "as_string",
    },
    below=("experimental",),
)
