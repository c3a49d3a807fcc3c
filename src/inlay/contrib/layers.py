"""`tf.contrib.layers`: its initialisers. Layers themselves are Keras 3's task."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.layers",
    {
        "variables.initializers": "variance_scaling_initializer xavier_initializer xavier_initializer_conv2d",
    },
)
