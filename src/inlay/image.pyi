"""`tf.image`: resizing, cropping, colors, flips and boxes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.image import (
    flip_left_right, flip_up_down, psnr, random_flip_left_right, random_flip_up_down, rot90,
    stateless_random_flip_left_right, stateless_random_flip_up_down, total_variation, transpose
)
from inlay._src.ops.image_boxes import crop_and_resize
from inlay._src.ops.image_colors import (
    adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue, adjust_saturation, convert_image_dtype,
    grayscale_to_rgb, per_image_standardization, random_brightness, random_contrast, random_hue, random_saturation,
    rgb_to_grayscale, stateless_random_brightness, stateless_random_contrast, stateless_random_hue,
    stateless_random_saturation
)
from inlay._src.ops.image_cropping import (
    central_crop, crop_to_bounding_box, pad_to_bounding_box, resize_with_crop_or_pad as resize_image_with_crop_or_pad,
    resize_with_crop_or_pad, resize_with_pad, stateless_random_crop
)
from inlay._src.ops.image_files import decode_image, decode_png, is_jpeg
from inlay._src.ops.image_jpeg import adjust_jpeg_quality, random_jpeg_quality, stateless_random_jpeg_quality
from inlay._src.ops.image_marking import draw_bounding_boxes, extract_glimpse
from inlay._src.ops.image_quality import (
    image_gradients, rgb_to_yiq, rgb_to_yuv, sobel_edges, ssim, ssim_multiscale, yiq_to_rgb, yuv_to_rgb
)
from inlay._src.ops.image_resizing import (
    ResizeMethod, resize_area, resize_bicubic, resize_bilinear, resize_nearest_neighbor
)
from inlay._src.ops.image_sampling import sample_distorted_bounding_box, stateless_sample_distorted_bounding_box
from inlay._src.ops.image_suppression import (
    combined_non_max_suppression, non_max_suppression, non_max_suppression_overlaps, non_max_suppression_padded,
    non_max_suppression_with_scores
)
from inlay._src.ops.patches import extract_patches
from inlay._src.ops.random import random_crop
from inlay._src.programs.control.ragged_images import resize, resize_images
from inlay.io import (
    decode_and_crop_jpeg, decode_bmp, decode_gif, decode_jpeg, decode_webp, encode_jpeg, encode_png, extract_jpeg_shape
)
__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
    "adjust_saturation", "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize",
    "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "decode_webp", "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_glimpse",
    "extract_jpeg_shape", "extract_patches", "flip_left_right", "flip_up_down", "grayscale_to_rgb", "hsv_to_rgb",
    "image_gradients", "is_jpeg", "non_max_suppression", "non_max_suppression_overlaps", "non_max_suppression_padded",
    "non_max_suppression_with_scores", "pad_to_bounding_box", "per_image_standardization", "psnr", "random_brightness",
    "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down", "random_hue",
    "random_jpeg_quality", "random_saturation", "resize", "resize_area", "resize_bicubic", "resize_bilinear",
    "resize_image_with_crop_or_pad", "resize_images", "resize_nearest_neighbor", "resize_with_crop_or_pad",
    "resize_with_pad", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90",
    "sample_distorted_bounding_box", "sobel_edges", "ssim", "ssim_multiscale", "stateless_random_brightness",
    "stateless_random_contrast", "stateless_random_crop", "stateless_random_flip_left_right",
    "stateless_random_flip_up_down", "stateless_random_hue", "stateless_random_jpeg_quality",
    "stateless_random_saturation", "stateless_sample_distorted_bounding_box", "total_variation", "transpose",
    "yiq_to_rgb", "yuv_to_rgb"
]
def hsv_to_rgb(images: _TensorLike, name: str | None = None) -> _Tensor:
    """RGB images from hue, saturation and value.

    Args:
      images: floats, [..., 3]."""
def rgb_to_hsv(images: _TensorLike, name: str | None = None) -> _Tensor:
    """Hue, saturation and value, all in [0, 1], of RGB images with values in [0, 1].

    Args:
      images: floats, [..., 3]."""
