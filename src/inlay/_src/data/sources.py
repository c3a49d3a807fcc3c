"""Sources: datasets that read no other one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.tensor import EagerTensor
from inlay._src.data.element import Element, Values, blocks_of, row_spec, rows_of, static_row_counts
from inlay._src.data.node import INFINITE, Cursor, Iteration, Node

LAST = 2**63 - 1
"""The largest int64: a range up to it counts as infinite, as in TensorFlow."""


class Counted(Cursor):
    """A cursor whose position is a number.

    Args:
      count: the number of elements.
      at: gives the values of one, from its number.
      many: gives those of several stacked, in memory of their own, from the first number and the one behind the last;
        None if that is nothing but to stack them.
    """

    __slots__ = ("_at", "_count", "_many", "next", "stacks")
    saved: ClassVar[tuple[str, ...]] = ("next",)

    def __init__(
        self, count: int, at: Callable[[int], Values], many: Callable[[int, int], Values] | None = None
    ) -> None:
        super().__init__()
        self._count, self._at, self._many = count, at, many
        self.stacks: bool = many is not None
        self.next: int = 0

    def __next__(self) -> Values:
        i = self.next
        if i >= self._count:
            raise StopIteration
        self.next = i + 1
        return self._at(i)

    def stacked(self, size: int) -> tuple[Values, int]:
        """See `Cursor.stacked`."""
        assert self._many is not None
        first = self.next
        self.next = last = min(first + size, self._count)
        return (self._many(first, last) if last > first else []), last - first


class Range(Node):
    """Numbers from `start` up to `stop`, `step` apart.

    Args:
      start, stop, step: int64 scalars.
      dtype: of the elements.

    Raises:
      InvalidArgumentError: if the step is 0, now or, if it is not known yet, while it is iterated.
    """

    __slots__ = ()
    name = "_RangeDataset"

    def __init__(self, start: Any, stop: Any, step: Any, dtype: Any) -> None:
        if isinstance(step, EagerTensor):
            _checked_step(value_of(step))
        super().__init__(TensorSpec((), dtype), (), (start, stop, step))

    def check(self, iteration: Iteration) -> None:
        """See `Node.check`."""
        _checked_step(iteration.value(self.tensors[2]))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        start, stop, step = map(int, iteration.values(self.tensors))
        kind, count = self.element.leaves[0].dtype.as_numpy_dtype, _steps(start, stop, step)

        def many(first: int, last: int) -> Values:
            return [(np.arange(first, last) * step + start).astype(kind, copy=False)]

        whole = np.dtype(kind).kind == "i" and _holds(kind, start) and _holds(kind, start + (count - 1) * step)
        return Counted(count, lambda i: [kind(start + i * step)], many if whole else None)

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        start, stop, step = map(int, iteration.values(self.tensors))
        return INFINITE if stop == LAST else min(_steps(start, stop, step), LAST)


def _steps(start: int, stop: int, step: int) -> int:
    """The number of elements of a range: `len`, which has an upper bound."""
    return max(0, -((start - stop) // _checked_step(step)))


def _checked_step(step: Any) -> int:
    if step == 0:
        raise errors.InvalidArgumentError(None, None, "step must be a non-zero integer.")
    return int(step)


def _holds(kind: Any, number: int) -> bool:
    """Whether an integer type has a number."""
    info = np.iinfo(kind)
    return bool(info.min <= number <= info.max)


class Count(Node):
    """Numbers from `start` on, `step` apart, without end.

    Args:
      start, step: scalars of the type of the elements.
      dtype: of the elements.
    """

    __slots__ = ()
    name = "ScanDataset"

    def __init__(self, start: Any, step: Any, dtype: Any) -> None:
        super().__init__(TensorSpec((), dtype), (), (start, step))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        start, step = (value.item() for value in iteration.values(self.tensors))
        kind = self.element.leaves[0].dtype.as_numpy_dtype
        return Counted(sys.maxsize, lambda i: [kind(start + i * step)])

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return INFINITE


class Tensors(Node):
    """One element.

    Args:
      spec: its spec.
      components: its flat tensors.
    """

    __slots__ = ()
    name = "_TensorDataset"

    def __init__(self, spec: Any, components: Sequence[Any]) -> None:
        super().__init__(spec, (), components)

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        values = iteration.values(self.tensors)
        return Counted(1, lambda i: list(values))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return 1


class Slices(Node):
    """The rows of tensors, and of ragged and sparse values.

    Args:
      spec: the spec of all rows together.
      components: the flat tensors.

    Raises:
      ValueError: if there is no component, or one has no rows, or another number of them than the first.
    """

    __slots__ = ("whole",)
    name = "_TensorSliceDataset"

    def __init__(self, spec: Any, components: Sequence[Any]) -> None:
        if not components:
            raise ValueError("Invalid `element`. `element` should not be empty: there are no tensors to take rows of.")
        self.whole: Element = Element(spec)
        super().__init__(nest.map_structure(row_spec, spec), (), components)
        known = static_row_counts(spec)
        if len(known - {None}) > 1:
            first, second = sorted(known - {None})[:2]
            raise ValueError(
                f"Dimensions {first} and {second} are not compatible: every component must have as many rows"
            )

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        values = iteration.values(self.tensors)
        return Counted(*rows_of(self.whole, values), blocks_of(self.whole, values))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        return rows_of(self.whole, iteration.values(self.tensors))[0]
