"""Elements of several datasets, each of one that a choice picks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.data.element import Values
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.shuffling import Seeds


class Choose(Node):
    """Elements of several datasets, each of that which a choice picks.

    Args:
      choices: gives the number of a dataset for every element, int64 scalars.
      sources: the datasets.
      spec: what holds of the elements of all.
      stop: whether it ends when a dataset that is picked has ended; otherwise another is picked.
    """

    __slots__ = ("stop",)
    name = "_DirectedInterleaveDataset"

    def __init__(self, choices: Node, sources: Sequence[Node], spec: Any, stop: bool) -> None:
        super().__init__(spec, (choices, *sources))
        self.stop = stop

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return ChooseCursor([node.cursor(iteration) for node in self.inputs], self.stop)

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        choices, *found = [node.cardinality(iteration) for node in self.inputs]
        return INFINITE if choices == INFINITE and INFINITE in found else UNKNOWN


class ChooseCursor(Cursor):
    """One iteration of `Choose`."""

    __slots__ = ("_stop", "ended", "left")
    saved = ("ended", "left")

    def __init__(self, sources: Sequence[Cursor], stop: bool) -> None:
        super().__init__(*sources)
        self._stop, self.ended = stop, False
        self.left: Any = list(range(len(sources) - 1))

    def __next__(self) -> Values:
        while self.left and not self.ended:
            picked = int(next(self.sources[0])[0])
            if not 0 <= picked < len(self.sources) - 1:
                raise errors.InvalidArgumentError(
                    None, None, f"Selector index out of range: {picked} >= {len(self.sources) - 1}"
                )
            if picked not in self.left:
                continue
            try:
                return next(self.sources[1 + picked])
            except StopIteration:
                self.left = [i for i in self.left if i != picked]
                self.ended = self._stop
        raise StopIteration


class Draws(Node):
    """Numbers drawn at random, without end.

    Args:
      weights: a dataset whose elements are vectors: the probability of each number.
      seeds: those of the iterations.
    """

    __slots__ = ("seeds",)
    name = "_RandomChoiceDataset"

    def __init__(self, weights: Node, seeds: Seeds) -> None:
        super().__init__(TensorSpec((), dtypes.int64), (weights,))
        self.seeds = seeds

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return DrawsCursor(self.inputs[0].cursor(iteration), self.seeds.next())

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return self.inputs[0].cardinality(iteration)


class DrawsCursor(Cursor):
    """One iteration of `Draws`. Its position has the state of the random numbers."""

    __slots__ = ("_random",)

    def __init__(self, source: Cursor, seed: Sequence[int]) -> None:
        super().__init__(source)
        self._random = np.random.Generator(np.random.PCG64(list(seed)))

    def __next__(self) -> Values:
        (weights,) = next(self.sources[0])
        bounds = np.cumsum(np.asarray(weights, np.float64).ravel())
        at = self._random.random() * bounds[-1]
        return [np.int64(min(np.searchsorted(bounds, at, side="right"), len(bounds) - 1))]

    def state(self) -> Any:
        """See `Cursor.state`."""
        return {**super().state(), "random": self._random.bit_generator.state}

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        super().restore(state)
        self._random.bit_generator.state = state["random"]
