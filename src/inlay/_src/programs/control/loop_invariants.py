"""The shapes of a composite's component tensors that hold in every iteration of a loop."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types import shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.composite.specs import CompositeSpec, RaggedTensorSpec, SparseTensorSpec


def entering(value: Any, stated: Any) -> Any:
    """A value as it enters a loop: where the stated shape lets rows differ in length, they are no longer uniform.

    Args:
      value: the value before the loop.
      stated: its shape or spec in every turn; None if that is not stated.
    """
    if not isinstance(value, RaggedTensor) or stated is None or any(_row_lengths_stated(value, stated)):
        return value
    return RaggedTensor._nested(value.flat_values, value.nested_row_splits)


def component_shapes(value: Composite, stated: Any) -> list[Dims] | None:
    """The shapes of the components of a composite in every turn; None if they are those of the first value.

    Args:
      value: the composite as it enters.
      stated: its shape or spec in every turn; None if that is not stated: then the rows of a ragged tensor may come to
        have other lengths, but their number stays.
    """
    if stated is None:
        if not isinstance(value, RaggedTensor) or any(size is not None for size in _row_lengths(value)):
            return None
        stated = value.shape
    return [spec.shape._dims for spec in _spec(value, stated)._components()]


def _spec(value: Any, stated: Any) -> CompositeSpec:
    """The spec of a value of a stated shape; a stated spec itself.

    Raises:
      TypeError: if a shape does not tell those of the components.
    """
    if isinstance(stated, CompositeSpec):
        return stated
    shape = shapes.as_shape(stated)
    if isinstance(value, RaggedTensor):
        return RaggedTensorSpec(shape, value.dtype, value.ragged_rank, value.row_splits.dtype)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(shape, value.dtype)
    raise TypeError(f"The invariant of a {type(value).__name__} in a loop must be a tf.TypeSpec, got {stated!r}")


def _row_lengths(value: RaggedTensor) -> list[int | None]:
    sizes: list[int | None] = value.shape.as_list()
    return sizes[1 : value.ragged_rank + 1]


def _row_lengths_stated(value: RaggedTensor, stated: Any) -> list[bool]:
    shape = _spec(value, stated).shape
    return [] if shape.rank is None else [size is not None for size in shape.as_list()[1 : value.ragged_rank + 1]]
