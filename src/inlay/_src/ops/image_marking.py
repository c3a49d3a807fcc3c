"""Boxes drawn into images, and windows cut out of them around a point."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.tensor import Tensor

_TYPES = frozenset({dtypes.float16, dtypes.float32})
PALETTE = np.array(
    [
        [1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1], [0.5, 0.5, 0, 1], [0.5, 0, 0, 1],
        [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1],
    ],
    np.float32,
)  # fmt: skip
"""The colors of boxes for which none are given, as in TensorFlow."""


# ---------------------------------------------------------------- boxes


def _framed(image: np.ndarray, box: np.ndarray, color: np.ndarray) -> None:
    """Draws the sides of a box [top, left, bottom, right] that lie in an image."""
    if not np.isfinite(box).all():
        return
    ends = np.array(image.shape[:2] * 2, np.float32) - 1
    top, left, bottom, right = np.trunc(box * ends).astype(np.int64).tolist()
    rows, columns = image.shape[:2]
    if top > bottom or left > right or top >= rows or bottom < 0 or left >= columns or right < 0:
        return
    down, across = slice(max(top, 0), min(bottom, rows - 1) + 1), slice(max(left, 0), min(right, columns - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < rows:
            image[row, across] = color
    for column in (left, right):
        if 0 <= column < columns:
            image[down, column] = color


def _drawn(images: Any, boxes: Any, colors: Any) -> np.ndarray:
    images, boxes, colors = np.asarray(images), np.asarray(boxes), np.asarray(colors)
    if images.ndim != 4 or boxes.ndim != 3:
        raise ValueError(f"images must be 4-D and boxes 3-D, got {list(images.shape)} and {list(boxes.shape)}")
    depth = images.shape[3]
    if depth not in (1, 3, 4):
        raise ValueError(f"Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got {depth}")
    if boxes.shape[0] != images.shape[0]:
        raise ValueError(f"The batch sizes should be the same, got {images.shape[0]} and {boxes.shape[0]}")
    if boxes.shape[2] != 4:
        raise ValueError(f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}")
    if colors.ndim != 2:
        raise ValueError(f"colors must be a 2-D matrix, got shape {list(colors.shape)}")
    if not len(colors):
        colors = np.ones((1, 1), np.float32) if depth == 1 else PALETTE
    elif colors.shape[1] < depth:
        raise ValueError(f"colors must have equal or more channels than the image provided: {list(colors.shape)}")
    out, colors = images.copy(), colors[:, :depth].astype(images.dtype)
    for image, inside in zip(out, boxes, strict=True):
        for number, box in enumerate(inside):
            _framed(image, box, colors[number % len(colors)])
    return out


def _drawn_infer(s: Shapes) -> list[Dims]:
    for dims, rank, what in zip(s.dims, (4, 3), ("images", "boxes"), strict=False):
        if dims is not None and len(dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}: {what}")
    return [s.dims[0]]


_DRAWN: dict[str, Any] = {"types": _TYPES, "infer": _drawn_infer, "vjp": no_gradient}


@op("DrawBoundingBoxes", "images:T, boxes:float32 -> T", **_DRAWN)
def _draw_boxes(xp, images, boxes):
    """Images with boxes drawn into them, in the colors of a palette."""
    return _drawn(images, boxes, np.zeros((0, 4), np.float32))


@op("DrawBoundingBoxesV2", "images:T, boxes:float32, colors:float32 -> T", **_DRAWN)
def _draw_colored_boxes(xp, images, boxes, colors):
    """Images with boxes drawn into them."""
    return _drawn(images, boxes, colors)


@export("image.draw_bounding_boxes")
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Tensor:
    """Images with boxes drawn into them.

    Args:
      images: [batch, rows, columns, 1, 3 or 4 channels].
      boxes: [batch, n, 4], rows of top, left, bottom, right as shares of the sides.
      colors: [m, channels]: one color after the other; a palette if None.
      name: the node's name.
    """
    if colors is None:
        return _draw_boxes(images, boxes, name=name)
    return _draw_colored_boxes(images, boxes, colors, name=name)


draw_bounding_boxes_v1: Any = export("compat.v1.image.draw_bounding_boxes")(
    another_form(draw_bounding_boxes, "images, boxes, name=None, colors=None", "draw_bounding_boxes")
)


# ---------------------------------------------------------------- windows around a point


NOISES = ("uniform", "gaussian", "zero")


def _noise(image: np.ndarray, size: tuple[int, int], kind: str) -> np.ndarray:
    """Deterministic fill values for the part of a window outside an image, drawn from the image's range."""
    shape = (*size, image.shape[2])
    if kind == "zero" or not image.size:
        return np.zeros(shape, image.dtype)
    draws = np.random.default_rng(0)
    if kind == "uniform":
        return draws.uniform(image.min(), image.max(), shape).astype(image.dtype)
    return draws.normal(image.mean(), image.std(), shape).astype(image.dtype)


def _window(image: np.ndarray, start: np.ndarray, size: tuple[int, int], kind: str) -> np.ndarray:
    out = _noise(image, size, kind)
    inside, seen = [], []
    for first, length, side in zip(start.tolist(), size, image.shape[:2], strict=True):
        low, high = max(first, 0), min(first + length, side)
        if high <= low:
            return out
        inside.append(slice(low - first, high - first))
        seen.append(slice(low, high))
    out[tuple(inside)] = image[tuple(seen)]
    return out


