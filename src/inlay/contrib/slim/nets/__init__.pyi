"""`tf.contrib.slim.nets`: networks for images."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.contrib.slim.nets import inception, inception_v3, resnet_utils, resnet_v1, resnet_v2, vgg
__all__ = [
    "inception", "inception_v3", "resnet_utils", "resnet_v1", "resnet_v2", "vgg"
]
