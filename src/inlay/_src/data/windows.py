"""Datasets of datasets: windows of consecutive elements, and groups of elements with the same key."""

from __future__ import annotations

from typing import Any

from inlay._src.base import errors
from inlay._src.base.types import dtypes, nest
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.data.element import Element, Values, parts_of
from inlay._src.data.graph_rows import graph_form
from inlay._src.data.node import Cursor, Iteration, Node, unresumable
from inlay._src.data.sizes import at_least, size_tensor
from inlay._src.data.spec import DatasetSpec, held


@graph_form("WindowDataset", "int64 int64 int64 bool")
class WindowNode(Node):
    """Datasets of consecutive elements, one for each component."""

    __slots__ = ()
    name = "_WindowDataset"

    def __init__(self, source: Node, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> None:
        spec = nest.map_structure(DatasetSpec, source.element.spec)
        super().__init__(spec, (source,), (size, shift, stride, drop_remainder))

    def check(self, iteration: Iteration) -> None:
        self._settings(iteration)

    def cursor(self, iteration: Iteration) -> Cursor:
        return WindowCursor(self.inputs[0].cursor(iteration), self.inputs[0].element, *self._settings(iteration))

    def cardinality(self, iteration: Iteration) -> int:
        count = self.inputs[0].cardinality(iteration)
        size, shift, stride, drop = self._settings(iteration)
        if count < 0:
            return count
        if not drop:
            return -(-count // shift)
        reach = (size - 1) * stride + 1
        return 0 if count < reach else (count - reach) // shift + 1

    def _settings(self, iteration: Iteration) -> tuple[int, int, int, bool]:
        size, shift, stride, drop = iteration.values(self.tensors)
        labels = ("Window size", "Window shift", "Window stride")
        checked = [at_least(n, 1, label) for n, label in zip((size, shift, stride), labels, strict=True)]
        return checked[0], checked[1], checked[2], bool(drop)


class WindowCursor(Cursor):
    """One iteration of `WindowNode`. Its position has the elements that the next window begins with.

    An element that cannot be read takes its place among them: every window that it belongs to raises what it raised,
    as TensorFlow's do, and the windows behind begin where they would have begun. Of one that belongs to no window
    nothing is reported.
    """

    __slots__ = ("_drop", "_parts", "_reach", "_shift", "_stride", "buffer", "ended", "skip")
    saved = ("buffer", "ended", "skip")

    def __init__(self, source: Cursor, element: Element, size: int, shift: int, stride: int, drop: bool) -> None:
        super().__init__(source)
        self._parts = parts_of(element)
        self._reach, self._shift, self._stride, self._drop = (size - 1) * stride + 1, shift, stride, drop
        self.buffer: list[Values | BaseException] = []
        self.skip, self.ended = 0, False

    def __next__(self) -> Values:
        while not self.ended and (self.skip or len(self.buffer) < self._reach):
            self._group()
        if not self.buffer or (self._drop and len(self.buffer) < self._reach):
            self.buffer = []
            raise StopIteration
        elements: list[Values] = []
        failures: list[BaseException] = []
        for values in self.buffer[:: self._stride]:
            if isinstance(values, BaseException):
                failures.append(values)
            else:
                elements.append(values)
        self.skip = max(0, self._shift - len(self.buffer))
        self.buffer = self.buffer[self._shift :]
        if failures:
            del values  # this frame, which the traceback has, must not hold what is raised
            raise failures.pop(0)
        return [held([v[at] for v in elements]) for _, at in self._parts]

    def _group(self) -> None:
        try:
            self._place(next(self.sources[0]))
        except StopIteration:
            self.ended = True
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            self._place(error)

    def _place(self, values: Values | BaseException) -> None:
        if self.skip:
            self.skip -= 1
        else:
            self.buffer.append(values)

    def state(self) -> Any:
        if any(isinstance(values, BaseException) for values in self.buffer):
            raise unresumable("a window", "one of its elements could not be read, and what that raised cannot be saved")
        return super().state()


def window(
    source: Node, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
) -> Node:
    """Groups consecutive elements into datasets; each component becomes a dataset.

    Args:
      size: the number of elements per window, an int64 scalar.
      shift: the distance in elements between the starts of two windows, an int64 scalar; None is `size`.
      stride: the distance between elements of a window, an int64 scalar.
      drop_remainder: whether to drop windows that are smaller, a bool scalar.

    Raises:
      InvalidArgumentError: if a number is not positive.
    """
    width = size_tensor(size, "Window size", 1)
    apart = size_tensor(size if shift is None else shift, "Window shift", 1)
    step = size_tensor(stride, "Window stride", 1)
    drop = convert_to_tensor(drop_remainder, dtypes.bool_)
    return WindowNode(source, width, apart, step, drop)
