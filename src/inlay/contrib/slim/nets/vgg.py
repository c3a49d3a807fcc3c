"""`tf.contrib.slim.nets.vgg`: VGG networks."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.nets.vgg",
    {
        "tf1.slim.vgg": "vgg_16 vgg_19 vgg_a vgg_arg_scope vgg_d vgg_e",
    },
)
