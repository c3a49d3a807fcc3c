"""`tf.math.special`: Bessel functions and integrals."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "math.special",
    {
        "ops.special": "bessel_i0 bessel_i0e bessel_i1 bessel_i1e",
        "ops.special_functions":
        "bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint "
        "fresnel_cos fresnel_sin spence",
    },
)
