"""Functions of ragged tensors: making, joining, masking them, dense and sparse forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.shapes import dimension_value
from inlay._src.core import context
from inlay._src.core.context import in_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import composite_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, control, joining, math, placeholders, ranges, rearranging, reductions, stacking
from inlay._src.ops import ragged as rows
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_axes import positive_axis
from inlay._src.ops.composite.ragged_index import gather_rows, pick
from inlay._src.ops.composite.ragged_value import parsed, partitions
from inlay._src.ops.gathering import boolean_mask as dense_mask

# ---------------------------------------------------------------- making ragged tensors


@export("ragged.constant")
@in_scope("RaggedConstant")
def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor | Any:
    """Nested Python lists as a RaggedTensor.

    Args:
      pylist: lists whose scalars all are at the same depth.
      dtype: the type; None takes the default for the scalars.
      ragged_rank: number of ragged dimensions; None makes all but the first ragged.
      inner_shape: the uniform shape of the innermost values, if some dimensions are not ragged.
      name: ignored.
      row_splits_dtype: int32 or int64.

    Returns:
      A RaggedTensor, or a tensor if nothing is ragged.

    Raises:
      ValueError: if scalars are at different depths.
    """
    flat, shape, lengths = parsed(pylist, ragged_rank, inner_shape)
    tensor = array.constant(flat, dtype, shape)
    if lengths is None:
        return tensor
    return RaggedTensor._nested(tensor, [array.constant(s) for s in partitions(lengths, row_splits_dtype)])


@export("ragged.range")
def range_(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = dtypes.int64,
) -> RaggedTensor:
    """A row of evenly spaced numbers for each start, limit and step; one argument means limits, from 0."""
    if limits is None:
        starts, limits = 0, starts
    ends = [convert_to_tensor(v, dtype_hint=dtype) for v in (starts, limits, deltas)]
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
    if dtype is None and not all(e.dtype in order for e in ends):
        raise TypeError(f"ragged.range takes int32, int64, float32 and float64, got {[e.dtype.name for e in ends]}")
    wanted = dtypes.as_dtype(dtype) if dtype is not None else max((e.dtype for e in ends), key=order.index)
    splits, values = rows.ragged_range(*(math.cast(e, wanted) for e in ends))
    return RaggedTensor(values, math.cast(splits, row_splits_dtype))


@export("ragged.placeholder")
def placeholder(dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None) -> RaggedTensor | Any:
    """A RaggedTensor that every run must feed, with a RaggedTensorValue, an eager RaggedTensor or nested lists.

    Args:
      dtype: the type of its values.
      ragged_rank: number of row partitions.
      value_shape: the shape of one flat value; None is unknown.
      name: the prefix of its placeholders.
    """
    if context.executing_eagerly():
        raise RuntimeError("tf.ragged.placeholder() is not compatible with eager execution")
    if ragged_rank == 0:
        return placeholders.placeholder(dtype, value_shape, name)
    label = f"{name}/" if name else ""
    inner = shapes.as_shape(value_shape)
    flat = placeholders.placeholder(dtype, shapes.TensorShape([None]).concatenate(inner), f"{label}flat_values")
    splits = [placeholders.placeholder(dtypes.int64, [None], f"{label}row_splits_{i}") for i in range(ragged_rank)]
    return RaggedTensor._nested(flat, splits)


@export("ragged.stack")
def stack(values: Sequence[Any], axis: int = 0, name: str | None = None) -> Tensor:
    """Tensors, ragged or not, of one rank but any sizes, stacked along a new axis.

    Args:
      values: the tensors; a single one is stacked alone.
      axis: where the new axis goes.
      name: ignored.

    Returns:
      A RaggedTensor; a tensor if all values are dense and the new axis is behind the axes that may be ragged: of
      scalars, and at the last axis but one or behind it.

    Raises:
      TypeError: if the axis is no integer, or values are text.
      ValueError: if there are no values or no such axis.
    """
    if isinstance(values, (str, bytes)):
        raise TypeError(f"values must be a list of tensors, got {values!r}")
    if not isinstance(values, (list, tuple)):
        values = [values]
    parts = [RaggedTensor._ragged_or_dense(v) for v in values]
    if not parts:
        raise ValueError("rt_inputs may not be empty.")
    rank = common_rank(parts)
    at = positive_axis(axis, None if rank is None else rank + 1)
    levels = max(p.ragged_rank if isinstance(p, RaggedTensor) else 0 for p in parts)
    if not levels and rank is not None and (rank == 0 or (at > 0 and at >= rank - 1)):
        return stacking.stack(parts, at)
    if levels:
        parts = _partitioned_alike(parts, levels)
    elif rank is not None and rank > (depth := max(at, 1)):
        parts = [RaggedTensor.from_tensor(p, ragged_rank=depth) for p in parts]
    return joined([expand_dims(p, at) for p in parts], at, inner=2)


def common_rank(parts: Sequence[Any]) -> int | None:
    """The rank that all of some tensors have; None if none of them is known.

    Raises:
      ValueError: if two of them differ.
    """
    rank = None
    for part in parts:
        if rank is None:
            rank = part.shape.rank
        else:
            part.shape.assert_has_rank(rank)
    return rank


def _partitioned_alike(parts: Sequence[Any], levels: int) -> list[RaggedTensor]:
    """Tensors with `levels` row partitions each; inner dimensions become uniform rows."""
    kind = next(p.row_splits.dtype for p in parts if isinstance(p, RaggedTensor))
    out = []
    for part in parts:
        if not isinstance(part, RaggedTensor):
            part = RaggedTensor.from_tensor(part, ragged_rank=levels, row_splits_dtype=kind)
        elif part.ragged_rank < levels:
            missing = levels - part.ragged_rank
            part = part.with_flat_values(
                RaggedTensor.from_tensor(part.flat_values, ragged_rank=missing, row_splits_dtype=kind)
            )
        out.append(part)
    return out


def expand_dims(value: Any, axis: int) -> Any:
    """A new dimension of size 1 at `axis`, not negative; the result is ragged."""
    if not isinstance(value, RaggedTensor):
        if (value.shape.rank or 0) > 1:
            return expand_dims(RaggedTensor.from_tensor(value, ragged_rank=value.shape.rank - 1), axis)
        size = array.shape(value)[0]
    else:
        size = value.nrows()
    if axis == 0:
        return RaggedTensor(value, stacking.stack([array.zeros((), size.dtype), size]), value.shape[0])
    if axis == 1:
        return RaggedTensor(value, ranges.range_(size + 1), 1)
    inner = value.values
    deeper = expand_dims(inner, axis - 1) if isinstance(inner, RaggedTensor) else array.expand_dims(inner, axis - 1)
    return value.with_values(deeper)


def joined(parts: Sequence[Any], axis: int, inner: int = 1) -> Any:
    """Ragged and dense tensors joined along an axis.

    Args:
      parts: the tensors.
      axis: the axis, not negative.
      inner: number of the last axes along which the dense values of rows stay dense.
    """
    rank = max(p.ragged_rank if isinstance(p, RaggedTensor) else 0 for p in parts)
    if rank == 0 and 0 < axis < (parts[0].shape.rank or 0) - inner:
        parts, rank = [RaggedTensor.from_tensor(p, ragged_rank=inner) for p in parts], inner
    if rank == 0:
        return joining.concat(list(parts), axis)
    same = _partitioned_alike(parts, rank)
    if axis == 0:
        values = joined([p.values for p in same], 0)
        return RaggedTensor(values, rows.splits_from_lengths(joining.concat([p.row_lengths() for p in same], 0)))
    if axis == 1:
        count = _same_count(same)
        order = rearranging.transpose(array.reshape(ranges.range_(math.multiply(count, len(same))), [len(same), -1]))
        whole = gather_rows(joined(same, 0), array.reshape(order, [-1]))
        splits = whole.row_splits[:: len(same)]
        length = next((size for size in (dimension_value(p.shape[0]) for p in same) if size is not None), None)
        splits.set_shape([None if length is None else length + 1])
        return RaggedTensor(whole.values, splits)
    splits = same[0].row_splits
    for other in same[1:]:
        splits = splits if other.row_splits is splits else rows.same_splits(splits, other.row_splits)
    return RaggedTensor(joined([p.values for p in same], axis - 1, inner), splits, same[0]._uniform)


def _same_count(parts: Sequence[RaggedTensor]) -> Any:
    """The number of rows of ragged tensors, checked to be the same."""
    count, static = array.expand_dims(parts[0].nrows(), 0), dimension_value(parts[0].shape[0])
    for i, other in enumerate(parts[1:], 1):
        what, size = f"Input tensors at index 0 and {i} have incompatible shapes", dimension_value(other.shape[0])
        if None not in (static, size) and static != size:
            raise errors.InvalidArgumentError(None, None, f"{what}: {static} against {size} rows")
        count = rows.same_splits(count, array.expand_dims(math.cast(other.nrows(), count.dtype), 0), what=what)
    return count[0]


# ---------------------------------------------------------------- flat values


def sharing(parts: Sequence[RaggedTensor]) -> list[RaggedTensor]:
    """The ragged tensors over one set of row partitions, checked to be the same."""
    first = parts[0]
    splits = list(first.nested_row_splits)
    for other in parts[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError(
                f"Inputs must have identical ragged splits: ragged ranks {first.ragged_rank} and {other.ragged_rank}"
            )
        for i, (mine, theirs) in enumerate(zip(first.nested_row_splits, other.nested_row_splits, strict=True)):
            if mine is not theirs:
                splits[i] = rows.same_splits(splits[i], math.cast(theirs, mine.dtype))
    lengths = [
        next((n for n in level if n is not None), None) for level in zip(*(p._uniforms() for p in parts), strict=True)
    ]
    return [RaggedTensor._nested(p.flat_values, splits, lengths) for p in parts]


def same_rows(one: RaggedTensor, two: RaggedTensor, what: str = "Inputs must have identical ragged splits") -> Any:
    """The splits of `one`, checked to be those of `two`.

    Args:
      one, two: ragged tensors.
      what: the words for the error.

    Raises:
      InvalidArgumentError: if they are not, at once where they are known not to be.
    """
    sizes = [dimension_value(v.values.shape[0]) for v in (one, two)]
    if None not in sizes and sizes[0] != sizes[1]:
        raise errors.InvalidArgumentError(None, None, f"{what}: {sizes[0]} values against {sizes[1]}")
    return rows.same_splits(one.row_splits, math.cast(two.row_splits, one.row_splits.dtype), what=what)


@export("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> RaggedTensor | Any:
    """`op` applied to the flat values of ragged arguments that share their row partitions.

    Args:
      op: a function that keeps the size of the first dimension.
      *args, **kwargs: its arguments, nests included; ragged tensors are replaced by their flat values.

    Returns:
      A RaggedTensor with the same rows; the result of `op` itself if no argument is ragged.

    Raises:
      ValueError: if `op` changes the number of flat values, or ragged arguments are known to differ in it.
    """
    args, kwargs = nest.map_structure(composite_of, (args, kwargs))
    ragged = [v for v in nest.flatten([args, kwargs]) if isinstance(v, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    sizes = {size for v in ragged if (size := dimension_value(v.flat_values.shape[:1][0])) is not None}
    if len(sizes) > 1:
        raise ValueError(
            f"Input RaggedTensors' flat_values must all have the same outer-dimension size, got sizes {sorted(sizes)}"
        )
    shared = sharing(ragged)
    flat_args, flat_kwargs = nest.map_structure(
        lambda v: v.flat_values if isinstance(v, RaggedTensor) else v, (list(args), kwargs)
    )
    result = convert_to_tensor(op(*flat_args, **flat_kwargs))
    was, now = shared[0].flat_values.shape[:1], result.shape[:1]
    if not now.is_compatible_with(was):
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
            f"flat_values of any ragged inputs. (output shape: {result.shape}; expected outer dimension size: {was[0]})"
        )
    return shared[0].with_flat_values(result)


@export("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> RaggedTensor | Any:
    """The elements of `data` where `mask` holds; the masked dimensions stay rows.

    Args:
      data: a tensor, ragged or not.
      mask: bools shaped like the first dimensions of `data`.
      name: ignored.
    """
    data, mask = _any_rows(data), _any_rows(mask)
    rank = mask.shape.rank
    if mask.dtype is not dtypes.bool_:
        kind = ValueError if isinstance(mask, RaggedTensor) else TypeError
        raise kind(f"Tensor conversion requested dtype bool for {type(mask).__name__} with dtype {mask.dtype.name}")
    if rank is None:
        raise ValueError("mask.shape.ndims must be known statically")
    if rank == 0:
        raise ValueError("mask cannot be scalar")
    if not isinstance(data, RaggedTensor) and not isinstance(mask, RaggedTensor):
        data.shape[:rank].assert_is_compatible_with(mask.shape)
    if rank == 1:
        where = array.reshape(array.where(mask), [-1])
        return pick(data, where)
    data = data if isinstance(data, RaggedTensor) else RaggedTensor.from_tensor(data)
    mask = mask if isinstance(mask, RaggedTensor) else RaggedTensor.from_tensor(mask)
    if data.row_splits is not mask.row_splits:
        splits = same_rows(data, mask)
        data, mask = RaggedTensor(data.values, splits), RaggedTensor(mask.values, splits)
    if isinstance(mask.values, RaggedTensor):
        return data.with_values(boolean_mask(data.values, mask.values))
    if mask.values.shape.rank != 1:
        return data.with_values(boolean_mask(data.values, mask.values))
    lengths = reductions.reduce_sum(math.cast(mask, data.row_splits.dtype), axis=1)
    chosen = (
        boolean_mask(data.values, mask.values)
        if isinstance(data.values, RaggedTensor)
        else dense_mask(data.values, mask.values)
    )
    return RaggedTensor(chosen, rows.splits_from_lengths(lengths))


def _any_rows(value: Any) -> Any:
    """Nested lists may be ragged here."""
    if not isinstance(value, (list, tuple)):
        return RaggedTensor._ragged_or_dense(value)
    try:
        return convert_to_tensor(value)
    except ValueError:
        return constant(value)


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data: Any, partitions: Any, num_partitions: Any, name: str | None = None) -> RaggedTensor:
    """The slices of `data` that share a number, as the rows of a RaggedTensor, in their order.

    Args:
      data: a tensor, ragged or not, whose first dimensions are those of `partitions`.
      partitions: integers of known rank, ragged or not: the row that each slice of `data` goes to.
      num_partitions: number of rows of the result, a scalar.
      name: ignored.

    Returns:
      A RaggedTensor of `num_partitions` rows.

    Raises:
      ValueError: if the shapes are known not to fit.
      InvalidArgumentError: if a number is negative or not less than `num_partitions`.
    """
    data, ids = RaggedTensor._ragged_or_dense(data), RaggedTensor._ragged_or_dense(partitions)
    if isinstance(data, RaggedTensor) and not isinstance(ids, RaggedTensor):
        ids = math.cast(ids, data.row_splits.dtype)
    rank, count = ids.shape.rank, convert_to_tensor(num_partitions, dtype_hint=ids.dtype)
    if rank is None:
        raise ValueError("partitions must have known rank")
    if count.shape.rank not in (None, 0):
        raise ValueError(f"num_partitions must have rank 0, got shape {count.shape}")
    ids.shape.assert_is_compatible_with(data.shape[:rank])
    if rank == 0:
        data, ids = expand_dims(data, 0) if isinstance(data, RaggedTensor) else data[None], ids[None]
    for _ in range(rank - 1):  # the first two dimensions of both become one
        data, ids = (v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(v) for v in (data, ids))
        kind, what = data.row_splits.dtype, "data and partitions have incompatible ragged shapes"
        shared = rows.same_splits(data.row_splits, math.cast(ids.row_splits, kind), what=what)
        with control.control_dependencies([shared]):
            data, ids = data.values, array.identity(ids.values)
    order, splits = rows.rows_by_number(ids, math.cast(count, ids.dtype))
    return RaggedTensor(pick(data, order), splits)


@export("ragged.row_splits_to_segment_ids")
def splits_to_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """For each value the row it belongs to; ValueError for splits that are empty or no vector."""
    splits = convert_to_tensor(splits, dtype_hint=dtypes.int64)
    if splits.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"splits must have dtype int32 or int64, got {splits.dtype.name}")
    if splits.shape.rank not in (None, 1):
        raise ValueError(f"Shape {splits.shape} must have rank 1")
    if splits.shape.rank is not None and dimension_value(splits.shape[0]) == 0:
        raise ValueError("Invalid row_splits: [] (they begin with 0)")
    ids = rows.rowids_from_splits(splits)
    return ids if out_type is None else math.cast(ids, out_type)


@export("ragged.segment_ids_to_row_splits")
def ids_to_splits(segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None) -> Tensor:
    """The row splits of row numbers, in any order."""
    ids = convert_to_tensor(segment_ids, dtype_hint=dtypes.int64)
    if not ids.dtype.is_integer:
        raise TypeError(f"Argument `tensor` (name: segment_ids) must be of type integer, got {ids.dtype.name}")
    if ids.shape.rank not in (None, 1):
        raise ValueError(f"Shape {ids.shape} must have rank 1")
    if num_segments is None:
        num_segments = math.add(reductions.reduce_max(joining.concat([ids, array.constant([-1], ids.dtype)], 0)), 1)
    splits = rows.rows_by_number(ids, math.cast(convert_to_tensor(num_segments), ids.dtype))[1]
    return splits if out_type is None else math.cast(splits, out_type)


__all__ = ["boolean_mask", "constant", "map_flat_values", "range_", "stack", "stack_dynamic_partitions"]
