"""Sizes that are known while a graph is built or only when it runs, and matrices whose batch axes broadcast."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape, dimension_value
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, joining, linalg, math
from inlay._src.ops.composite.known_sizes import static_shape
from inlay._src.ops.matmul import adjoint
from inlay._src.ops.shaping import broadcast_dynamic_shape, broadcast_static_shape, broadcast_to


class Sizes:
    """Sizes of some axes.

    Args:
      static: the static sizes.
      vector: computes all of them, an int32 vector.
    """

    __slots__ = ("static", "_vector")

    def __init__(self, static: TensorShape, vector: Callable[[], Any]) -> None:
        self.static, self._vector = static, vector

    @classmethod
    def of(cls, value: Any) -> Sizes:
        """The shape of a tensor, a variable or a linear operator."""
        return cls(value.shape, getattr(value, "shape_tensor", None) or (lambda: array.shape(value)))

    @classmethod
    def listed(cls, sizes: Any) -> Sizes:
        """The sizes that a vector, a list or a shape holds."""
        if isinstance(sizes, TensorShape) and sizes.is_fully_defined():
            return cls(sizes, lambda: None)
        vector = convert_to_tensor(sizes, dtype_hint=dtypes.int32)
        return cls(static_shape(vector), lambda: math.cast(vector, dtypes.int32))

    def __getitem__(self, part: slice) -> Sizes:
        return Sizes(self.static[part], lambda: self.tensor()[part])

    def __add__(self, other: Sizes) -> Sizes:
        static = self.static.concatenate(other.static)
        return Sizes(static, lambda: joining.concat([self.tensor(), other.tensor()], 0))

    def broadcast(self, other: Sizes) -> Sizes:
        """The sizes that these and others broadcast to.

        Raises:
          ValueError: if they are known not to.
        """
        static = broadcast_static_shape(self.static, other.static)
        return Sizes(static, lambda: broadcast_dynamic_shape(self.tensor(), other.tensor()))

    def tensor(self) -> Any:
        """All sizes, an int32 vector; a constant if they are known."""
        if self.static.is_fully_defined():
            return array.constant(self.static.as_list(), dtypes.int32, shape=[len(self.static)])
        return self._vector()


EMPTY = Sizes(TensorShape([]), lambda: None)
"""The sizes of no axes."""


def batch_of(*values: Any, rank: int = 2) -> Sizes:
    """The batch shape that tensors and operators broadcast to; the last `rank` axes are no batch axes."""
    return functools.reduce(Sizes.broadcast, [Sizes.of(value)[:-rank] for value in values])


def size_at(shape: TensorShape, axis: int) -> int | None:
    """A size of a shape, None if it is not known."""
    return None if shape.rank is None else dimension_value(shape[axis])


def spread(value: Any, batch: Sizes, rank: int = 2) -> Any:
    """A tensor repeated to a batch shape that its own broadcasts to; its last `rank` axes are no batch axes."""
    shape = Sizes.of(value)
    if (
        batch.static.is_fully_defined()
        and shape.static.rank is not None
        and shape.static[: -rank or None] == batch.static
    ):
        return value
    return broadcast_to(value, (batch + shape[-rank:]).tensor() if rank else batch.tensor())


def same_batches(*matrices: Any) -> list[Any]:
    """Tensors of matrices, [..., m, n] each, repeated to the batch shape that theirs broadcast to."""
    batch = batch_of(*matrices)
    return [spread(matrix, batch) for matrix in matrices]


def solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    """The solution of square matrices, [..., n, n], for `rhs`, [..., n, k]; batch axes broadcast."""
    matrix, rhs = same_batches(matrix, rhs)
    return linalg.solve(matrix, rhs, adjoint=adjoint)


def turned(x: Any, turn: bool) -> Any:
    """`x`, [..., m, n], or its adjoint."""
    return adjoint(x) if turn else x
