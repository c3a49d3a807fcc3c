"""`tf.dtypes.experimental`: narrow element types of 8 bits and fewer."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "dtypes.experimental",
    {
        "base.types.dtypes":
        "float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz int2 int4 "
        "uint2 uint4",
    },
)
