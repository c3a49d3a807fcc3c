"""Random numbers without end: the numbers that TensorFlow gives for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core import context
from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import INFINITE, Cursor, Iteration, Node
from inlay._src.data.shuffling import SeededInRun, Seeds, fixed_seeds, tensors_in_run
from inlay._src.data.words import WordStream
from inlay._src.ops.seeds import entropy


@graph_form(
    "RandomDataset",
    "",
    {"seeds": Seeds, "again": bool},
    0,
    extra=lambda node: node.seeds.written,
    same=lambda node: not node.again,
)
class RandomNode(Node):
    """Numbers that are each as likely in [0, 2**32), as int64."""

    __slots__ = ("again", "seeds")
    name = "_RandomDataset"

    def __init__(self, seeds: Seeds) -> None:
        super().__init__(TensorSpec((), dtypes.int64))
        self.again, self.seeds = seeds.again, seeds

    def cursor(self, iteration: Iteration) -> Cursor:
        return RandomCursor(self.seeds.pair())

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE


@graph_form(
    "RandomDatasetV2",
    "int64 int64 resource",
    {"again": bool},
    0,
    attrs={"again": "rerandomize_each_iteration"},
    read=lambda message: RandomV2Node(message.tensors, message.node.attrs["rerandomize_each_iteration"]),
)
class RandomV2Node(SeededInRun):
    """The same in a graph, where every iteration has other numbers, and each run of the graph begins anew."""

    __slots__ = ("again",)
    name = "_RandomDataset"

    def __init__(self, seeds: Sequence[Any], again: bool) -> None:
        super().__init__(TensorSpec((), dtypes.int64), (), seeds)
        self.again = again

    def cursor(self, iteration: Iteration) -> Cursor:
        return RandomCursor(self.seeds_in(iteration).pair())

    def cardinality(self, iteration: Iteration) -> int:
        return INFINITE


class RandomCursor(Cursor):
    """One iteration of random numbers. Its position is a number, as element `i` follows from the seeds and `i`."""

    __slots__ = ("_words",)

    def __init__(self, seeds: tuple[int, int]) -> None:
        super().__init__()
        self._words = WordStream(seeds)

    def __next__(self) -> Values:
        return [np.int64(self._words.draw())]

    def state(self) -> Any:
        return {**super().state(), "next": self._words.next, "seeds": list(self._words.seeds)}

    def restore(self, state: Any) -> None:
        super().restore(state)
        one, other = state["seeds"]
        self._words = WordStream((one, other), state["next"])


def random(seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Node:
    """An infinite dataset of random int64 scalars in [0, 2**32).

    Args:
      seed: determines the numbers together with `random.set_seed`.
      rerandomize_each_iteration: whether every iteration has other numbers.
    """
    if rerandomize_each_iteration and not context.executing_eagerly():
        return RandomV2Node(tensors_in_run(seed), again=True)
    return RandomNode(random_seeds(seed, bool(rerandomize_each_iteration)))


def random_seeds(seed: Any, again: bool) -> Seeds:
    """The seeds of random numbers: drawn now, and the same in every iterator, if nothing determines them.

    Args:
      seed: determines them together with `random.set_seed`.
      again: whether every iteration has seeds of its own.
    """
    fixed = fixed_seeds(seed)
    return Seeds(fixed or (entropy(), entropy()), again, None if fixed else False)
