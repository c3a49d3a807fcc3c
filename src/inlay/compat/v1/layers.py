"""`tf.layers`: layers of 1.x, as functions and as classes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.layers",
    ("layers.convolution", "layers.dense", "layers.layer", "layers.normalization", "layers.pooling",
    "layers.separable"),
)
