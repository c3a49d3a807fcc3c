"""Random words as TensorFlow's datasets draw them: 32 bits after the other of a Philox generator."""

from __future__ import annotations

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.ops import philox


def words(seeds: tuple[int, int], start: int, count: int) -> list[int]:
    """The words of a generator, four to a block.

    Args:
      seeds: of the generator.
      start: the first block.
      count: the number of blocks.
    """
    key, high, first = (np.uint64(n % 2**64) for n in (*seeds, start))
    return philox.fill(np, "words", dtypes.uint32, key, high, first, (4 * count,)).tolist()  # type: ignore[no-any-return]


class WordStream:
    """The words of a generator, one by one.

    Args:
      seeds: of the generator.
      next: the number drawn before.

    Attributes:
      seeds: the same.
      next: the number of the next word.
    """

    __slots__ = ("_ahead", "_blocks", "_from", "next", "seeds")

    def __init__(self, seeds: tuple[int, int], next: int = 0) -> None:
        self.seeds, self.next, self._from, self._blocks = seeds, next, 0, TUNING.word_least_blocks
        self._ahead: list[int] = []

    def draw(self) -> int:
        """The next word."""
        at = self.next - self._from
        if at >= len(self._ahead):
            block = self.next // 4
            self._ahead, self._from = words(self.seeds, block, self._blocks), block * 4
            self._blocks = min(2 * self._blocks, TUNING.word_blocks)
            at = self.next - self._from
        self.next += 1
        return self._ahead[at]
