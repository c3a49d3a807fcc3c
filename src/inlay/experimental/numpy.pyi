"""`tf.experimental.numpy`: the switch that gives tensors NumPy's behaviour."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.numpy_behavior import experimental_enable_numpy_behavior
__all__ = [
    "experimental_enable_numpy_behavior"
]
