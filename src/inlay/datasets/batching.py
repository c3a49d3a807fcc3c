"""Batches: elements stacked along a new first axis, and taken apart again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from inlay import errors
from inlay.datasets.element import Element, Values, row_spec, rows_of
from inlay.datasets.node import INFINITE, UNKNOWN, Cursor, Iteration, Node
from inlay.types import nest
from inlay.types.shapes import TensorShape, bracketed
from inlay.types.specs import TensorSpec


class Batch(Node):
    """Elements stacked, so many at a time.

    Args:
      source: what is stacked.
      size: how many make a batch, an int64 scalar.
      drop_remainder: whether a last batch that is smaller is left out, a bool scalar.
      static: the size of every batch if it is known now, else None.
    """

    __slots__ = ()
    name = "BatchDataset"

    def __init__(self, source: Node, size: Any, drop_remainder: Any, static: int | None) -> None:
        spec = nest.map_structure(lambda s: batched_spec(s, static), source.element.spec)
        super().__init__(spec, (source,), (size, drop_remainder))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        size, drop = iteration.values(self.tensors)
        source = self.inputs[0]
        return BatchCursor(source.cursor(iteration), Stack(source.element), positive(size), bool(drop))

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        size, drop = iteration.values(self.tensors)
        found = self.inputs[0].cardinality(iteration)
        return found if found < 0 else found // int(size) if drop else -(-found // int(size))


def positive(size: Any) -> int:
    """The size of batches.

    Raises:
      InvalidArgumentError: if it is not positive.
    """
    if int(size) < 1:
        raise errors.InvalidArgumentError(None, None, f"Batch size must be greater than zero, got {int(size)}.")
    return int(size)


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of elements of a spec that are stacked."""
    if isinstance(spec, TensorSpec):
        return TensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)
    return spec._batched_spec(size)


class Stack:
    """Stacks the values of elements.

    Args:
      element: how the elements are built.
    """

    __slots__ = ("_element", "_plain")

    def __init__(self, element: Element) -> None:
        self._element = element
        self._plain = all(isinstance(s, TensorSpec) for s in nest.flatten(element.spec))

    def __call__(self, elements: Sequence[Values]) -> Values:
        """The values of a batch.

        Raises:
          InvalidArgumentError: if the shapes of a component differ.
        """
        return [self._component(elements, at) for at in range(len(self._element.leaves))]

    def _component(self, elements: Sequence[Values], at: int) -> Any:
        first = elements[0][at]
        shape, kind = np.shape(first), getattr(first, "dtype", None)
        if kind is None or kind.kind in "OS":
            kind = np.dtype(object)
        out = np.empty((len(elements), *shape), kind)
        for i, values in enumerate(elements):
            value = values[at]
            if np.shape(value) != shape:
                raise self._unequal(at, i, shape, np.shape(value))
            out[i, ...] = value  # a string is an array of rank 0, of which `out[i]` would keep the array
        return out

    def _unequal(self, at: int, i: int, first: tuple[int, ...], other: tuple[int, ...]) -> errors.OpError:
        path = nest.flatten_with_paths(self._element.spec)[at][0] if self._plain else f"[{at}]"
        return errors.InvalidArgumentError(
            None,
            None,
            f"Cannot batch tensors with different shapes in component {at}. First element had shape "
            f"{bracketed(first)} and element {i} had shape {bracketed(other)}.\n  component element{path}, spec "
            f"{self._element.leaves[at]!r}\n  Use padded_batch or ragged_batch, or make the shapes equal before.",
        )


class BatchCursor(Cursor):
    """One iteration of `Batch`."""

    __slots__ = ("_drop", "_size", "_stack", "ended")
    saved: ClassVar[tuple[str, ...]] = ("ended",)

    def __init__(self, source: Cursor, stack: Stack, size: int, drop: bool) -> None:
        super().__init__(source)
        self._stack, self._size, self._drop = stack, size, drop
        self.ended: bool = False

    def __next__(self) -> Values:
        if self.ended:
            raise StopIteration
        source, elements = self.sources[0], []
        for _ in range(self._size):
            try:
                elements.append(next(source))
            except StopIteration:
                self.ended = True
                break
        if not elements or (self.ended and self._drop):
            raise StopIteration
        return self._stack(elements)


class Unbatch(Node):
    """The rows of each element.

    Args:
      source: what is taken apart.
    """

    __slots__ = ()
    name = "_UnbatchDataset"

    def __init__(self, source: Node) -> None:
        super().__init__(nest.map_structure(row_spec, source.element.spec), (source,))

    def cursor(self, iteration: Iteration) -> Cursor:
        """See `Node.cursor`."""
        return UnbatchCursor(self.inputs[0].cursor(iteration), self.inputs[0].element)

    def cardinality(self, iteration: Iteration) -> int:
        """See `Node.cardinality`."""
        found = self.inputs[0].cardinality(iteration)
        sizes = {s.shape[0] for s in nest.flatten(self.inputs[0].element.spec) if s.shape.rank}
        size = next(iter(sizes - {None}), None)
        return INFINITE if found == INFINITE else UNKNOWN if found < 0 or size is None else found * size


class UnbatchCursor(Cursor):
    """One iteration of `Unbatch`. Its position is the current element and the row in it."""

    __slots__ = ("_at", "_count", "_element", "row", "values")
    saved: ClassVar[tuple[str, ...]] = ("row", "values")

    def __init__(self, source: Cursor, element: Element) -> None:
        super().__init__(source)
        self._element, self._count = element, 0
        self.row: int = 0
        self.values: Values | None = None

    def __next__(self) -> Values:
        while self.row >= self._count:
            self._open(next(self.sources[0]))
        self.row += 1
        return self._at(self.row - 1)  # type: ignore[no-any-return]

    def _open(self, values: Values) -> None:
        self._count, self._at = rows_of(self._element, values)
        self.values, self.row = values, 0

    def restore(self, state: Any) -> None:
        """See `Cursor.restore`."""
        super().restore(state)
        if self.values is not None:
            row = self.row
            self._open(self.values)
            self.row = row
