"""Boxes chosen by their scores, without those that a better one covers ("non-maximum suppression")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.context import in_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math
from inlay._src.ops.covering import chosen_boxes, shares

_TYPES = frozenset({dtypes.float16, dtypes.float32})
_NOTHING = float("-inf")


# ---------------------------------------------------------------- ops of one image


def _check(boxes: np.ndarray, scores: np.ndarray, limit: int, threshold: Any, sigma: Any = 0) -> None:
    """Refuses what is no list of boxes with scores, or no threshold."""
    if boxes.ndim != 2 or boxes.shape[1] != 4 or scores.shape != boxes.shape[:1]:
        raise ValueError(f"boxes must be [n, 4] and scores [n], got {list(boxes.shape)} and {list(scores.shape)}")
    if not 0 <= limit < 2**31:  # in TensorFlow's int32 a greater one is negative
        raise ValueError(f"output size must be non-negative and fit into int32, got {limit}")
    if not 0 <= threshold <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {threshold}")
    if not sigma >= 0:
        raise ValueError(f"soft_nms_sigma must be >= 0, got {sigma}")


def _infer(s: Shapes) -> list[Dims]:
    boxes, scores = s.dims[:2]
    if boxes is not None and (len(boxes) != 2 or boxes[1] not in (4, None)):
        raise ValueError(f"Shape must be [n, 4] but is {shapes.bracketed(boxes)}: boxes")
    if scores is not None and len(scores) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(scores)}: scores")
    shapes.merge(None if boxes is None else boxes[:1], scores)
    for dims in s.dims[2:]:
        if dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(dims)}: a limit or threshold")
    limit = s.value(2) if s.attrs.get("pad_to_max_output_size") else None
    return [(None if limit is None else int(limit),)]


def _padded(values: np.ndarray, limit: int, pad: bool) -> np.ndarray:
    return np.pad(values, (0, limit - len(values))) if pad else values


_COMMON: dict[str, Any] = {
    "types": {"T": _TYPES, "T_threshold": _TYPES},
    "static": ("max_output_size",),
    "ranks": {"max_output_size": 0, "iou_threshold": 0, "score_threshold": 0},
    "vjp": no_gradient,
    "lower": REFUSES_VALUES,
}
_THRESHOLDS = "iou_threshold:T_threshold, score_threshold:T_threshold"


@op("NonMaxSuppressionV3", f"boxes:T, scores:T, max_output_size:int32, {_THRESHOLDS} -> int32", infer=_infer, **_COMMON)
def _suppress(xp, boxes, scores, max_output_size, iou_threshold, score_threshold):
    """The places of boxes that no better box covers."""
    boxes, scores, limit = np.asarray(boxes), np.asarray(scores), int(np.asarray(max_output_size))
    _check(boxes, scores, limit, iou_threshold)
    return chosen_boxes(scores, shares(boxes), limit, iou_threshold, score_threshold)[0]


@op(
    "NonMaxSuppressionV4",
    f"boxes:T, scores:T, max_output_size:int32, {_THRESHOLDS} -> int32, int32",
    infer=lambda s: [*_infer(s), ()],
    **_COMMON,
)
def _suppress_padded(
    xp, boxes, scores, max_output_size, iou_threshold, score_threshold, *, pad_to_max_output_size=False
):
    """The places of boxes that no better box covers, zeros after them if asked for, and how many they are."""
    boxes, scores, limit = np.asarray(boxes), np.asarray(scores), int(np.asarray(max_output_size))
    _check(boxes, scores, limit, iou_threshold)
    places, _ = chosen_boxes(scores, shares(boxes), limit, iou_threshold, score_threshold)
    return _padded(places, limit, pad_to_max_output_size), np.int32(len(places))


@op(
    "NonMaxSuppressionV5",
    "boxes:T, scores:T, max_output_size:int32, iou_threshold:T, score_threshold:T, soft_nms_sigma:T -> int32, T, int32",
    infer=lambda s: [*_infer(s) * 2, ()],
    **{**_COMMON, "types": _TYPES},
)
def _suppress_softly(
    xp,
    boxes,
    scores,
    max_output_size,
    iou_threshold,
    score_threshold,
    soft_nms_sigma,
    *,
    pad_to_max_output_size=False,
):
    """The places of boxes, their scores, which better boxes lower, and how many they are."""
    boxes, scores, limit = np.asarray(boxes), np.asarray(scores), int(np.asarray(max_output_size))
    _check(boxes, scores, limit, iou_threshold, soft_nms_sigma)
    places, reached = chosen_boxes(scores, shares(boxes), limit, iou_threshold, score_threshold, soft_nms_sigma)
    pad = pad_to_max_output_size
    return _padded(places, limit, pad), _padded(reached, limit, pad), np.int32(len(places))


def _overlaps_infer(s: Shapes) -> list[Dims]:
    overlaps, scores = s.dims[:2]
    if overlaps is not None:
        shapes.merge(shapes.merge(overlaps[:1], overlaps[1:]), scores)
    return [(None,)]


@op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps:float32, scores:float32, max_output_size:int32, overlap_threshold:float32, score_threshold:float32 "
    "-> int32",
    infer=_overlaps_infer,
    static=("max_output_size",),
    ranks={"overlaps": 2, "scores": 1, "max_output_size": 0},
    vjp=no_gradient,
)
def _suppress_overlaps(xp, overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    """The places of boxes that overlap no better one too much."""
    overlaps, scores, limit = np.asarray(overlaps), np.asarray(scores), int(np.asarray(max_output_size))
    if scores.ndim != 1 or overlaps.shape != scores.shape * 2:
        raise ValueError(
            f"overlaps must be square, one for each score, got {list(overlaps.shape)} {list(scores.shape)}"
        )
    if limit < 0:
        raise ValueError(f"output size must be non-negative, got {limit}")
    return chosen_boxes(scores, lambda one, other: overlaps[one, other], limit, overlap_threshold, score_threshold)[0]


# ---------------------------------------------------------------- ops of several images


def _batch_infer(s: Shapes) -> list[Dims]:
    boxes, limit = s.dims[0], s.value(2)
    batch = None if boxes is None else boxes[:-2]
    return [None if batch is None else (*batch, None if limit is None else int(limit)), batch]


@op(
    "BatchNonMaxSuppression",
    "boxes:T, scores:T, max_output_size:int32, iou_threshold:T, score_threshold:T -> int32, int32",
    infer=_batch_infer,
    **{**_COMMON, "types": _TYPES},
)
def _suppress_in_each(xp, boxes, scores, max_output_size, iou_threshold, score_threshold):
    """For each image the places of boxes that no better box covers, zeros after them, and how many they are."""
    boxes, scores, limit = np.asarray(boxes), np.asarray(scores), int(np.asarray(max_output_size))
    batch = boxes.shape[:-2]
    if boxes.ndim < 2 or scores.shape != boxes.shape[:-1]:
        raise ValueError(
            f"boxes must be [..., n, 4] and scores [..., n], got {list(boxes.shape)}, {list(scores.shape)}"
        )
    places, counts = np.zeros((*batch, limit), np.int32), np.zeros(batch, np.int32)
    for at in np.ndindex(*batch):
        _check(boxes[at], scores[at], limit, iou_threshold)
        one, _ = chosen_boxes(scores[at], shares(boxes[at]), limit, iou_threshold, score_threshold)
        places[(*at, slice(len(one)))], counts[at] = one, len(one)
    return places, counts


def _rows(limit: Any, total: Any, classes: Any, pad_per_class: bool) -> Any:
    """The number of boxes of each image in the result for all classes."""
    return min(total, limit * classes) if pad_per_class else total


def _combined_infer(s: Shapes) -> list[Dims]:
    boxes, scores = s.dims[:2]
    for dims, rank, what in ((boxes, 4, "boxes"), (scores, 3, "scores")):
        if dims is not None and len(dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}: {what}")
    if boxes is not None and scores is not None:
        shapes.merge(boxes[:2], scores[:2])
    limit, total = s.value(2), s.value(3)
    for value, what in ((limit, "max_size_per_class"), (total, "max_total_size")):
        if value is not None and value <= 0:
            raise ValueError(f"{what} must be > 0, got {value}")
    batch = (boxes or (None,))[0] if scores is None else scores[0]
    classes, pad = None if scores is None else scores[2], s.attrs["pad_per_class"]
    static = total is not None and (not pad or (limit is not None and classes is not None))
    rows = _rows(int(limit or 0), int(total), classes, pad) if static else None
    return [(batch, rows, 4), (batch, rows), (batch, rows), (batch,)]


@op(
    "CombinedNonMaxSuppression",
    "boxes:float32, scores:float32, max_output_size_per_class:int32, max_total_size:int32, iou_threshold:float32, "
    "score_threshold:float32 -> float32, float32, float32, int32",
    static=("max_output_size_per_class", "max_total_size"),
    infer=_combined_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
    ranks={"max_output_size_per_class": 0, "max_total_size": 0, "iou_threshold": 0, "score_threshold": 0},
)
def _suppress_by_class(
    xp,
    boxes,
    scores,
    max_output_size_per_class,
    max_total_size,
    iou_threshold,
    score_threshold,
    *,
    pad_per_class=False,
    clip_boxes=True,
):
    """For each image the boxes that no better one of their class covers, scores, classes, and how many they are."""
    boxes, scores = np.asarray(boxes), np.asarray(scores)
    limit, total = int(np.asarray(max_output_size_per_class)), int(np.asarray(max_total_size))
    _check_classes(boxes, scores, limit, total, iou_threshold)
    count, classes = scores.shape[0], scores.shape[2]
    rows = _rows(limit, total, classes, pad_per_class)
    out, reached = np.zeros((count, rows, 4), np.float32), np.zeros((count, rows), np.float32)
    kinds, valid = np.zeros((count, rows), np.float32), np.zeros(count, np.int32)
    for image in range(count):
        detections = []
        for kind in range(classes):
            here, score = boxes[image, :, kind if boxes.shape[2] > 1 else 0], scores[image, :, kind]
            places, _ = chosen_boxes(score, shares(here), limit, iou_threshold, score_threshold)
            detections.extend((-float(score[p]), kind, here[p]) for p in places)
        detections = sorted(detections, key=lambda f: f[0])[:rows]
        valid[image] = len(detections)
        for row, (score, kind, box) in enumerate(detections):
            out[image, row], reached[image, row], kinds[image, row] = box, -score, kind
    return np.clip(out, 0, 1) if clip_boxes else out, reached, kinds, valid


def _check_classes(boxes: np.ndarray, scores: np.ndarray, limit: int, total: int, threshold: Any) -> None:
    """Refuses what is no batch of boxes with scores for classes, or no limit or threshold."""
    if boxes.ndim != 4 or boxes.shape[3] != 4 or scores.ndim != 3 or scores.shape[:2] != boxes.shape[:2]:
        raise ValueError(
            f"boxes must be [batch, n, 1 or classes, 4] and scores [batch, n, classes], got {list(boxes.shape)} and "
            f"{list(scores.shape)}"
        )
    if boxes.shape[2] not in (1, scores.shape[2]):
        raise ValueError(f"third dimension of boxes must be either 1 or num classes, got {boxes.shape[2]}")
    for value, what in ((limit, "max_size_per_class"), (total, "max_total_size")):
        if value <= 0:
            raise ValueError(f"{what} must be > 0, got {value}")
    if not 0 <= threshold <= 1:
        raise ValueError(f"iou_threshold must be in [0, 1], got {threshold}")


# ---------------------------------------------------------------- public functions


def _limits(boxes: Any, *values: Any) -> Sequence[Any]:
    """Thresholds, which are of one type, of the type of the boxes."""
    limits = [convert_to_tensor(v) for v in values]
    kinds = {limit.dtype.name for limit in limits}
    if len(kinds) > 1:
        raise TypeError(f"the thresholds must be of one type, got {' and '.join(sorted(kinds))}")
    return [math.cast(limit, boxes.dtype) for limit in limits]


@export("image.non_max_suppression")
@in_scope("non_max_suppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NOTHING,
    name: str | None = None,
) -> Tensor:
    """The indices of boxes in order of their scores, without those that overlap a better one too much.

    Args:
      boxes: [n, 4], rows of two opposite corners y1, x1, y2, x2.
      scores: [n].
      max_output_size: maximum number of boxes to keep.
      iou_threshold: the share of intersection in union above which the worse box goes.
      score_threshold: boxes with this score or less go.
      name: the scope of the nodes.

    Returns:
      int32 indices.
    """
    boxes = convert_to_tensor(boxes, dtype_hint=dtypes.float32)
    return _suppress(boxes, scores, max_output_size, *_limits(boxes, iou_threshold, score_threshold))


@export("image.non_max_suppression_with_scores")
@in_scope("non_max_suppression_with_scores")
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NOTHING,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Any, Any]:
    """As `non_max_suppression`, with the scores; better boxes may lower a score instead of taking the box away.

    Args:
      boxes: [n, 4], rows of two opposite corners y1, x1, y2, x2.
      scores: [n].
      max_output_size: maximum number of boxes to keep.
      iou_threshold: the share of intersection in union above which the worse box goes, if `soft_nms_sigma` is 0.
      score_threshold: boxes with this score or less go.
      soft_nms_sigma: each better box multiplies a score by `exp(-0.5 * share ** 2 / soft_nms_sigma)`; 0 leaves scores.
      name: the scope of the nodes.

    Returns:
      (int32 indices, scores).
    """
    boxes = convert_to_tensor(boxes, dtype_hint=dtypes.float32)
    limits = _limits(boxes, iou_threshold, score_threshold, soft_nms_sigma)
    places, reached, _ = _suppress_softly(boxes, scores, max_output_size, *limits)
    return places, reached


@export("image.non_max_suppression_overlaps")
@in_scope("non_max_suppression_overlaps")
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = _NOTHING,
    name: str | None = None,
) -> Tensor:
    """As `non_max_suppression`, of boxes of which only the overlaps are known.

    Args:
      overlaps: [n, n], the overlap of each with each.
      scores: [n].
      max_output_size: maximum number of boxes to keep.
      overlap_threshold: the overlap above which the worse box goes.
      score_threshold: boxes with this score or less go.
      name: the scope of the nodes.

    Returns:
      int32 indices.
    """
    return _suppress_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold)


@export("image.non_max_suppression_padded")
@in_scope("non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NOTHING,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> tuple[Any, Any]:
    """As `non_max_suppression`, with as many indices as are asked for, also of a batch.

    Args:
      boxes: [..., n, 4], rows of two opposite corners y1, x1, y2, x2.
      scores: [..., n].
      max_output_size: maximum number of boxes to keep.
      iou_threshold: the share of intersection in union above which the worse box goes.
      score_threshold: boxes with this score or less go.
      pad_to_max_output_size: whether zeros stand for what is missing at the end; for a batch they must.
      name: the scope of the nodes.
      sorted_input, canonicalized_coordinates, tile_size: promises of the caller about the input; nothing depends on
        them.

    Returns:
      (int32 indices [..., max_output_size], how many of them count).

    Raises:
      ValueError: for a batch without `pad_to_max_output_size`.
      TypeError: if `max_output_size` is not int32.
    """
    boxes, scores = convert_to_tensor(boxes, dtype_hint=dtypes.float32), convert_to_tensor(scores)
    max_output_size = convert_to_tensor(max_output_size)
    if max_output_size.dtype is not dtypes.int32:
        raise TypeError(f"max_output_size must be int32, got type {max_output_size.dtype.name}")
    limits = _limits(boxes, iou_threshold, score_threshold)
    if boxes.shape.rank == 2:
        return tuple(
            _suppress_padded(boxes, scores, max_output_size, *limits, pad_to_max_output_size=pad_to_max_output_size)
        )  # type: ignore[return-value]
    if not pad_to_max_output_size:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for 'boxes' of shape {boxes.shape}"
        )
    return tuple(_suppress_in_each(boxes, scores, max_output_size, *limits))  # type: ignore[return-value]


@export("image.combined_non_max_suppression")
@in_scope("combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _NOTHING,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The best boxes of images over all classes, without those that overlap a better one of their class too much.

    Args:
      boxes: [batch, n, 1 or classes, 4], rows of two opposite corners y1, x1, y2, x2.
      scores: [batch, n, classes].
      max_output_size_per_class: maximum number of boxes to keep of each class.
      max_total_size: maximum number of boxes to keep of each image.
      iou_threshold: the share of intersection in union above which the worse box goes.
      score_threshold: boxes with this score or less go.
      pad_per_class: whether the result has no more rows than `max_output_size_per_class` for each class.
      clip_boxes: whether corners are brought into [0, 1].
      name: the scope of the nodes.

    Returns:
      (boxes [batch, m, 4], scores [batch, m], classes [batch, m] as float32, how many count [batch]), 0 after those.
    """
    limit, total = (convert_to_tensor(size, dtypes.int32) for size in (max_output_size_per_class, max_total_size))
    return _suppress_by_class(
        boxes, scores, limit, total, iou_threshold, score_threshold,
        pad_per_class=pad_per_class, clip_boxes=clip_boxes,
    )  # fmt: skip
