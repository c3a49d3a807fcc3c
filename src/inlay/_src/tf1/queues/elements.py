"""The elements of a queue in the order of removal: first in first out, at random, by priority.

An element is a tuple of values, one per component.
"""

from __future__ import annotations

import abc
import heapq
import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.ops import philox
from inlay._src.ops.seeds import entropy

Element = tuple[Any, ...]


class Elements(abc.ABC):
    """The elements of one queue.

    Attributes:
      together: whether the elements of one operation are taken all at once: one that comes later may come before them.
    """

    together: bool = False

    @abc.abstractmethod
    def __len__(self) -> int:
        """The number of elements."""

    @abc.abstractmethod
    def put(self, element: Element) -> None:
        """Takes an element in."""

    @abc.abstractmethod
    def take(self) -> Element:
        """The next element, which is no longer held."""

    @abc.abstractmethod
    def put_back(self, elements: Sequence[Element]) -> None:
        """Takes back what `take` gave, in that order, as if it had never been given."""

    def arranged(self, elements: list[Element]) -> list[Element]:
        """The elements that one operation took, in the order of removal."""
        return elements


class FirstInFirstOut(Elements):
    """In the order in which they came."""

    def __init__(self) -> None:
        self._held: deque[Element] = deque()

    def __len__(self) -> int:
        return len(self._held)

    def put(self, element: Element) -> None:
        """See `Elements`."""
        self._held.append(element)

    def take(self) -> Element:
        """See `Elements`."""
        return self._held.popleft()

    def put_back(self, elements: Sequence[Element]) -> None:
        """See `Elements`."""
        self._held.extendleft(reversed(elements))


class AtRandom(Elements):
    """In a random order.

    The draws are TensorFlow's: the words of Philox 4x32-10 one after the other, each modulo the number of elements; the
    last element takes the place of the one that is given.

    Args:
      seeds: key and upper counter of the generator; (0, 0) draws them from the system.
    """

    def __init__(self, seeds: tuple[int, int]) -> None:
        self._held: list[Element] = []
        self._seeds = seeds if any(seeds) else (entropy(), entropy())
        self._next = np.uint64(0)  # the block that is drawn next
        self._words: list[int] = []

    def __len__(self) -> int:
        return len(self._held)

    def put(self, element: Element) -> None:
        """See `Elements`."""
        self._held.append(element)

    def _word(self) -> int:
        if not self._words:
            (key, high), count = self._seeds, TUNING.queue_word_blocks
            blocks = philox.blocks(np, np.uint64(key), np.uint64(high), self._next + np.arange(count, dtype=np.uint64))
            self._next += np.uint64(count)
            self._words = blocks.T.reshape(-1)[::-1].tolist()
        return self._words.pop()

    def take(self) -> Element:
        """See `Elements`."""
        index, last = self._word() % len(self._held), self._held.pop()
        if index == len(self._held):
            return last
        element, self._held[index] = self._held[index], last
        return element

    def put_back(self, elements: Sequence[Element]) -> None:
        """See `Elements`; the draws are not taken back."""
        self._held.extend(elements)


class ByPriority(Elements):
    """The least first component first; of equal ones the one that came first."""

    together = True

    def __init__(self) -> None:
        self._held: list[tuple[int, int, Element]] = []
        self._arrivals = itertools.count()
        self._before = itertools.count(-1, -1)

    def __len__(self) -> int:
        return len(self._held)

    def put(self, element: Element) -> None:
        """See `Elements`."""
        heapq.heappush(self._held, (int(element[0]), next(self._arrivals), element))

    def take(self) -> Element:
        """See `Elements`."""
        return heapq.heappop(self._held)[2]

    def put_back(self, elements: Sequence[Element]) -> None:
        """See `Elements`."""
        for element in reversed(elements):
            heapq.heappush(self._held, (int(element[0]), next(self._before), element))

    def arranged(self, elements: list[Element]) -> list[Element]:
        """See `Elements`; an operation of more elements than the capacity takes them in parts."""
        return sorted(elements, key=lambda element: int(element[0]))
