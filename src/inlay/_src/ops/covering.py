"""Non-maximum suppression over arrays: selection of boxes that no better box overlaps."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING

Overlaps = Callable[[Any, Any], np.ndarray]
"""The overlaps of boxes with others, both given by their places; the places broadcast."""


def shares(boxes: np.ndarray) -> Overlaps:
    """The shares of intersection in union of boxes [n, 4], each two opposite corners; 0 of one without an area."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]).T, np.maximum(boxes[:, :2], boxes[:, 2:]).T
    area, axes = (high[0] - low[0]) * (high[1] - low[1]), list(zip(low, high, strict=True))

    def share(one: Any, other: Any) -> np.ndarray:
        sides = [np.minimum(ends[one], ends[other]) - np.maximum(starts[one], starts[other]) for starts, ends in axes]
        both = np.maximum(sides[0], 0) * np.maximum(sides[1], 0)
        union = area[one] + area[other] - both
        shared: np.ndarray = both / np.where(union > 0, union, 1)
        return shared

    return share


def uncovered(order: np.ndarray, overlaps: Overlaps, threshold: Any, limit: int) -> list[int]:
    """Of boxes, the best first, those that none chosen before overlaps by more than `threshold`, at most `limit`.

    A batch is compared with all boxes that were chosen, then with itself, by arrays. That leaves one step for each box
    that is chosen: it covers boxes of its batch that come later.
    """
    chosen: list[int] = []
    for start in range(0, len(order), TUNING.compared_boxes):
        batch = order[start : start + TUNING.compared_boxes]
        if chosen:
            batch = batch[~(overlaps(batch[:, None], np.array(chosen)) > threshold).any(axis=1)]
        pairs = overlaps(batch, batch[:, None]) > threshold
        gone = np.zeros(len(batch), bool)
        for k, place in enumerate(batch.tolist()):
            if len(chosen) >= limit:
                return chosen
            if not gone[k]:
                chosen.append(place)
                gone |= pairs[k]
    return chosen


def _lowered(
    order: np.ndarray, scores: np.ndarray, overlaps: Overlaps, least: Any, sigma: Any, limit: int
) -> tuple[list[int], list[Any]]:
    """Boxes and their scores, each score lowered by every better box that overlaps ("soft" suppression).

    A box waits with the number of chosen ones that have lowered its score already. It is chosen once its score, lowered
    by the others too, is as high as it was when it waited.
    """
    factor = scores.dtype.type(-0.5) / sigma
    waiting = [(-float(scores[i]), i, scores[i], 0) for i in order.tolist()]
    heapq.heapify(waiting)
    chosen: list[int] = []
    reached: list[Any] = []
    while waiting and len(chosen) < limit:
        _, place, before, seen = heapq.heappop(waiting)
        score = before
        if seen < len(chosen):
            shared = overlaps(place, np.array(chosen[seen:]))[::-1]
            for weight in np.exp(factor * shared * shared):
                score = score * weight
                if score <= least:
                    break
        if score == before:
            chosen.append(place)
            reached.append(score)
        elif score > least:
            heapq.heappush(waiting, (-float(score), place, score, len(chosen)))
    return chosen, reached


def chosen_boxes(
    scores: np.ndarray, overlaps: Overlaps, limit: int, threshold: Any, least: Any, sigma: Any = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The places of the boxes that stay, the best first, and their scores."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > least]
    if sigma > 0:
        places, reached = _lowered(order, scores, overlaps, least, sigma, limit)
        return np.array(places, np.int32), np.array(reached, scores.dtype)
    selected = np.array(uncovered(order, overlaps, threshold, limit), np.int32)
    return selected, scores[selected]
