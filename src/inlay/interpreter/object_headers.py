"""The lengths of many byte strings at once, read from where CPython keeps them.

CPython begins each object with its count of references and its class; in `bytes` the length follows. Asking each object
of a large array takes 30 ns; its words, gathered as numbers, take 5. Where they stand is measured when this module is
loaded; where they are not found (another interpreter, another layout), the objects are asked.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

MANY = 512
"""Strings from which reading their lengths takes less time than asking for them."""
_SHIFT = np.dtype(np.intp).itemsize.bit_length() - 1
"""Of an address, to number words."""


class _Memory:
    """Words of this process's memory, as NumPy takes them: `np.asarray(_Memory(address, count))` copies nothing."""

    def __init__(self, address: int, count: int) -> None:
        self.__array_interface__ = {
            "data": (address, True), "shape": (count,), "typestr": np.dtype(np.intp).str, "version": 3,
        }  # fmt: skip


def _measured() -> tuple[int, int] | None:
    """At which words of `bytes` its class and its length stand; None if they do not."""
    if sys.implementation.name != "cpython":  # `id` is an address nowhere else
        return None
    sample = bytes(4243)
    words = np.asarray(_Memory(id(sample), 6)).tolist()
    return (words.index(id(bytes)), words.index(4243)) if {id(bytes), 4243} <= set(words) else None


_PLACES = _measured()


def byte_lengths(strings: np.ndarray) -> np.ndarray | None:
    """The length of each element of an array of objects, int64, as a vector; None where it has to be asked for.

    That is so for a few strings, for arrays with an element that is not `bytes` (nor of a class derived from it), and
    where this interpreter's objects cannot be read.

    Args:
      strings: of any shape. Another thread may write into it meanwhile.
    """
    if strings.size < MANY or _PLACES is None:
        return None
    held = strings.flatten()  # it holds every object for as long as its memory is read
    address: Any = held.__array_interface__["data"][0]
    objects = np.asarray(_Memory(address, held.size))
    low, high = int(objects.min()), int(objects.max())
    if not low:  # an element that was never set
        return None
    memory = np.asarray(_Memory(low, ((high - low) >> _SHIFT) + 1 + max(_PLACES)))
    words = (objects - low) >> _SHIFT
    kind, length = (memory.take(words + place, mode="clip") for place in _PLACES)
    return length if (kind == id(bytes)).all() else None
