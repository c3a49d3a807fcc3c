"""Nodes that only pickles of earlier trees have: draws of indices, and elements rejected by class.

Sampling and resampling are compositions of other nodes now, which draw TensorFlow's elements. A pickled dataset goes on
with the draws that it had.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import CAPTURES, graph_form
from inlay._src.data.mapped import Mapped
from inlay._src.data.mapping import ElementFunction, MapCursor
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.shuffling import Seeds


@graph_form("", "", {"seeds": Seeds})
class DrawsNode(Node):
    """Numbers drawn at random, with the probabilities that its input gives for each of them."""

    __slots__ = ("seeds",)
    name = "_RandomChoiceDataset"
    seeds: Seeds

    def cursor(self, iteration: Iteration) -> Cursor:
        return DrawsCursor(self.inputs[0].cursor(iteration), self.seeds.next())

    def cardinality(self, iteration: Iteration) -> int:
        return self.inputs[0].cardinality(iteration)


class _DrawingCursor(Cursor):
    """An iteration whose position has the state of its random numbers."""

    __slots__ = ()
    _random: np.random.Generator

    def state(self) -> Any:
        return {**super().state(), "random": self._random.bit_generator.state}

    def restore(self, state: Any) -> None:
        super().restore(state)
        self._random.bit_generator.state = state["random"]


class DrawsCursor(_DrawingCursor):
    """One iteration of `DrawsNode`."""

    __slots__ = ("_random",)

    def __init__(self, source: Cursor, seed: Sequence[int]) -> None:
        super().__init__(source)
        self._random = np.random.Generator(np.random.PCG64(list(seed)))

    def __next__(self) -> Values:
        (weights,) = next(self.sources[0])
        bounds = np.cumsum(np.asarray(weights, np.float64).ravel())
        at = self._random.random() * bounds[-1]
        return [np.int64(min(np.searchsorted(bounds, at, side="right"), len(bounds) - 1))]


@graph_form("", CAPTURES, {"kind": Mapped, "seeds": Seeds, "_known": bool})
class ResampleNode(Node):
    """Pairs of class and element: those of classes that are more frequent than wanted are rejected at random."""

    __slots__ = ("_known", "kind", "seeds")
    name = "_RejectionResampleDataset"
    kind: Mapped
    seeds: Seeds
    _known: bool

    def cursor(self, iteration: Iteration) -> Cursor:
        wanted, *more = iteration.values(self.tensors)
        initial = more[0] if self._known else None
        function = ElementFunction.of(self, self.kind, iteration, errors.InvalidArgumentError)
        return ResampleCursor(self.inputs[0].cursor(iteration), function, wanted, initial, self.seeds.next())

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE if self.inputs[0].cardinality(iteration) == INFINITE else UNKNOWN


class ResampleCursor(MapCursor, _DrawingCursor):
    """One iteration of `ResampleNode`. Its position has the counts of the classes, too."""

    __slots__ = ("_initial", "_random", "_wanted", "counts")
    saved = ("counts", "first", "index")

    def __init__(
        self, source: Cursor, function: ElementFunction, wanted: Any, initial: Any, seed: Sequence[int]
    ) -> None:
        super().__init__(source, function)
        self._wanted = np.asarray(wanted, np.float64)
        self._initial = None if initial is None else np.asarray(initial, np.float64)
        self.counts: Any = np.ones(len(self._wanted))
        self._random = np.random.Generator(np.random.PCG64(list(seed)))

    def __next__(self) -> Values:
        while True:
            values = next(self.sources[0])
            (kind,) = self.applied(values)
            at = int(kind)
            if not 0 <= at < len(self._wanted):
                raise errors.InvalidArgumentError(
                    None, None, f"class_func gave class {at}, but target_dist has {len(self._wanted)} classes"
                )
            if self._initial is None:
                self.counts = self.counts + (np.arange(len(self.counts)) == at)
            frequent = self.counts / self.counts.sum() if self._initial is None else self._initial
            ratio = self._wanted / np.maximum(frequent, np.finfo(np.float64).tiny)
            if self._random.random() * ratio.max() < ratio[at]:
                return [kind, *values]
