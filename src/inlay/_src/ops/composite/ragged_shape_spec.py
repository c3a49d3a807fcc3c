"""Static information on the shape of a ragged tensor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Self

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec
from inlay._src.ops.composite.ragged_shape_parts import required_size
from inlay._src.ops.composite.row_partition_spec import RowPartitionSpec

Size = int | None


def merged(one: Size, two: Size) -> Size:
    """The size that both say; ValueError if they contradict one another."""
    if one is not None and two is not None and one != two:
        raise ValueError(f"Dimensions {one} and {two} are not compatible")
    return two if one is None else one


def product(one: Size, two: Size) -> Size:
    """The product of two sizes; None if one is not known."""
    return None if one is None or two is None else one * two


def uniform_partitions(sizes: Sequence[Size], count: int, dtype: Any) -> tuple[list[RowPartitionSpec], TensorShape]:
    """The first `count` dimensions after the first one as partitions: (their specs, the shape that is left)."""
    partitions, rows = [], sizes[0]
    for length in sizes[1 : count + 1]:
        values = product(rows, length)
        partitions.append(RowPartitionSpec(rows, values, length, dtype))
        rows = values
    return partitions, TensorShape([rows, *sizes[count + 1 :]])


class RaggedShapeSpec:
    """The static description of a `DynamicRaggedShape`.

    Args:
      row_partitions: the specs of its row partitions, outermost first.
      static_inner_shape: the partial inner shape.
      dtype: int32 or int64.

    Raises:
      ValueError: if they do not go together.
    """

    value_type: ClassVar[Any]

    def __init__(self, row_partitions: Iterable[RowPartitionSpec], static_inner_shape: Any, dtype: Any) -> None:
        if not isinstance(row_partitions, Iterable):
            raise TypeError("row_partitions should be an Iterable")
        partitions, kind = list(row_partitions), dtypes.as_dtype(dtype)
        inner = shapes.as_shape(static_inner_shape)
        if not all(isinstance(spec, RowPartitionSpec) for spec in partitions):
            raise TypeError("row_partitions should be an Iterable of RowPartitionSpecs")
        if kind not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        for spec in partitions:
            if spec.dtype is not kind:
                raise ValueError(f"dtype of {spec!r} is {spec.dtype!r}: expected {kind!r}")
        if inner.rank == 0 and partitions:
            raise ValueError("If row_partitions are provided, must have inner_rank > 0")
        if partitions:
            partitions, inner = _agreed(partitions, inner)
        self._row_partitions: tuple[RowPartitionSpec, ...] = tuple(partitions)
        self._inner_shape: TensorSpec = TensorSpec([inner.rank], kind)
        self._static_inner_shape: TensorShape = inner

    @classmethod
    def _from_tensor_shape(cls, shape: Any, num_row_partitions: int, dtype: Any) -> Self:
        """The spec of a shape whose first dimensions after the outermost one are uniform row partitions."""
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        whole = shapes.as_shape(shape)
        if whole._dims is None:
            return cls([RowPartitionSpec(dtype=dtype) for _ in range(num_row_partitions)], whole, dtype)
        if len(whole._dims) <= 1 and num_row_partitions:
            raise ValueError("num_row_partitions should be zero if shape is a scalar or vector.")
        if not num_row_partitions:
            return cls([], whole, dtype)
        if len(whole._dims) <= num_row_partitions:
            raise ValueError("num_row_partitions must be less than rank")
        return cls(*uniform_partitions(whole._dims, num_row_partitions, dtype), dtype=dtype)

    @classmethod
    def _from_spec(cls, spec: Any, dtype: Any = dtypes.int64) -> Any:
        """The spec of the shape of a value with a given spec."""
        if isinstance(spec, cls):
            return spec
        if isinstance(spec, TensorSpec):
            return cls._from_tensor_shape(spec.shape, 0, dtype)
        return cls._from_tensor_shape(spec.shape, spec.ragged_rank, spec.row_splits_dtype)

    @property
    def dtype(self) -> DType:
        """The type of the sizes."""
        return self._inner_shape.dtype

    @property
    def inner_rank(self) -> int | None:
        """The length of the inner shape, or None."""
        return self._static_inner_shape.rank

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self._row_partitions)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self.inner_rank is None else self.inner_rank + self.num_row_partitions

    def with_dtype(self, dtype: Any) -> Self:
        """The same spec of shapes of another integer type."""
        return type(self)([spec.with_dtype(dtype) for spec in self._row_partitions], self._static_inner_shape, dtype)

    def _with(self, values: Sequence[Any]) -> Self:
        """A spec of other fields, which agree with one another."""
        partitions, inner, static = values
        return type(self)(partitions, static, inner.dtype)

    def _dimension(self, index: int) -> int | None:
        """The size of a dimension, if it is known and uniform."""
        if index == 0 and self._row_partitions:
            return self._row_partitions[0].nrows
        if 0 < index <= self.num_row_partitions:
            return self._row_partitions[index - 1].uniform_row_length
        if self.inner_rank is None:
            return None
        if self.inner_rank <= index - self.num_row_partitions:
            raise ValueError(f"Index out of range: {index}.")
        dims = self._static_inner_shape._dims
        return None if dims is None else dims[index - self.num_row_partitions]

    def _num_slices_in_dimension(self, axis: int) -> int | None:
        """The number of slices of all dimensions up to `axis` together."""
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        words = f"axis={axis} may only be negative if rank is statically known."
        at = axis if axis >= 0 else axis + required_size(self.rank, words)
        if at < 0 or (self.rank is not None and at >= self.rank):
            raise ValueError(f"axis={axis} out of bounds: the rank is {self.rank}")
        if at == 0:
            return self._dimension(0)
        if at <= self.num_row_partitions:
            return self._row_partitions[at - 1].nvals
        return self._static_inner_shape[: at - self.num_row_partitions + 1].num_elements()  # type: ignore[no-any-return]

    def _merge_with(self, other: Self) -> Self:
        """The combined information of two specs of the same shapes, of which one may have more row partitions."""
        count = max(self.num_row_partitions, other.num_row_partitions)
        one, two = self._with_num_row_partitions(count), other._with_num_row_partitions(count)
        partitions = [a._merge_with(b) for a, b in zip(one._row_partitions, two._row_partitions, strict=True)]
        dtype = two.dtype if one.dtype is dtypes.int32 else dtypes.int64
        return type(self)(partitions, one._static_inner_shape.merge_with(two._static_inner_shape), dtype)

    def _with_num_row_partitions(self, count: int) -> Self:
        """The spec of the same shapes with another number of row partitions."""
        rank = required_size(self.rank, "Changing num_row_partitions with unknown rank unsupported")
        if not 0 <= count <= max(rank - 1, 0):
            kind = "negative" if count < 0 else "too large"
            raise ValueError(f"Number of row partitions {kind}: a shape of rank {rank} cannot have {count}")
        sizes, partitions = self._static_inner_shape.as_list(), self._row_partitions
        if count > len(partitions):
            more, inner = uniform_partitions(sizes, count - len(partitions), self.dtype)
            return type(self)([*partitions, *more], inner, self.dtype)
        if count == len(partitions):
            return self
        first = self._dimension(0) if count == 0 else partitions[count - 1].nvals
        lengths = [spec.uniform_row_length for spec in partitions[count:]]
        return type(self)(partitions[:count], [first, *lengths, *sizes[1:]], self.dtype)

    def _set_rank_if_unknown(self, new_rank: int) -> Self:
        """The spec with a rank, which is as it is if it has one."""
        if new_rank is None:
            raise TypeError("new_rank is None, but expected int")
        if new_rank < 0:
            raise ValueError("Rank must be non-negative")
        if self.rank is not None:
            if self.rank < new_rank:
                raise ValueError(f"Rank is {self.rank}, expected at least {new_rank}.")
            return self
        sizes: list[int | None] = [None] * new_rank
        if self._row_partitions:
            rest = max(new_rank - self.num_row_partitions, 1) - 1
            sizes = [self._row_partitions[-1].nvals, *[None] * rest]
        return type(self)(self._row_partitions, sizes, self.dtype)

    def _truncate(self, new_rank: int) -> Self:
        """The spec of the first dimensions."""
        if self.rank is None:
            return self._set_rank_if_unknown(new_rank)._truncate(new_rank)
        if new_rank <= 1:
            return self._from_tensor_shape([self._dimension(0)] if new_rank else [], 0, self.dtype)
        if new_rank <= self.num_row_partitions:
            partitions = self._row_partitions[: new_rank - 1]
            return type(self)(partitions, [partitions[-1].nvals], self.dtype)
        inner = self._static_inner_shape[: new_rank - self.num_row_partitions]
        return type(self)(self._row_partitions, inner, self.dtype)

    def _to_tensor_shape(self) -> TensorShape:
        """The partial shape; ragged dimensions are None."""
        dims = self._static_inner_shape._dims
        if not dims:
            return self._static_inner_shape
        return TensorShape([self._dimension(0), *[spec.uniform_row_length for spec in self._row_partitions], *dims[1:]])

    def __repr__(self) -> str:
        return (
            f"DynamicRaggedShape.Spec(row_partitions={self._row_partitions!r}, "
            f"static_inner_shape={self._static_inner_shape!r}, dtype={self.dtype!r})"
        )


def _agreed(partitions: Sequence[RowPartitionSpec], inner: TensorShape) -> tuple[list[RowPartitionSpec], TensorShape]:
    """Specs of partitions that follow one another, each with what its neighbors say of its sizes.

    Raises:
      ValueError: if they contradict one another.
    """
    lengths = [spec.uniform_row_length for spec in partitions]
    counts = [partitions[0].nrows]  # of slices in each dimension
    for i, spec in enumerate(partitions):
        whole = product(counts[i], lengths[i])
        if i + 1 < len(partitions):
            counts.append(merged(merged(partitions[i + 1].nrows, spec.nvals), whole))
        else:
            first = None if inner._dims is None else inner._dims[0]
            counts.append(merged(merged(whole, spec.nvals), first))
    for i in range(len(partitions) - 1, -1, -1):
        length, count = lengths[i], counts[i + 1]
        if length and count is not None:
            counts[i] = merged(counts[i], count // length)
    specs = [
        RowPartitionSpec(counts[i], counts[i + 1], length, partitions[i].dtype) for i, length in enumerate(lengths)
    ]
    return specs, inner if inner._dims is None else TensorShape([counts[-1], *inner._dims[1:]])
