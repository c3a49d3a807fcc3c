"""What an op does that is applied to a RaggedTensor.

Elementwise ops work on the flat values of inputs that share their row partitions; reductions, concatenation,
gathering and a few more have rules of their own (`RULES`); any other op refuses a RaggedTensor by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay import errors
from inlay.composite.ragged import RaggedTensor
from inlay.composite.ragged_index import gather_rows
from inlay.composite.ragged_ops import expand_dims, joined, sharing, stack
from inlay.core.graph import constant_of
from inlay.core.opdef import OPS
from inlay.eager.convert import convert_to_tensor
from inlay.eager.emit import ANSWERS, emit
from inlay.ops import array, division, math, ranges
from inlay.ops import ragged as rows
from inlay.ops.gathering import gather_op
from inlay.ops.joining import concat
from inlay.ops.reductions import all_axes
from inlay.types import dtypes

# Reductions done on the padded tensor, and what fills it up.
PADDED: Mapping[str, Any] = {"Prod": 1, "Any": False, "All": True}


def answer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The result of `op` on inputs one of which is a RaggedTensor.

    Raises:
      TypeError: if the op has no meaning for ragged tensors here.
    """
    if op.elementwise:
        return _elementwise(op, inputs, attrs, name)
    rule = RULES.get(op.name)
    if rule is not None:
        return rule(op, inputs, attrs)
    ragged = next(v for x in inputs for v in (x if x.__class__ is list else (x,)) if isinstance(v, RaggedTensor))
    raise TypeError(
        f"{op.name} does not take a RaggedTensor, got {ragged!r}. Work on its flat_values (tf.ragged.map_flat_values), "
        "or make it dense with to_tensor()."
    )


