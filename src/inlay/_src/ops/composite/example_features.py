"""Declarations of the features of an `Example`: dense, sparse and ragged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.base.types import dtypes


@export("io.VarLenFeature", "VarLenFeature")
class VarLenFeature(NamedTuple):
    """A feature of any length, as a sparse tensor.

    Attributes:
      dtype: float32, int64 or string.
    """

    dtype: Any


@export("io.FixedLenFeature", "FixedLenFeature")
class FixedLenFeature(NamedTuple):
    """A feature of one shape, as a dense tensor.

    Attributes:
      shape: its shape in each example.
      dtype: float32, int64 or string.
      default_value: value for examples without the feature, of that shape; without a default the feature is required.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


@export("io.FixedLenSequenceFeature", "FixedLenSequenceFeature")
class FixedLenSequenceFeature(NamedTuple):
    """A feature whose first axis has a length of its own in each example, as a dense tensor that is padded.

    Attributes:
      shape: the shape of what it is a sequence of.
      dtype: float32, int64 or string.
      allow_missing: whether an example may lack it; must be True outside `parse_single_sequence_example`.
      default_value: padding of shorter sequences, a scalar; zero or "" if None.
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


@export("io.SparseFeature", "SparseFeature")
class SparseFeature(NamedTuple):
    """Features that hold the coordinates and the values of a sparse tensor.

    Attributes:
      index_key: the feature of the coordinates along the one axis; a list of those for each axis.
      value_key: the feature of the values.
      dtype: of the values.
      size: the size of the axis, or a list of sizes.
      already_sorted: whether the coordinates are in order.
    """

    index_key: Any
    value_key: Any
    dtype: Any
    size: Any
    already_sorted: bool = False


class RowSplits(NamedTuple):
    """A partition: a feature with where each row begins and the last one ends."""

    key: str


class RowLengths(NamedTuple):
    """A partition: a feature with the length of each row."""

    key: str


class RowStarts(NamedTuple):
    """A partition: a feature with where each row begins."""

    key: str


class RowLimits(NamedTuple):
    """A partition: a feature with where each row ends."""

    key: str


class ValueRowIds(NamedTuple):
    """A partition: a feature with the row of each value."""

    key: str


class UniformRowLength(NamedTuple):
    """A partition: rows of one length."""

    length: int


FORMS = {
    RowSplits: "row_splits",
    RowLengths: "row_lengths",
    RowStarts: "row_starts",
    RowLimits: "row_limits",
    ValueRowIds: "value_rowids",
}
"""The partitions that are features -> what the kernel calls them."""


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: str | None
    partitions: tuple[Any, ...]
    row_splits_dtype: Any
    validate: bool


@export("io.RaggedFeature", "RaggedFeature")
class RaggedFeature(_RaggedFields):
    """A feature of any length, as a ragged tensor; other features may cut it into rows.

    Args:
      dtype: float32, int64 or string.
      value_key: the feature that holds the values; that of its own name if None.
      partitions: row partitions of the values, from the outermost on: `RowSplits(key)`, `RowLengths(key)`,
      row_splits_dtype: int32 or int64, of the row splits.
      validate: accepted; a partition that does not fit its values is refused in any case.

    Raises:
      ValueError, TypeError: for another dtype, an empty key, or something else in `partitions`.
    """

    UniformRowLength: type[UniformRowLength]
    ValueRowIds: type[ValueRowIds]
    RowLimits: type[RowLimits]
    RowStarts: type[RowStarts]
    RowLengths: type[RowLengths]
    RowSplits: type[RowSplits]

    RowSplits, RowLengths, RowStarts, RowLimits = RowSplits, RowLengths, RowStarts, RowLimits
    ValueRowIds, UniformRowLength = ValueRowIds, UniformRowLength

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Sequence[Any] = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        if value_key is not None and not isinstance(value_key, str):
            raise ValueError(f"Argument `value_key` must be a string; got {value_key}")
        if value_key == "":
            raise ValueError("Argument `value_key` must not be empty")
        kind, splits = dtypes.as_dtype(dtype), dtypes.as_dtype(row_splits_dtype)
        if kind not in (dtypes.int64, dtypes.float32, dtypes.string):
            raise ValueError(f"Argument `dtype` must be int64, float32, or bytes; got {kind!r}")
        if splits not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"Argument `row_splits_dtype` must be int32 or int64; got{splits!r}")
        if not isinstance(validate, bool):
            raise TypeError(f"Argument `validate` must be a bool; got {repr_of(validate)}")
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(
                f"Argument `partitions` must be a list or tuple. Receivedpartitions={repr_of(partitions)} of type "
                f"{type(partitions).__name__}."
            )
        for partition in partitions:
            if not isinstance(partition, (*FORMS, UniformRowLength)):
                raise TypeError(
                    f"Argument `partitions` cannot be cast to any of the partition types in "
                    f"{(*FORMS, UniformRowLength)}; got: {repr_of(partition)} with type {type(partition)}"
                )
        return super().__new__(cls, kind, value_key, tuple(partitions), splits, validate)
