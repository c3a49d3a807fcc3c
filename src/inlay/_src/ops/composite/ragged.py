"""`RaggedTensor`: a tensor some of whose dimensions vary from row to row; its construction, conversion and indexing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.context import in_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import ANSWERS, COMPOSITE_OF, late_answer
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops import array, math
from inlay._src.ops.composite import ragged_dense, ragged_index
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.composite.ragged_value import RaggedTensorValue, text_of
from inlay._src.ops.composite.row_partition import RowPartition, partition_vector
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.ragged import valid_splits

__all__ = ["RaggedTensor"]


def _outer_size(values: Any, dtype: DType) -> Any:
    """The number of values, as a scalar."""
    return values.nrows(dtype) if isinstance(values, RaggedTensor) else array.shape(values, dtype)[0]


@export("RaggedTensor")
class RaggedTensor(Partitioned):
    """A tensor some of whose dimensions vary from row to row.

    Make one with `tf.ragged.constant` or a `from_...` method.

    Args:
      values: the rows, one after the other: a tensor or a RaggedTensor.
      row_splits: where rows begin and end, not checked here.
      uniform_row_length: the length of every row if it is known to be the same.
      partition: the rows with the encodings that they were made from, if there are some beside the splits.
    """

    __slots__ = ()

    # ---- making one

    @classmethod
    @in_scope("RaggedFromRowSplits")
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows `values[row_splits[i]:row_splits[i + 1]]`.

        Args:
          values: a tensor (or what becomes one) or a RaggedTensor.
          row_splits: a vector that starts with 0, never falls and ends with the number of values.
          name: ignored.
          validate: whether `row_splits` is checked, when it has a value.

        Raises:
          InvalidArgumentError: (eagerly, or when the graph runs) if it is no partition of `values`.
        """
        return cls._from_row_partition(values, RowPartition.from_row_splits(row_splits, validate=False), validate)

    @classmethod
    @in_scope("RaggedFromRowLengths")
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i takes the next `row_lengths[i]` values."""
        return cls._from_row_partition(values, RowPartition.from_row_lengths(row_lengths), validate)

    @classmethod
    @in_scope("RaggedFromValueRowIds")
    def from_value_rowids(
        cls, values: Any, value_rowids: Any, nrows: Any = None, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Value i belongs to row `value_rowids[i]`, which must not decrease; `nrows` adds empty rows at the end."""
        ids = partition_vector(value_rowids, "value_rowids")
        count = None if nrows is None else math.cast(convert_to_tensor(nrows, dtype_hint=ids.dtype), ids.dtype)
        return cls._from_row_partition(values, RowPartition.from_value_rowids(ids, count), validate)

    @classmethod
    @in_scope("RaggedFromRowStarts")
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i begins at value `row_starts[i]` and ends where the next one begins."""
        values, starts = cls._as_values(values), partition_vector(row_starts, "row_starts")
        partition = RowPartition.from_row_starts(starts, _outer_size(values, starts.dtype), validate=False)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    @in_scope("RaggedFromRowLimits")
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Row i ends before value `row_limits[i]`; the next one begins there."""
        return cls._from_row_partition(values, RowPartition.from_row_limits(row_limits, validate=False), validate)

    @classmethod
    @in_scope("RaggedFromUniformRowLength")
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: Any, nrows: Any = None, validate: bool = True, name: str | None = None
    ) -> RaggedTensor:
        """Rows of one length. `nrows` is needed where that length is 0."""
        values, length = cls._as_values(values), convert_to_tensor(uniform_row_length, dtype_hint=dtypes.int64)
        count = None if nrows is None else math.cast(convert_to_tensor(nrows), length.dtype)
        size = _outer_size(values, length.dtype)
        partition = RowPartition.from_uniform_row_length(length, size, count, validate=validate)
        return cls._from_row_partition(values, partition, validate)

    @classmethod
    def _from_row_partition(cls, values: Any, row_partition: RowPartition, validate: bool = True) -> Any:
        """Values divided into rows.

        Args:
          values: a tensor (or what becomes one) or a RaggedTensor.
          row_partition: the rows; its splits take the type of those of `values`.
          validate: whether it is checked to be a partition of `values`.
        """
        if not isinstance(validate, bool):
            raise TypeError(f"validate must have type bool, got {validate!r}")
        values = cls._as_values(values)
        if isinstance(values, RaggedTensor):
            row_partition = row_partition.with_dtype(values.row_splits.dtype)
        if validate:
            splits = row_partition.row_splits()
            row_partition = row_partition._with_splits(valid_splits(splits, _outer_size(values, splits.dtype)))
        return cls(values, row_partition.row_splits(), row_partition.static_uniform_row_length, row_partition)

    @classmethod
    def _from_nested_row_partitions(
        cls, flat_values: Any, row_partitions: Sequence[RowPartition], validate: bool = True
    ) -> Any:
        """Values divided into rows by several partitions, outermost first."""
        values = cls._as_values(flat_values)
        for partition in reversed(row_partitions):
            values = cls._from_row_partition(values, partition, validate)
        return values

    @classmethod
    @in_scope("RaggedFromNestedRowSplits")
    def from_nested_row_splits(
        cls, flat_values: Any, nested_row_splits: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Several row partitions over one flat tensor, outermost first."""
        ragged = cls._as_values(flat_values)
        for splits in reversed(_several(nested_row_splits, "nested_row_splits")):
            ragged = cls.from_row_splits(ragged, splits, name, validate)
        return ragged

    @classmethod
    @in_scope("RaggedFromNestedRowLengths")
    def from_nested_row_lengths(
        cls, flat_values: Any, nested_row_lengths: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Several vectors of row lengths over one flat tensor, outermost first."""
        ragged = cls._as_values(flat_values)
        for lengths in reversed(_several(nested_row_lengths, "nested_row_lengths")):
            ragged = cls.from_row_lengths(ragged, lengths, name, validate)
        return ragged

    @classmethod
    @in_scope("RaggedFromNestedValueRowIds")
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Several vectors of row numbers over one flat tensor, outermost first."""
        ids = _several(nested_value_rowids, "nested_value_rowids")
        counts = [None] * len(ids) if nested_nrows is None else _several(nested_nrows, "nested_nrows")
        ragged = cls._as_values(flat_values)
        for one, count in reversed(list(zip(ids, counts, strict=True))):
            ragged = cls.from_value_rowids(ragged, one, count, name, validate)
        return ragged

    @classmethod
    @in_scope("RaggedFromTensor")
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> RaggedTensor:
        """A dense tensor as rows.

        Args:
          tensor: a tensor of rank greater than `ragged_rank`.
          lengths: number of values of each row to keep.
          padding: drop this value from the end of rows instead.
          ragged_rank: number of partitions of the result.
          name: ignored.
          row_splits_dtype: int32 or int64.
        """
        return ragged_dense.from_tensor(cls, tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    @in_scope("RaggedFromSparse")
    def from_sparse(cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64) -> RaggedTensor:
        """A sparse matrix as rows, whose coordinates must fill each row from the left."""
        return ragged_dense.from_sparse(cls, st_input, row_splits_dtype)

    # ---- dense and sparse forms, merged dimensions

    def merge_dims(self, outer_axis: int, inner_axis: int) -> RaggedTensor | Any:
        """Dimensions `outer_axis` to `inner_axis` as one."""
        return ragged_dense.merge_dims(self, outer_axis, inner_axis)

    def to_tensor(self, default_value: Any = None, name: str | None = None, shape: Any = None) -> Tensor:
        """A dense tensor; short rows are filled up.

        Args:
          default_value: padding value; zero, False or "" if None.
          name: ignored.
          shape: the wanted sizes; longer rows are cut. None leaves a size as it comes.
        """
        return ragged_dense.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A SparseTensor with the same values, each row from the left."""
        return ragged_dense.to_sparse(self)

    # ---- Python

    def __getitem__(self, key: Any) -> RaggedTensor | Any:
        """The part that integers, slices, `...` and `tf.newaxis` select; ragged dimensions take no integer."""
        return ragged_index.getitem(self, key)

    def consumers(self) -> list[Any]:
        """The operations that take its values or a partition; none if it is eager."""
        parts = (part for part in (self.flat_values, *self.nested_row_splits) if isinstance(part, SymbolicTensor))
        operations = (o for part in parts for o in part.consumers())
        return list(dict.fromkeys(operations))

    def __len__(self) -> int:
        if not isinstance(self._row_splits, EagerTensor):
            raise TypeError("len is not well defined for a symbolic RaggedTensor; use nrows()")
        return len(self._row_splits) - 1

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __iter__(self) -> Iterator[Any]:
        if not isinstance(self._row_splits, EagerTensor):
            raise TypeError("Iterating over a symbolic RaggedTensor is not allowed: it has no value yet")
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        if all(isinstance(p, EagerTensor) for p in self._components()):
            return f"<tf.RaggedTensor {text_of(self.numpy())}>"
        return f"tf.RaggedTensor(values={self._values}, row_splits={self._row_splits})"

    def __reduce__(self) -> tuple[Any, ...]:
        return RaggedTensor, (self._values, self._row_splits, self._uniform)


def _several(value: Any, what: str) -> list[Any]:
    if isinstance(value, (Tensor, np.ndarray, RaggedTensor)):
        raise TypeError(f"{what} must be a list of vectors, outermost first, got {value!r}")
    return list(value)


ANSWERS[RaggedTensor] = ANSWERS[RaggedTensorValue] = late_answer("ragged")
COMPOSITE_OF[RaggedTensorValue] = RaggedTensor._ragged_or_dense
