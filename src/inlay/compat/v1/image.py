"""`tf.compat.v1.image`: images by the 1.x names and pixel rules."""

from inlay.image import *  # noqa: F403
from inlay.ops.image_cropping import resize_with_crop_or_pad as resize_image_with_crop_or_pad  # noqa: F401
from inlay.ops.image_resizing import resize_images as resize  # noqa: F401
