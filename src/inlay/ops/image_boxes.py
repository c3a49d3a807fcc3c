"""Boxes in images: crops and suppression of overlapping ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.context import in_scope
from inlay.core.graph import constant_of
from inlay.core.opdef import some_values, vector
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import array, joining, math, reductions, resize
from inlay.ops.control import control_dependencies
from inlay.ops.gathering import gather_nd
from inlay.ops.image_checks import refusal
from inlay.ops.printing import assert_
from inlay.types import dtypes
from inlay.types.shapes import dimension_value


def _sampled(low: Any, high: Any, count: int, side: Any) -> Any:
    """The input coordinates, [boxes, count], of samples between two ends given as shares of `side - 1`."""
    last = math.cast(side - 1, dtypes.float32)
    if count == 1:
        return array.expand_dims((low + high) * last * 0.5, 1)
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
) -> Any:
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

    Returns:
      float32 crops, [n, crop height, crop width, channels].
    """
    if method not in ("bilinear", "nearest"):
        raise ValueError(f"method must be 'bilinear' or 'nearest', got {method!r}")
    size = constant_of(crop_size)
    if size is None or size.shape != (2,):
        raise ValueError(f"crop_size must be two numbers known while the graph is built, got {crop_size!r}")
    rows, columns = (int(n) for n in size)
    image = math.cast(convert_to_tensor(image), dtypes.float32)
    boxes, box_indices = convert_to_tensor(boxes, dtypes.float32), convert_to_tensor(box_indices, dtypes.int32)
    for what, tensor, rank in (("image", image, 4), ("boxes", boxes, 2), ("box_indices", box_indices, 1)):
        if tensor.shape.rank not in (None, rank):
            raise refusal(f"{what} must be rank {rank}, got shape {tensor.shape}")
    if rows < 1 or columns < 1:
        raise ValueError(f"crop dimensions must be positive, got {rows} and {columns}")
    if rows * columns * (dimension_value(boxes.shape[0]) or 1 if boxes.shape.rank else 1) > resize.MOST:
        raise ValueError(f"Encountered overflow when multiplying the sides of crops of {rows} by {columns} pixels")
    finite = reductions.reduce_all(math.is_finite(boxes))
    with control_dependencies([assert_(finite, ["Boxes contains at least one element that is not finite"])]):
        boxes = array.identity(boxes)
    y = _sampled(boxes[:, 0], boxes[:, 2], rows, array.shape(image)[1])
    x = _sampled(boxes[:, 1], boxes[:, 3], columns, array.shape(image)[2])
    which = array.reshape(box_indices, [-1, 1, 1])
    y, y_ok = _clamped(array.expand_dims(y, 2), array.shape(image)[1])
    x, x_ok = _clamped(array.expand_dims(x, 1), array.shape(image)[2])
    if method == "nearest":
        out = _pixels(image, which, math.floor(y + 0.5), math.floor(x + 0.5))
    else:
        out = _interpolated(image, which, y, x)
    inside = array.expand_dims(math.logical_and(y_ok, x_ok), 3)
    out = array.where(inside, out, convert_to_tensor(float(extrapolation_value)))
    out.set_shape([boxes.shape[0] if boxes.shape.rank else None, rows, columns, None])
    return out


def _clamped(at: Any, side: Any) -> tuple[Any, Any]:
    last = math.cast(side - 1, dtypes.float32)
    inside = math.logical_and(at >= 0.0, at <= last)
    return array.where(inside, at, array.zeros_like(at)), inside


def _pixels(image: Any, which: Any, y: Any, x: Any) -> Any:
    y, x = math.cast(y, dtypes.int32), math.cast(x, dtypes.int32)
    zero = y * 0 + x * 0
    return gather_nd(image, joining.stack([part + zero for part in (which, y, x)], axis=-1))


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


@op(
    "NonMaxSuppressionV3",
    "boxes:T, scores:T, max_output_size:int32, iou_threshold:T, score_threshold:T -> int32",
    types=frozenset({dtypes.float16, dtypes.float32}),
    static=("max_output_size",),
    ranks={"boxes": 2, "scores": 1, "max_output_size": 0, "iou_threshold": 0, "score_threshold": 0},
    infer=vector,
    differentiable=False,
    refuses=some_values,
)
def _suppress(xp, boxes, scores, max_output_size, iou_threshold, score_threshold):
    """Boxes that no better box covers."""
    boxes, scores = np.asarray(boxes), np.asarray(scores)
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise ValueError(f"boxes must be [n, 4] and scores [n], got {list(boxes.shape)} and {list(scores.shape)}")
    if not 0 <= iou_threshold <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {iou_threshold}")
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > score_threshold]
    return order[_uncovered(boxes[order], iou_threshold, int(np.asarray(max_output_size)))].astype(np.int32)


BATCH = 128
"""Boxes that are compared with one another at a time."""


def _uncovered(boxes: np.ndarray, threshold: Any, limit: int) -> list[int]:
    """The places of boxes that no box kept before covers by more than a share, at most `limit`.

    A batch is compared with all boxes that were kept, then with itself, by arrays. That leaves one step for each box
    that is kept: it covers boxes of its batch that come later.
    """
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]).T, np.maximum(boxes[:, :2], boxes[:, 2:]).T
    area, axes = (high[0] - low[0]) * (high[1] - low[1]), list(zip(low, high, strict=True))

    def covered(one: Any, other: Any) -> np.ndarray:
        """Whether boxes [m, 1] and [n] overlap by more than the share."""
        sides = [np.minimum(ends[one], ends[other]) - np.maximum(starts[one], starts[other]) for starts, ends in axes]
        both = np.maximum(sides[0], 0) * np.maximum(sides[1], 0)
        union = area[one] + area[other] - both
        share = both / np.where(union > 0, union, 1)
        over: np.ndarray = share > threshold
        return over

    kept: list[int] = []
    for start in range(0, len(boxes), BATCH):
        batch = np.arange(start, min(start + BATCH, len(boxes)))
        if kept:
            batch = batch[~covered(batch[:, None], np.array(kept)).any(axis=1)]
        pairs = covered(batch[:, None], batch)
        gone = np.zeros(len(batch), bool)
        for k, place in enumerate(batch.tolist()):
            if len(kept) >= limit:
                return kept
            if not gone[k]:
                kept.append(place)
                gone |= pairs[k]
    return kept


@export("image.non_max_suppression")
@in_scope("non_max_suppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Any:
    """The indices of boxes in order of their scores, without those that overlap a better one too much.

    Args:
      boxes: [n, 4], rows of two opposite corners y1, x1, y2, x2.
      scores: [n].
      max_output_size: how many to keep at most.
      iou_threshold: the share of intersection in union above which the worse box goes.
      score_threshold: boxes with this score or less go.
      name: the node's name.

    Returns:
      int32 indices.
    """
    boxes = convert_to_tensor(boxes, dtype_hint=dtypes.float32)
    limits = [math.cast(convert_to_tensor(v), boxes.dtype) for v in (iou_threshold, score_threshold)]
    return _suppress(boxes, scores, max_output_size, *limits, name=name)
