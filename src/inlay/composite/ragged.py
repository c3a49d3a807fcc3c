"""`RaggedTensor`: rows of different lengths over one flat tensor.

    [[1, 2], [], [3]]   is   values [1, 2, 3]   with   row_splits [0, 2, 2, 3]

Values may be ragged themselves; `flat_values` is the dense tensor at the bottom, whose inner dimensions are uniform.
Gradients flow through it. Everything here works on eager and on symbolic tensors alike: it only calls ops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay.composite.operators import Operators
from inlay.composite.ragged_value import RaggedTensorValue, rows_of, text_of
from inlay.core.graph import constant_of
from inlay.core.tensor import EagerTensor, Tensor
from inlay.eager.emit import convert_to_tensor
from inlay.ops import array, division, joining, math, ranges
from inlay.ops import ragged as rows
from inlay.ops.gathering import gather_op
from inlay.ops.ragged import rowids_from_splits, splits_from_lengths, splits_from_rowids, valid_splits
from inlay.ops.reductions import reduce_sum
from inlay.types import dtypes, shapes
from inlay.types.dtypes import DType
from inlay.types.nest import Composite
from inlay.types.shapes import TensorShape

__all__ = ["RaggedTensor"]


def _partition(value: Any, what: str) -> Any:
    """A row-partitioning vector as an int32 or int64 tensor; lists and other integer types become int64."""
    tensor = convert_to_tensor(value, dtype_hint=dtypes.int64)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(f"{what} must be int32 or int64, got {tensor.dtype.name}")
    if tensor.shape.rank not in (None, 1):
        raise ValueError(f"{what} must be a vector, got shape {tensor.shape}")
    return tensor


def _outer_size(values: Any, dtype: DType) -> Any:
    """The number of values, as a scalar."""
    return values.nrows(dtype) if isinstance(values, RaggedTensor) else array.shape(values, dtype)[0]


class RaggedTensor(Operators, Composite):
    """A tensor some of whose dimensions vary from row to row.

    Make one with `tf.ragged.constant` or a `from_...` method.

    Args:
      values: the rows, one after the other: a tensor or a RaggedTensor.
      row_splits: where rows begin and end, not checked here.
      uniform_row_length: the length of every row if it is known to be the same.
    """

    __slots__ = ("__weakref__", "_row_splits", "_uniform", "_values")

    def __init__(self, values: Any, row_splits: Any, uniform_row_length: int | None = None) -> None:
        self._values, self._row_splits, self._uniform = values, row_splits, uniform_row_length

    # ---- making one

    @classmethod
    def from_row_splits(cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True) -> Any:
        """Rows `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
          values: a tensor (or what becomes one) or a RaggedTensor.
          row_splits: a vector that starts with 0, never falls and ends with the number of values.
          name: ignored.
          validate: whether `row_splits` is checked, when it has a value.

        Raises:
          InvalidArgumentError: (eagerly, or when the graph runs) if it is no partition of `values`.
        """
        values = cls._as_values(values)
        splits = _partition(row_splits, "row_splits")
        if isinstance(values, RaggedTensor) and splits.dtype is not values.row_splits.dtype:
            splits = math.cast(splits, values.row_splits.dtype)
        return cls(values, valid_splits(splits, _outer_size(values, splits.dtype)) if validate else splits)

    @classmethod
    def from_row_lengths(cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True) -> Any:
        """Row i takes the next `row_lengths[i]` values."""
        return cls.from_row_splits(values, splits_from_lengths(_partition(row_lengths, "row_lengths")), name, validate)

    @classmethod
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> Any:
        """Value i belongs to row `value_rowids[i]`, which must not decrease; `nrows` adds empty rows at the end."""
        ids = _partition(value_rowids, "value_rowids")
        if nrows is None:
            nrows = reduce_sum(ids[-1:] + 1, axis=[0])
        count = math.cast(convert_to_tensor(nrows), ids.dtype)
        return cls.from_row_splits(values, splits_from_rowids(ids, count), name, validate)

    @classmethod
    def from_row_starts(cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True) -> Any:
        """Row i begins at value `row_starts[i]` and ends where the next one begins."""
        values, starts = cls._as_values(values), _partition(row_starts, "row_starts")
        end = array.reshape(_outer_size(values, starts.dtype), [1])
        return cls.from_row_splits(values, joining.concat([starts, end], 0), name, validate)

    @classmethod
    def from_row_limits(cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True) -> Any:
        """Row i ends before value `row_limits[i]`; the next one begins there."""
        limits = _partition(row_limits, "row_limits")
        return cls.from_row_splits(values, joining.concat([array.zeros([1], limits.dtype), limits], 0), name, validate)

    @classmethod
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows of one length. `nrows` is needed where that length is 0."""
        values = cls._as_values(values)
        length = math.cast(convert_to_tensor(uniform_row_length), dtypes.int64)
        if nrows is None:
            nrows = division.floordiv(_outer_size(values, dtypes.int64), math.maximum(length, 1))
        count = math.cast(convert_to_tensor(nrows), dtypes.int64)
        made = cls.from_row_splits(values, math.multiply(ranges.range_(count + 1), length), name, validate)
        known = constant_of(length)
        return cls(made._values, made._row_splits, None if known is None else int(known))

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> Any:
        """Several row partitions over one flat tensor, outermost first."""
        made = cls._as_values(flat_values)
        for splits in reversed(_several(nested_row_splits, "nested_row_splits")):
            made = cls.from_row_splits(made, splits, name, validate)
        return made

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> Any:
        """Several vectors of row lengths over one flat tensor, outermost first."""
        made = cls._as_values(flat_values)
        for lengths in reversed(_several(nested_row_lengths, "nested_row_lengths")):
            made = cls.from_row_lengths(made, lengths, name, validate)
        return made

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Several vectors of row numbers over one flat tensor, outermost first."""
        ids = _several(nested_value_rowids, "nested_value_rowids")
        counts = [None] * len(ids) if nested_nrows is None else _several(nested_nrows, "nested_nrows")
        made = cls._as_values(flat_values)
        for one, count in reversed(list(zip(ids, counts, strict=True))):
            made = cls.from_value_rowids(made, one, count, name, validate)
        return made

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> Any:
        """A dense tensor as rows; see `inlay.composite.ragged_ops.from_tensor`."""
        from inlay.composite.ragged_ops import from_tensor

        return from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    def from_sparse(cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64) -> Any:
        """A sparse matrix as rows, whose coordinates must fill each row from the left."""
        from inlay.composite.ragged_ops import from_sparse

        return from_sparse(st_input, row_splits_dtype)

    @classmethod
    def _as_values(cls, values: Any) -> Any:
        if isinstance(values, RaggedTensor):
            return values
        tensor = convert_to_tensor(values)
        if tensor.shape.rank == 0:
            raise ValueError("the values of a RaggedTensor must have at least one dimension, got a scalar")
        return tensor

    # ---- its parts

    values = property(lambda self: self._values, doc="The rows, one after the other: a tensor or a RaggedTensor.")
    row_splits = property(
        lambda self: self._row_splits, doc="Where rows begin and end: a vector one longer than nrows."
    )
    uniform_row_length = property(lambda self: self._uniform, doc="The length of every row if known to be the same.")

    @property
    def flat_values(self) -> Tensor:
        """The dense tensor under all row partitions."""
        return self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row partitions, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of row partitions."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def dtype(self) -> DType:
        """The type of the flat values."""
        return self.flat_values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape; ragged dimensions are None."""
        splits, inner = self._row_splits.shape, self._values.shape
        nrows = None if splits.rank is None or splits[0] is None else splits[0] - 1
        return shapes.from_dims(None if inner.rank is None else (nrows, self._uniform, *inner._dims[1:]))

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    @property
    def _type_spec(self) -> Any:
        from inlay.composite.specs import RaggedTensorSpec

        return RaggedTensorSpec.from_value(self)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """The number of rows, as a scalar."""
        return math.subtract(array.shape(self._row_splits, out_type or self._row_splits.dtype)[0], 1)

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The length of every row; for a deeper `axis`, a RaggedTensor of the lengths there."""
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return math.subtract(self._row_splits[1:], self._row_splits[:-1])
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        size = array.shape(self._values, self._row_splits.dtype)
        return self.with_values(array.fill(size[:1], size[axis - 1]))

    def row_starts(self, name: str | None = None) -> Any:
        """Where each row begins in `values`."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Any:
        """Where each row ends in `values`."""
        return self._row_splits[1:]

    def value_rowids(self, name: str | None = None) -> Any:
        """For each value its row."""
        return rowids_from_splits(self._row_splits)

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """The row lengths of every partition, outermost first."""
        inner = self._values.nested_row_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self.row_lengths(), *inner)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """The row numbers of every partition, outermost first."""
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(), *inner)

    def bounding_shape(self, axis: Any = None, name: str | None = None, out_type: Any = None) -> Any:
        """The least dense shape that holds every row, as a vector; one size of it for an `axis`."""
        kind = out_type or self._row_splits.dtype
        lengths = joining.concat([self.row_lengths(), array.zeros([1], self._row_splits.dtype)], 0)
        whole = joining.concat(
            [array.zeros([1], dtypes.int64), array.reshape(array.size(lengths, dtypes.int64), [1])], 0
        )
        longest = rows.row_max(lengths, whole)
        inner = (
            self._values.bounding_shape(out_type=kind)
            if isinstance(self._values, RaggedTensor)
            else array.shape(self._values, kind)
        )
        out = joining.concat([array.reshape(self.nrows(kind), [1]), math.cast(longest, kind), inner[1:]], 0)
        return out if axis is None else out[axis] if isinstance(axis, int) else gather_op(out, axis)

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of other values."""
        return RaggedTensor(self._as_values(new_values), self._row_splits, self._uniform)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same row partitions over another flat tensor."""
        inner = self._values.with_flat_values(new_values) if isinstance(self._values, RaggedTensor) else new_values
        return self.with_values(inner)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same rows with partitions of another integer type."""
        kind = dtypes.as_dtype(dtype)
        inner = self._values.with_row_splits_dtype(kind) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(inner, math.cast(self._row_splits, kind), self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Dimensions `outer_axis` to `inner_axis` as one."""
        from inlay.composite.ragged_ops import merge_dims

        return merge_dims(self, outer_axis, inner_axis)

    # ---- dense and Python values

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Any:
        """A dense tensor; short rows are filled up.

        Args:
          default_value: what fills; zero, False or "" if None.
          name: ignored.
          shape: the wanted sizes; longer rows are cut. None leaves a size as it comes.
        """
        from inlay.composite.ragged_ops import to_tensor

        return to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """A SparseTensor with the same values, each row from the left."""
        from inlay.composite.ragged_ops import to_sparse

        return to_sparse(self)

    def _numbers(self) -> RaggedTensorValue:
        parts = self._components()
        if not all(isinstance(p, EagerTensor) for p in parts):
            raise ValueError(f"{type(self).__name__} is symbolic: it has no value while the graph is built")
        return self._session_value([p._value for p in parts])

    def to_list(self) -> list[Any]:
        """Nested Python lists; eager only."""
        return self._numbers().to_list()

    def numpy(self) -> Any:
        """An array, of dtype object if rows differ in length (one array per row); eager only."""
        return rows_of(self._numbers())

    # ---- the protocol of composites (types.nest, session, host)

    def _components(self) -> list[Any]:
        return [self.flat_values, *self.nested_row_splits]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        flat, *splits = components
        if flat is None:  # no gradient
            return None
        kept = [own if s is None else s for s, own in zip(splits, self.nested_row_splits, strict=True)]
        return nested(flat, kept, self._uniforms())

    def _uniforms(self) -> list[int | None]:
        return [self._uniform, *(self._values._uniforms() if isinstance(self._values, RaggedTensor) else ())]

    def _component_shape(self, found: Sequence[Any]) -> TensorShape:
        """The shape of a ragged value whose components have the given shapes."""
        outer = None if found[1]._dims is None or found[1]._dims[0] is None else found[1]._dims[0] - 1
        if found[0]._dims is None:
            return TensorShape(None)
        return TensorShape((outer, *self._uniforms(), *found[0]._dims[1:]))

    def _session_value(self, found: Sequence[Any]) -> RaggedTensorValue:
        made, *splits = found
        for s in reversed(splits):
            made = RaggedTensorValue(made, s)
        return made

    def _feed_components(self, value: Any) -> list[Any]:
        """The parts of a fed value: a RaggedTensorValue, an eager RaggedTensor, or nested lists."""
        if isinstance(value, (list, tuple)):
            from inlay.composite.ragged_ops import constant_value

            value = constant_value(value, self.dtype, self.ragged_rank, self._row_splits.dtype)
        if not isinstance(value, (RaggedTensor, RaggedTensorValue)) or value.ragged_rank != self.ragged_rank:
            raise TypeError(
                f"Cannot feed {value!r} for {self!r}: it needs a RaggedTensorValue, an eager RaggedTensor or nested "
                f"lists of ragged rank {self.ragged_rank}"
            )
        return [value.flat_values, *value.nested_row_splits]

    # ---- Python

    def __getitem__(self, key: Any) -> Any:
        from inlay.composite.ragged_index import getitem

        return getitem(self, key)

    def __len__(self) -> int:
        if not isinstance(self._row_splits, EagerTensor):
            raise TypeError("len is not well defined for a symbolic RaggedTensor; use nrows()")
        return len(self._row_splits) - 1

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a RaggedTensor is ambiguous.")

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self._row_splits, EagerTensor):
            raise TypeError("Iterating over a symbolic RaggedTensor is not allowed: it has no value yet")
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        if all(isinstance(p, EagerTensor) for p in self._components()):
            return f"<tf.RaggedTensor {text_of(self.to_list())}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"

    def __reduce__(self) -> tuple[Any, ...]:
        return RaggedTensor, (self._values, self._row_splits, self._uniform)


def nested(flat: Any, splits: Sequence[Any], uniforms: Sequence[int | None] | None = None) -> Any:
    """Row partitions (outermost first) over a flat value, taken as they are; the value itself if there are none."""
    made = flat
    for i in range(len(splits) - 1, -1, -1):
        made = RaggedTensor(made, splits[i], uniforms[i] if uniforms else None)
    return made


def _several(value: Any, what: str) -> list[Any]:
    if isinstance(value, (Tensor, np.ndarray, RaggedTensor)):
        raise TypeError(f"{what} must be a list of vectors, outermost first, got {value!r}")
    return list(value)
