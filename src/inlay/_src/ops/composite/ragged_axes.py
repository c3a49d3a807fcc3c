"""Axes of ragged tensors, which are known while a graph is built."""

from __future__ import annotations

from typing import Any

import numpy as np


def positive_axis(axis: Any, rank: int | None, what: str = "axis") -> int:
    """An axis counted from the front.

    Args:
      axis: an integer; negative ones count from the end.
      rank: the number of axes; None is unknown.
      what: the argument's name, for errors.

    Raises:
      TypeError: if it is no integer.
      ValueError: if there is no such axis, or it is negative and the rank is unknown.
    """
    if not isinstance(axis, (int, np.integer)):
        raise TypeError(f"{what} must be an int; got {type(axis).__name__}")
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"{what}={axis} out of bounds: expected {-rank}<={what}<{rank}")
    if axis < 0 and rank is None:
        raise ValueError(f"{what}={axis} may only be negative if the rank is statically known")
    return int(axis) if axis >= 0 else int(axis) + (rank or 0)
