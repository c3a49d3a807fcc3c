"""`DynamicRaggedShape`: the shape of a ragged or dense tensor when it runs.

    [[1, 2], [], [3]]        row_partitions [RowPartition [0, 2, 2, 3]]   inner_shape [3]       lengths [3, (2, 0, 1)]
    a tensor of shape [2, 3] row_partitions []                            inner_shape [2, 3]    lengths [2, 3]

A dimension may be in either part if all its rows have one length: `_with_num_row_partitions` moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self, overload

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape, dimension_value
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import ANSWERS, late_answer
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, asserting, control, joining, math, stacking
from inlay._src.ops.composite.extension_type import BatchableExtensionType
from inlay._src.ops.composite.known_sizes import static_shape
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_shape_encoder import RaggedShapeEncoder
from inlay._src.ops.composite.ragged_shape_parts import (
    alignment,
    axis_from_front,
    bounds,
    index_dtype,
    of_lengths,
    required_size,
)
from inlay._src.ops.composite.ragged_shape_spec import RaggedShapeSpec
from inlay._src.ops.composite.row_partition import RowPartition
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.reductions import reduce_prod

__all__ = ["DynamicRaggedShape"]


@export("experimental.DynamicRaggedShape")
class DynamicRaggedShape(BatchableExtensionType):
    """The shape of a ragged or dense tensor.

    Args:
      row_partitions: the row partitions, outermost first; none for a dense tensor.
      inner_shape: a vector: the shape of the flat values.
      dtype: int32 or int64; that of the partitions or of `inner_shape` if None.
      validate: whether it is checked that the parts go together where that is known only when they run.
      static_inner_shape: the statically known part of `inner_shape`.

    Raises:
      TypeError: if something else than a RowPartition stands among the partitions.
      ValueError: if the parts are known not to go together.
      InvalidArgumentError: (eagerly, or when the graph runs, if `validate`) if they do not.
    """

    _row_partitions: tuple[RowPartition, ...]
    _inner_shape: Tensor
    _static_inner_shape: TensorShape
    Spec = RaggedShapeSpec
    __batch_encoder__ = RaggedShapeEncoder()
    __name__: ClassVar[str] = "tf.DynamicRaggedShape"

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: Any,
        dtype: Any = None,
        validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:
        if not isinstance(row_partitions, Iterable):
            raise TypeError(f"row_partitions should be a list of row partitions. Instead, got {row_partitions}")
        partitions = tuple(row_partitions)
        for partition in partitions:
            if not isinstance(partition, RowPartition):
                raise TypeError(f"row_partitions contains {partition} which is not a RowPartition")
        kind = index_dtype(partitions, inner_shape, dtype)
        partitions = tuple(partition.with_dtype(kind) for partition in partitions)
        inner = math.cast(convert_to_tensor(inner_shape, dtype_hint=kind), kind)
        if inner.shape.rank not in (None, 1):
            raise ValueError(f"inner_shape must be a vector, got shape {inner.shape}")
        static = static_shape(inner).merge_with(static_inner_shape)
        checks = alignment(partitions, inner, static, validate)
        if checks:
            with control.control_dependencies(checks):
                inner = array.identity(inner)
            partitions = tuple(partition._with_dependencies(checks) for partition in partitions)
        self._row_partitions, self._inner_shape, self._static_inner_shape = partitions, inner, static

    # ---- making one

    @classmethod
    def from_lengths(cls, lengths: Sequence[Any], num_row_partitions: Any = None, dtype: Any = dtypes.int64) -> Self:
        """A shape of given lengths: `[2, (3, 2)]` is that of `[[1, 2, 3], [4, 5]]`.

        Args:
          lengths: a list with a number for each uniform dimension and a tuple of row lengths for each ragged one.
          num_row_partitions: number of dimensions that are partitions; None for no more than are needed.
          dtype: int32 or int64.

        Raises:
          ValueError: if something else is in the list, or the lengths do not go together.
        """
        if not isinstance(lengths, list):
            raise ValueError(f"lengths should be a list, got {lengths!r}")
        for length in lengths:
            sizes = length if isinstance(length, tuple) else [length]
            if not all(isinstance(size, int) for size in sizes):
                raise ValueError(f"element of lengths should be int or tuple of ints: instead {length!r}")
        ragged = [axis for axis, length in enumerate(lengths) if isinstance(length, tuple)]
        count = max(ragged, default=0) if num_row_partitions is None else num_row_partitions
        if not isinstance(count, int):
            raise ValueError(f"num_row_partitions should be an int or None, got {count!r}")
        if count >= max(len(lengths), 1):
            raise ValueError(
                "num_row_partitions==0 for a scalar shape"
                if not lengths
                else f"num_row_partitions should be less than `len(lengths)` if shape is not scalar: got {count}"
            )
        if not count:
            return cls([], lengths, dtype=dtype)
        partitions, values = of_lengths(lengths[: count + 1], dtypes.as_dtype(dtype))
        return cls(partitions, [values, *lengths[count + 1 :]], dtype=dtype)

    @classmethod
    def from_row_partitions(cls, row_partitions: Sequence[RowPartition], dtype: Any = None) -> Self:
        """The shape of values that are divided by row partitions, each of them a scalar.

        Args:
          row_partitions: the partitions, outermost first.
          dtype: int32 or int64; that of the partitions if None.

        Raises:
          ValueError: if there are none.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        if not all(isinstance(partition, RowPartition) for partition in row_partitions):
            raise TypeError(f"row_partitions must be a list of RowPartitions, got {row_partitions!r}")
        return cls(row_partitions, array.reshape(row_partitions[-1].nvals(), [1]), dtype=dtype)

    @classmethod
    def from_tensor(cls, t: Any, dtype: Any = None) -> Self:
        """The shape of a tensor, ragged or not.

        Args:
          t: a tensor, a RaggedTensor, or what becomes one.
          dtype: int32 or int64; that of the row splits if None, int32 for a dense tensor.
        """
        value = RaggedTensor._ragged_or_dense(t)
        if not isinstance(value, Partitioned):
            return cls._from_inner_shape(array.shape(value), dtype)
        return cls(value._nested_row_partitions, array.shape(value.flat_values, value.row_splits.dtype), dtype=dtype)

    @classmethod
    def _from_inner_shape(cls, inner_shape: Any, dtype: Any = None) -> Self:
        """The shape of a dense tensor."""
        return cls([], inner_shape, dtype=dtype)

    # ---- what it says

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The row partitions, outermost first."""
        return self._row_partitions

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._row_partitions)

    @property
    def inner_shape(self) -> Tensor | Any:
        """The shape of the flat values, as a vector."""
        return self._inner_shape

    @property
    def inner_rank(self) -> int | None:
        """The length of the inner shape; None if it is not known."""
        return self._static_inner_shape.rank

    @property
    def rank(self) -> int | None:
        """The number of dimensions; None if it is not known."""
        return None if self.inner_rank is None else self.num_row_partitions + self.inner_rank

    @property
    def dtype(self) -> DType:
        """The type of the sizes, int32 or int64."""
        return self._inner_shape.dtype

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows of a dimension are known to have one length.

        Args:
          axis: the dimension, counted from 0.

        Raises:
          TypeError: if it is no number.
          IndexError: if there is no such dimension.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if self.rank is not None and axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        return axis == 0 or axis > self.num_row_partitions or self._row_partitions[axis - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """The statically known part of the lengths.

        Args:
          ragged_lengths: whether ragged dimensions are described by the lengths of their rows, else by None.

        Returns:
          For each dimension its size, a tuple of the lengths of its rows, or None; `...` at the end if the rank is
          not known.
        """
        inner: list[Any] = [...] if self.inner_rank is None else self._static_inner_shape.as_list()
        if not self._row_partitions:
            return inner
        lengths: list[Any] = [self._row_partitions[0].static_nrows]
        for partition in self._row_partitions:
            if partition.is_uniform():
                lengths.append(partition.static_uniform_row_length)
            else:
                lengths.append(partition._static_row_lengths() if ragged_lengths else None)
        return lengths + (inner if self.inner_rank is None else inner[1:])

    def with_dtype(self, dtype: Any) -> DynamicRaggedShape:
        """The same shape with sizes of another integer type.

        Args:
          dtype: int32 or int64.
        """
        if dtypes.as_dtype(dtype) is self.dtype:
            return self
        return self._with(self._row_partitions, self._inner_shape, dtype, self._static_inner_shape)

    @overload
    def __getitem__(self, index: slice) -> DynamicRaggedShape: ...
    @overload
    def __getitem__(self, index: int) -> Tensor: ...
    def __getitem__(self, index: Any) -> Tensor | DynamicRaggedShape:
        """The size of a uniform dimension, as a scalar, or the shape of some dimensions that follow one another.

        Args:
          index: a number, or a slice without a step. One that does not start at 0 gives a shape without partitions.

        Raises:
          IndexError: if there is no such dimension, or the slice has a step.
          TypeError: for anything else.
          ValueError: if a dimension is ragged that would have to be uniform, or the rank would have to be known.
        """
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            return self._slice(*bounds(index, self.rank, self.num_row_partitions))
        if not isinstance(index, int):
            raise TypeError(f"Argument is not an int or a slice: a shape is indexed by one of them, got {index!r}")
        if index < 0:
            index += required_size(self.rank, "Rank must be known to use __getitem__ with a negative index.")
        return self._dimension(index)

    def __repr__(self) -> str:
        lengths = ", ".join("..." if length is ... else str(length) for length in self.static_lengths())
        return f"<DynamicRaggedShape lengths=[{lengths}] num_row_partitions={self.num_row_partitions}>"

    # ---- one dimension

    def _dimension(self, index: int) -> Any:
        """The size of a uniform dimension, as a scalar."""
        if not isinstance(index, int):
            raise TypeError(f"index should be an int, got {index!r}")
        count = self.num_row_partitions
        if index < 0:
            raise IndexError(f"Index must be non-negative: {index}")
        if count == 0 or index > count + 1:
            rank = required_size(self.rank, "Rank must be known to use __getitem__ on a large index.")
            if index >= rank:
                raise IndexError(f"Index is too big: {index}>={rank}")
        if not self.is_uniform(index):
            raise ValueError(f"Index {index} is not uniform")
        if count and index == 0:
            rows = self._row_partitions[0].static_nrows
            return self._row_partitions[0].nrows() if rows is None else array.constant(rows, self.dtype)
        if count and index <= count:
            return self._row_partitions[index - 1].uniform_row_length()
        return self._inner_size(index - count)

    def _inner_size(self, at: int) -> Any:
        """A size of the inner shape, as a scalar."""
        dims = self._static_inner_shape._dims
        size = None if dims is None else dims[at]
        return self._inner_shape[at] if size is None else array.constant(size, self.dtype)

    def _num_elements(self) -> Any:
        """The number of elements, as a scalar."""
        return reduce_prod(self._inner_shape)

    def _num_slices_in_dimension(self, axis: int) -> Any:
        """The number of slices of all dimensions up to `axis` together, as a scalar."""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            axis += required_size(self.rank, "You can't use negative values if the rank is undefined")
        if axis == 0:
            return self._dimension(0)
        if axis <= self.num_row_partitions:
            return self._row_partitions[axis - 1].nvals()
        return reduce_prod(self._inner_shape[: axis - self.num_row_partitions + 1])

    def _to_tensor_shape(self) -> TensorShape:
        """The partial shape; ragged dimensions are None."""
        lengths = self.static_lengths(ragged_lengths=False)
        return TensorShape(None if lengths and lengths[-1] is ... else lengths)

    # ---- other shapes

    @classmethod
    def _of(cls, values: Sequence[Any]) -> Any:
        """A shape of parts that are taken as they are, with what its inner shape tells."""
        partitions, inner, static = values
        if isinstance(inner, EagerTensor):
            static = static_shape(inner)
        return super()._of([partitions, inner, static])

    def _with(self, partitions: Sequence[RowPartition], inner: Any, dtype: Any = None, static: Any = None) -> Any:
        """A shape of other parts."""
        return type(self)(partitions, inner, dtype or self.dtype, False, static)

    def _slice(self, start: int, stop: int) -> DynamicRaggedShape:
        """The shape of the dimensions from `start` up to `stop`."""
        if stop <= start:
            return self._with([], [])
        count, rank = self.num_row_partitions, self.rank
        if start == 0:
            if rank is not None and stop >= rank:
                return self
            if stop == 1 and count:
                return self._with([], array.reshape(self._dimension(0), [1]))
            if stop <= count:
                partitions = self._row_partitions[: stop - 1]
                return self._with(partitions, array.reshape(partitions[-1].nvals(), [1]))
            return self._with(self._row_partitions, self._inner_shape[: stop - count])
        whole = self._slice(0, stop) if rank is None or stop < rank else self
        if not all(partition.is_uniform() for partition in whole._row_partitions):
            raise ValueError("All relevant dimensions must be uniform")
        if whole.rank is None:
            raise NotImplementedError("a slice that does not start at 0 needs a shape of known rank")
        return self._with([], whole._with_num_row_partitions(0)._inner_shape[start:])

    def _alt_inner_shape(self, rank: int) -> Any:
        """The inner shape if it had another length, as a vector."""
        own = required_size(self.inner_rank, "the rank must be known")
        if 0 in (rank, own):
            raise ValueError(f"{'new' if rank == 0 else 'old'} inner_rank cannot be zero")
        if rank == own:
            return self._inner_shape
        if rank < own:
            first = reduce_prod(self._inner_shape[: own - rank + 1])
            return joining.concat([array.reshape(first, [1]), self._inner_shape[own - rank + 1 :]], 0)
        partitions = self._row_partitions[own - rank :]
        if not all(partition.is_uniform() for partition in partitions):
            raise ValueError("Cannot get an inner shape over a ragged dimension")
        sizes = [partitions[0].nrows(), *(partition.uniform_row_length() for partition in partitions)]
        return joining.concat([stacking.stack(sizes), self._inner_shape[1:]], 0)

    def _with_inner_rank(self, inner_rank: int) -> DynamicRaggedShape:
        """The same shape with an inner shape of another length."""
        rank = required_size(self.rank, "Rank must be known to adjust inner_rank")
        if rank < 2 and inner_rank != rank:
            raise ValueError("Cannot change inner_rank if rank < 2")
        return self._with_num_row_partitions(rank - inner_rank) if rank >= 2 else self

    def _with_num_row_partitions(self, num_row_partitions: int) -> DynamicRaggedShape:
        """The same shape with another number of row partitions.

        Raises:
          ValueError: if there are not so many dimensions, or one that is ragged would be in the inner shape.
        """
        rank = required_size(self.rank, "Rank must be known to adjust num_row_partitions")
        if not isinstance(num_row_partitions, int):
            raise ValueError(f"num_row_partitions must be an int, got {num_row_partitions!r}")
        if num_row_partitions < 0:
            raise ValueError(f"num_row_partitions must be nonnegative, got {num_row_partitions}")
        if num_row_partitions == self.num_row_partitions:
            return self
        if num_row_partitions >= rank:
            raise ValueError("num_row_partitions must be less than rank")
        partitions = self._row_partitions[:num_row_partitions]
        rows = self._inner_size(0)
        for i in range(num_row_partitions - self.num_row_partitions):
            partition = RowPartition.from_uniform_row_length(self._inner_size(i + 1), nrows=rows, dtype=self.dtype)
            partitions, rows = (*partitions, partition), partition._nvals
        return self._with(partitions, self._alt_inner_shape(rank - num_row_partitions))

    def _as_row_partitions(self) -> tuple[RowPartition, ...]:
        """The row partitions of which the shape consists if no dimension but the last one is in the inner shape."""
        rank = required_size(self.rank, "rank must be known for _as_row_partitions")
        if rank < 1:
            raise ValueError("rank must be >= 1 for _as_row_partitions")
        return self._with_num_row_partitions(rank - 1)._row_partitions

    def _with_rank(self, rank: int) -> DynamicRaggedShape:
        """The shape with dimensions of size 1 in front."""
        missing = rank - required_size(self.rank, "Unable to broadcast: unknown rank")
        if missing <= 0:
            return self
        if not self._row_partitions:
            return self._with([], joining.concat([array.ones([missing], self.dtype), self._inner_shape], 0))
        one, rows = array.ones((), self.dtype), self._row_partitions[0].nrows()
        lengths = [*[one] * (missing - 1), rows]
        front = [RowPartition.from_uniform_row_length(length, nrows=one) for length in lengths]
        return self._with([*front, *self._row_partitions], self._inner_shape, static=self._static_inner_shape)

    def _merge_dims(self, outer_axis: int, inner_axis: int) -> DynamicRaggedShape:
        """The shape with dimensions `outer_axis` to `inner_axis` as one."""
        outer, inner = (axis_from_front(axis, self.rank) for axis in (outer_axis, inner_axis))
        if outer > inner:
            raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner}).")
        if outer == inner:
            return self
        count, partitions = self.num_row_partitions, self._row_partitions
        if outer > count or not count:  # sizes of the inner shape alone
            at, end = outer - count, inner - count + 1
            size = reduce_prod(self._inner_shape[at:end])
            sizes = [self._inner_shape[:at], array.reshape(size, [1]), self._inner_shape[end:]]
            return self._with(partitions, joining.concat(sizes, 0))
        if outer == 0:
            if inner <= count:
                return self._with(partitions[inner:], self._inner_shape, static=self._static_inner_shape)
            return self._with([], self._alt_inner_shape(required_size(self.rank, "the rank must be known") - inner))
        merged = partitions[outer - 1]
        for partition in partitions[outer:inner]:
            merged = RowPartition.from_row_splits(gather_op(partition.row_splits(), merged.row_splits()), False)
        front = partitions[: outer - 1]
        if inner <= count:
            return self._with([*front, merged, *partitions[inner:]], self._inner_shape, static=self._static_inner_shape)
        width = reduce_prod(self._inner_shape[1 : inner - count + 1])
        merged = RowPartition.from_row_splits(math.multiply(merged.row_splits(), width), False)
        return self._with(
            [*front, merged], self._alt_inner_shape(required_size(self.rank, "the rank must be known") - inner)
        )

    def _merge_with(self, other: DynamicRaggedShape) -> DynamicRaggedShape:
        """The static information of two descriptions of one shape that have different forms."""
        count = max(self.num_row_partitions, other.num_row_partitions)
        one, two = self._with_num_row_partitions(count), other._with_num_row_partitions(count)
        pairs = zip(one._row_partitions, two._row_partitions, strict=True)
        partitions = [a._merge_precomputed_encodings(b.with_dtype(a.dtype)) for a, b in pairs]
        dtype = two.dtype if one.dtype is dtypes.int32 else dtypes.int64
        static = one._static_inner_shape.merge_with(two._static_inner_shape)
        return type(self)(partitions, one._inner_shape, dtype, True, static)

    def _merge_with_spec(self, spec: Any) -> DynamicRaggedShape:
        """The shape with what a spec says of it."""
        count = max(self.num_row_partitions, spec.num_row_partitions)
        one, two = self._with_num_row_partitions(count), spec._with_num_row_partitions(count)
        pairs = zip(one._row_partitions, two._row_partitions, strict=True)
        partitions = [partition._merge_with_spec(theirs) for partition, theirs in pairs]
        dtype = two.dtype if one.dtype is dtypes.int32 else dtypes.int64
        static = one._static_inner_shape.merge_with(two._static_inner_shape)
        return type(self)(partitions, one._inner_shape, dtype, True, static)

    def _add_row_partitions(self, flat_values: Any, validate: bool = False) -> Any:
        """The value of this shape that has some flat values: a RaggedTensor, or the values if no row is ragged."""
        if not self._row_partitions:
            return flat_values
        if validate:
            flat_values = _of_size(flat_values, self._row_partitions[-1])
        return RaggedTensor._from_nested_row_partitions(flat_values, self._row_partitions, validate=False)


def _of_size(flat_values: Any, partition: RowPartition) -> Any:
    """Flat values, of which it is checked that there are as many as the innermost partition divides."""
    words = "Last row partition does not match flat_values."
    sizes = partition.static_nvals, dimension_value(flat_values.shape[0]) if flat_values.shape.rank else None
    if None not in sizes:
        if sizes[0] != sizes[1]:
            raise ValueError(f"{words} ({sizes[0]} values, not {sizes[1]})")
        return flat_values
    check = asserting.assert_equal(partition.nvals(), array.shape(flat_values, partition.dtype)[0], words)
    with control.control_dependencies([] if check is None else [check]):
        return array.identity(flat_values)


ANSWERS[DynamicRaggedShape] = late_answer("ragged_shape")
