"""Images seen through projective transforms, as TensorFlow's `ImageProjectiveTransformV3` computes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.ops import array, gathering, math, ranges

_MODES = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")


def projected(
    images: Any, transforms: Any, output_shape: Any, fill_value: Any, interpolation: str, fill_mode: str
) -> Any:
    """Images whose pixels come from the places that transforms name.

    The pixel (x, y) of a result is that at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image, where
    k = c0 x + c1 y + 1.

    Args:
      images: [batch, height, width, channels].
      transforms: float32[batch or 1, 8], rows of a0, a1, a2, b0, b1, b2, c0, c1.
      output_shape: int32[2], the height and the width of the results.
      fill_value: float32[], the pixels outside of an image in the mode "CONSTANT", and where k is 0.
      interpolation: "NEAREST" or "BILINEAR".
      fill_mode: how an image goes on outside: "CONSTANT", "REFLECT", "WRAP" or "NEAREST".

    Returns:
      The dtype of `images`[batch, *output_shape, channels].

    Raises:
      InvalidArgumentError: for another mode or interpolation.
    """
    if interpolation not in ("NEAREST", "BILINEAR"):
        raise errors.InvalidArgumentError(None, None, f"Invalid interpolation {interpolation!r}: NEAREST or BILINEAR")
    if fill_mode not in _MODES:
        raise errors.InvalidArgumentError(None, None, f"Invalid mode {fill_mode!r}: one of {', '.join(_MODES)}")
    shape = array.shape(images)
    height, width = shape[1], shape[2]
    y = math.cast(ranges.range_(output_shape[0]), dtypes.float32)[:, None]
    x = math.cast(ranges.range_(output_shape[1]), dtypes.float32)[None, :]
    a0, a1, a2, b0, b1, b2, c0, c1 = (transforms[:, i, None, None] for i in range(8))
    scale = c0 * x + c1 * y + 1.0
    seen = math.not_equal(scale, 0.0)
    scale = array.where(seen, scale, array.ones_like(scale))
    columns = _mapped((a0 * x + a1 * y + a2) / scale, width, fill_mode)
    rows = _mapped((b0 * x + b1 * y + b2) / scale, height, fill_mode)
    kind = images.dtype if interpolation == "NEAREST" else dtypes.float32  # of float64 too, as in TensorFlow
    flat = math.cast(array.reshape(images, [-1, shape[3]]), kind)
    fill = math.cast(math.cast(fill_value, images.dtype), kind)
    first = ranges.range_(shape[0])[:, None, None] * height * width

    def read(row: Any, column: Any) -> Any:
        inside = (row >= 0.0) & (row < math.cast(height, row.dtype)) & (column >= 0.0)
        inside = inside & (column < math.cast(width, row.dtype)) & seen
        place = math.cast(row, dtypes.int32) * width + math.cast(column, dtypes.int32)
        pixels = gathering.gather(flat, array.where(inside, place, array.zeros_like(place)) + first)
        return array.where(inside[..., None], pixels, fill)

    if interpolation == "NEAREST":
        values = read(_rounded(rows), _rounded(columns))
    else:
        values = _between(read, rows, columns)
    return math.cast(values, images.dtype)


def _between(read: Callable[[Any, Any], Any], rows: Any, columns: Any) -> Any:
    """The mean of the four pixels around each place, by its distances."""
    top, left = math.floor(rows), math.floor(columns)
    down, right = (part[..., None] for part in (rows - top, columns - left))
    above = (1.0 - right) * read(top, left) + right * read(top, left + 1.0)
    below = (1.0 - right) * read(top + 1.0, left) + right * read(top + 1.0, left + 1.0)
    return (1.0 - down) * above + down * below


def _rounded(x: Any) -> Any:
    """The nearest integer, halves away from zero."""
    return array.where(x >= 0.0, math.floor(x + 0.5), math.ceil(x - 0.5))


def _mapped(place: Any, size: Any, mode: str) -> Any:
    """Places along an axis of an image, within the image unless the mode is "CONSTANT"."""
    length = math.cast(size, place.dtype)
    last = length - 1.0
    if mode == "CONSTANT":
        return math.minimum(math.maximum(place, -2.0), length + 1.0)  # further out nothing else is read
    below, above = place < 0.0, place > last
    if mode == "REFLECT":
        twice = 2.0 * length
        up = array.where(place < twice, twice * _whole(-place / twice) + place, place)
        up = array.where(up < -length, up + twice, -up - 1.0)
        down = place - twice * _whole(place / twice)
        down = array.where(down >= length, twice - down - 1.0, down)
        place = array.where(below, up, array.where(above, down, place))
    elif mode == "WRAP":
        steps = math.maximum(last, 1.0)
        up = place + length * (_whole(-place / steps) + 1.0)
        down = place - length * _whole(place / steps)
        place = array.where(below, up, array.where(above, down, place))
    return math.minimum(math.maximum(place, 0.0), last)


def _whole(x: Any) -> Any:
    """The whole part of a number, towards zero."""
    return array.where(x >= 0.0, math.floor(x), math.ceil(x))
