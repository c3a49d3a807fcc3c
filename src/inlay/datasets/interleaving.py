"""Elements of several datasets by turns: of those that a function makes, and of those that a choice picks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay import errors
from inlay.datasets.element import Values, saved_values
from inlay.datasets.mapped import Mapped
from inlay.datasets.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay.datasets.shuffling import Seeds
from inlay.datasets.sizes import at_least
from inlay.datasets.transforms import datasets_of
from inlay.types import dtypes
from inlay.types.specs import TensorSpec


class Interleave(Node):
    """The elements of the datasets that a function makes of each element, several datasets by turns.

    Args:
      source: what is mapped.
      mapped: the function; it gives a dataset.
      cycle: how many datasets are read by turns, an int64 scalar.
      block: how many elements are taken from each at a time, an int64 scalar.
    """

    __slots__ = ("mapped",)
    name = "_InterleaveDataset"

    def __init__(self, source: Node, mapped: Mapped, cycle: Any, block: Any) -> None:
        super().__init__(datasets_of(mapped, "interleave"), (source,), (cycle, block, *mapped.captures))
        self.mapped = mapped

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        cycle, block = iteration.values(self.tensors[:2])
        source, make = self.inputs[0].cursor(iteration), self.mapped.opened(iteration)
        return InterleaveCursor(source, make, at_least(cycle, 1, "cycle_length"), at_least(block, 1, "block_length"))


class InterleaveCursor(Cursor):
    """One iteration of `Interleave`. Its position has the element that each open dataset was made of."""

    __slots__ = ("_block", "_make", "_open", "at", "ended", "taken")
    saved = ("at", "ended", "taken")

    def __init__(self, source: Cursor, make: Callable[[Values], Values], cycle: int, block: int) -> None:
        super().__init__(source)
        self._make, self._block = make, block
        self._open: list[tuple[Values, Cursor] | None] = [None] * cycle
        self.at, self.taken, self.ended = 0, 0, False

    def __next__(self) -> Values:
        while not self.ended or any(self._open):
            held = self._open[self.at]
            if held is not None:
                try:
                    values = next(held[1])
                except StopIteration:
                    held[1].close()
                    self._open[self.at] = None
                    self._turn()
                    continue
                self.taken += 1
                if self.taken == self._block:
                    self._turn()
                return values
            if self.ended:
                self._turn()
            else:
                self._fill()
        raise StopIteration

    def _turn(self) -> None:
        self.at, self.taken = (self.at + 1) % len(self._open), 0

    def _fill(self) -> None:
        try:
            values = next(self.sources[0])
        except StopIteration:
            self.ended = True
            return
        self._open[self.at] = values, self._opened(values)

    def _opened(self, values: Values) -> Cursor:
        (bound,) = self._make(values)
        return bound.node.cursor(bound.iteration)  # type: ignore[no-any-return]

    def state(self) -> Any:
        """See `Cursor.state`."""
        held = [
            None if pair is None else {"element": saved_values(pair[0]), "at": pair[1].state()} for pair in self._open
        ]
        return {**super().state(), "open": held}

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        super().restore(state)
        for i, held in enumerate(state["open"]):
            if held is not None:
                values = list(held["element"])
                cursor = self._opened(values)
                cursor.restore(held["at"])
                self._open[i] = values, cursor

    def close(self) -> None:
        """See `Cursor.close`."""
        for held in self._open:
            if held is not None:
                held[1].close()
        super().close()


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
        found = [node.cardinality(iteration) for node in self.inputs]
        return INFINITE if all(n == INFINITE for n in found) else UNKNOWN


class ChooseCursor(Cursor):
    """One iteration of `Choose`."""

    __slots__ = ("_stop", "ended", "left")
    saved = ("ended", "left")

    def __init__(self, sources: Sequence[Cursor], stop: bool) -> None:
        super().__init__(*sources)
        self._stop, self.ended = stop, False
        self.left = list(range(len(sources) - 1))

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
      weights: a dataset whose elements are vectors: how likely each number is.
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