def _elementwise(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    spread = [v for x in inputs for v in (x if x.__class__ is list else (x,))]
    shared = iter(sharing([v for v in spread if isinstance(v, RaggedTensor)]))
    like = None
    flat: list[Any] = []
    for value in spread:
        if isinstance(value, RaggedTensor):
            like = next(shared)
            flat.append(like.flat_values)
        else:
            flat.append(value)
    assert like is not None
    flat = [v if isinstance(s, RaggedTensor) else _beside(v, like, op) for v, s in zip(flat, spread, strict=True)]
    rest = iter(flat)
    packed = tuple([next(rest) for _ in x] if x.__class__ is list else next(rest) for x in inputs)
    return like.with_flat_values(emit(op, packed, attrs, name))


def _beside(value: Any, like: RaggedTensor, op: Any) -> Any:
    """A dense operand as it meets the flat values: a scalar, or one number (or row) per row."""
    if isinstance(value, (bool, int, float, complex, str, bytes)):
        return value
    dense = convert_to_tensor(value, dtype_hint=like.dtype)
    rank = dense.shape.rank
    if rank == 0:
        return dense
    inner = like.flat_values.shape.rank
    if rank is not None and rank >= 2 and dense.shape[1] == 1 and like.ragged_rank == 1:
        size = array.shape(dense)
        per_row = array.reshape(dense, [-1]) if rank == 2 else array.reshape(dense, _without(size, 1))
        return gather_op(per_row, like.value_rowids())
    if rank is not None and inner is not None and rank < inner:
        return dense
    raise errors.UnimplementedError(
        None,
        None,
        f"{op.name} of {like!r} and a tensor of shape {dense.shape}: beside a ragged tensor an operand may be a "
        "scalar, a tensor of the inner (uniform) dimensions, one value per row ([nrows, 1]), or ragged with the same "
        "row_splits. Make the tensor ragged first (RaggedTensor.from_tensor).",
    )


def _without(size: Any, axis: int) -> Any:
    return concat([size[:axis], size[axis + 1 :]], 0)


# ---------------------------------------------------------------- reductions


def _reduce(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, axis = inputs
    keep = attrs.get("keepdims", False)
    if axis is None:
        return emit(op, (value.flat_values, None if _eager(value) else _every(value.flat_values)), attrs)
    known = constant_of(axis)
    if known is None:
        raise ValueError(f"{op.name} of a RaggedTensor needs an axis that is known while the graph is built")
    axes = sorted({_positive(int(a), value) for a in np.asarray(known).reshape(-1)}, reverse=True)
    if op.name == "Mean" and len(axes) > 1:
        ones = value.with_flat_values(array.ones_like(value.flat_values))
        total, count = (_reduce(OPS["Sum"], (v, np.asarray(axes)), attrs) for v in (value, ones))
        return division.real_divide(total, count) if not isinstance(total, RaggedTensor) else total / count
    out = value
    for a in axes:
        if isinstance(out, RaggedTensor):
            out = _reduce_one(op, out, a, keep)
        else:
            out = emit(op, (out, np.asarray([a], np.int32)), attrs)
    return out


def _eager(value: RaggedTensor) -> bool:
    return hasattr(value.flat_values, "_value")


def _every(flat: Any) -> Any:
    return all_axes(flat)


def _positive(axis: int, value: RaggedTensor) -> int:
    rank = value.shape.rank
    if axis < 0:
        if rank is None:
            raise ValueError("a negative axis needs a ragged tensor of known rank")
        axis += rank
    if axis < 0 or (rank is not None and axis >= rank):
        raise ValueError(f"Invalid reduction dimension {axis} for a ragged tensor with {rank} dimensions")
    return axis


def _reduce_one(op: Any, value: RaggedTensor, axis: int, keep: bool) -> Any:
    inner = value.values
    if axis > 1:
        deeper = (
            _reduce_one(op, inner, axis - 1, keep)
            if isinstance(inner, RaggedTensor)
            else emit(op, (inner, np.asarray([axis - 1], np.int32)), {"keepdims": keep})
        )
        return value.with_values(deeper)
    if isinstance(inner, RaggedTensor):
        raise errors.UnimplementedError(
            None,
            None,
            f"{op.name} over axis {axis} of {value!r}, whose rows are ragged themselves: reduce the innermost axis "
            "first, or all of them at once",
        )
    if axis == 1:
        out = _reduce_rows(op, value)
        return array.expand_dims(out, 1) if keep else out
    columns = RaggedTensor(*_by_column(value))
    out = _reduce_rows(op, columns)
    return array.expand_dims(out, 0) if keep else out


def _by_column(value: RaggedTensor) -> tuple[Any, Any]:
    """The values and splits of the transposed rows: what stands in one column becomes a row."""
    splits = value.row_splits
    ids = value.value_rowids()
    column = math.subtract(ranges.range_(array.zeros((), splits.dtype), splits[-1]), gather_op(splits, ids))
    width = value.bounding_shape(1)
    order = rows.stable_order(column)
    return gather_op(value.values, order), rows.splits_from_rowids(gather_op(column, order), width)


def _reduce_rows(op: Any, value: RaggedTensor) -> Any:
    values, splits = value.values, value.row_splits
    if op.name == "Mean":
        exact = values if values.dtype.is_floating else math.cast(values, dtypes.float64)
        return rows.row_mean(exact, splits)
    if op.name in PADDED:
        fill = array.constant(PADDED[op.name], values.dtype)
        return emit(op, (value.to_tensor(fill), np.asarray([1], np.int32)), {"keepdims": False})
    return {"Sum": rows.row_sum, "Max": rows.row_max, "Min": rows.row_min}[op.name](values, splits)


# ---------------------------------------------------------------- other ops


def _gather(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    params, indices = inputs
    if isinstance(indices, RaggedTensor):
        if isinstance(params, RaggedTensor):
            return indices.with_flat_values(gather_rows(params, indices.flat_values))
        return indices.with_flat_values(emit(op, (params, indices.flat_values), attrs))
    if attrs.get("axis", 0) or attrs.get("batch_dims", 0):
        raise errors.UnimplementedError(None, None, "gather from a RaggedTensor works along axis 0, without batch_dims")
    chosen = convert_to_tensor(indices)
    if chosen.shape.rank == 0:
        return params[chosen]
    if chosen.shape.rank == 1:
        return gather_rows(params, chosen)
    raise errors.UnimplementedError(None, None, f"gather from a RaggedTensor by indices of shape {chosen.shape}")


def _axis_of(axis: Any, rank: int | None, extra: int = 0) -> int:
    at = int(np.asarray(constant_of(axis)).reshape(-1)[0]) if not isinstance(axis, int) else axis
    if at < 0:
        if rank is None:
            raise ValueError("a negative axis needs ragged tensors of known rank")
        at += rank + extra
    return at


def _concat(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    parts = inputs[0]
    first = next(p for p in parts if isinstance(p, RaggedTensor))
    dense = [p if isinstance(p, RaggedTensor) else convert_to_tensor(p, dtype_hint=first.dtype) for p in parts]
    return joined(dense, _axis_of(attrs["axis"], first.shape.rank))


def _pack(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    return stack(inputs[0], attrs["axis"])


def _expand(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    value, axis = inputs
    return expand_dims(value, _axis_of(axis, value.shape.rank, 1))


RULES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("Sum", "Mean", "Max", "Min", "Prod", "Any", "All"), _reduce),
    "GatherV2": _gather,
    "ConcatV2": _concat,
    "Pack": _pack,
    "ExpandDims": _expand,
    "Size": lambda op, inputs, attrs: array.size(inputs[0].flat_values, attrs["out_type"]),
    "Rank": lambda op, inputs, attrs: math.add(array.rank(inputs[0].flat_values), inputs[0].ragged_rank),
}
"""Op type -> `rule(op, inputs, attrs)`."""

ANSWERS[RaggedTensor] = answer

__all__ = ["RULES", "answer"]
