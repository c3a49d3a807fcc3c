"""`tf.compat.v1.image`: images by the 1.x names and pixel rules."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.ops.image import transpose as transpose_image
from inlay._src.ops.image_cropping import (
    resize_with_crop_or_pad as resize_image_with_crop_or_pad, resize_image_with_pad
)
from inlay._src.ops.image_marking import extract_glimpse_v1 as extract_glimpse
from inlay._src.programs.control.ragged_images import resize_images as resize
from inlay.image import (
    ResizeMethod, adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue, adjust_jpeg_quality, adjust_saturation,
    central_crop, combined_non_max_suppression, convert_image_dtype, crop_to_bounding_box, decode_and_crop_jpeg,
    decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png, decode_webp, encode_jpeg, encode_png,
    extract_jpeg_shape, extract_patches, flip_left_right, flip_up_down, grayscale_to_rgb, hsv_to_rgb, image_gradients,
    is_jpeg, non_max_suppression, non_max_suppression_overlaps, non_max_suppression_padded,
    non_max_suppression_with_scores, pad_to_bounding_box, per_image_standardization, psnr, random_brightness,
    random_contrast, random_crop, random_flip_left_right, random_flip_up_down, random_hue, random_jpeg_quality,
    random_saturation, resize_area, resize_images, resize_with_crop_or_pad, resize_with_pad, rgb_to_grayscale,
    rgb_to_hsv, rgb_to_yiq, rgb_to_yuv, rot90, sobel_edges, ssim, ssim_multiscale, stateless_random_brightness,
    stateless_random_contrast, stateless_random_crop, stateless_random_flip_left_right, stateless_random_flip_up_down,
    stateless_random_hue, stateless_random_jpeg_quality, stateless_random_saturation,
    stateless_sample_distorted_bounding_box, total_variation, transpose, yiq_to_rgb, yuv_to_rgb
)
from typing import Any as _Any
__all__ = [
    "ResizeMethod", "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_jpeg_quality",
    "adjust_saturation", "central_crop", "combined_non_max_suppression", "convert_image_dtype", "crop_and_resize",
    "crop_to_bounding_box", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "decode_webp", "draw_bounding_boxes", "encode_jpeg", "encode_png", "extract_glimpse",
    "extract_image_patches", "extract_jpeg_shape", "extract_patches", "flip_left_right", "flip_up_down",
    "grayscale_to_rgb", "hsv_to_rgb", "image_gradients", "is_jpeg", "non_max_suppression",
    "non_max_suppression_overlaps", "non_max_suppression_padded", "non_max_suppression_with_scores",
    "pad_to_bounding_box", "per_image_standardization", "psnr", "random_brightness", "random_contrast", "random_crop",
    "random_flip_left_right", "random_flip_up_down", "random_hue", "random_jpeg_quality", "random_saturation",
    "resize", "resize_area", "resize_bicubic", "resize_bilinear", "resize_image_with_crop_or_pad",
    "resize_image_with_pad", "resize_images", "resize_nearest_neighbor", "resize_with_crop_or_pad", "resize_with_pad",
    "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "rot90", "sample_distorted_bounding_box",
    "sobel_edges", "ssim", "ssim_multiscale", "stateless_random_brightness", "stateless_random_contrast",
    "stateless_random_crop", "stateless_random_flip_left_right", "stateless_random_flip_up_down",
    "stateless_random_hue", "stateless_random_jpeg_quality", "stateless_random_saturation",
    "stateless_sample_distorted_bounding_box", "total_variation", "transpose", "transpose_image", "yiq_to_rgb",
    "yuv_to_rgb"
]
def crop_and_resize(image: _Any, boxes: _Any, box_ind: _Any = None, crop_size: _Any = None, method: str = "bilinear", extrapolation_value: float = 0, name: str | None = None, box_indices: _Any = None) -> _Tensor:
    """Boxes cut out of images and brought to one size; gradients flow to the images and, bilinear, to the boxes.

    Args:
      image: [batch, height, width, channels].
      boxes: [n, 4], rows y1, x1, y2, x2 as shares of height - 1 and width - 1.
      box_ind, box_indices: for each box the image it is cut from.
      crop_size: height and width of the crops.
      method: "bilinear" or "nearest".
      extrapolation_value: the value of samples outside the image.
      name: ignored.

    Raises:
      ValueError: for arguments of another rank, a size that is not known, or boxes that are not finite.
      OutOfRangeError: for the index of no image.

    Returns:
      float32 crops, [n, crop height, crop width, channels]."""
def draw_bounding_boxes(images: _Any, boxes: _Any, name: str | None = None, colors: _Any = None) -> _Tensor:
    """Images with boxes drawn into them.

    Args:
      images: [batch, rows, columns, 1, 3 or 4 channels].
      boxes: [batch, n, 4], rows of top, left, bottom, right as shares of the sides.
      name: the node's name.
      colors: [m, channels]: one color after the other; a palette if None."""
def extract_image_patches(images: _Any, ksizes: _Any = None, strides: _Any = None, rates: _Any = None, padding: _Any = None, name: str | None = None, sizes: _Any = None) -> _Tensor:
    """The pixels of a window at each place of images, as the channels of one pixel.

    Args:
      images: [batch, rows, columns, channels].
      ksizes, sizes: the window's: [1, rows, columns, 1].
      strides: distances between windows: [1, rows, columns, 1].
      rates: distances between the pixels of a window: [1, rows, columns, 1].
      padding: "SAME" or "VALID".
      name: the node's name.

    Returns:
      [batch, places down, places across, rows * columns * channels of the window], of the type of `images`."""
def resize_bicubic(images: _Any, size: _Any, align_corners: builtins.bool = False, name: str | None = None, half_pixel_centers: builtins.bool = False) -> _Tensor:
    """Batched images in another size by bicubic interpolation, as float32; the 1.x pixel rules by default."""
def resize_bilinear(images: _Any, size: _Any, align_corners: builtins.bool = False, name: str | None = None, half_pixel_centers: builtins.bool = False) -> _Tensor:
    """Batched images in another size by bilinear interpolation, as float32; the 1.x pixel rules by default."""
def resize_nearest_neighbor(images: _Any, size: _Any, align_corners: builtins.bool = False, name: str | None = None, half_pixel_centers: builtins.bool = False) -> _Tensor:
    """Batched images in another size, each pixel a copy of the nearest; the 1.x pixel rules by default."""
def sample_distorted_bounding_box(image_size: _Any, bounding_boxes: _Any, seed: _Any = None, seed2: _Any = None, min_object_covered: _Any = 0.1, aspect_ratio_range: _Any = None, area_range: _Any = None, max_attempts: int | None = None, use_image_if_no_bounding_boxes: builtins.bool | None = None, name: str | None = None) -> builtins.tuple[_Tensor, _Tensor, _Tensor]:
    """A box of an image, drawn at random, that shows enough of one of given ones.

    Args:
      image_size: rows, columns and channels.
      bounding_boxes: [batch, n, 4], rows of top, left, bottom, right as shares of the sides.
      seed: the op's seed; 0 or None: none.
      seed2: accepted and ignored.
      min_object_covered: the share of one of the boxes that is seen.
      aspect_ratio_range: the least and the greatest width over height; 0.75 and 1.33 if None.
      area_range: the least and the greatest share of the image; 0.05 and 1 if None.
      max_attempts: after how many attempts it is the whole image; 100 if None.
      use_image_if_no_bounding_boxes: whether no boxes stand for the whole image.
      name: the node's name.

    Returns:
      `(begin, size, box)`: the first two for `tf.slice`, the box as shares, [1, 1, 4]."""
