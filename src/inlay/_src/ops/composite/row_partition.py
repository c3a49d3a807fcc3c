"""`RowPartition`: the division of consecutive values into rows, without the values.

    row_lengths [2, 0, 1]   =   row_splits [0, 2, 2, 3]   =   value_rowids [0, 0, 2], nrows 3

Splits are what a partition consists of. Another encoding is kept beside them if the partition was made from it, so that
it need not be computed again and tells sizes while a graph is built.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape, dimension_value
from inlay._src.core.context import in_scope
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, asserting, control, division, joining, math, ranges
from inlay._src.ops.composite.known_sizes import static_size
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.ragged import rowids_from_splits, splits_from_lengths, splits_from_rowids, valid_splits
from inlay._src.ops.reductions import reduce_sum

__all__ = ["RowPartition"]

_ENCODINGS = ("row_lengths", "value_rowids", "nrows", "nvals", "uniform_row_length")


def _same_tensor(one: Any, two: Any, name: str, validate: bool) -> Any:
    """One of two encodings that should be equal, where either may be None; checked if `validate`."""
    if one is None or two is None or one is two:
        return two if one is None else one
    message = f"the partitions have incompatible {name}"
    if not one.shape.is_compatible_with(two.shape):
        raise ValueError(f"{message}: shapes {one.shape} and {two.shape}")
    if not validate:
        return one
    with control.control_dependencies([c for c in [asserting.assert_equal(one, two, message)] if c is not None]):
        return array.identity(one)


@export("experimental.RowPartition")
class RowPartition(Composite):
    """The division of a sequence of values into rows.

    Make one with a `from_...` method; the constructor is not for callers. Row i consists of the values from
    `row_splits()[i]` to `row_splits()[i + 1]`.
    """

    __slots__ = ("__dict__", "__weakref__", "_row_splits", *(f"_{name}" for name in _ENCODINGS))
    _row_splits: Any
    _row_lengths: Any
    _value_rowids: Any
    _nrows: Any
    _nvals: Any
    _uniform_row_length: Any

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: Any = False,
    ) -> None:
        raise ValueError(
            "RowPartition constructor is private; please use one of the factory methods instead (e.g., "
            "RowPartition.from_row_lengths())"
        )

    @classmethod
    def _of(
        cls,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        nvals: Any = None,
        uniform_row_length: Any = None,
    ) -> Self:
        """A partition of parts that are taken as they are."""
        partition = cls.__new__(cls)
        partition._row_splits, partition._row_lengths, partition._value_rowids = row_splits, row_lengths, value_rowids
        partition._nrows, partition._nvals, partition._uniform_row_length = nrows, nvals, uniform_row_length
        return partition

    # ---- making one

    @classmethod
    @in_scope("RowPartitionFromRowSplits")
    def from_row_splits(cls, row_splits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None) -> Self:
        """Row i consists of the values from `row_splits[i]` to `row_splits[i + 1]`.

        Args:
          row_splits: a vector of int32 or int64 that starts with 0 and never falls.
          validate: whether that is checked.
          dtype: int32 or int64; that of `row_splits` if None.
          dtype_hint: dtype of a list of numbers; int64 if None.

        Raises:
          ValueError: for another dtype or rank.
          InvalidArgumentError: (eagerly, or when the graph runs) if it is no partition.
        """
        _check_validate(validate)
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        splits = partition_vector(row_splits, "row_splits", dtype, dtype_hint)
        return cls._of(valid_splits(splits, reduce_sum(splits[-1:])) if validate else splits)

    @classmethod
    @in_scope("RowPartitionFromRowLengths")
    def from_row_lengths(
        cls, row_lengths: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Self:
        """Row i consists of the next `row_lengths[i]` values.

        Args:
          row_lengths: a vector of int32 or int64 without negative numbers.
          validate, dtype, dtype_hint: as for `from_row_splits`.
        """
        _check_validate(validate)
        lengths = partition_vector(row_lengths, "row_lengths", dtype, dtype_hint)
        return cls._of(splits_from_lengths(lengths), row_lengths=lengths)

    @classmethod
    @in_scope("RowPartitionFromValueRowIds")
    def from_value_rowids(
        cls, value_rowids: Any, nrows: Any = None, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Self:
        """Value i belongs to row `value_rowids[i]`.

        Args:
          value_rowids: a vector of int32 or int64 that never falls.
          nrows: the number of rows, if there are empty ones at the end.
          validate, dtype, dtype_hint: as for `from_row_splits`.

        Raises:
          ValueError: if `nrows` is known to be too small.
        """
        _check_validate(validate)
        ids = partition_vector(value_rowids, "value_rowids", dtype, dtype_hint)
        last = constant_of(ids)
        if nrows is None:
            count = (
                reduce_sum(ids[-1:] + 1, axis=[0])
                if last is None
                else array.constant(int(last[-1]) + 1 if last.size else 0, ids.dtype)
            )
        else:
            count = convert_to_tensor(nrows, ids.dtype, name="nrows")
            constant = constant_of(count)
            if constant is not None and constant < 0:
                raise ValueError(f"Expected nrows >= 0; got {constant}")
            if constant is not None and last is not None and last.size and constant < last[-1] + 1:
                raise ValueError(
                    f"Expected nrows >= value_rowids[-1] + 1; got nrows={constant}, value_rowids[-1]={last[-1]}"
                )
        if count.shape.rank not in (None, 0):
            raise ValueError(f"nrows must be a scalar, got shape {count.shape}")
        return cls._of(splits_from_rowids(ids, count), value_rowids=ids, nrows=count)

    @classmethod
    @in_scope("RowPartitionFromRowStarts")
    def from_row_starts(
        cls, row_starts: Any, nvals: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None
    ) -> Self:
        """Row i begins at value `row_starts[i]` and ends where the next one begins.

        Args:
          row_starts: a vector of int32 or int64 that starts with 0 and never falls.
          nvals: the number of values.
          validate, dtype, dtype_hint: as for `from_row_splits`.
        """
        _check_validate(validate)
        starts = partition_vector(row_starts, "row_starts", dtype, dtype_hint)
        end = math.cast(convert_to_tensor(nvals, name="nvals"), starts.dtype)
        splits = joining.concat([starts, array.reshape(end, [1])], 0)
        return cls._of(valid_splits(splits, end) if validate else splits, nvals=end)

    @classmethod
    @in_scope("RowPartitionFromRowLimits")
    def from_row_limits(cls, row_limits: Any, validate: bool = True, dtype: Any = None, dtype_hint: Any = None) -> Self:
        """Row i ends before value `row_limits[i]`; the next one begins there.

        Args:
          row_limits: a vector of int32 or int64 that never falls.
          validate, dtype, dtype_hint: as for `from_row_splits`.
        """
        _check_validate(validate)
        limits = partition_vector(row_limits, "row_limits", dtype, dtype_hint)
        splits = joining.concat([array.zeros([1], limits.dtype), limits], 0)
        return cls._of(valid_splits(splits, reduce_sum(splits[-1:])) if validate else splits)

    @classmethod
    @in_scope("RowPartitionFromUniformRowLength")
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: Any = None,
        dtype_hint: Any = None,
    ) -> Self:
        """Rows of one length.

        Args:
          uniform_row_length: the length, a scalar.
          nvals: the number of values; `nrows` times the length if None.
          nrows: the number of rows; computed from `nvals` if None.
          validate, dtype, dtype_hint: as for `from_row_splits`.

        Raises:
          ValueError: if neither number is there, or they are known not to go together.
          InvalidArgumentError: when the graph runs, if they do not.
        """
        _check_validate(validate)
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        numbers = {"uniform_row_length": uniform_row_length, "nvals": nvals, "nrows": nrows}
        length, values, rows = _numbers(numbers, dtype, dtype_hint)
        if length.shape.rank not in (None, 0):
            raise ValueError(f"uniform_row_length must be a scalar, got shape {length.shape}")
        constant = constant_of(length)
        if validate and constant is not None and constant < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        if rows is None:
            zero = constant is not None and constant == 0
            rows = array.zeros((), length.dtype) if zero else division.floordiv(values, math.maximum(length, 1))
        product = math.multiply(rows, length)
        if values is None:
            values = product
        splits = math.multiply(ranges.range_(rows + 1), length)
        if validate:
            splits = _checked_uniform(splits, length, rows, values, product)
        return cls._of(splits, nrows=rows, nvals=values, uniform_row_length=length)

    # ---- what it says

    @property
    def dtype(self) -> DType:
        """The type of its encodings, int32 or int64."""
        return self._row_splits.dtype  # type: ignore[no-any-return]

    def row_splits(self) -> Tensor | Any:
        """Where rows begin and end: a vector one longer than there are rows."""
        return self._row_splits

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self) -> Tensor:
        """Where each row ends."""
        return self._row_splits[1:]

    def row_lengths(self) -> Tensor:
        """The length of each row."""
        if self._row_lengths is not None:
            return self._row_lengths
        return math.subtract(self._row_splits[1:], self._row_splits[:-1])

    def value_rowids(self) -> Tensor:
        """For each value its row."""
        if self._value_rowids is not None:
            return self._value_rowids
        rows = rowids_from_splits(self._row_splits)
        rows.set_shape([self.static_nvals])
        return rows

    def offsets_in_rows(self) -> Tensor:
        """For each value its position in its row."""
        rows = self.value_rowids()
        inside = math.subtract(ranges.range_(array.shape(rows, self.dtype)[0]), gather_op(self._row_splits, rows))
        inside.set_shape([self.static_nvals])
        return inside

    def nrows(self) -> Tensor:
        """The number of rows, as a scalar."""
        if self._nrows is not None:
            return self._nrows
        size = dimension_value(self._row_splits.shape[0])
        if size is not None:
            return array.constant(size - 1, self.dtype)
        return math.subtract(array.shape(self._row_splits, self.dtype)[0], 1)

    def nvals(self) -> Tensor:
        """The number of values, as a scalar."""
        return self._row_splits[-1]

    def uniform_row_length(self) -> Tensor | None:
        """The length of every row, as a scalar; None unless it is known to be the same."""
        return self._uniform_row_length

    def is_uniform(self) -> bool:
        """Whether all rows are known to have one length."""
        return self._uniform_row_length is not None

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, if it is known while the graph is built."""
        sizes = [dimension_value(self._row_splits.shape[0])]
        if sizes[0] is not None:
            return sizes[0] - 1
        length = None if self._row_lengths is None else dimension_value(self._row_lengths.shape[0])
        return static_size(self._nrows) if length is None else length

    @property
    def static_nvals(self) -> int | None:
        """The number of values, if it is known while the graph is built."""
        size = static_size(self._nvals)
        if size is None and self._value_rowids is not None:
            size = dimension_value(self._value_rowids.shape[0])
        return size

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of every row, if that is known to be the same while the graph is built."""
        return static_size(self._uniform_row_length)

    def _static_row_lengths(self) -> tuple[int, ...] | None:
        """The length of each row, if that is known while the graph is built."""
        lengths = None if self._row_lengths is None else get_static_value(self._row_lengths)
        if lengths is None:
            splits = constant_of(self._row_splits)
            lengths = None if splits is None else np.diff(splits)
        return None if lengths is None else tuple(lengths.tolist())

    def with_dtype(self, dtype: Any) -> RowPartition:
        """The same partition with encodings of another integer type.

        Args:
          dtype: int32 or int64.

        Raises:
          ValueError: for another type.
        """
        kind = dtypes.as_dtype(dtype)
        if kind not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"dtype must be int32 or int64, got {kind.name}")
        return self if kind is self.dtype else self._mapped(lambda tensor: math.cast(tensor, kind))

    def _encodings(self) -> dict[str, Any]:
        """The encodings besides the splits, by name; None if absent."""
        return {name: getattr(self, f"_{name}") for name in _ENCODINGS}

    def _mapped(self, function: Callable[[Any], Any]) -> RowPartition:
        """The partition with each encoding replaced."""
        others = {name: None if t is None else function(t) for name, t in self._encodings().items()}
        return self._of(function(self._row_splits), **others)

    def _with_dependencies(self, checks: Sequence[Any]) -> RowPartition:
        """The partition, whose encodings are not there before some operations have run."""
        with control.control_dependencies([c for c in checks if c is not None]):
            return self._mapped(array.identity)

    def _with_splits(self, splits: Any) -> RowPartition:
        """The partition with its splits once they are checked; other encodings are not there before them."""
        if splits is self._row_splits or isinstance(splits, EagerTensor):
            return self
        checked = self._with_dependencies([splits])
        checked._row_splits = splits
        return checked

    def _merge_precomputed_encodings(self, other: RowPartition, validate: bool = True) -> RowPartition:
        """A partition with the encodings of both, which say the same.

        Raises:
          ValueError: if they are known to differ.
          InvalidArgumentError: (eagerly, or when the graph runs, if `validate`) if they differ.
        """
        order = ("nrows", "nvals", "uniform_row_length", "row_splits", "row_lengths", "value_rowids")
        mine, theirs = ({name: getattr(p, f"_{name}") for name in order} for p in (self, other))
        if all(mine[name] is theirs[name] for name in mine):
            return self
        merged = {name: _same_tensor(mine[name], theirs[name], name, validate) for name in mine}
        for one, encodings in ((self, mine), (other, theirs)):
            if all(merged[name] is encodings[name] for name in merged):
                return one
        return self._of(**merged)

    def _merge_with_spec(self, spec: Any) -> RowPartition:
        """The partition with what a spec says of its sizes.

        Raises:
          ValueError: if the spec contradicts it.
        """
        own = self._type_spec
        if not own.is_compatible_with(spec):
            raise ValueError(f"RowPartition and RowPartitionSpec are not compatible: {own!r} and {spec!r}")
        sizes = {name: getattr(spec, name) for name in ("nrows", "nvals", "uniform_row_length")}
        counts = {name: array.constant(size, self.dtype) for name, size in sizes.items() if size is not None}
        return self._of(self._row_splits, **{**self._encodings(), **counts})

    # ---- Python

    def __repr__(self) -> str:
        if self._uniform_row_length is not None:
            return f"tf.RowPartition(nrows={self.nrows()}, uniform_row_length={self._uniform_row_length})"
        return f"tf.RowPartition(row_splits={self._row_splits})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._row_splits, self._encodings())

    # ---- the protocol of composites (types.nest, session, host)

    def _components(self) -> list[Any]:
        return [self._row_splits]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        (splits,) = components
        return None if splits is None else partition_of(splits, self.static_uniform_row_length)

    def _kind(self) -> Any:
        return type(self), self.static_uniform_row_length

    def _differentiable_parts(self) -> list[Any]:
        return []

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        return None

    def _component_shape(self, dims: Sequence[Any]) -> TensorShape:
        return TensorShape(None)

    def _session_value(self, parts: Sequence[Any]) -> Any:
        return self._rebuild(parts)


def _again(row_splits: Any, encodings: dict[str, Any]) -> RowPartition:
    return RowPartition._of(row_splits, **encodings)


def partition_of(splits: Any, length: int | None = None, **encodings: Any) -> RowPartition:
    """A partition of which may be known that all rows have one length."""
    if length is not None and isinstance(splits, Tensor):
        encodings["uniform_row_length"] = array.constant(length, splits.dtype)
    return RowPartition._of(splits, **encodings)


def _checked_uniform(splits: Any, length: Any, rows: Any, values: Any, product: Any) -> Any:
    """The splits of rows of one length, once it is checked that the numbers go together."""
    constants = [constant_of(n) for n in (length, rows, values)]
    if all(n is not None for n in constants):
        if int(constants[0]) * int(constants[1]) != int(constants[2]):  # type: ignore[arg-type]
            raise ValueError(
                f"uniform_row_length={constants[0]} times nrows={constants[1]} must equal nvals={constants[2]}"
            )
        return splits
    message = "uniform_row_length times nrows must equal nvals"
    checks = [] if values is product else [asserting.assert_equal(product, values, message)]
    if constants[0] is None:
        checks.append(asserting.assert_non_negative(length, "uniform_row_length must be >= 0."))
    with control.control_dependencies([check for check in checks if check is not None]):
        return array.identity(splits)


def _check_validate(validate: Any) -> None:
    if not isinstance(validate, bool):
        raise TypeError(f"validate must have type bool, got {validate!r}")


def partition_vector(value: Any, what: str, dtype: Any = None, dtype_hint: Any = None) -> Any:
    """A row-partitioning vector as an int32 or int64 tensor; lists and other integer types become int64."""
    if isinstance(value, np.ndarray) and value.dtype == np.int32 and dtype is None:
        dtype = dtypes.int32
    tensor = convert_to_tensor(value, dtype, dtype_hint=dtype_hint or dtypes.int64, name=what)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"{what} must have dtype int32 or int64, got {tensor.dtype.name}")
    if tensor.shape.rank not in (None, 1):
        raise ValueError(f"{what} must be a vector: Shape {tensor.shape} must have rank 1")
    return tensor


def _numbers(values: Mapping[str, Any], dtype: Any, dtype_hint: Any) -> list[Any]:
    """Scalars, by name, as tensors of one type: `dtype`, else that of the tensors among them, else the hint or int64.

    Raises:
      ValueError: if tensors have different types and no `dtype` was asked for.
    """
    explicit = [v.dtype for v in values.values() if isinstance(v, (Tensor, np.ndarray, np.generic))]
    kinds = {dtypes.as_dtype(kind) for kind in explicit}
    if dtype is not None:
        kind = dtypes.as_dtype(dtype)
        return [None if v is None else math.cast(convert_to_tensor(v, name=n), kind) for n, v in values.items()]
    if len(kinds) > 1:
        raise ValueError(f"uniform_row_length, nvals and nrows have different dtypes: {sorted(k.name for k in kinds)}")
    kind = kinds.pop() if kinds else dtypes.as_dtype(dtype_hint or dtypes.int64)
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"dtype must be int32 or int64, got {kind.name}")
    return [None if v is None else convert_to_tensor(v, kind, name=n) for n, v in values.items()]
