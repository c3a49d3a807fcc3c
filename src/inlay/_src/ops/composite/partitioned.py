"""The parts of a ragged value and properties derived from them: rows of different lengths over one flat tensor.

    [[1, 2], [], [3]]   is   values [1, 2, 3]   with   row_splits [0, 2, 2, 3]

Values may be ragged themselves; `flat_values` is the dense tensor at the bottom, whose inner dimensions are uniform.
Gradients flow through it. Everything here works on eager and on symbolic tensors alike: it only calls ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import context
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.pictured import RichValue
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, joining, math
from inlay._src.ops.composite.operators import Operators
from inlay._src.ops.composite.ragged_axes import positive_axis
from inlay._src.ops.composite.ragged_value import RaggedBase, RaggedTensorValue, constant_value, rows_of
from inlay._src.ops.composite.row_partition import RowPartition, partition_of
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.printed_numbers import as_string
from inlay._src.ops.printing import ragged_text
from inlay._src.ops.reductions import reduce_max


class Partitioned(RichValue, Operators, RaggedBase, Composite):
    """Rows of a flat tensor: the parts of a `RaggedTensor`, which is the only class made of them.

    Args:
      values: the rows, one after the other: a tensor or a RaggedTensor.
      row_splits: where rows begin and end, not checked here.
      uniform_row_length: the length of every row if it is known to be the same.
      partition: the rows with the encodings that they were made from, if there are some beside the splits.
    """

    __slots__ = ("__dict__", "__weakref__", "_partition", "_row_splits", "_uniform", "_values")

    def __init__(
        self,
        values: Any,
        row_splits: Any,
        uniform_row_length: int | None = None,
        partition: RowPartition | None = None,
    ) -> None:
        if row_splits.__class__ is EagerTensor and np.ndim(row_splits._value) != 1:
            raise ValueError(f"row_splits must be a vector, got shape {row_splits.shape}")
        if values.__class__ is EagerTensor and not np.ndim(values._value):
            raise ValueError("the values of a RaggedTensor must have at least one dimension, got a scalar")
        self._values, self._row_splits, self._uniform = values, row_splits, uniform_row_length
        self._partition = partition

    @classmethod
    def _ragged_or_dense(cls, value: Any, dtype_hint: Any = None, name: str | None = None) -> Any:
        """A ragged tensor as it is, the value of one as a ragged tensor of constants, anything else as a tensor."""
        if isinstance(value, RaggedTensorValue):
            flat = convert_to_tensor(value.flat_values, dtype_hint=dtype_hint)
            return cls._nested(flat, [array.constant(splits) for splits in value.nested_row_splits])
        return value if isinstance(value, Partitioned) else convert_to_tensor(value, dtype_hint=dtype_hint, name=name)

    @classmethod
    def _as_values(cls, values: Any) -> Any:
        tensor = cls._ragged_or_dense(values, name="values")
        if tensor.shape.rank == 0:
            text = "the values of a RaggedTensor must have at least one dimension, got a scalar"
            raise errors.InvalidArgumentError(None, None, text) if context.executing_eagerly() else ValueError(text)
        return tensor

    @classmethod
    def _nested(cls, flat: Any, splits: Sequence[Any], uniforms: Sequence[int | None] | None = None) -> Any:
        """Row partitions (outermost first) over a flat value, taken as they are; the value itself if there are none."""
        nested = flat
        for i in range(len(splits) - 1, -1, -1):
            nested = cls(nested, splits[i], uniforms[i] if uniforms else None)
        return nested

    def _over(
        self,
        values: Any,
        row_splits: Any,
        uniform_row_length: int | None = None,
        partition: RowPartition | None = None,
    ) -> Self:
        """Another value of this class, of parts that are taken as they are."""
        return type(self)(values, row_splits, uniform_row_length, partition)

    # ---- its parts

    @property
    def _row_partition(self) -> RowPartition:
        """The partition of the values into rows."""
        return partition_of(self._row_splits, self._uniform) if self._partition is None else self._partition

    @property
    def _nested_row_partitions(self) -> tuple[RowPartition, ...]:
        """The row partitions, outermost first."""
        inner = self._values._nested_row_partitions if isinstance(self._values, Partitioned) else ()
        return (self._row_partition, *inner)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of every row, as a scalar; None unless it is known to be the same."""
        if self._partition is not None:
            return self._partition.uniform_row_length()
        return None if self._uniform is None else array.constant(self._uniform, self._row_splits.dtype)

    @property
    def dtype(self) -> DType:
        """The type of the flat values."""
        return self.flat_values.dtype  # type: ignore[no-any-return]

    @property
    def shape(self) -> TensorShape:
        """The static shape; ragged dimensions are None."""
        splits, inner = self._row_splits.shape, self._values.shape
        nrows = None if splits.rank is None or splits[0] is None else splits[0] - 1
        return shapes.from_dims(None if inner.rank is None else (nrows, self._uniform, *inner._dims[1:]))

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def nrows(self, out_type: Any = None, name: str | None = None) -> Tensor:
        """The number of rows, as a scalar."""
        if self._partition is not None and out_type in (None, self._row_splits.dtype):
            return self._partition.nrows()
        return math.subtract(array.shape(self._row_splits, out_type or self._row_splits.dtype)[0], 1)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor | Any:
        """The length of every row; for a deeper `axis`, a RaggedTensor of the lengths there."""
        if axis == 1:
            return self._row_partition.row_lengths()
        axis = positive_axis(axis, self.shape.rank)
        if axis == 0:
            return self.nrows()
        if axis == 1:  # counted from the end
            return self._row_partition.row_lengths()
        if isinstance(self._values, Partitioned):
            return self.with_values(self._values.row_lengths(axis - 1))
        size = array.shape(self._values, self._row_splits.dtype)
        return self.with_values(array.fill(size[:1], size[axis - 1]))

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins in `values`."""
        return self._row_partition.row_starts()

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends in `values`."""
        return self._row_partition.row_limits()

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each value its row."""
        rows = self._row_partition.value_rowids()
        rows.set_shape(self._values.shape[:1])
        return rows

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """The row lengths of every partition, outermost first."""
        inner = self._values.nested_row_lengths() if isinstance(self._values, Partitioned) else ()
        return (self.row_lengths(), *inner)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """The row numbers of every partition, outermost first."""
        inner = self._values.nested_value_rowids() if isinstance(self._values, Partitioned) else ()
        return (self.value_rowids(), *inner)

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Tensor:
        """The least dense shape that holds every row, as a vector; one size of it for an `axis`."""
        kind = out_type or self._row_splits.dtype
        lengths = joining.concat([self.row_lengths(), array.zeros([1], self._row_splits.dtype)], 0)
        longest = array.reshape(reduce_max(lengths), [1])
        inner = (
            self._values.bounding_shape(out_type=kind)
            if isinstance(self._values, Partitioned)
            else array.shape(self._values, kind)
        )
        out = joining.concat([array.reshape(self.nrows(kind), [1]), math.cast(longest, kind), inner[1:]], 0)
        return out if axis is None else out[axis] if isinstance(axis, int) else gather_op(out, axis)

    def with_values(self, new_values: Any) -> Self:
        """The same rows of other values."""
        return self._over(self._as_values(new_values), self._row_splits, self._uniform, self._partition)

    def with_flat_values(self, new_values: Any) -> Self:
        """The same row partitions over another flat tensor."""
        inner = self._values.with_flat_values(new_values) if isinstance(self._values, Partitioned) else new_values
        return self.with_values(inner)

    def with_row_splits_dtype(self, dtype: Any) -> Self:
        """The same rows with partitions of another integer type."""
        kind = dtypes.as_dtype(dtype)
        inner = self._values.with_row_splits_dtype(kind) if isinstance(self._values, Partitioned) else self._values
        return self._over(inner, math.cast(self._row_splits, kind), self._uniform)

    # ---- dense and Python values

    def _numbers(self) -> RaggedTensorValue:
        parts = self._components()
        if not all(isinstance(p, EagerTensor) for p in parts):
            raise ValueError(f"{type(self).__name__} is symbolic: it has no value while the graph is built")
        return self._session_value([p._value for p in parts])

    def to_list(self) -> list[Any]:
        """Nested Python lists; eager only."""
        return self._numbers().to_list()

    def numpy(self) -> np.ndarray[Any, Any]:
        """An array, of dtype object if rows differ in length (one array per row); eager only."""
        return rows_of(self._numbers())

    # ---- the protocol of composites (types.nest, session, host)

    def _components(self) -> list[Any]:
        return [self.flat_values, *self.nested_row_splits]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        flat, *splits = components
        if flat is None:  # no gradient
            return None
        nested_splits = [own if s is None else s for s, own in zip(splits, self.nested_row_splits, strict=True)]
        return self._nested(flat, nested_splits, self._uniforms())

    def _differentiable_parts(self) -> list[Any]:
        return [self.flat_values]

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        return None if derivatives[0] is None else self.with_flat_values(convert_to_tensor(derivatives[0]))

    def _kind(self) -> Any:
        return type(self), tuple(self._uniforms())

    def _uniforms(self) -> list[int | None]:
        return [self._uniform, *(self._values._uniforms() if isinstance(self._values, Partitioned) else ())]

    def _component_shape(self, dims: Sequence[Any]) -> TensorShape:
        """The shape of a ragged value whose components have the given shapes."""
        outer = None if dims[1]._dims is None or dims[1]._dims[0] is None else dims[1]._dims[0] - 1
        if dims[0]._dims is None:
            return TensorShape(None)
        return TensorShape((outer, *self._uniforms(), *dims[0]._dims[1:]))

    def _printed(self, hole: Callable[..., str], limit: int) -> str:
        flat, *splits = self._components()
        text = ragged_text(as_string(flat), splits, quoted=flat.dtype is dtypes.string, summarize=limit)
        return hole(text, text=True)

    def _session_value(self, parts: Sequence[Any]) -> RaggedTensorValue:
        value, *splits = parts
        for s in reversed(splits):
            value = RaggedTensorValue(value, s)
        return value

    def _feed_components(self, value: Any) -> list[Any]:
        """The parts of a fed value: a RaggedTensorValue, an eager RaggedTensor, or nested lists."""
        if isinstance(value, (list, tuple)):
            value = constant_value(value, self.dtype, self.ragged_rank, None, self._row_splits.dtype)
        if not isinstance(value, (Partitioned, RaggedTensorValue)) or value.ragged_rank != self.ragged_rank:
            raise TypeError(
                f"Cannot feed {value!r} for {self!r}: it needs a RaggedTensorValue, an eager RaggedTensor or nested "
                f"lists of ragged rank {self.ragged_rank}"
            )
        return [value.flat_values, *value.nested_row_splits]
