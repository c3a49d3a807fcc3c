"""The first elements, and those after them: `take` and `skip`."""

from __future__ import annotations

from typing import Any, ClassVar

from inlay._src.data.element import Values
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay._src.data.sizes import size_tensor
from inlay._src.data.stacking import Unread


@graph_form("TakeDataset", "int64")
class TakeNode(Node):
    """The first `count` elements."""

    __slots__ = ()
    name = "_TakeDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source.element, (source,), (count,))

    def cursor(self, iteration: Iteration) -> Cursor:
        return TakeCursor(self.inputs[0].cursor(iteration), iteration.number(self.tensors[0]))

    def cardinality(self, iteration: Iteration) -> int:
        size, count = self.inputs[0].cardinality(iteration), iteration.number(self.tensors[0])
        if count < 0 or size == UNKNOWN:
            return size if count else 0
        return count if size == INFINITE else min(size, count)


class TakeCursor(Cursor):
    """One iteration of `TakeNode`. With the end it ends the iteration of its source, which it has none of any more."""

    __slots__ = ("left",)
    saved: ClassVar[tuple[str, ...]] = ("left",)

    def __init__(self, source: Cursor, count: int) -> None:
        super().__init__(source)
        self.left: int = count

    def __next__(self) -> Values:
        if not self.left:
            self._end()
            raise StopIteration
        values = next(self.sources[0])
        self.left -= 1
        return values

    def _end(self) -> None:
        self.close()
        self.sources = ()

    def restore(self, state: Any) -> None:
        if not state["sources"]:
            self._end()
        super().restore(state)

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        return bool(self.sources) and self.sources[0].stacks

    def stacked(self, size: int) -> tuple[Values, int]:
        try:
            values, count = self.sources[0].stacked(size if self.left < 0 else min(size, self.left))
        except Unread as unread:
            self.left -= unread.count
            raise
        self.left -= count
        return values, count


@graph_form("SkipDataset", "int64")
class SkipNode(Node):
    """The elements after the first `count`."""

    __slots__ = ()
    name = "_SkipDataset"

    def __init__(self, source: Node, count: Any) -> None:
        super().__init__(source.element, (source,), (count,))

    def cursor(self, iteration: Iteration) -> Cursor:
        return SkipCursor(self.inputs[0].cursor(iteration), iteration.number(self.tensors[0]))

    def cardinality(self, iteration: Iteration) -> int:
        size, count = self.inputs[0].cardinality(iteration), iteration.number(self.tensors[0])
        return 0 if count < 0 else size if size < 0 else max(0, size - count)


class SkipCursor(Cursor):
    """One iteration of `SkipNode`."""

    __slots__ = ("left",)
    saved: ClassVar[tuple[str, ...]] = ("left",)

    def __init__(self, source: Cursor, count: int) -> None:
        super().__init__(source)
        self.left: int = count

    def __next__(self) -> Values:
        self._skip()
        return next(self.sources[0])

    def _skip(self) -> None:
        while self.left:
            next(self.sources[0])
            self.left -= 1

    @property
    def stacks(self) -> bool:  # type: ignore[override]
        return self.sources[0].stacks

    def stacked(self, size: int) -> tuple[Values, int]:
        try:
            self._skip()
        except StopIteration:
            return [], 0
        return self.sources[0].stacked(size)


def take(source: Node, count: Any, name: str | None = None) -> Node:
    """The first `count` elements.

    Args:
      count: the number of elements, an int64 scalar; -1 takes all.
    """
    return TakeNode(source, size_tensor(count, "count"))


def skip(source: Node, count: Any, name: str | None = None) -> Node:
    """The elements after the first `count`.

    Args:
      count: the number of elements, an int64 scalar; -1 skips all.
    """
    return SkipNode(source, size_tensor(count, "count"))
