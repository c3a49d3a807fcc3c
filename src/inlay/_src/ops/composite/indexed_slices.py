"""`IndexedSlices`: some rows of a larger tensor, as gradients of lookups are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math
from inlay._src.ops.joining import concat

__all__ = ["IndexedSlices", "IndexedSlicesValue"]


@export("compat.v1.IndexedSlicesValue")
class IndexedSlicesValue(NamedTuple):
    """The value of IndexedSlices, as a session returns it."""

    values: Any
    indices: Any
    dense_shape: Any


@export("IndexedSlices")
class IndexedSlices(Composite):
    """Rows `values` of a larger tensor, at `indices`; rows named twice are added.

    Args:
      values: the rows.
      indices: indices of the rows.
      dense_shape: the shape of the whole, or None if it is not known.
    """

    __slots__ = ("__dict__", "__weakref__", "_dense_shape", "_indices", "_values")
    __inlay_is_tensor__ = True

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = convert_to_tensor(values)
        self._indices = convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """The indices of the rows."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole, or None."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The type of the rows."""
        return self._values.dtype  # type: ignore[no-any-return]

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole."""
        if self._dense_shape is None:
            return TensorShape(None)
        constant = constant_of(self._dense_shape)
        rank = self._dense_shape.shape[0] if constant is None and self._dense_shape.shape.rank == 1 else None
        return TensorShape(
            [None] * rank if rank is not None else None if constant is None else constant.reshape(-1).tolist()
        )

    @property
    def device(self) -> str:
        """Where the rows are."""
        values: Any = self._values
        return values.device  # type: ignore[no-any-return]

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        """The whole tensor: rows in place, zeros elsewhere."""
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices without a dense_shape: the number of rows is not known"
            )
        size = math.cast(self._dense_shape, dtypes.int32)
        return emit(OPS["GatherGrad"], (size, self._indices, self._values), {"axis": 0, "batch_dims": 0})

    def with_values(self, new_values: Any) -> IndexedSlices:
        """The same rows with other values."""
        return IndexedSlices(new_values, self._indices, self._dense_shape)

    def _components(self) -> list[Any]:
        parts = [self._values, self._indices]
        return parts if self._dense_shape is None else [*parts, self._dense_shape]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        if components[0] is None:
            return None
        slices = IndexedSlices.__new__(IndexedSlices)
        parts = [own if new is None else new for new, own in zip(components, self._components(), strict=True)]
        slices._values, slices._indices = parts[:2]
        slices._dense_shape = parts[2] if len(parts) > 2 else None
        return slices

    def _differentiable_parts(self) -> list[Any]:
        return [self._values]

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        return None if derivatives[0] is None else self.with_values(derivatives[0])

    def _component_shape(self, dims: Sequence[TensorShape]) -> TensorShape:
        return TensorShape(None if dims[0].rank is None else [None, *dims[0][1:]])

    def _session_value(self, parts: Sequence[Any]) -> IndexedSlicesValue:
        return IndexedSlicesValue(parts[0], parts[1], parts[2] if len(parts) > 2 else None)

    def _feed_components(self, value: Any) -> list[Any]:
        """The parts of a fed IndexedSlicesValue, tuple of its parts, or eager IndexedSlices."""
        count = len(self._components())
        if isinstance(value, (IndexedSlices, IndexedSlicesValue)):
            return [value.values, value.indices, value.dense_shape][:count]
        if not isinstance(value, tuple) or len(value) != count:
            raise TypeError(
                f"Cannot feed {value!r} for IndexedSlices: it needs an IndexedSlicesValue, or a tuple of its {count} "
                "parts"
            )
        return list(value)

    def __neg__(self) -> IndexedSlices:
        return self.with_values(math.negative(self._values))

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"


def added(one: IndexedSlices, two: IndexedSlices) -> IndexedSlices:
    """The sum of two: the rows of both."""
    return IndexedSlices(concat([one.values, two.values], 0), concat([one.indices, two.indices], 0), one.dense_shape)


@export("compat.v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(
    value: Any, dtype: Any = None, name: str | None = None
) -> Tensor | IndexedSlices:
    """A value as a tensor; IndexedSlices as they are.

    Args:
      value: the value.
      dtype: the type it must have, or becomes.
      name: the node's name.

    Raises:
      ValueError: for IndexedSlices of another type.
    """
    if not isinstance(value, IndexedSlices):
        return convert_to_tensor(value, dtype, name)
    if dtype is not None and dtypes.as_dtype(dtype) is not value.dtype:
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtypes.as_dtype(dtype).name} for `value` ({value}) "
            f"with dtype {value.dtype.name}."
        )
    return value
