"""`tf.experimental.numpy`: the switch that gives tensors NumPy's behaviour."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental.numpy",
    {
        "numpy_behavior": "experimental_enable_numpy_behavior",
    },
)
