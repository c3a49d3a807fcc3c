"""Boxes in plain NumPy, for `detector.py`: anchors, overlaps, and how a box is written relative to another.

A box is a row of float32: left, top, right, bottom, in pixels.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def anchors(cells: int, stride: int, sizes: tuple[int, ...]) -> Any:
    """Squares of each size around the middle of each cell of a grid, row by row."""
    middle = (np.arange(cells) + 0.5) * stride
    x, y = (v.reshape(-1, 1, 1) for v in np.meshgrid(middle, middle))
    half = np.array(sizes).reshape(1, -1, 1) / 2
    return np.concatenate([x - half, y - half, x + half, y + half], axis=2).reshape(-1, 4).astype(np.float32)


def overlaps(a: Any, b: Any) -> Any:
    """The area that each box of `a` shares with each of `b`, over the area of both together."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:4], b[None, :, 2:4])
    shared = np.prod(np.maximum(high - low, 0), axis=2)
    area = [np.prod(boxes[:, 2:4] - boxes[:, :2], axis=1) for boxes in (a, b)]
    return shared / (area[0][:, None] + area[1][None] - shared)


def encode(boxes: Any, wanted: Any) -> Any:
    """How far to move and stretch each box to get the wanted one: Girshick and others, 2014, equations 6 to 9."""
    size, other = boxes[:, 2:] - boxes[:, :2], wanted[:, 2:4] - wanted[:, :2]
    shift = (wanted[:, :2] + wanted[:, 2:4] - boxes[:, :2] - boxes[:, 2:]) / 2 / size
    return np.concatenate([shift, np.log(other / size)], axis=1).astype(np.float32)


def decode(boxes: Any, deltas: Any, limit: int) -> Any:
    """Boxes moved and stretched so, cut at the picture's edge."""
    size = boxes[:, 2:] - boxes[:, :2]
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2 + deltas[:, :2] * size
    half = size * np.exp(np.clip(deltas[:, 2:], -2, 2)) / 2
    return np.clip(np.concatenate([middle - half, middle + half], axis=1), 0, limit).astype(np.float32)


def best(boxes: Any, scores: Any, count: int, most: float) -> Any:
    """The numbers of the best-scored boxes, none of which overlaps a better one by more than `most`."""
    kept: list[int] = []
    table = overlaps(boxes, boxes)
    for i in np.argsort(-scores, kind="stable"):
        if len(kept) < count and all(table[i, j] <= most for j in kept):
            kept.append(int(i))
    return np.array(kept, int)
