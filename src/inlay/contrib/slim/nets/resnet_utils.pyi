"""`tf.contrib.slim.nets.resnet_utils`: what residual networks are made of."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.tf1.slim.residual import Block, conv2d_same, resnet_arg_scope, stack_blocks_dense, subsample
__all__ = [
    "Block", "conv2d_same", "resnet_arg_scope", "stack_blocks_dense", "subsample"
]
