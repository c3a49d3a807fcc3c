"""`RowPartitionSpec`: the static description of a `RowPartition`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape, dimension_value
from inlay._src.base.types.specs import SPEC_OF, TensorSpec, TypeSpec, spec_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array
from inlay._src.ops.composite.row_partition import RowPartition, partition_of


class RowPartitionSpec(TypeSpec, Composite):
    """The static description of a `RowPartition`.

    Args:
      nrows: the number of rows, or None.
      nvals: the number of values, or None.
      uniform_row_length: the length of every row, or None.
      dtype: int32 or int64.

    Raises:
      ValueError: if the numbers do not go together.
    """

    __slots__ = ("_dtype", "_nrows", "_nvals", "_uniform_row_length")

    def __init__(
        self, nrows: Any = None, nvals: Any = None, uniform_row_length: Any = None, dtype: Any = dtypes.int64
    ) -> None:
        rows, values, length = (_single(size)[0] for size in (nrows, nvals, uniform_row_length))
        rows, values, length = map(dimension_value, (rows, values, length))
        self._dtype = dtypes.as_dtype(dtype)
        if self._dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")
        if not _agree(rows, values, length):
            raise ValueError(
                f"nvals={values} is not compatible with nrows={rows} and uniform_row_length={length}"
                + (" (doesn't divide evenly)" if length and values is not None and values % length else "")
            )
        if values is None and (rows == 0 or length == 0):
            values = 0
        if rows is None and values is not None and length:
            rows = values // length
        if values is None and rows is not None and length is not None:
            values = rows * length
        self._nrows, self._nvals, self._uniform_row_length = (TensorShape([n]) for n in (rows, values, length))

    @property
    def nrows(self) -> int | None:
        """The number of rows, or None."""
        return self._nrows._dims[0]  # type: ignore[index]

    @property
    def nvals(self) -> int | None:
        """The number of values, or None."""
        return self._nvals._dims[0]  # type: ignore[index]

    @property
    def uniform_row_length(self) -> int | None:
        """The length of every row, or None."""
        return self._uniform_row_length._dims[0]  # type: ignore[index]

    @property
    def dtype(self) -> DType:
        """The type of the encodings."""
        return self._dtype

    @property
    def value_type(self) -> type[RowPartition]:
        """The class of values."""
        return RowPartition

    @classmethod
    def from_value(cls, value: Any) -> RowPartitionSpec:
        """The spec of a RowPartition.

        Raises:
          TypeError: for anything else.
        """
        if not isinstance(value, RowPartition):
            raise TypeError(f"Expected `value` to be a `RowPartition`, got {value!r}")
        return cls(value.static_nrows, value.static_nvals, value.static_uniform_row_length, value.dtype)

    def with_dtype(self, dtype: Any) -> RowPartitionSpec:
        """The same numbers of partitions of another integer type."""
        return RowPartitionSpec(self.nrows, self.nvals, self.uniform_row_length, dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a partition (or what its spec says of it) satisfies this spec."""
        other = spec_of(spec_or_value)
        if not isinstance(other, RowPartitionSpec) or not super().is_compatible_with(other):
            return False
        pairs = zip(self._serialize()[:3], other._serialize()[:3], strict=True)
        return _agree(*(mine.merge_with(theirs)._dims[0] for mine, theirs in pairs))

    def _merge_with(self, other: RowPartitionSpec) -> RowPartitionSpec:
        """The combined information of both specs.

        Raises:
          ValueError: if they contradict one another.
        """
        if self._dtype is not other._dtype:
            raise ValueError("Merging RowPartitionSpecs with incompatible dtypes")
        pairs = zip(self._serialize()[:3], other._serialize()[:3], strict=True)
        rows, values, length = (mine.merge_with(theirs) for mine, theirs in pairs)
        if not _agree(rows._dims[0], values._dims[0], length._dims[0]):
            raise ValueError(f"Merging incompatible RowPartitionSpecs: {self!r} and {other!r}")
        return RowPartitionSpec(rows, values, length, self._dtype)

    def _serialize(self) -> tuple[Any, ...]:
        return self._nrows, self._nvals, self._uniform_row_length, self._dtype

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self.nrows}, nvals={self.nvals}, "
            f"uniform_row_length={self.uniform_row_length}, dtype={self._dtype!r})"
        )

    # ---- the protocol of composites

    @property
    def _type_spec(self) -> TypeSpec:
        return self

    def _components(self) -> list[TensorSpec]:
        return [TensorSpec([None if self.nrows is None else self.nrows + 1], self._dtype)]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        (splits,) = components
        if not isinstance(splits, Tensor):
            return RowPartition._of(splits)
        sizes = {"nrows": self.nrows, "nvals": self.nvals}
        counts = {name: array.constant(n, self._dtype) for name, n in sizes.items() if n is not None}
        return partition_of(splits, self.uniform_row_length, **counts)


def _single(size: Any) -> Any:
    return size.with_rank(1) if isinstance(size, TensorShape) else shapes.as_shape([size])


def _agree(rows: int | None, values: int | None, length: int | None) -> bool:
    """Whether the numbers of rows and of values and the length of every row go together."""
    if 0 in (rows, length) and values not in (0, None):
        return False
    if length is None or values is None:
        return True
    return (not length or values % length == 0) and (rows is None or values == length * rows)


SPEC_OF[RowPartition] = RowPartitionSpec.from_value
