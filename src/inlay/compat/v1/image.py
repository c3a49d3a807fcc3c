"""`tf.compat.v1.image`: images by the 1.x names and pixel rules."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.image import *
from inlay.ops.image_cropping import resize_with_crop_or_pad as resize_image_with_crop_or_pad
from inlay.ops.image_resizing import resize_images as resize
