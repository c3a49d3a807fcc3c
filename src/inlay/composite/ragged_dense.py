"""Ragged values from dense and sparse tensors and back, and dimensions merged."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from inlay.composite.partitioned import Partitioned
from inlay.composite.sparse import SparseTensor
from inlay.core.tensor import EagerTensor
from inlay.eager.convert import convert_to_tensor
from inlay.ops import array, joining, math, ranges, reductions
from inlay.ops import ragged as rows
from inlay.ops.gathering import gather_op
from inlay.types import dtypes, shapes
from inlay.types.shapes import dimension_value

R = TypeVar("R", bound=Partitioned)


def from_tensor(
    cls: type[R],
    tensor: Any,
    lengths: Any = None,
    padding: Any = None,
    ragged_rank: int = 1,
    row_splits_dtype: Any = dtypes.int64,
) -> Any:
    """See `RaggedTensor.from_tensor`."""
    if lengths is not None and padding is not None:
        raise ValueError("Specify lengths or padding, but not both")
    dense = convert_to_tensor(tensor)
    kind = dtypes.as_dtype(row_splits_dtype)
    rank = dense.shape.rank
    if ragged_rank < 1 or (rank is not None and ragged_rank >= rank):
        raise ValueError(
            f"ragged_rank must be greater than 0 and less than the rank of {dense.shape}, got {ragged_rank}"
        )
    if (lengths is not None or padding is not None) and ragged_rank != 1:
        raise ValueError("lengths and padding need ragged_rank=1; nest from_row_lengths for more")
    size = array.shape(dense, kind)
    if padding is not None:
        lengths = _unpadded_lengths(dense, convert_to_tensor(padding, dense.dtype), kind)
    if lengths is not None:
        splits = rows.splits_from_lengths(math.cast(convert_to_tensor(lengths), kind))
        return cls(rows.rows_from_padded(dense, splits), splits)
    merged = array.reshape(dense, joining.concat([array.reshape(math.multiply(size[0], size[1]), [1]), size[2:]], 0))
    if dense.shape.rank is not None:
        first = dense.shape[:2]
        merged.set_shape([first.num_elements(), *dense.shape[2:]])
    splits = math.multiply(ranges.range_(size[0] + 1), size[1])
    inner = from_tensor(cls, merged, None, None, ragged_rank - 1, kind) if ragged_rank > 1 else merged
    return cls(inner, splits, dimension_value(dense.shape[1]) if rank is not None else None)


def _unpadded_lengths(dense: Any, padding: Any, kind: Any) -> Any:
    """The length of each row up to its last value that is not padding."""
    kept = math.not_equal(dense, padding)
    size = array.shape(dense, kind)
    columns = math.multiply(
        ranges.range_(array.ones((), kind), size[1] + 1), math.cast(_any_inner(kept, dense.shape.rank), kind)
    )
    return math.maximum(reductions.reduce_max(columns, 1), array.zeros((), kind))


def _any_inner(kept: Any, rank: int | None) -> Any:
    if rank is None:
        raise ValueError("padding needs a tensor of known rank")
    if rank == 2:
        return kept
    whole = reductions.reduce_sum(math.cast(kept, dtypes.int64), axis=list(range(2, rank)))
    return math.greater(whole, 0)


def from_sparse(cls: type[R], sparse: Any, row_splits_dtype: Any = dtypes.int64) -> Any:
    """See `RaggedTensor.from_sparse`."""
    kind = dtypes.as_dtype(row_splits_dtype)
    ids = math.cast(sparse.indices[:, 0], kind)
    splits = rows.splits_from_rowids(ids, math.cast(sparse.dense_shape[0], kind))
    inside = math.subtract(ranges.range_(splits[-1]), gather_op(splits, ids))
    columns = math.cast(sparse.indices[:, 1], kind)
    if isinstance(columns, EagerTensor) and not np.array_equal(columns._value, inside._value):
        raise ValueError("SparseTensor is not right-ragged: the columns of each row must be 0, 1, 2, ...")
    return cls(sparse.values, splits)


def to_tensor(value: Partitioned, default_value: Any = None, shape: Any = None) -> Any:
    """See `RaggedTensor.to_tensor`."""
    kind = value.dtype
    fill = array.zeros((), kind) if default_value is None else convert_to_tensor(default_value, kind)
    wanted = [None] * (value.ragged_rank + 1) if shape is None else list(shapes.as_shape(shape).as_list())
    if len(wanted) < value.ragged_rank + 1:
        raise ValueError(f"shape {wanted} has fewer dimensions than {value!r}")
    inner = value.values
    if isinstance(inner, Partitioned):
        inner = to_tensor(inner, fill, [None, *wanted[2:]])
    elif any(size is not None for size in wanted[2:]) or (shape is not None and inner.shape.rank is None):
        inner = array.ensure_shape(inner, [None, *wanted[2:]])
    sizes = [-1 if size is None else size for size in wanted[:2]]
    if value.uniform_row_length is not None and sizes[1] < 0:
        sizes[1] = value.uniform_row_length
    return rows.padded(inner, value.row_splits, fill, np.int32(sizes[0]), np.int32(sizes[1]))


def to_sparse(value: Partitioned) -> Any:
    """See `RaggedTensor.to_sparse`."""
    positions = array.ones_like(array.reshape(value.flat_values, [-1]), dtypes.bool_)
    if value.flat_values.shape.rank == 1:
        mask = to_tensor(value.with_flat_values(positions))
    else:
        mask = to_tensor(value.with_flat_values(array.reshape(positions, array.shape(value.flat_values))))
    indices, values = array.where(mask), array.reshape(value.flat_values, [-1])
    indices.set_shape([values.shape[0], None])
    return SparseTensor(
        indices,
        values,
        math.cast(value.bounding_shape(), dtypes.int64),
    )


def merge_dims(value: Partitioned, outer: int, inner: int) -> Any:
    """Dimensions `outer` to `inner` of a ragged tensor as one."""
    rank = value.shape.rank
    outer, inner = (a + rank if a < 0 and rank is not None else a for a in (outer, inner))
    if outer > inner:
        raise ValueError(f"Expected outer_axis ({outer}) to be less than or equal to inner_axis ({inner})")
    if outer == inner:
        return value
    if outer > 1:
        return value.with_values(_merge_values(value.values, outer - 1, inner - 1))
    if outer == 0:
        return value.values if inner == 1 else _merge_values(value.values, 0, inner - 1)
    for _ in range(inner - 1):
        values, splits = value.values, value.row_splits
        if isinstance(values, Partitioned):
            value = value._over(values.values, gather_op(values.row_splits, splits))
        else:
            width = array.shape(values, splits.dtype)[1]
            value = value._over(_merge_dense(values, 0, 1), math.multiply(splits, width))
    return value


def _merge_values(values: Any, outer: int, inner: int) -> Any:
    return (merge_dims if isinstance(values, Partitioned) else _merge_dense)(values, outer, inner)


def _merge_dense(value: Any, outer: int, inner: int) -> Any:
    size = array.shape(value)
    return array.reshape(value, joining.concat([size[:outer], np.asarray([-1], np.int32), size[inner + 1 :]], 0))
