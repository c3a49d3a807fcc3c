"""The parts of a shape of a ragged tensor: their dtype, their compatibility and the meaning of an index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, asserting
from inlay._src.ops.composite.row_partition import RowPartition


def required_size(size: int | None, message: str) -> int:
    if size is None:
        raise ValueError(message)
    return size


def index_dtype(partitions: Sequence[RowPartition], inner_shape: Any, dtype: Any) -> DType:
    """The type of a shape's sizes: the one asked for, that of its parts, or int64."""
    kinds = [dtype, *(partition.dtype for partition in partitions)]
    kinds += [inner_shape.dtype] if isinstance(inner_shape, (Tensor, np.ndarray, np.generic)) else []
    kind = dtypes.as_dtype(next((kind for kind in kinds if kind is not None), dtypes.int64))
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"Illegal dtype: {kind!r}")
    return kind


def alignment(partitions: Sequence[RowPartition], inner: Any, static: TensorShape, validate: bool) -> list[Any]:
    """Checks that the parts of a shape follow one another, for what is not known to be so.

    Raises:
      ValueError: if it is known that they do not.
    """
    if not partitions:
        return []
    if static.rank == 0:
        raise ValueError("a shape with row partitions must have an inner shape of at least one size")
    message = "RowPartitions in DynamicRaggedShape do not align between {} and {}"
    joints = [
        (one.static_nvals, two.static_nrows, one.nvals, two.nrows, message.format(axis, axis + 1))
        for axis, (one, two) in enumerate(zip(partitions, partitions[1:], strict=False))
    ]
    first = None if static._dims is None else static._dims[0]
    last = partitions[-1]
    joints.append(
        (last.static_nvals, first, last.nvals, lambda: inner[0], "Last row partition does not match inner_shape.")
    )
    checks = []
    for values, rows, of_values, of_rows, words in joints:
        if values is not None and rows is not None:
            if values != rows:
                raise ValueError(f"{words} ({values} values, {rows} rows)")
        elif validate:
            checks.append(asserting.assert_equal(of_values(), of_rows(), words))
    return [check for check in checks if check is not None]


def of_lengths(lengths: Sequence[Any], dtype: DType) -> tuple[list[RowPartition], int]:
    """Row partitions of given lengths, and the number of values of the last one."""
    partitions, rows = [], lengths[0]
    if not isinstance(rows, int):
        raise ValueError(f"the first length must be a number, got {rows!r}")
    for length in lengths[1:]:
        if isinstance(length, int):
            partition = RowPartition.from_uniform_row_length(length, nvals=rows * length, nrows=rows, dtype_hint=dtype)
            values = rows * length
        else:
            if len(length) != rows:
                raise ValueError(f"Shape not consistent: lengths {length} of rows for {rows} rows")
            partition = RowPartition.from_row_lengths(array.constant(length, dtype, [len(length)]))
            values = sum(length)
        partitions.append(partition)
        rows = values
    return partitions, rows


def axis_from_front(axis: int, rank: int | None) -> int:
    """An axis counted from the front."""
    at = axis if axis >= 0 else axis + required_size(rank, f"axis={axis} is negative: the rank must be known")
    if at < 0 or (rank is not None and at >= rank):
        raise ValueError(f"axis={axis} out of bounds: the rank is {rank}")
    return at


def bounds(index: slice, rank: int | None, partitions: int) -> tuple[int, int]:
    """The dimensions of a slice: from the first one up to the last one, not included."""
    start, stop = 0 if index.start is None else index.start, index.stop
    if rank is None:
        if start < 0:
            raise ValueError("Rank must be known to use __getitem__ with a negative start")
        if stop is None or stop < 0:
            raise ValueError("Rank must be known to use __getitem__ with a negative stop, or none")
        if start >= partitions + 1 and start != stop:
            raise ValueError("Rank must be known to use __getitem__ with a large start")
        return start, stop
    first, last, _ = slice(start, stop).indices(rank)
    return first, last
