"""Rules of ops applied to a RaggedTensor.

Elementwise ops work on the flat values, after their operands were brought to common row partitions; reductions,
gathering and what moves rows about have rules of their own (`FIRST_OPERAND_RULES`, `RULES`); any other op refuses a
RaggedTensor by name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import dimension_value
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import LATE_ANSWERS, emit, spread
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, control, joining, math, ranges, segments, shaping, tiling
from inlay._src.ops import ragged as rows
from inlay._src.ops.composite import ragged_gather, ragged_reductions
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_axes import positive_axis
from inlay._src.ops.composite.ragged_broadcast import common_rows
from inlay._src.ops.composite.ragged_index import gather_rows
from inlay._src.ops.composite.ragged_ops import (
    common_rank,
    expand_dims,
    joined,
    same_rows,
    stack,
    stack_dynamic_partitions,
)
from inlay._src.ops.composite.ragged_shape_rules import SHAPE_RULES, RaggedOperandError
from inlay._src.ops.gathering import gather_op


def answer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The result of `op` on inputs one of which is a RaggedTensor.

    Raises:
      TypeError: if the op has no meaning for ragged tensors here.
    """
    rule = RULES.get(op.name)
    if rule is not None:
        return rule(op, inputs, attrs)
    rule = FIRST_OPERAND_RULES.get(op.name)
    if rule is not None:
        for arg, value in zip(op.args[1:], inputs[1:], strict=False):
            if isinstance(value, RaggedTensor):
                raise RaggedOperandError(
                    f"{op.name} takes a RaggedTensor as `{op.args[0].name}` alone, got {arg.name}={value!r}"
                )
        return rule(op, inputs, attrs)
    if op.elementwise:
        return _elementwise(op, inputs, attrs, name)
    ragged = next(v for v in spread(inputs) if isinstance(v, RaggedTensor))
    raise RaggedOperandError(
        f"{op.name} does not take a RaggedTensor, got {ragged!r}. Work on its flat_values (tf.ragged.map_flat_values), "
        "or make it dense with to_tensor()."
    )


# ---------------------------------------------------------------- elementwise ops


