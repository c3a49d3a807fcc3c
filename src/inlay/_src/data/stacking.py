"""Stacking of elements along a new first axis: readers of batches, and the memory that they write into."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import nest
from inlay._src.base.types.shapes import bracketed
from inlay._src.base.types.specs import TensorSpec
from inlay._src.base.types.template import flatten
from inlay._src.core.values import MOST_LEVELS, no_rank
from inlay._src.data.element import Element, Values, parts_of, values_of
from inlay._src.data.node import Cursor
from inlay._src.ops.joining import concat


class Column:
    """One component of a batch, filled row by row.

    Args:
      size: its largest number of rows.

    Attributes:
      odd: of the first row with another shape, its number, the first shape and its own; None if there is none.
    """

    __slots__ = ("_array", "_count", "_shape", "_size", "odd")

    def __init__(self, size: int) -> None:
        self._size, self._count = size, 0
        self._array: Any = None
        self._shape: tuple[int, ...] = ()
        self.odd: tuple[int, tuple[int, ...], tuple[int, ...]] | None = None

    def add(self, value: Any) -> None:
        """Writes the next row."""
        at, array = self._count, self._array
        self._count = at + 1
        shape = np.shape(value)
        if array is None:
            if len(shape) >= MOST_LEVELS:
                raise errors.InvalidArgumentError(None, None, no_rank(len(shape) + 1))
            kind = getattr(value, "dtype", None)
            if kind is None or kind.kind in "OS":
                kind = np.dtype(object)
            self._shape = shape
            row = max(1, kind.itemsize * math.prod(shape))
            array = self._array = np.empty((min(self._size, max(1, TUNING.batch_reserved_bytes // row)), *shape), kind)
        elif shape != self._shape:
            self.odd = self.odd or (at, self._shape, shape)
            return
        elif at == len(array):
            array = self._array = np.concatenate([array, np.empty_like(array)])
        array[at, ...] = value  # a string is an array of rank 0, of which `array[at]` would keep the array

    @property
    def rows(self) -> Any:
        """All rows, in memory of their own."""
        return self._array if self._count == len(self._array) else self._array[: self._count].copy()


class Stack:
    """Stacks the values of elements.

    Args:
      element: the structure of the elements.
    """

    __slots__ = ("_element", "_parts", "_plain")

    def __init__(self, element: Element) -> None:
        self._element, self._parts = element, parts_of(element)
        self._plain = all(isinstance(s, TensorSpec) for s in nest.flatten(element.spec))

    def __call__(self, elements: Sequence[Values]) -> Values:
        """The values of a batch.

        Raises:
          InvalidArgumentError: if the shapes of a component differ.
        """
        out: Values = []
        for part, where in self._parts:
            if isinstance(part.spec, TensorSpec):
                column = Column(len(elements))
                for values in elements:
                    column.add(values[where.start])
                out.append(self._whole(column, where.start))
            elif part.leaves:
                out += joined_rows(part.spec, [part.pack(values[where]) for values in elements])
        return out

    def read(self, source: Cursor, size: int) -> tuple[Values, int]:
        """The values of a batch of so many elements that are read now, and how many there were.

        Raises:
          InvalidArgumentError: when all were read, if the shapes of a component differ.
          Unread: if an element could not be read.
        """
        return source.stacked(size) if source.stacks else self.filled(source, size)

    def filled(self, source: Iterator[Values], size: int) -> tuple[Values, int]:
        """As `read`, one element after the other.

        An element of tensors is written into the memory of the batch when it was read, and is not kept.
        """
        if not self._plain:
            return gathering(self)(source, size)
        columns = [Column(size) for _ in self._element.leaves]
        count = 0
        try:
            for values in itertools.islice(source, size):
                count += 1
                for column, value in zip(columns, values, strict=True):
                    column.add(value)
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raise Unread(count, error) from None
        return ([self._whole(column, at) for at, column in enumerate(columns)] if count else []), count

    def none(self) -> Values:
        """The values of a batch of no elements.

        Raises:
          UnimplementedError: for composites.
        """
        if not self._plain:
            raise errors.UnimplementedError(None, None, f"no batch of size 0 can be made of {self._element.spec!r}")
        return [np.empty((0, *(n or 0 for n in s.shape._dims or ())), s.dtype.np) for s in self._element.leaves]

    def _whole(self, column: Column, at: int) -> Any:
        if column.odd is not None:
            raise self._unequal(at, *column.odd)
        return column.rows

    def _unequal(self, at: int, i: int, first: tuple[int, ...], other: tuple[int, ...]) -> errors.OpError:
        path = next(
            p for p, (_, where) in zip(self._paths(), self._parts, strict=True) if where.start <= at < where.stop
        )
        return errors.InvalidArgumentError(
            None,
            None,
            f"Cannot batch tensors with different shapes in component {at}. First element had shape "
            f"{bracketed(first)} and element {i} had shape {bracketed(other)}.\n  component element{path}, spec "
            f"{self._element.leaves[at]!r}\n  Use padded_batch or ragged_batch, or make the shapes equal before.",
        )

    def _paths(self) -> list[str]:
        return [path for path, _ in nest.flatten_with_paths(self._element.spec)]


def joined_rows(row: Any, values: Sequence[Any]) -> Values:
    """The components of the value whose rows are given.

    Args:
      row: the spec of a row.
      values: the rows.
    """
    if not hasattr(row, "_pieces"):
        raise errors.UnimplementedError(
            None, None, f"elements of {row!r} cannot be stacked; flat_map over them first, as in flat_map(lambda w: w)"
        )
    pieces = zip(*[row._pieces(value) for value in values], strict=True)
    return values_of(flatten(row._of_pieces([concat(list(part), 0) for part in pieces], len(values)))[0])


Read = Callable[[Any, int], tuple[Values, int]]
"""Reads so many elements at most: the values of a batch of them, and how many there were. It may raise `Unread`."""


class Unread(Exception):
    """An element of a batch could not be read.

    Args:
      count: the number read before it.
      error: its error.
    """

    def __init__(self, count: int, error: BaseException) -> None:
        super().__init__()
        self.count, self.error = count, error


def gathering(stack: Callable[[Sequence[Values]], Values]) -> Read:
    """A reader that reads all elements of a batch before it stacks them."""

    def read(source: Iterator[Values], size: int) -> tuple[Values, int]:
        elements: list[Values] = []
        try:
            elements.extend(itertools.islice(source, size))
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            raise Unread(len(elements), error) from None
        return (stack(elements) if elements else []), len(elements)

    return read
