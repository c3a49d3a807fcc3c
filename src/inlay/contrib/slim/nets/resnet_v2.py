"""`tf.contrib.slim.nets.resnet_v2`: residual networks of the second version."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.nets.resnet_v2",
    {
        "tf1.slim.residual":
        "bottleneck resnet_arg_scope resnet_v2 resnet_v2_101 resnet_v2_152 resnet_v2_200 resnet_v2_50 "
        "resnet_v2_block",
    },
)
