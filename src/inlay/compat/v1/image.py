"""`tf.compat.v1.image`: images by the 1.x names and pixel rules."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.image",
    {
        "ops.image": "transpose_image",
        "ops.image_cropping": "resize_image_with_crop_or_pad resize_image_with_pad",
        "ops.image_marking": "draw_bounding_boxes extract_glimpse",
        "ops.image_sampling": "sample_distorted_bounding_box",
        "ops.legacy": "crop_and_resize resize_bicubic resize_bilinear resize_nearest_neighbor",
        "ops.patches": "extract_image_patches",
        "programs.control.ragged_images": "resize",
    },
    continues="image",
)
