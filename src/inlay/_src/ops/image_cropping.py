"""Cropping and padding of images."""

from __future__ import annotations

from collections.abc import Callable
from math import floor as math_floor
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import in_scope
from inlay._src.core.eager.attributes import number
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math, random, shaping, slicing
from inlay._src.ops.image import on_batch, side_of, vector_of, whole_side, with_sides
from inlay._src.ops.image_checks import not_empty, some, where_holds
from inlay._src.ops.image_resizing import ResizeMethod, resize, resize_images
from inlay._src.ops.slicing import slice_


@export("image.stateless_random_crop")
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """A box of shape `size` at a place of `value` that follows from the seed.

    Args:
      value: the tensor to crop.
      size: the sizes, one per axis.
      seed: two integers.
      name: ignored.
    """
    return random.cropped(
        value, size, lambda shape, kind: random.stateless_uniform(shape, seed, maxval=kind.max, dtype=kind)
    )


@export("image.crop_to_bounding_box")
@in_scope("crop_to_bounding_box")
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The box of a size at an offset.

    Args:
      image: one image or a batch.
      offset_height, offset_width: the upper left corner.
      target_height, target_width: the size.

    Raises:
      ValueError: if the box is empty or not within the image.
    """
    image = not_empty(image)
    offset_height, offset_width = whole_side(offset_height, "offset_height"), whole_side(offset_width, "offset_width")
    target_height, target_width = whole_side(target_height, "target_height"), whole_side(target_width, "target_width")
    image = where_holds(
        image,
        [
            (offset_width >= 0, "offset_width must be >= 0."),
            (offset_height >= 0, "offset_height must be >= 0."),
            (target_width > 0, "target_width must be > 0."),
            (target_height > 0, "target_height must be > 0."),
            (side_of(image, -2) >= target_width + offset_width, "width must be >= target + offset."),
            (side_of(image, -3) >= target_height + offset_height, "height must be >= target + offset."),
        ],
    )
    begin, size = [0, offset_height, offset_width, 0], [-1, target_height, target_width, -1]

    def box(images: Tensor) -> Tensor:
        out = slice_(images, vector_of(begin), vector_of(size))
        if images.shape.rank is not None:
            out.set_shape([images.shape[0], None, None, images.shape[-1]])
        return out

    return with_sides(on_batch(image, box), target_height, target_width)


@export("image.pad_to_bounding_box")
@in_scope("pad_to_bounding_box")
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The image within zeros, at an offset.

    Args:
      image: one image or a batch.
      offset_height, offset_width: zeros above and to the left.
      target_height, target_width: the size with zeros.

    Raises:
      ValueError: if the image does not fit.
    """
    image = not_empty(image)
    height, width = side_of(image, -3), side_of(image, -2)
    offset_height, offset_width = whole_side(offset_height, "offset_height"), whole_side(offset_width, "offset_width")
    target_height, target_width = whole_side(target_height, "target_height"), whole_side(target_width, "target_width")
    below, right = target_height - offset_height - height, target_width - offset_width - width
    image = where_holds(
        image,
        [
            (offset_height >= 0, "offset_height must be >= 0"),
            (offset_width >= 0, "offset_width must be >= 0"),
            (right >= 0, "width must be <= target - offset"),
            (below >= 0, "height must be <= target - offset"),
        ],
    )
    flat = vector_of([0, 0, offset_height, below, offset_width, right, 0, 0])
    pairs = np.reshape(flat, (4, 2)) if isinstance(flat, list) else array.reshape(flat, [4, 2])
    return with_sides(on_batch(image, lambda images: slicing.pad(images, pairs)), target_height, target_width)


