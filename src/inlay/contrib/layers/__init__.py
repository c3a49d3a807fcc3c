"""`tf.contrib.layers`: layers with a normaliser and an activation, regularisers, initialisers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.layers",
    ("layers.contrib_initializers", "layers.contrib_layers", "layers.contrib_normalization",
    "layers.contrib_pooling", "layers.regularizers"),
    below=("utils",),
)
