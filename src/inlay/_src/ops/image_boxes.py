"""Boxes cut out of images and brought to one size."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import dimension_value
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.graph import constant_of
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import as_first, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math, ranges, reductions, resize, stacking
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.gathering import gather_nd
from inlay._src.ops.image_checks import refusal
from inlay._src.ops.printing import assert_


def _sampled(low: Any, high: Any, count: Any, side: Any) -> Any:
    """The input coordinates, [boxes, count], of samples between two ends given as shares of `side - 1`."""
    last = math.cast(side - 1, dtypes.float32)
    if isinstance(count, int) and count == 1:
        return array.expand_dims((low + high) * last * 0.5, 1)
    if not isinstance(count, int):
        places = array.expand_dims(math.cast(ranges.range_(count), dtypes.float32), 0)
        step = (high - low) * last / math.cast(math.maximum(count - 1, 1), dtypes.float32)
        several = array.expand_dims(low * last, 1) + array.expand_dims(step, 1) * places
        return array.where(math.equal(count, 1), array.expand_dims((low + high) * last * 0.5, 1), several)
    step = (high - low) * last / float(count - 1)
    return array.expand_dims(low * last, 1) + array.expand_dims(step, 1) * np.arange(count, dtype=np.float32)


@export("image.crop_and_resize")
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Boxes cut out of images and brought to one size; gradients flow to the images and, bilinear, to the boxes.

    Args:
      image: [batch, height, width, channels].
      boxes: [n, 4], rows y1, x1, y2, x2 as shares of height - 1 and width - 1.
      box_indices: for each box the image it is cut from.
      crop_size: height and width of the crops.
      method: "bilinear" or "nearest".
      extrapolation_value: the value of samples outside the image.
      name: ignored.

    Raises:
      ValueError: for arguments of another rank, a size that is not known, or boxes that are not finite.
      OutOfRangeError: for the index of no image.

    Returns:
      float32 crops, [n, crop height, crop width, channels].
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    rows, columns = _sides(crop_size)
    image = math.cast(convert_to_tensor(image), dtypes.float32)
    boxes, box_indices = convert_to_tensor(boxes, dtypes.float32), convert_to_tensor(box_indices, dtypes.int32)
    for what, tensor, rank in (("image", image, 4), ("boxes", boxes, 2), ("box_indices", box_indices, 1)):
        if tensor.shape.rank not in (None, rank):
            raise refusal(f"{what} must be rank {rank}, got shape {tensor.shape}")
    if boxes.shape.rank and box_indices.shape.rank:
        boxes.shape[:1].assert_is_compatible_with(box_indices.shape)
    if isinstance(rows, int):
        _check_sides(rows, columns, dimension_value(boxes.shape[0]) or 1 if boxes.shape.rank else 1)
    finite = reductions.reduce_all(math.is_finite(boxes))
    with control_dependencies([assert_(finite, ["Boxes contains at least one element that is not finite"])]):
        boxes = array.identity(boxes)
    y = _sampled(boxes[:, 0], boxes[:, 2], rows, array.shape(image)[1])
    x = _sampled(boxes[:, 1], boxes[:, 3], columns, array.shape(image)[2])
    which = array.reshape(_images_of_boxes(box_indices, array.shape(image)[0]), [-1, 1, 1])
    y, y_ok = _clamped(array.expand_dims(y, 2), array.shape(image)[1])
    x, x_ok = _clamped(array.expand_dims(x, 1), array.shape(image)[2])
    if method == "nearest":
        out = _pixels(image, which, math.floor(y + 0.5), math.floor(x + 0.5))
    else:
        out = _interpolated(image, which, y, x)
    inside = array.expand_dims(math.logical_and(y_ok, x_ok), 3)
    out = array.where(inside, out, convert_to_tensor(float(extrapolation_value)))
    sides = (rows, columns) if isinstance(rows, int) else (None, None)
    out.set_shape([boxes.shape[0] if boxes.shape.rank else None, *sides, None])
    return out


@op("ImagesOfBoxes", "box_indices:int32, count:int32 -> int32", infer=as_first, vjp=no_gradient, lower=REFUSES_VALUES)
def _images_of_boxes(xp, box_indices, count):
    """The indices of images, which must be those of one of `count`."""
    if box_indices.size and not 0 <= box_indices.min() <= box_indices.max() < count:
        raise errors.OutOfRangeError(None, None, f"box_index has values outside [0, batch_size), which is [0, {count})")
    return box_indices


def _sides(size: Any) -> tuple[Any, Any]:
    """The height and the width of a size: numbers, or tensors if it is known when the graph runs."""
    size = convert_to_tensor(size, dtypes.int32)
    size.shape.assert_is_compatible_with([2])
    constant = constant_of(size)
    if constant is not None:
        return tuple(constant.tolist())
    at_least = assert_(reductions.reduce_all(math.greater(size, 0)), ["crop dimensions must be positive, got", size])
    with control_dependencies([at_least]):
        size = array.identity(size)
    return size[0], size[1]


def _check_sides(rows: int, columns: int, count: int) -> None:
    if rows < 1 or columns < 1:
        raise ValueError(f"crop dimensions must be positive, got {rows} and {columns}")
    if rows * columns * count > resize.MOST:
        raise ValueError(f"Encountered overflow when multiplying the sides of crops of {rows} by {columns} pixels")


def _clamped(at: Any, side: Any) -> tuple[Any, Any]:
    last = math.cast(side - 1, dtypes.float32)
    inside = math.logical_and(at >= 0.0, at <= last)
    return array.where(inside, at, array.zeros_like(at)), inside


def _pixels(image: Any, which: Any, y: Any, x: Any) -> Any:
    y, x = math.cast(y, dtypes.int32), math.cast(x, dtypes.int32)
    zero = y * 0 + x * 0
    return gather_nd(image, stacking.stack([part + zero for part in (which, y, x)], axis=-1))


def _interpolated(image: Any, which: Any, y: Any, x: Any) -> Any:
    top, left = math.floor(y), math.floor(x)
    bottom, right = math.ceil(y), math.ceil(x)
    dy = array.expand_dims(y - top, 3)
    dx = array.expand_dims(x - left, 3)

    def mixed(a: Any, b: Any, share: Any) -> Any:
        return a + (b - a) * share

    upper = mixed(_pixels(image, which, top, left), _pixels(image, which, top, right), dx)
    lower = mixed(_pixels(image, which, bottom, left), _pixels(image, which, bottom, right), dx)
    return mixed(upper, lower, dy)
