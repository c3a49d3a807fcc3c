"""Functions of sparse tensors: adding, joining, cutting, rearranging and reducing them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.attributes import flag, integer
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import (
    array,
    asserting,
    complex_numbers,
    control,
    division,
    joining,
    math,
    ranges,
    reductions,
    scatter,
    segments,
    sequences,
    shaping,
    sorting,
    stacking,
)
from inlay._src.ops import sparse as kernels
from inlay._src.ops.composite.sparse import SparseTensor, checked, is_sparse, reorder, to_dense
from inlay._src.ops.composite.sparse_shapes import counted, widened
from inlay._src.ops.gathering import boolean_mask, gather_op

__all__ = ["add", "concat", "eye", "map_values", "reduce_max", "reduce_sum", "slice_", "split"]


def _axis(axis: Any, value: SparseTensor) -> tuple[Any, Any]:
    """(an axis of a sparse tensor, counted from the front; the rank): tensors where one of them is not known."""
    tensor = convert_to_tensor(axis)
    rank, constant = value.shape.rank, constant_of(tensor)
    if rank is None or constant is None:
        count = array.size(value.dense_shape)
        return counted(shaping.ensure_shape(tensor, []), count), count
    at = np.asarray(constant)
    if at.dtype.kind not in "biu":
        raise TypeError(f"The axis of a SparseTensor must be an integer, got {axis!r}")
    if at.ndim:
        raise errors.InvalidArgumentError(None, None, f"axis should be a scalar, but got shape {list(at.shape)}")
    if not -rank <= at < rank:
        raise errors.InvalidArgumentError(
            None, None, f"Invalid reduction dimension {at}: axis should be in range [{-rank}, {rank}), got {at}"
        )
    return int(at) % rank, rank


def _at(axis: Any, size: Any, rank: Any) -> Any:
    """A vector of zeros with `size` at `axis`."""
    return math.multiply(sequences.one_hot(axis, rank, dtype=dtypes.int64), math.cast(size, dtypes.int64))


@export("sparse.eye")
def eye(num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> SparseTensor:
    """A sparse matrix with ones on its diagonal.

    Args:
      num_rows: the number of rows.
      num_columns: the number of columns; None makes it square.
      dtype: the type of the ones.
      name: ignored.
    """
    sizes = [math.whole_numbers(n, dtypes.int64) for n in (num_rows, num_rows if num_columns is None else num_columns)]
    count = math.minimum(*sizes)
    places = ranges.range_(count)
    ones = array.ones(array.reshape(count, [1]), dtype)
    return SparseTensor(stacking.stack([places, places], 1), ones, stacking.stack(sizes))


@export("sparse.retain", "sparse_retain")
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The values where the vector `to_retain` holds, at their coordinates."""
    sparse = checked(sp_input, "retain")
    keep = convert_to_tensor(to_retain)
    if keep.shape.rank is None:
        keep = shaping.ensure_shape(keep, [None])
    return SparseTensor(boolean_mask(sparse.indices, keep), boolean_mask(sparse.values, keep), sparse.dense_shape)


@export("sparse.map_values")
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """`op` applied to the values of sparse arguments that share their coordinates.

    Args:
      op: a function that keeps the number of values.
      *args, **kwargs: its arguments, nests included; sparse tensors are replaced by their values.

    Returns:
      A SparseTensor with the same coordinates.

    Raises:
      ValueError: if no argument is sparse, or `op` changes the number of values.
      InvalidArgumentError: if sparse arguments differ in their coordinates or shapes.
    """
    tensors = [checked(v, "map_values") for v in nest.flatten([list(args), kwargs]) if is_sparse(v)]
    if not tensors:
        raise ValueError("No SparseTensor in argument list of map_values")
    indices, shape = tensors[0].indices, tensors[0].dense_shape
    for other in tensors[1:]:
        if other.indices is not tensors[0].indices:
            indices = kernels.same_coordinates(indices, other.indices)
        if other.dense_shape is not tensors[0].dense_shape:
            shape = kernels.same_coordinates(shape, other.dense_shape)
    plain_args, plain_kwargs = nest.map_structure(lambda v: v.values if is_sparse(v) else v, (list(args), kwargs))
    result = convert_to_tensor(op(*plain_args, **plain_kwargs))
    if result.shape.rank == 0 or not result.shape[:1].is_compatible_with(tensors[0].values.shape):
        raise ValueError(f"map_values needs an op that keeps the number of values, got shape {result.shape}")
    return SparseTensor(indices, result, shape)


