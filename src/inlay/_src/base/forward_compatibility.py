"""Dates in programs that write graphs for older readers: `tf.compat.forward_compatible`."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inlay._src.base.export import export

_HORIZON: ContextVar[datetime.date] = ContextVar("horizon", default=datetime.date(2026, 1, 16))
"""The date up to which readers are known to have been built: that of TensorFlow 2.21."""


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether readers of a graph may be expected to know what was introduced on a date.

    Args:
      year: such as 2018.
      month: 1 to 12.
      day: 1 to 31.
    """
    horizon = _HORIZON.get()
    return (horizon.year, horizon.month, horizon.day) > (year, month, day)


@export("compat.forward_compatibility_horizon")
@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Makes a date the one that `forward_compatible` compares with, in the block.

    Args:
      year: such as 2018.
      month: 1 to 12.
      day: 1 to 31.

    Raises:
      ValueError: if there is no such day.
    """
    token = _HORIZON.set(datetime.date(year, month, day))
    try:
        yield
    finally:
        _HORIZON.reset(token)
