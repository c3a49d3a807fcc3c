"""Ragged values from dense and sparse tensors and back, and dimensions merged."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import dimension_value
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, control, joining, math, ranges, reductions, stacking
from inlay._src.ops import ragged as rows
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.composite.ragged_axes import positive_axis
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.ops.gathering import gather_op

R = TypeVar("R", bound=Partitioned)

_MOST_AXES = 64
"""The number of axes that an array of NumPy has at most."""


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
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    dense, kind = convert_to_tensor(tensor), dtypes.as_dtype(row_splits_dtype)
    nested = isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float))
    if nested and ragged_rank not in (1, len(lengths)):
        raise ValueError(
            "If Argument `lengths` is a tuple of row_lengths, argument `ragged_rank` must be len(lengths): "
            f"{len(lengths)}. Received ragged_rank: {ragged_rank}."
        )
    levels = len(lengths) if nested else ragged_rank
    if levels >= (_MOST_AXES if dense.shape.rank is None else dense.shape.rank):
        raise ValueError(f"Shape {dense.shape} must have rank at least {levels + 1}: ragged_rank is {levels}")
    if padding is not None:
        padding = convert_to_tensor(padding, dense.dtype)
        if dense.shape.rank is not None:
            padding.shape.assert_is_compatible_with(dense.shape[levels + 1 :])
    if nested:
        rows_of = _from_padded(cls, dense, lengths[0], None, kind)
        return (
            rows_of.with_values(from_tensor(cls, rows_of.values, lengths[1:], None, 1, kind)) if levels > 1 else rows_of
        )
    return _from_dense(cls, dense, lengths, padding, levels, kind)


def _from_dense(cls: type[R], dense: Any, lengths: Any, padding: Any, levels: int, kind: Any) -> Any:
    """Complete rows on all levels but the innermost, to which `lengths` and `padding` apply."""
    if levels == 1 and (lengths is not None or padding is not None):
        return _from_padded(cls, dense, lengths, padding, kind)
    size = array.shape(dense, kind)
    merged = array.reshape(dense, joining.concat([array.reshape(math.multiply(size[0], size[1]), [1]), size[2:]], 0))
    width = None
    if dense.shape.rank is not None:
        first, width = dense.shape[:2], dimension_value(dense.shape[1])
        merged.set_shape([first.num_elements(), *dense.shape[2:]])
    splits = math.multiply(ranges.range_(size[0] + 1), size[1])
    return cls(_from_dense(cls, merged, lengths, padding, levels - 1, kind) if levels > 1 else merged, splits, width)


def _from_padded(cls: type[R], dense: Any, lengths: Any, padding: Any, kind: Any) -> Any:
    if padding is not None:
        lengths = _unpadded_lengths(dense, padding, kind)
    else:
        lengths = convert_to_tensor(lengths, dtype_hint=kind)
        if not lengths.dtype.is_integer and lengths.shape.num_elements() != 0:
            raise TypeError(f"Argument `tensor` (name: lengths) must be of type integer, got {lengths.dtype.name}")
        lengths = math.cast(lengths, kind)
    columns = array.shape(dense, kind)[1]
    splits = rows.splits_from_lengths(math.minimum(math.maximum(lengths, array.zeros((), kind)), columns))
    return cls(rows.rows_from_padded(dense, splits), splits)


def _unpadded_lengths(dense: Any, padding: Any, kind: Any) -> Any:
    """The length of each row up to its last value that is not padding."""
    filled = math.not_equal(dense, padding)
    size = array.shape(dense, kind)
    columns = math.multiply(
        ranges.range_(array.ones((), kind), size[1] + 1), math.cast(_any_inner(filled, dense.shape.rank), kind)
    )
    return math.maximum(reductions.reduce_max(columns, 1), array.zeros((), kind))


def _any_inner(mask: Any, rank: int | None) -> Any:
    if rank is None:
        raise ValueError("padding needs a tensor of known rank")
    if rank == 2:
        return mask
    whole = reductions.reduce_sum(math.cast(mask, dtypes.int64), axis=list(range(2, rank)))
    return math.greater(whole, 0)


def from_sparse(cls: type[R], sparse: Any, row_splits_dtype: Any = dtypes.int64) -> Any:
    """See `RaggedTensor.from_sparse`."""
    if not isinstance(sparse, SparseTensor):
        raise TypeError(f"Argument `st_input` must be of type SparseTensor, but is of type {type(sparse).__name__}.")
    kind = dtypes.as_dtype(row_splits_dtype)
    rank = dimension_value(sparse.indices.shape[1]) if sparse.shape.rank is None else sparse.shape.rank
    if rank != 2:
        raise ValueError(f"rank(st_input) must be 2. Received {rank}")
    ids = math.cast(sparse.indices[:, 0], kind)
    splits = rows.splits_from_rowids(ids, math.cast(sparse.dense_shape[0], kind))
    inside = math.subtract(ranges.range_(splits[-1]), gather_op(splits, ids))
    columns = math.cast(sparse.indices[:, 1], kind)
    what = "SparseTensor is not right-ragged: the columns of each row must be 0, 1, 2, ..."
    with control.control_dependencies([rows.same_splits(columns, inside, what=what)]):
        return cls(array.identity(sparse.values), splits)


def to_tensor(value: Partitioned, default_value: Any = None, shape: Any = None) -> Any:
    """See `RaggedTensor.to_tensor`."""
    kind = value.dtype
    fill = array.zeros((), kind) if default_value is None else convert_to_tensor(default_value, kind)
    sizes, rank = _sizes(shape, value), value.shape.rank
    if len(sizes) <= value.ragged_rank or rank not in (None, len(sizes)):
        raise ValueError(
            f"rt_input.shape and shape=[{','.join(map(str, sizes))}] are incompatible: rt_input.rank = {rank} but "
            f"shape.rank = {len(sizes)}"
        )
    dense = _padded(value, fill, sizes)
    if dense.shape.rank is None and _tells_rank(shape):
        dense.set_shape([size if isinstance(size, int) and size >= 0 else None for size in sizes])
    return dense


def _tells_rank(shape: Any) -> bool:
    """Whether a wanted shape says how many sizes there are: None, -1 and what is known later do not."""
    if isinstance(shape, Tensor):
        return shape.shape.rank == 1 and shape.shape[0] is not None
    if isinstance(shape, shapes.TensorShape):
        return shape.rank is not None
    return isinstance(shape, (list, tuple)) or np.ndim(shape) == 1


def _sizes(shape: Any, value: Partitioned) -> list[Any]:
    """A size (a number or a scalar tensor) for each dimension of the result that is known; -1 is free."""
    rank = value.shape.rank
    levels = value.ragged_rank + 1 if rank is None else rank
    if isinstance(shape, Tensor) and constant_of(shape) is None:
        if shape.shape.rank != 1 or shape.shape[0] is None:  # it may be the scalar -1
            free = array.constant([-1] * levels, shape.dtype)
            return stacking.unstack(joining.concat([array.reshape(shape, [-1]), free], 0)[:levels], levels)
        return stacking.unstack(shape)
    if isinstance(shape, (list, tuple)) and any(isinstance(size, Tensor) for size in shape):
        return [-1 if size is None else size for size in shape]
    if shape is not None and not isinstance(shape, shapes.TensorShape):
        constant = np.asarray(constant_of(shape) if isinstance(shape, Tensor) else shape)
        if constant.ndim > 1:
            raise ValueError(f"shape must be a list of sizes, got {shape!r}")
        shape = None if constant.ndim == 0 else [None if size in (None, -1) else int(size) for size in constant]
    dims = shapes.as_shape(shape)._dims
    return [-1] * levels if dims is None else [-1 if size is None else size for size in dims]


def _padded(value: Partitioned, fill: Any, sizes: list[Any]) -> Any:
    inner, width = value.values, value._uniform
    if isinstance(inner, Partitioned):
        inner, sizes = _padded(inner, fill, [-1, *sizes[2:]]), sizes[:2]
    if width is not None and isinstance(sizes[1], int) and sizes[1] < 0:
        sizes = [sizes[0], width, *sizes[2:]]
    static = all(isinstance(size, int) for size in sizes)
    wanted = np.asarray(sizes, np.int64) if static else stacking.stack([math.cast(s, dtypes.int64) for s in sizes])
    return rows.padded(inner, value.row_splits, fill, wanted)


def to_sparse(value: Partitioned) -> Any:
    """See `RaggedTensor.to_sparse`."""
    positions = array.ones_like(array.reshape(value.flat_values, [-1]), dtypes.bool_)
    if value.flat_values.shape.rank == 1:
        mask = to_tensor(value.with_flat_values(positions))
    else:
        mask = to_tensor(value.with_flat_values(array.reshape(positions, array.shape(value.flat_values))))
    places = array.where(mask)
    places.set_shape([value.flat_values.shape.num_elements(), None])
    return SparseTensor(
        places,
        array.reshape(value.flat_values, [-1]),
        math.cast(value.bounding_shape(), dtypes.int64),
    )


def merge_dims(value: Partitioned, outer: int, inner: int) -> Any:
    """Dimensions `outer` to `inner` of a ragged tensor as one."""
    rank = value.shape.rank
    outer, inner = positive_axis(outer, rank, "outer_axis"), positive_axis(inner, rank, "inner_axis")
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
            value = value._over(merge_dense(values, 0, 1), math.multiply(splits, width))
    return value


def _merge_values(values: Any, outer: int, inner: int) -> Any:
    return (merge_dims if isinstance(values, Partitioned) else merge_dense)(values, outer, inner)


def merge_dense(value: Any, outer: int, inner: int) -> Any:
    size = array.shape(value)
    return array.reshape(value, joining.concat([size[:outer], np.asarray([-1], np.int32), size[inner + 1 :]], 0))