# ---------------------------------------------------------------- sums


@export("sparse.add")
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """The sum of two tensors at least one of which is sparse.

    Args:
      a, b: the tensors, of one shape.
      threshold: of two sparse ones, sums at a place that both have are left out if they are smaller in magnitude.

    Returns:
      A SparseTensor if both are sparse, else a tensor.

    Raises:
      TypeError: if neither is sparse.
      InvalidArgumentError: if a dense one is of another shape.
    """
    if not is_sparse(a) and not is_sparse(b):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (is_sparse(a) and is_sparse(b)):
        sparse, dense = (checked(a, "add"), b) if is_sparse(a) else (checked(b, "add"), a)
        dense = convert_to_tensor(dense, dtype_hint=sparse.dtype)
        same = asserting.assert_equal(
            sparse.dense_shape,
            array.shape(dense, dtypes.int64),
            message="the sparse and the dense tensor must be of one shape: no broadcasting is supported",
        )
        with control.control_dependencies([] if same is None else [same]):
            dense = array.identity(dense)
        return scatter.tensor_scatter_nd_add(dense, sparse.indices, sparse.values)
    total, one, two, holders = _together(a, b)
    total = total.with_values(math.add(one, two))
    if threshold is None or (isinstance(threshold, (int, float)) and threshold == 0):
        return total
    size = complex_numbers.abs(total.values)
    large = math.greater_equal(size, math.cast(threshold, size.dtype))
    return retain(total, math.logical_or(large, math.equal(holders, 1)))


@export("sparse.maximum", "sparse_maximum")
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The greater of two sparse tensors, element by element; absent entries are zero."""
    total, one, two, _ = _together(sp_a, sp_b)
    return total.with_values(math.maximum(one, two))


@export("sparse.minimum", "sparse_minimum")
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The lesser of two sparse tensors, element by element; absent entries are zero."""
    total, one, two, _ = _together(sp_a, sp_b)
    return total.with_values(math.minimum(one, two))


def _together(a: Any, b: Any) -> tuple[SparseTensor, Any, Any, Any]:
    """(a sparse tensor with the coordinates of both, the values of each at them, how many have them)."""
    one, two = checked(a, "the first input"), checked(b, "the second input")
    if None not in (one.shape.rank, two.shape.rank) and one.shape.rank != two.shape.rank:
        raise errors.InvalidArgumentError(
            None, None, f"Operands do not have the same ranks, got shapes {one.shape} and {two.shape}"
        )
    if not one.shape.is_compatible_with(two.shape):
        raise errors.InvalidArgumentError(None, None, f"Operands' shapes do not match: {one.shape} and {two.shape}")
    shape = kernels.same_coordinates(one.dense_shape, two.dense_shape)
    rows, ids = kernels.sparse_groups(joining.concat([one.indices, two.indices], 0))
    count = array.shape(rows)[0]
    mine = array.shape(one.values)[0]
    operands = [
        segments.unsorted_segment_sum(value.values, part, count)
        for value, part in ((one, ids[:mine]), (two, ids[mine:]))
    ]
    holders = segments.unsorted_segment_sum(array.ones_like(ids), ids, count)
    return SparseTensor(rows, operands[0], shape), operands[0], operands[1], holders


# ---------------------------------------------------------------- joining and cutting


