"""`tf.contrib.slim.nets.resnet_utils`: what residual networks are made of."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.nets.resnet_utils",
    {
        "tf1.slim.residual": "Block conv2d_same resnet_arg_scope stack_blocks_dense subsample",
    },
)
