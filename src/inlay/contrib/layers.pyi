"""`tf.contrib.layers`: its initialisers. Layers themselves are Keras 3's task."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.variables.initializers import (
    VarianceScaling as variance_scaling_initializer, xavier_initializer, xavier_initializer as
    xavier_initializer_conv2d
)
__all__ = [
    "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d"
]
