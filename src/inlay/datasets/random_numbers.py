"""Random numbers without end: the numbers that TensorFlow gives for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.datasets.element import Values
from inlay.datasets.node import INFINITE, Cursor, Iteration, Node
from inlay.datasets.shuffling import Seeds
from inlay.ops import philox
from inlay.ops.seeds import entropy
from inlay.types import dtypes
from inlay.types.specs import TensorSpec

_BLOCKS = 64
"""How many blocks of four words are made at once."""


def _words(seeds: tuple[int, int], start: int, count: int) -> list[int]:
    """32-bit words of the generator with these seeds, from block `start` on, four to a block."""
    key, high, first = (np.uint64(n % 2**64) for n in (*seeds, start))
    return philox.fill(np, "words", dtypes.uint32, key, high, first, (4 * count,)).tolist()  # type: ignore[no-any-return]


class Random(Node):
    """Numbers that are each as likely in [0, 2**32), as int64.

    Args:
      seeds: the two seeds; None draws them from the operating system, once.
      again: whether every iteration has seeds of its own, which follow from these.
    """

    __slots__ = ("again", "seeds")
    again: bool
    seeds: Seeds
    name = "_RandomDataset"

    def __init__(self, seeds: tuple[int, int] | None, again: bool) -> None:
        super().__init__(TensorSpec((), dtypes.int64))
        self.again, self.seeds = again, Seeds(seeds or (entropy(), entropy()), again, None if seeds else False)

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        one, other, at = self.seeds.next()
        if self.again:
            one, other = _words((one, other), at // 2, 1)[at % 2 * 2 :][:2]
        return RandomCursor((one, other))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return INFINITE


class RandomCursor(Cursor):
    """One iteration of `Random`. Its position is a number, as element `i` follows from the seeds and `i`."""

    __slots__ = ("_ahead", "_from", "next", "seeds")
    seeds: tuple[int, int]
    next: int
    saved = ("next", "seeds")

    def __init__(self, seeds: tuple[int, int]) -> None:
        super().__init__()
        self.seeds, self.next, self._from = seeds, 0, 0
        self._ahead: list[int] = []

    def __next__(self) -> Values:
        at = self.next - self._from
        if not 0 <= at < len(self._ahead):
            block = self.next // 4
            self._ahead, self._from = _words(self.seeds, block, _BLOCKS), block * 4
            at = self.next - self._from
        self.next += 1
        return [np.int64(self._ahead[at])]

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        super().restore(state)
        self._ahead = []
