"""The memory that reading a file may take: in proportion to the file, however often the file names one of its parts.

A reader opens an allowance for the size of a file. Code that takes memory for a value that the file names (an array of
a checkpoint, an element that stands for many, the lines of a vocabulary) charges it first, so that the sum is bounded:
a thousand references to one value are a thousand charges. Outside of an allowance nothing is charged: a program that
reads a value twice asked for it twice.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

FACTOR, SLACK = 2, 32 << 20
"""An allowance in bytes is `FACTOR` times the file and `SLACK`: half of what is promised, as a value may exist
beside the bytes that it is made of."""


class _Allowance:
    """The rest of an allowance.

    Args:
      size: the bytes of the file.

    Attributes:
      size: the same.
      left: the bytes that may still be charged.
    """

    __slots__ = ("left", "size")

    def __init__(self, size: int) -> None:
        self.size, self.left = size, FACTOR * size + SLACK


_CURRENT: ContextVar[_Allowance | None] = ContextVar("inlay_allowance", default=None)


@contextlib.contextmanager
def allowance(size: int) -> Iterator[None]:
    """In the block, values of a file are made.

    Args:
      size: the bytes of the file, or the files of a folder. Within an allowance there is no second one: the outer
        file holds the inner one.
    """
    if _CURRENT.get() is not None:
        yield
        return
    token = _CURRENT.set(_Allowance(size))
    try:
        yield
    finally:
        _CURRENT.reset(token)


def charge(count: int) -> None:
    """Charges the memory of a value before it is made.

    Args:
      count: its bytes.

    Raises:
      ValueError: if the values of the file take more memory than its size allows.
    """
    current = _CURRENT.get()
    if current is None:
        return
    current.left -= count
    if current.left < 0:
        raise ValueError(
            f"its values take more memory than {FACTOR} times its {current.size:,} bytes and {SLACK >> 20} MB: it "
            "names one value many times, or claims sizes that it does not have"
        )
