"""`tf.experimental.numpy.random`: random numbers by the names of NumPy."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental.numpy.random",
    {
        "programs.numpy_functions.drawing": "poisson rand randint randn random seed standard_normal uniform",
    },
)
