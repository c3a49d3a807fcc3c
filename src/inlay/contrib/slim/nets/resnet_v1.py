"""`tf.contrib.slim.nets.resnet_v1`: residual networks."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.nets.resnet_v1",
    {
        "tf1.slim.residual":
        "bottleneck resnet_arg_scope resnet_v1 resnet_v1_101 resnet_v1_152 resnet_v1_200 resnet_v1_50 "
        "resnet_v1_block",
    },
)
