"""Arrays of which no two have the same shape, and which do not grow: a faster peer must not get larger ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

MOST_ELEMENTS = 1024


def distinct() -> Iterator[np.ndarray]:
    """Arrays of up to `MOST_ELEMENTS` numbers and four dimensions, about 57,000, in an order that every process shares.

    Raises:
      RuntimeError: when there are no more.
    """
    most = MOST_ELEMENTS
    shapes = [
        (a, b, c, d)
        for a in range(1, most + 1)
        for b in range(1, most // a + 1)
        for c in range(1, most // (a * b) + 1)
        for d in range(1, most // (a * b * c) + 1)
    ]
    random.Random(0).shuffle(shapes)
    values = np.linspace(-4.0, 4.0, most, dtype=np.float32)
    for shape in shapes:
        yield values[: np.prod(shape)].reshape(shape)
    raise RuntimeError(f"{len(shapes)} shapes are not enough for so many calls: raise MOST_ELEMENTS")
