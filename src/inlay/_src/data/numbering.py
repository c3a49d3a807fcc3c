"""The numbers of the elements of random functions in one iteration, on which random values depend; see `draws`.

A cursor that opens after those of the same stage are closed continues their numbers, so every epoch of `repeat`
draws other numbers, and the same as TensorFlow's. One that opens beside others has numbers far from theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.interpreter.forking import new_lock

APART = 1 << 32
"""The distance between the numbers of cursors that are open at once."""


class Numbering:
    """The numbers that the stages of one iteration have given."""

    __slots__ = ("_last", "_lock", "_open")

    def __init__(self) -> None:
        self._lock = new_lock()
        self._last: dict[int, int] = {}  # id of a node -> the number behind the last one
        self._open: dict[int, int] = {}  # id of a node -> how many of its cursors are open

    def opened(self, node: Any) -> Numbers:
        """The numbers of a new cursor of a node."""
        key = id(node)
        with self._lock:
            beside, first = self._open.get(key, 0), self._last.get(key, 0)
            if beside:
                first = self._last[key] = (first // APART + 1) * APART
            self._open[key] = beside + 1
        return Numbers(first, self, key)

    def closed(self, key: int, last: int) -> None:
        """A cursor ends that numbered its elements up to `last`."""
        with self._lock:
            self._open[key] -= 1
            self._last[key] = max(self._last.get(key, 0), last)

    def state(self, nodes: Sequence[Any]) -> list[list[int]]:
        """The last numbers of closed cursors, by the place of their node in a list."""
        with self._lock:
            return [[at, self._last[id(node)]] for at, node in enumerate(nodes) if id(node) in self._last]

    def restore(self, state: Sequence[Sequence[int]], nodes: Sequence[Any]) -> None:
        """Goes on where another iteration stood when it was asked for `state`."""
        with self._lock:
            self._last = {id(nodes[int(at)]): int(last) for at, last in state}


class Numbers:
    """The numbers of one cursor.

    Args:
      first: that of its first element.
      numbering: gave it; None if nothing depends on it.
      key: of the cursor's node.
    """

    __slots__ = ("_key", "_numbering", "first")
    first: int

    def __init__(self, first: int = 0, numbering: Numbering | None = None, key: int = 0) -> None:
        self.first, self._numbering, self._key = first, numbering, key

    def close(self, last: int) -> None:
        """The cursor ends; `last` is the number behind that of its last element. May be called twice."""
        numbering, self._numbering = self._numbering, None
        if numbering is not None:
            numbering.closed(self._key, last)
