"""`gather` and `gather_nd` where the values, the indices or both are ragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, joining, math, ranges
from inlay._src.ops import ragged as rows
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_axes import positive_axis
from inlay._src.ops.composite.ragged_index import pick
from inlay._src.ops.composite.ragged_ops import expand_dims
from inlay._src.ops.gathering import gather_nd, gather_op


def gathered(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """The rule of `gather`."""
    params, indices = (v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in inputs)
    axis, batch = attrs.get("axis", 0), attrs.get("batch_dims", 0)
    batch = batch if batch >= 0 else positive_axis(batch, indices.shape.rank, "batch_dims")
    axis = positive_axis(axis, params.shape.rank)
    if axis < batch:
        raise ValueError(f"axis must be greater than or equal to batch_dims, got axis={axis} and batch_dims={batch}")
    if axis == 0 and isinstance(indices, RaggedTensor) and not isinstance(params, RaggedTensor):
        return indices.with_flat_values(emit(op, (params, indices.flat_values), attrs))
    if batch:
        _check_rows(params.shape, indices.shape)
    return _gather(params, indices, axis, batch)


def _check_rows(params: Any, indices: Any) -> None:
    """Refuses indices that are known to have another number of rows than the values they are matched up with.

    Raises:
      ValueError: if the numbers differ.
    """
    if params.rank and indices.rank and None not in (params[0], indices[0]) and params[0] != indices[0]:
        raise ValueError(f"batch shape from indices {indices} does not match params shape {params}")


def _gather(params: Any, indices: Any, axis: int, batch: int) -> Any:
    """Along `axis`, with `batch` leading dimensions matched up: one dimension is taken off at a time."""
    if axis == 0:
        return _over_indices(indices, lambda flat: _of_any_lengths(pick(params, flat)))
    params = params if isinstance(params, RaggedTensor) else RaggedTensor.from_tensor(params)
    if batch == 0:  # the same indices for every row
        everywhere = array.zeros(array.reshape(params.nrows(dtypes.int32), [1]), dtypes.int64)
        outer = expand_dims if isinstance(indices, RaggedTensor) else array.expand_dims
        return _gather(params, pick(outer(indices, 0), everywhere), axis, 1)
    if batch > 1:
        inner = _ragged(indices)
        shared = rows.same_splits(params.row_splits, math.cast(inner.row_splits, params.row_splits.dtype))
        return RaggedTensor(_gather(params.values, inner.values, axis - 1, batch - 1), shared, params._uniform)
    if axis > 1:  # the indices of a row are those of everything in it
        inner = pick(indices, params.value_rowids())
        return RaggedTensor(_gather(params.values, inner, axis - 1, 1), params.row_splits, params._uniform)
    splits = params.row_splits
    if indices.shape.rank == 1:
        ids = ranges.range_(array.shape(indices, splits.dtype)[0])
    else:
        ids = _outer_ids(_ragged(indices, deep=True))

    def chosen(flat: Any) -> Any:
        return pick(
            params.values, rows.row_positions(splits, math.cast(ids, splits.dtype), math.cast(flat, splits.dtype))
        )

    return _over_indices(indices, chosen)


def _of_any_lengths(value: Any) -> Any:
    """The same value; that the rows of a ragged one are of one length is not known of it, as TensorFlow's op has it."""
    if not isinstance(value, RaggedTensor):
        return value
    return RaggedTensor(_of_any_lengths(value.values), value.row_splits, None)


def gathered_nd(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """The rule of `gather_nd`."""
    params, indices = (v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in inputs)
    if attrs.get("bad_indices_policy") not in (None, "", "DEFAULT"):
        raise ValueError("non-default bad_indices_policy not supported for ragged gather")
    if attrs.get("batch_dims", 0):
        raise ValueError("gather_nd with batch_dims is not supported for a RaggedTensor; use gather")
    if indices.shape.rank is None:
        raise ValueError("gather_nd of ragged values needs that indices.rank be statically known.")
    if indices.shape.rank == 0:
        raise ValueError("indices.rank must be at least 1.")
    if isinstance(indices, RaggedTensor):
        if indices.flat_values.shape.rank == 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        return indices.with_flat_values(_gather_nd(params, indices.flat_values))
    if indices.shape[-1] is None:
        raise ValueError("gather_nd of ragged values: indices.shape[-1] must be statically known.")
    if indices.shape.rank == 1:
        chosen = _gather_nd(params, array.expand_dims(indices, 0))
        return chosen if indices.shape[0] == 1 else chosen[0]  # one index stays a batch of one, as in TensorFlow
    if indices.shape.rank == 2:
        return _gather_nd(params, indices)
    outer = RaggedTensor.from_tensor(indices, ragged_rank=indices.shape.rank - 2)
    return outer.with_flat_values(_gather_nd(params, outer.flat_values))


def _gather_nd(params: Any, indices: Any) -> Any:
    """One slice for each row of the matrix `indices`: along the first axis, then along the next of what came."""
    if not isinstance(params, RaggedTensor):
        return gather_nd(params, indices)
    if not indices.shape[1]:  # all of it, as often as there are indices
        return pick(expand_dims(params, 0), array.zeros(array.shape(indices)[:1], dtypes.int64))
    out = pick(params, indices[:, 0])
    for depth in range(1, indices.shape[1]):
        if not isinstance(out, RaggedTensor):
            return gather_nd(out, indices[:, depth:], batch_dims=1)
        out = _gather(out, indices[:, depth], 1, 1)
    return out


# ---------------------------------------------------------------- indices of any rank


def _over_indices(indices: Any, chosen: Any) -> Any:
    """`chosen(flat indices)` in the shape of the indices."""
    if isinstance(indices, RaggedTensor):
        deep = _ragged(indices, deep=True)
        return deep.with_flat_values(chosen(deep.flat_values))
    if indices.shape.rank == 0:
        return chosen(array.reshape(indices, [1]))[0]
    if indices.shape.rank == 1:
        return chosen(indices)
    rows = chosen(array.reshape(indices, [-1]))
    if isinstance(rows, Tensor):
        sizes = joining.concat([array.shape(indices), array.shape(rows)[1:]], 0)
        out = array.reshape(rows, sizes)
        out.set_shape(indices.shape.concatenate(rows.shape[1:]))
        return out
    return _ragged(indices).with_flat_values(rows)


def _ragged(value: Any, deep: bool = False) -> RaggedTensor:
    """A dense value as a ragged one; `deep`: with no uniform inner dimensions left."""
    if isinstance(value, RaggedTensor):
        inner = value.flat_values.shape.rank
        if not deep or inner == 1:
            return value
        if inner is None:
            raise _unknown_rank()
        return value.with_flat_values(RaggedTensor.from_tensor(value.flat_values, ragged_rank=inner - 1))
    if value.shape.rank is None:
        raise _unknown_rank()
    return RaggedTensor.from_tensor(value, ragged_rank=value.shape.rank - 1)


def _unknown_rank() -> ValueError:
    return ValueError("gather with a RaggedTensor: rank(params) and rank(indices) must be known statically")


def _outer_ids(value: RaggedTensor) -> Any:
    """For each flat value the outermost row that it is in."""
    ids = value.value_rowids()
    inner = value.values
    while isinstance(inner, RaggedTensor):
        ids, inner = gather_op(ids, inner.value_rowids()), inner.values
    return ids


__all__ = ["gathered", "gathered_nd"]