@export(
    "image.resize_with_crop_or_pad",
    "image.resize_image_with_crop_or_pad",
    "compat.v1.image.resize_image_with_crop_or_pad",
)
@in_scope("resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The image cropped or padded, evenly on both sides, to a size."""
    image = not_empty(image)
    height, width = side_of(image, -3), side_of(image, -2)
    target_height, target_width = whole_side(target_height, "target_height"), whole_side(target_width, "target_width")
    image = where_holds(
        image, [(target_width > 0, "target_width must be > 0."), (target_height > 0, "target_height must be > 0.")]
    )
    rows, columns = _least(target_height, height), _least(target_width, width)
    out = crop_to_bounding_box(
        image, _greatest((height - target_height) // 2, 0), _greatest((width - target_width) // 2, 0), rows, columns
    )
    top, left = _greatest((target_height - height) // 2, 0), _greatest((target_width - width) // 2, 0)
    return pad_to_bounding_box(out, top, left, target_height, target_width)


@export("image.resize_with_pad")
@in_scope("resize_image_with_pad")
def resize_with_pad(
    image: Any, target_height: int, target_width: int, method: Any = ResizeMethod.BILINEAR, antialias: bool = False
) -> Tensor:
    """The image resized with its ratio kept, then padded evenly with zeros to a size.

    Args:
      image: one image or a batch.
      target_height, target_width: the size.
      method, antialias: see `resize`.
    """
    return _resized_with_pad(
        image, target_height, target_width, lambda x, size: resize(x, size, method, antialias=antialias)
    )


@export("compat.v1.image.resize_image_with_pad")
@in_scope("resize_image_with_pad")
def resize_image_with_pad(
    image: Any, target_height: int, target_width: int, method: Any = 0, align_corners: bool = False
) -> Tensor:
    """The image resized with its ratio kept, then padded evenly with zeros to a size.

    Args:
      image: one image or a batch.
      target_height, target_width: the size.
      method, align_corners: see `tf.compat.v1.image.resize`.
    """
    return _resized_with_pad(
        image, target_height, target_width, lambda x, size: resize_images(x, size, method, align_corners)
    )


def _resized_with_pad(image: Any, target_height: Any, target_width: Any, resized: Callable[[Any, Any], Any]) -> Any:
    image = some(image)
    if image.shape.rank is None:
        image = shaping.ensure_shape(image, [None] * 3)
    target_height, target_width = whole_side(target_height, "target_height"), whole_side(target_width, "target_width")
    image = where_holds(
        image, [(target_width > 0, "target_width must be > 0."), (target_height > 0, "target_height must be > 0.")]
    )
    sides, targets = (side_of(image, -3), side_of(image, -2)), (target_height, target_width)
    ratio = _greatest(*(_single(side) / _single(target) for side, target in zip(sides, targets, strict=True)))
    rows, columns = (_whole(_single(side) / ratio) for side in sides)
    out = resized(image, vector_of([rows, columns]))
    top, left = (
        _greatest(_whole((_single(target) - _single(side) / ratio) / 2), 0)
        for side, target in zip(sides, targets, strict=True)
    )
    return pad_to_bounding_box(out, top, left, target_height, target_width)


def _greatest(a: Any, b: Any) -> Any:
    return math.maximum(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else max(a, b)


def _least(a: Any, b: Any) -> Any:
    return math.minimum(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else min(a, b)


def _single(side: Any) -> Any:
    return math.cast(side, dtypes.float32) if isinstance(side, Tensor) else np.float32(side)


def _float(side: Any) -> Any:
    return math.cast(side, dtypes.float64) if isinstance(side, Tensor) else float(side)


def _whole(number: Any) -> Any:
    """The greatest whole number not above one."""
    return math.cast(math.floor(number), dtypes.int32) if isinstance(number, Tensor) else math_floor(number)


@export("image.central_crop")
@in_scope("central_crop")
def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of the image: a share of its height and width.

    Args:
      image: one image or a batch.
      central_fraction: the share, a number or a scalar tensor.

    Raises:
      ValueError: if the share is not above 0 and at most 1.
    """
    constant = constant_of(central_fraction)
    if constant is None:
        central_fraction = math.cast(central_fraction, dtypes.float64)
    else:
        central_fraction = number(constant.item() if np.ndim(constant) == 0 else central_fraction, "central_fraction")
    if constant is not None and central_fraction == 1:
        return convert_to_tensor(image)
    image = convert_to_tensor(image)
    if image.shape.rank not in (3, 4):
        raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4, got shape {image.shape}")
    text = "central_fraction must be within (0, 1]"
    image = where_holds(not_empty(image), [(central_fraction > 0, text), (central_fraction <= 1, text)])
    height, width = side_of(image, -3), side_of(image, -2)
    top, left = (_whole((_float(side) - _float(side) * central_fraction) / 2) for side in (height, width))
    return crop_to_bounding_box(image, top, left, height - 2 * top, width - 2 * left)