@export("sparse.concat")
def concat(
    axis: Any, sp_inputs: Sequence[Any], expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Sparse tensors joined along an axis.

    Args:
      axis: the axis.
      sp_inputs: the tensors, of one rank.
      expand_nonconcat_dims: whether other sizes may differ; the largest counts.
      name: ignored.
    """
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError(f"Inputs must be a list or tuple, got {type(sp_inputs).__name__}")
    if not sp_inputs:
        raise ValueError("sparse.concat needs at least one SparseTensor, got an empty list")
    parts = [checked(v, "concat") for v in sp_inputs]
    if len(parts) == 1:
        return parts[0]
    ranked = next((part for part in parts if part.shape.rank is not None), parts[0])
    along, (at, rank) = integer(axis, "concat_dim"), _axis(axis, ranked)
    before = array.zeros([], dtypes.int64)
    moved = []
    for part in parts:
        moved.append(math.add(part.indices, _at(at, before, rank)))
        before = math.add(before, part.dense_shape[at])
    first, *rest = (p.dense_shape for p in parts)
    shape = kernels.concat_shape(first, rest, axis=along, expand=expand_nonconcat_dims)
    joined = reorder(SparseTensor(joining.concat(moved, 0), joining.concat([p.values for p in parts], 0), shape))
    joined.indices.set_shape([None, ranked.shape.rank])
    joined.values.set_shape([None])
    joined.dense_shape.set_shape([ranked.shape.rank])
    return joined


@export("sparse.slice", "sparse_slice")
def slice_(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """A box cut out of a sparse tensor.

    Args:
      sp_input: the tensor.
      start: where the box begins.
      size: its shape; the part outside the tensor is left out.
      name: ignored.
    """
    sparse = checked(sp_input, "slice")
    first, sizes = kernels.box(*(convert_to_tensor(v, dtypes.int64) for v in (start, size)), sparse.dense_shape)
    inside = math.logical_and(
        math.greater_equal(sparse.indices, first), math.less(sparse.indices, math.add(first, sizes))
    )
    selected = retain(sparse, reductions.reduce_all(inside, 1))
    shape = math.maximum(math.minimum(sizes, math.subtract(sparse.dense_shape, first)), np.int64(0))
    return SparseTensor(math.subtract(selected.indices, first), selected.values, shape)


@export("sparse.split")
def split(sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None) -> list[SparseTensor]:
    """A sparse tensor cut along an axis; the first parts are longer by one where the size does not divide evenly.

    Args:
      sp_input: the tensor.
      num_split: number of parts.
      axis: the axis.
      name: ignored.
    """
    if num_split is None or axis is None:
        raise ValueError("sparse.split needs num_split and axis")
    sparse = checked(sp_input, "split")
    at, rank = _axis(convert_to_tensor(axis, dtypes.int64), sparse)
    count, along = integer(num_split, "num_split"), sparse.dense_shape[at]
    if count < 1:
        raise ValueError(f"num_split must be positive, got {count}")
    fits = asserting.assert_less_equal(np.int64(count), along, message="num_split must be at most the axis's size")
    with control.control_dependencies([] if fits is None else [fits]):
        along = array.identity(along)
    each, rest = division.floordiv(along, count), division.floormod(along, count)
    parts = []
    for k in range(count):
        start = math.add(math.multiply(each, k), math.minimum(rest, k))
        size = math.add(each, math.cast(math.less(np.int64(k), rest), dtypes.int64))
        shape = math.add(sparse.dense_shape, _at(at, math.subtract(size, along), rank))
        parts.append(slice_(sparse, _at(at, start, rank), shape))
    return parts


# ---------------------------------------------------------------- reductions


@export("sparse.reduce_sum")
def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The sum over axes.

    Args:
      sp_input: the sparse tensor.
      axis: an axis or a list of them; None is all.
      keepdims: whether reduced axes stay, with size 1.
      output_is_sparse: whether the result is a SparseTensor.
      name: ignored.
    """
    return _reduced(segments.unsorted_segment_sum, sp_input, axis, keepdims, output_is_sparse)


@export("sparse.reduce_max")
def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The greatest of the values that are there over axes, 0 where there are none; arguments as for `reduce_sum`."""
    return _reduced(_greatest, sp_input, axis, keepdims, output_is_sparse)


def _greatest(values: Any, ids: Any, count: Any) -> Any:
    """The greatest value of each row; -inf too, where `unsorted_segment_max` gives the least finite number."""
    order = sorting.argsort(ids, stable=True)
    values = array.reshape(values, [-1])  # the cotangent of a reshaped tensor is a tensor, that of gathered rows is not
    return segments.segment_max(gather_op(values, order), gather_op(ids, order))


def _reduced(segments_of: Callable[..., Any], value: Any, axis: Any, keep: bool | None, as_sparse: bool) -> Any:
    sparse = checked(value, "a reduction")
    rank, keep = sparse.shape.rank, keep is not None and flag(keep, "keep_dims")
    axis = None if axis is None else convert_to_tensor(axis, dtypes.int32)
    if axis is not None and axis.shape.rank is not None and axis.shape.rank > 1:
        raise ValueError(f"Expected reduction_axes to be a scalar or a vector; got shape: {axis.shape}")
    constant: Any = [] if axis is None else constant_of(axis)
    if rank is None or constant is None:
        return _reduced_at_run(segments_of, sparse, axis, keep, as_sparse)
    axes = range(rank) if axis is None else {_axis(a, sparse)[0] for a in np.asarray(constant).reshape(-1)}
    left = np.asarray([i for i in range(rank) if i not in axes], np.int32)
    rows, ids = kernels.sparse_groups(gather_op(sparse.indices, left, axis=1))
    values = segments_of(sparse.values, ids, array.shape(rows)[0])
    shape = gather_op(sparse.dense_shape, left)
    out = widened(rows, values, shape, sorted(axes)) if keep else SparseTensor(rows, values, shape)
    return out if as_sparse else to_dense(out)


def _reduced_at_run(
    segments_of: Callable[..., Any], sparse: SparseTensor, axis: Any, keep: bool, as_sparse: bool
) -> Any:
    """A reduction whose axes, or whose rank, are known when it runs."""
    count = array.size(sparse.dense_shape)
    numbers = ranges.range_(count)
    gone = array.ones_like(numbers, dtypes.bool_)
    if axis is not None:
        axes = array.reshape(axis, [-1])
        gone = reductions.reduce_any(math.equal(array.expand_dims(numbers, 1), counted(axes, count)), 1)
    indices, shape = sparse.indices, sparse.dense_shape
    if keep:
        indices = array.where(gone, np.int64(0), indices)
        shape = array.where(gone, np.int64(1), shape)
    else:
        left = boolean_mask(numbers, math.logical_not(gone))
        indices, shape = gather_op(indices, left, axis=1), gather_op(shape, left)
    rows, ids = kernels.sparse_groups(indices)
    out = SparseTensor(rows, segments_of(sparse.values, ids, array.shape(rows)[0]), shape)
    return out if as_sparse else to_dense(out)


# ---------------------------------------------------------------- the 1.x forms

add_v1: Any = export("sparse_add", "compat.v1.sparse.add")(
    another_form(add, "a, b, threshold=None, thresh=None", thresh="threshold")
)
concat_v1: Any = export("sparse_concat", "compat.v1.sparse.concat")(
    another_form(
        concat,
        "axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None, expand_nonconcat_dims=None",
        concat_dim="axis",
        expand_nonconcat_dim="expand_nonconcat_dims",
    )
)


class _Keywords:
    """The default of an argument that 1.x requires by keyword."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


_KEYWORDS = _Keywords()


@export("sparse_split", "compat.v1.sparse.split")
def split_v1(
    keyword_required: Any = _KEYWORDS,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """A sparse tensor cut along an axis; the first parts are longer by one where the size does not divide evenly.

    Args:
      keyword_required: nothing may be given for it: the others are given by keyword.
      sp_input: the tensor.
      num_split: number of parts.
      axis, split_dim: the axis.
      name: ignored.
    """
    if keyword_required is not _KEYWORDS:
        raise ValueError("Keyword arguments are required for this function.")
    at = axis if axis is not None else split_dim
    for value, what in ((sp_input, "sp_input"), (num_split, "num_split"), (at, "axis")):
        if value is None:
            raise ValueError(f"{what} is required")
    return split(sp_input, num_split, at, name)


def _reduction_v1(function: Callable[..., Any], called: str, output_is_sparse: bool) -> Any:
    """A reduction with the parameters of 1.x."""

    def reduced(sp_input: Any, axis: Any, keepdims: Any) -> Any:
        return function(sp_input, axis, keepdims, output_is_sparse)

    reduced.__doc__ = function.__doc__
    reduced.__annotations__["return"] = "SparseTensor" if output_is_sparse else "Tensor"
    return another_form(
        reduced,
        "sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None",
        called,
        reduction_axes="axis",
        keep_dims="keepdims",
    )


reduce_sum_v1: Any = export("sparse_reduce_sum", "compat.v1.sparse.reduce_sum")(
    _reduction_v1(reduce_sum, "sparse_reduce_sum", False)
)
reduce_max_v1: Any = export("sparse_reduce_max", "compat.v1.sparse.reduce_max")(
    _reduction_v1(reduce_max, "sparse_reduce_max", False)
)
reduce_sum_sparse: Any = export("sparse_reduce_sum_sparse", "compat.v1.sparse.reduce_sum_sparse")(
    _reduction_v1(reduce_sum, "sparse_reduce_sum_sparse", True)
)
reduce_max_sparse: Any = export("sparse_reduce_max_sparse", "compat.v1.sparse.reduce_max_sparse")(
    _reduction_v1(reduce_max, "sparse_reduce_max_sparse", True)
)
