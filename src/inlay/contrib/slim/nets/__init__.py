"""`tf.contrib.slim.nets`: networks for images."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.slim.nets",
    below=("inception", "inception_v3", "resnet_utils", "resnet_v1", "resnet_v2", "vgg"),
)
