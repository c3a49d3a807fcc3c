"""The shapes of a composite's component tensors that hold in every iteration of a loop."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.composite.specs import CompositeSpec, IndexedSlicesSpec, RaggedTensorSpec, SparseTensorSpec
from inlay._src.programs.control.tensor_array import TensorArray


def entering(value: Any, stated: Any) -> Any:
    """A value as it enters a loop: where the stated shape lets rows differ in length, they are no longer uniform.

    Args:
      value: the value before the loop.
      stated: its shape or spec in every iteration; None if that is not stated.
    """
    if not isinstance(value, RaggedTensor) or stated is None or any(_row_lengths_stated(value, stated)):
        return value
    return RaggedTensor._nested(value.flat_values, value.nested_row_splits)


def component_shapes(value: Composite, stated: Any) -> list[Dims] | None:
    """The shapes of the components of a composite in every iteration; None if they are those of the first value.

    Args:
      value: the composite as it enters.
      stated: its shape or spec in every iteration; None if that is not stated: then the lengths of the rows of a
        ragged tensor may change, but their number stays.

    Raises:
      TypeError: if a shape does not tell those of the components.
      ValueError: if a shape has another rank than the value.
    """
    if stated is None:
        if not isinstance(value, RaggedTensor) or any(size is not None for size in _row_lengths(value)):
            return None
        stated = value.shape
    if isinstance(value, TensorArray) and isinstance(stated, TensorShape):
        return [stated._dims]  # of the one tensor that stands for the array in a graph, a scalar
    return [spec.shape._dims for spec in _spec(value, stated)._components()]


def _spec(value: Any, stated: Any) -> CompositeSpec:
    """The spec of a value of a stated shape; a stated spec itself.

    TensorFlow documents what a shape means for each kind of value: https://www.tensorflow.org/api_docs/python/tf/while_loop
    """
    if isinstance(stated, CompositeSpec):
        return stated
    if isinstance(stated, TensorShape):
        if isinstance(value, RaggedTensor):
            return RaggedTensorSpec(stated, value.dtype, value.ragged_rank, value.row_splits.dtype)
        if isinstance(value, SparseTensor):
            return SparseTensorSpec(_dense_shape(stated), value.dtype)
        if isinstance(value, IndexedSlices):
            return _slices_spec(value, stated)
    raise TypeError(f"The invariant of a {type(value).__name__} in a loop must be a tf.TypeSpec, got {stated!r}")


def _dense_shape(stated: TensorShape) -> TensorShape:
    """The shape of a sparse tensor whose `dense_shape` is a vector of the stated shape."""
    if stated.rank is None:
        return stated
    if stated.rank != 1:
        raise ValueError(
            f"The shape invariant of a SparseTensor is the shape of its dense_shape, of one dimension, got {stated}: "
            "give a tf.SparseTensorSpec for the shape of the whole"
        )
    return TensorShape(None if stated[0] is None else [None] * stated[0])


def _slices_spec(value: IndexedSlices, stated: TensorShape) -> IndexedSlicesSpec:
    """The spec of IndexedSlices whose values have the stated shape."""
    if stated.rank == 0:
        raise ValueError("The shape invariant of IndexedSlices is the shape of their values, got that of a scalar")
    whole = stated if stated.rank is None else TensorShape([None]).concatenate(stated[1:])
    rows = None if stated.rank is None else stated[:1]
    dense_shape = value.dense_shape
    return IndexedSlicesSpec(
        whole, value.dtype, value.indices.dtype, None if dense_shape is None else dense_shape.dtype, rows
    )


def _row_lengths(value: RaggedTensor) -> list[int | None]:
    sizes: list[int | None] = value.shape.as_list()
    return sizes[1 : value.ragged_rank + 1]


def _row_lengths_stated(value: RaggedTensor, stated: Any) -> list[bool]:
    shape = _spec(value, stated).shape
    return [] if shape.rank is None else [size is not None for size in shape.as_list()[1 : value.ragged_rank + 1]]