def _elementwise(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    like, flat = _aligned(op.flat(inputs), [] if op.variadic is not None else [arg.type for arg in op.args])
    return like.with_flat_values(emit(op, tuple(op.grouped(flat, {"N": len(flat) - len(inputs) + 1})), attrs, name))


def _aligned(operands: Sequence[Any], types: Sequence[Any]) -> tuple[RaggedTensor, list[Any]]:
    """(a ragged tensor with the row partitions of the result, what stands over its flat values for each operand).

    `types` says which operands are declared to be of one type; empty if all are.
    """
    first = next((v for v in operands if isinstance(v, RaggedTensor)), None)
    if first is None:
        raise TypeError(f"Failed to convert elements of {operands!r} to a Tensor: the list contains ragged tensors")
    if any(isinstance(v, RaggedTensor) and v.row_splits.dtype is not first.row_splits.dtype for v in operands):
        kinds = sorted({v.row_splits.dtype.name for v in operands if isinstance(v, RaggedTensor)})
        raise ValueError(
            f"Input RaggedTensors have mismatched row_splits dtypes: {' and '.join(kinds)}. Make them the same with "
            "with_row_splits_dtype()."
        )
    inner = first.flat_values.shape.rank or 1
    types = types or [None] * len(operands)
    hints = {kind: v.dtype for v, kind in zip(operands, types, strict=True) if isinstance(v, RaggedTensor)}
    values = [
        v
        if isinstance(v, (RaggedTensor, bool, int, float, complex, str, bytes))
        else convert_to_tensor(v, dtype_hint=hints.get(kind))
        for v, kind in zip(operands, types, strict=True)
    ]
    # Dense operands of no more than the inner dimensions meet the flat values as they are.
    spread = [
        v for v in values if isinstance(v, RaggedTensor) or (isinstance(v, Tensor) and v.shape.rank not in range(inner))
    ]
    if all(isinstance(v, RaggedTensor) and _same_rows(v, first) for v in spread):
        return first, [v.flat_values if isinstance(v, RaggedTensor) else v for v in values]
    like, flats = _broadcast(spread)
    by_id = {id(v): flat for v, flat in zip(spread, flats, strict=True)}
    return like, [by_id.get(id(v), v) for v in values]


def _same_rows(one: RaggedTensor, two: RaggedTensor) -> bool:
    """Whether two values are known to have the same row partitions."""
    mine, theirs = one.nested_row_splits, two.nested_row_splits
    return len(mine) == len(theirs) and all(
        a is b or (isinstance(a, EagerTensor) and isinstance(b, EagerTensor) and np.array_equal(a._value, b._value))
        for a, b in zip(mine, theirs, strict=True)
    )


def _broadcast(operands: Sequence[Any]) -> tuple[RaggedTensor, list[Any]]:
    """`_aligned` by the rules of broadcasting: dimensions are added in front, uniform ones of size 1 are stretched."""
    ranks = [v.shape.rank for v in operands]
    if None in ranks:
        raise ValueError("broadcasting with a RaggedTensor needs operands of known rank")
    rank = max(ranks)
    levels = max(v.ragged_rank + rank - v.shape.rank for v in operands if isinstance(v, RaggedTensor))
    parts = [_partitioned(v, rank, levels) for v in operands]
    dtype = next(v.row_splits.dtype for v in operands if isinstance(v, RaggedTensor))
    common, where = common_rows([v._nested_row_partitions for v, _ in parts], [may for _, may in parts], dtype)
    flat = [gather_op(value.flat_values, at) for (value, _), at in zip(parts, where, strict=True)]
    return RaggedTensor._from_nested_row_partitions(flat[0], common, validate=False), flat


def _partitioned(value: Any, rank: int, levels: int) -> tuple[RaggedTensor, list[bool]]:
    """A value of `rank` dimensions with `levels` row partitions, and which of them may be stretched."""
    missing = rank - value.shape.rank
    if not isinstance(value, RaggedTensor):
        for _ in range(missing):
            value = array.expand_dims(value, 0)
        return RaggedTensor.from_tensor(value, ragged_rank=levels), [True] * levels
    may = [True] * missing + [size == 1 for size in value._uniforms()]
    for _ in range(missing):
        value = expand_dims(value, 0)
    if len(may) < levels:
        more = levels - len(may)
        value = value.with_flat_values(RaggedTensor.from_tensor(value.flat_values, ragged_rank=more))
        may += [True] * more
    return value, may


# ---------------------------------------------------------------- joining and new dimensions


def _axis_of(axis: Any, rank: int | None, extra: int = 0) -> int:
    return positive_axis(axis, None if rank is None else rank + extra)


def _concat(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    parts = inputs[0]
    first = next(p for p in parts if isinstance(p, RaggedTensor))
    dense = [p if isinstance(p, RaggedTensor) else convert_to_tensor(p, dtype_hint=first.dtype) for p in parts]
    rank, axis = common_rank(dense), attrs["axis"]
    if rank is not None and not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return joined(dense, _axis_of(axis, rank))


def _pack(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    return stack(inputs[0], attrs["axis"])


def _expand(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, axis = inputs
    return expand_dims(value, _axis_of(axis, value.shape.rank, 1))


def _one_hot(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, *rest = inputs
    rank = value.shape.rank
    if attrs.get("axis", -1) not in (-1, rank):
        raise ValueError(f"one_hot of a RaggedTensor puts the new axis last, got axis {attrs['axis']}")
    return value.with_flat_values(emit(op, (value.flat_values, *rest), {"axis": -1}))


# ---------------------------------------------------------------- rows moved about


def _reverse(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, axis = inputs
    axes = ragged_reductions.axes_of(axis, value, op.name)
    backward, whole = slice(None, None, -1), slice(None)
    return value[tuple(backward if i in axes else whole for i in range(max(axes, default=0) + 1))]


def _tile(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, multiples = inputs
    times = convert_to_tensor(multiples)
    out = value
    for axis in range(value.ragged_rank + 1):
        out = _tiled(out, axis, times[axis])
    if out.flat_values.shape.rank == 1:
        return out
    inner = joining.concat([array.ones([1], times.dtype), times[value.ragged_rank + 1 :]], 0)
    return out.with_flat_values(tiling.tile(out.flat_values, inner))


def _tiled(value: RaggedTensor, axis: int, times: Any) -> Any:
    if axis > 1:
        return value.with_values(_tiled(value.values, axis - 1, times))
    places = ranges.range_(value.nrows())
    if axis == 0:
        return gather_rows(value, tiling.tile(places, array.reshape(times, [1])))
    whole = gather_rows(value, tiling.repeat(places, times))
    at = math.multiply(ranges.range_(value.nrows() + 1), math.cast(times, value.row_splits.dtype))
    return RaggedTensor(whole.values, gather_op(whole.row_splits, at))


def _squeeze(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    out = inputs[0]
    if not attrs.get("axis"):
        raise ValueError("squeeze of a RaggedTensor needs an axis")
    for axis in sorted({positive_axis(a, out.shape.rank) for a in attrs["axis"]}, reverse=True):
        out = _squeezed(out, axis)
    return out


def _squeezed(value: Any, axis: int) -> Any:
    if not isinstance(value, RaggedTensor):
        return array.squeeze(value, [axis])
    if axis > 1:
        return value.with_values(_squeezed(value.values, axis - 1))
    splits = value.row_splits
    single = joining.concat([array.zeros([1], splits.dtype), splits[-1:]], 0)
    wanted = single if axis == 0 else ranges.range_(value.nrows() + 1)
    with control.control_dependencies([rows.same_splits(splits, wanted)]):
        inner = value.values
        if isinstance(inner, RaggedTensor):
            return inner.with_flat_values(array.identity(inner.flat_values))
        return array.identity(inner)


def _split(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, axis = inputs[0], positive_axis(attrs["axis"], inputs[0].shape.rank)
    num, sizes = attrs["num"], None
    if len(inputs) > 1:
        sizes = convert_to_tensor(inputs[1], dtype_hint=value.row_splits.dtype)
        if not sizes.dtype.is_integer or sizes.shape.rank not in (None, 1):
            raise TypeError(f"split of a RaggedTensor takes an integer or a Python list of integers, got {inputs[1]!r}")
        if not sizes.shape.is_compatible_with([num]) and constant_of(sizes) is not None:
            raise ValueError(f"`num` does not match the number of sizes: num={num}, sizes {inputs[1]!r}")
    if axis > value.ragged_rank:
        flat = emit(op, (value.flat_values, *inputs[1:]), {**attrs, "axis": axis - value.ragged_rank})
        return [value.with_flat_values(part) for part in flat]
    if sizes is None and num == 1:
        return [value]
    size = dimension_value(value.shape[axis]) if value.shape.rank is not None else None
    if axis and size is None:
        raise ValueError(f"split of {value!r}: cannot split along axis {axis}, a ragged dimension")
    kind = value.row_splits.dtype
    whole = value.nrows() if axis == 0 else convert_to_tensor(size, kind)
    parts = convert_to_tensor(num, kind) if sizes is None else math.cast(sizes, kind)
    ends = rows.split_ends(whole, parts, num=num)
    return [_part(value, axis, ends[i], ends[i + 1]) for i in range(num)]


def _part(value: RaggedTensor, axis: int, start: Any, end: Any) -> RaggedTensor:
    """`start:end` of an axis whose size is the same everywhere."""
    if axis == 0:
        return value[start:end]  # type: ignore[no-any-return]
    if axis > 1:
        return value.with_values(_part(value.values, axis - 1, start, end))
    part, length = value[:, start:end], constant_of(end - start)
    return RaggedTensor(part.values, part.row_splits, None if length is None else int(length))


# ---------------------------------------------------------------- products of matrices


def _matmul(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    one, two = (v if isinstance(v, RaggedTensor) else convert_to_tensor(v) for v in inputs)
    if one.dtype is not two.dtype:
        raise ValueError(f"`a` and `b` must have the same dtype. Got {one.dtype.name} and {two.dtype.name}")
    rank = two.shape.rank if one.shape.rank is None else one.shape.rank
    if rank is None:
        raise ValueError("matmul requires at least one input to have known rank if either input is ragged.")
    if two.shape.rank not in (None, rank):
        raise ValueError(f"`a` and `b` must have the same rank. Got shapes {one.shape} and {two.shape}")
    return _product(op, _of_rank(one, rank), _of_rank(two, rank), attrs)


def _of_rank(value: Any, rank: int) -> Any:
    if value.shape.rank is not None:
        return value
    if not isinstance(value, RaggedTensor):
        return shaping.ensure_shape(value, [None] * rank)
    return value.with_flat_values(shaping.ensure_shape(value.flat_values, [None] * (rank - value.ragged_rank)))


def _product(op: Any, one: Any, two: Any, attrs: Mapping[str, Any]) -> Any:
    """Products of matrices; of more than one batch dimension the first is taken off."""
    if not isinstance(one, RaggedTensor) and not isinstance(two, RaggedTensor):
        return emit(op, (one, two), attrs)
    if one.shape.rank == 3:
        return _batch_product(op, one, two, attrs)
    if one.shape.rank == 2:
        return emit(op, (_whole_matrix(one), _whole_matrix(two)), attrs)
    one, two = (v if isinstance(v, RaggedTensor) else RaggedTensor.from_tensor(v) for v in (one, two))
    shared = same_rows(one, two, "Batch dimensions of `a` and `b` do not have the same size")
    return RaggedTensor(_product(op, one.values, two.values, attrs), shared, one._uniform)


def _whole_matrix(value: Any) -> Any:
    """A ragged matrix whose rows are of one length, as a tensor."""
    if not isinstance(value, RaggedTensor):
        return value
    uniform = math.multiply(ranges.range_(value.nrows() + 1), value.bounding_shape(1))
    what = "The matrices in `a` and `b` may not be ragged in their innermost dimension."
    return RaggedTensor(value.values, rows.same_splits(value.row_splits, uniform, what=what)).to_tensor()


def _batch_product(op: Any, one: Any, two: Any, attrs: Mapping[str, Any]) -> Any:
    """Batches of matrices of different sizes: filled up with zeros, multiplied and cut again."""
    first, second = (
        _sizes(v)[:: -1 if attrs.get(f"transpose_{side}") or attrs.get(f"adjoint_{side}") else 1]
        for v, side in ((one, "a"), (two, "b"))
    )
    with control.control_dependencies([rows.same_splits(first[1][0], second[0][0])]):
        product = emit(op, tuple(v.to_tensor() if isinstance(v, RaggedTensor) else v for v in (one, two)), attrs)
    (height, tall), (width, wide) = first[0], second[1]
    splits = rows.splits_from_lengths(height)
    values = rows.rows_from_padded(product, splits)
    if wide:
        inner = rows.splits_from_lengths(gather_op(width, rows.rowids_from_splits(splits)))
        values = RaggedTensor(rows.rows_from_padded(values, inner), inner)
    return RaggedTensor(values, splits, dimension_value(product.shape[1]) if not tall else None)


def _sizes(value: Any) -> list[tuple[Any, bool]]:
    """(the size in each item of a batch, whether it varies) of both dimensions of the matrices."""
    kind = dtypes.int64
    if not isinstance(value, RaggedTensor):
        sizes = array.shape(value, kind)
        return [(array.fill(sizes[:1], sizes[i]), False) for i in (1, 2)]
    height = math.cast(value.row_lengths(), kind)
    if isinstance(value.values, RaggedTensor):
        longest = ragged_reductions.in_segments(
            segments.unsorted_segment_max, value.values.row_lengths(), value.value_rowids(), value.nrows()
        )
        return [(height, True), (math.maximum(math.cast(longest, kind), array.zeros((), kind)), True)]
    width = array.shape(value.values, kind)[1]
    return [(height, True), (array.fill(array.shape(height), width), False)]


def _of_shapes(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    return SHAPE_RULES[op.name](inputs, attrs)


def _where(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    return emit(op, (inputs[0].to_tensor(False),), attrs)


def _bitcast(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    flat, wanted = inputs[0].flat_values, dtypes.as_dtype(attrs["type"])
    if flat.dtype.size < wanted.size and flat.shape.rank is not None and flat.shape.rank < 2:
        raise ValueError(
            f"flat_values must have rank >= 2 to become of a wider type, {wanted.name}; their rank is {flat.shape.rank}"
        )
    return inputs[0].with_flat_values(emit(op, (flat,), attrs))


def _partitioned_rows(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    data, partitions = inputs
    parts = stack_dynamic_partitions(data, partitions, attrs["num"])
    return [parts[i] for i in range(attrs["num"])]


SEGMENTS: dict[str, Any] = {
    "Sum": segments.unsorted_segment_sum,
    "Prod": segments.unsorted_segment_prod,
    "Max": segments.unsorted_segment_max,
    "Min": segments.unsorted_segment_min,
}
"""Reduction -> the same for rows in segments."""

FIRST_OPERAND_RULES: dict[str, Callable[..., Any]] = {
    **{name: functools.partial(ragged_reductions.reduced, function) for name, function in SEGMENTS.items()},
    "Mean": ragged_reductions.mean,
    "Any": ragged_reductions.any_true,
    "All": ragged_reductions.all_true,
    "ReduceJoin": ragged_reductions.joined,
    "Cumsum": functools.partial(ragged_reductions.running, fill=0),
    "Cumprod": functools.partial(ragged_reductions.running, fill=1),
    "Softmax": ragged_reductions.softmax,
    "LogSoftmax": ragged_reductions.softmax,
    "ExpandDims": _expand,
    "OneHot": _one_hot,
    "ReverseV2": _reverse,
    "Tile": _tile,
    "Squeeze": _squeeze,
    "Split": _split,
    "SplitV": _split,
    "Size": lambda op, inputs, attrs: array.size(inputs[0].flat_values, attrs["out_type"]),
    "Rank": lambda op, inputs, attrs: math.add(array.rank(inputs[0].flat_values), inputs[0].ragged_rank),
    "Where": _where,
    "Bitcast": _bitcast,
}
"""Op type -> `rule(op, inputs, attrs)`, of which the first operand is a RaggedTensor and no other one."""

RULES: dict[str, Callable[..., Any]] = {
    **{
        f"UnsortedSegment{name}": functools.partial(ragged_reductions.by_segments, function)
        for name, function in SEGMENTS.items()
    },
    "GatherV2": ragged_gather.gathered,
    "GatherNd": ragged_gather.gathered_nd,
    "ConcatV2": _concat,
    "Pack": _pack,
    **dict.fromkeys(("MatMul", "BatchMatMulV2"), _matmul),
    **dict.fromkeys(SHAPE_RULES, _of_shapes),
    "DynamicPartition": _partitioned_rows,
    "Substr": functools.partial(_elementwise, name=None),
}
"""Op type -> `rule(op, inputs, attrs)`, of which any operand may be a RaggedTensor."""

LATE_ANSWERS["ragged"] = answer

__all__ = ["answer"]