def _glimpses(images: Any, size: Any, offsets: Any, kind: str, starts: Any) -> np.ndarray:
    """The windows of images at what `starts(offsets, sides, size)` gives."""
    images, offsets, size = np.asarray(images), np.asarray(offsets), np.asarray(size)
    if images.ndim != 4:
        raise ValueError(f"input must be 4-dimensional (batch_size, height, width, depth), got {list(images.shape)}")
    if size.shape != (2,):
        raise ValueError(f"input must be a vector of size 2 (height, width), got {list(size.shape)}")
    if offsets.shape[:1] != images.shape[:1]:
        raise ValueError(f"first dimension should be batch {images.shape[0]}, got {list(offsets.shape)}")
    if offsets.ndim != 2 or offsets.shape[1] != 2:
        raise ValueError(f"second dimension should be of size 2 (y,x), got {list(offsets.shape)}")
    if kind not in NOISES:
        raise ValueError(f"The noise could only be uniform, gaussian, or zero, got {kind}")
    sides, window = np.array(images.shape[1:3], np.float32), size.astype(np.float32)
    corners = np.trunc(starts(offsets.astype(np.float32), sides, window)).astype(np.int64)
    lengths = int(size[0]), int(size[1])
    windows = [_window(image, start, lengths, kind) for image, start in zip(images, corners, strict=True)]
    return np.stack(windows) if windows else np.zeros((0, *lengths, images.shape[3]), images.dtype)


def _glimpse_infer(s: Shapes) -> list[Dims]:
    image, size, offsets = s.dims
    for dims, rank, what in ((image, 4, "input"), (size, 1, "size"), (offsets, 2, "offsets")):
        if dims is not None and len(dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}: {what}")
    if size is not None and size[0] not in (2, None):
        raise ValueError(f"Dimension must be 2 but is {size[0]}: size")
    if offsets is not None and offsets[1] not in (2, None):
        raise ValueError(f"Dimension must be 2 but is {offsets[1]}: offsets")
    batch = shapes.merge(None if image is None else image[:1], None if offsets is None else offsets[:1])
    lengths = s.partial_value(1) or (None, None)
    return [(batch[0] if batch else None, *lengths, None if image is None else image[3])]


_GLIMPSE: dict[str, Any] = {
    "static": ("size",),
    "infer": _glimpse_infer,
    "vjp": no_gradient,
}
_INPUTS = "input:float32, size:int32, offsets:float32 -> float32"


@op("ExtractGlimpse", _INPUTS, **_GLIMPSE)
def _glimpse(xp, input, size, offsets, *, centered=True, normalized=True, uniform_noise=True, noise="uniform"):
    """Windows around a point, which offsets give; as the first version has it, they are always its middle."""
    if uniform_noise and noise not in ("", "uniform"):
        raise ValueError("The uniform_noise and noise should not be specified at the same time")

    def starts(at: np.ndarray, sides: np.ndarray, window: np.ndarray) -> np.ndarray:
        at = at * sides if normalized else at
        return (at / 2 + sides / 2 if centered else at) - window / 2

    return _glimpses(input, size, offsets, noise or ("uniform" if uniform_noise else "gaussian"), starts)


@op("ExtractGlimpseV2", _INPUTS, **_GLIMPSE)
def _glimpse_v2(xp, input, size, offsets, *, centered=True, normalized=True, uniform_noise=False, noise="uniform"):
    """Windows around a point, which offsets give."""

    def starts(at: np.ndarray, sides: np.ndarray, window: np.ndarray) -> np.ndarray:
        if normalized:
            at = at * sides
            return at / 2 + sides / 2 - window / 2 if centered else at
        return at + sides / 2 if centered else at

    return _glimpses(input, size, offsets, noise, starts)


@export("image.extract_glimpse")
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """A window of each image.

    Args:
      input: images, [batch, rows, columns, channels].
      size: rows and columns of the window.
      offsets: [batch, 2], where the window is, down and across.
      centered: whether offsets are counted from the middle; normalized ones, 1 is the edge then.
      normalized: whether offsets are shares of the sides, not pixels.
      noise: fill values where the window leaves the image: "uniform", "gaussian" or "zero".
      name: the node's name.
    """
    return _glimpse_v2(
        input, size, offsets, centered=centered, normalized=normalized, uniform_noise=False, noise=noise, name=name
    )


@export("compat.v1.image.extract_glimpse")
def extract_glimpse_v1(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A window of each image around its offset, as 1.x counts them.

    Args:
      input: images, [batch, rows, columns, channels].
      size: rows and columns of the window.
      offsets: [batch, 2], where the middle of the window is, down and across.
      centered: whether offsets are counted from the middle of the image.
      normalized: whether offsets are shares of the sides, not pixels.
      uniform_noise: accepted: the noise is uniform.
      name: the node's name.
    """
    return _glimpse(
        input, size, offsets, centered=centered, normalized=normalized, uniform_noise=uniform_noise, name=name
    )
