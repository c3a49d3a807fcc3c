"""Several passes over the elements: `repeat`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import INFINITE, Cursor, Iteration, Node
from inlay._src.data.sizes import size_tensor
from inlay._src.data.stacking import Unread


@graph_form("RepeatDataset", "int64")
class RepeatNode(Node):
    """The elements several times over, each time from a new iteration."""

    __slots__ = ()
    name = "_RepeatDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source.element, (source,), (count,))

    def cursor(self, iteration: Iteration) -> Cursor:
        return RepeatCursor(self.inputs[0], iteration, iteration.number(self.tensors[0]))

    def cardinality(self, iteration: Iteration) -> int:
        size, count = self.inputs[0].cardinality(iteration), iteration.number(self.tensors[0])
        if count < 0:
            return 0 if size == 0 else INFINITE
        return 0 if not count else size if size < 0 else size * count


class RepeatCursor(Cursor):
    """One iteration of `RepeatNode`. Its source is that of the current turn."""

    __slots__ = ("_iteration", "_node", "_times", "done", "some")
    saved: ClassVar[tuple[str, ...]] = ("done", "some")

    def __init__(self, node: Node, iteration: Iteration, times: int) -> None:
        super().__init__()
        self._node, self._iteration, self._times = node, iteration, times
        self.done: int = 0
        self.some: bool = False

    def __next__(self) -> Values:
        while self.sources or self._turns():
            try:
                values = next(self.sources[0])
                self.some = True
                return values
            except StopIteration:
                self._end()
        raise StopIteration

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        return bool(self.sources or self._turns()) and self.sources[0].stacks

    def stacked(self, size: int) -> tuple[Values, int]:
        parts: list[Values] = []
        count = 0
        while count < size and self.stacks:  # every turn stacks if one does
            try:
                values, more = self.sources[0].stacked(size - count)
            except Unread as unread:
                self.some = self.some or unread.count > 0
                raise Unread(count + unread.count, unread.error) from None
            if more:
                self.some = True
                parts.append(values)
                count += more
            if count < size:
                self._end()
        if len(parts) == 1:
            return parts[0], count
        return [np.concatenate(part) for part in zip(*parts, strict=True)], count

    def _turns(self) -> bool:
        """Whether there is another turn; it is begun."""
        if self.done == self._times:
            return False
        self._begin()
        self.some = False
        return True

    def _begin(self) -> None:
        self.sources = (self._node.cursor(self._iteration),)

    def _end(self) -> None:
        """The turn is over."""
        self.close()
        self.sources = ()
        self.done += 1
        if not self.some and self._times < 0:  # an empty dataset without end: TensorFlow's ends too
            self.done = self._times

    def restore(self, state: Any) -> None:
        if state["sources"]:
            self._begin()
        super().restore(state)


def repeat(source: Node, count: Any = None, name: str | None = None) -> Node:
    """Repeats the dataset.

    Args:
      count: the number of passes, an int64 scalar; None or -1 repeats without end.
    """
    return RepeatNode(source, size_tensor(-1 if count is None else count, "count"))
