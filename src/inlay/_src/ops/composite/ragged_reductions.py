"""Ragged values reduced along axes, and what is computed along their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import constant_of
from inlay._src.ops import array, asserting, control, division, math, ranges, segments
from inlay._src.ops import ragged as rows
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.ragged_axes import positive_axis
from inlay._src.ops.composite.ragged_ops import expand_dims
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.reductions import all_axes, reduce_sum

Segments = Callable[[Any, Any, Any], Any]
"""(rows, segment ids, number of segments) -> a row for each segment."""
Dense = Callable[[Any, "Sequence[int] | None", bool], Any]
"""(dense tensor, axes or None for all, whether they stay) -> the tensor reduced."""


def axes_of(axis: Any, value: RaggedTensor, what: str) -> list[int]:
    """Axes that are known while the graph is built, counted from the front, the last one first.

    An axis that occurs twice does so in the result: another dimension has its place once the first is reduced.
    """
    constant = constant_of(axis)
    if constant is None:
        raise ValueError(f"{what} of a RaggedTensor: axis must be known at graph construction time.")
    if constant.dtype.kind not in "iu" and constant.size:
        kind = type(constant.reshape(-1).tolist()[0]).__name__
        raise TypeError(
            f"{what}: axis must be an int; got {kind} ({axis!r}): `axis` must be a list of int or a constant tensor"
        )
    return sorted((positive_axis(int(a), value.shape.rank) for a in np.asarray(constant).reshape(-1)), reverse=True)


# ---------------------------------------------------------------- reductions


def reduced(segments_of: Segments, op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """A reduction by `op`, which for rows in segments is `segments_of(rows, segment_ids, num_segments)`."""
    value, axis = inputs

    def dense(x: Any, axes: Sequence[int] | None, keep: bool) -> Any:
        at = all_axes(x) if axes is None else np.asarray(axes, np.int32)
        return emit(op, (x, at), {"keepdims": keep})

    axes = None if axis is None else axes_of(axis, value, op.name)
    return _over_axes(segments_of, dense, value, axes, attrs.get("keepdims", False))


def _over_axes(segments_of: Segments, dense: Dense, value: RaggedTensor, axes: list[int] | None, keep: bool) -> Any:
    """A reduction over axes counted from the front, the last one first; None is all."""
    if axes is None or len(axes) == len({*axes}) == value.shape.rank:
        whole = dense(value.flat_values, None, False)
        return array.reshape(whole, [1] * (value.shape.rank or 0)) if keep else whole
    out: Any = value
    for a in axes:
        is_ragged = isinstance(out, RaggedTensor)
        out = _without_axis(segments_of, dense, out, a, keep) if is_ragged else dense(out, [a], keep)
    return out


def _without_axis(segments_of: Segments, dense: Dense, value: RaggedTensor, axis: int, keep: bool) -> Any:
    """A reduction over one axis, which stays with one element if it should be kept."""
    inner = value.values
    if axis > 1 and not isinstance(inner, RaggedTensor):
        return value.with_values(dense(inner, [axis - 1], keep))
    if axis > 1:
        return value.with_values(_without_axis(segments_of, dense, inner, axis - 1, keep))
    if axis == 0:
        out = in_segments(segments_of, inner, _columns(value), value.bounding_shape(1))
    else:
        count = value.shape[0]
        out = in_segments(segments_of, inner, value.value_rowids(), value.nrows() if count is None else count)
    if not keep:
        return out
    return expand_dims(out, axis) if isinstance(out, RaggedTensor) else array.expand_dims(out, axis)


def _columns(value: RaggedTensor) -> Any:
    """For each value its place in its row."""
    splits = value.row_splits
    return math.subtract(
        ranges.range_(array.zeros((), splits.dtype), splits[-1]), gather_op(splits, value.value_rowids())
    )


def in_segments(segments_of: Segments, value: Any, ids: Any, count: Any) -> Any:
    """Rows that share an id reduced to one; a ragged row of the result is as long as the longest that went into it."""
    if not isinstance(value, RaggedTensor):
        return segments_of(value, ids, count)
    lengths = segments.unsorted_segment_max(value.row_lengths(), ids, count)
    splits = rows.splits_from_lengths(math.maximum(lengths, array.zeros((), lengths.dtype)))
    places = math.add(gather_op(splits, gather_op(ids, value.value_rowids())), _columns(value))
    return value._over(in_segments(segments_of, value.values, places, splits[-1]), splits)


def mean(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """The mean; of integers as float64, of those below 32 bits as float32. Sums are made in 64 bits."""
    value, axis = inputs
    exact = math.cast(value, dtypes.float64) if value.dtype.is_integer else value
    keep = attrs.get("keepdims", False)
    count = reduce_sum(array.ones_like(exact), axis, keep)
    quotient = division.divide(reduce_sum(exact, axis, keep), count)
    return math.cast(quotient, dtypes.float32) if value.dtype.is_integer and value.dtype.size < 4 else quotient


def any_true(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """Whether one of the elements holds."""
    return math.not_equal(reduce_sum(math.cast(inputs[0], dtypes.int32), inputs[1], attrs.get("keepdims", False)), 0)


def all_true(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """Whether all elements hold."""
    return math.logical_not(any_true(op, (math.logical_not(inputs[0]), inputs[1]), attrs))


def joined(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """The strings along axes joined."""

    def segments_of(value: Any, ids: Any, count: Any) -> Any:
        return rows.unsorted_segment_join(value, ids, count, separator=attrs["separator"])

    def dense(x: Any, axes: Sequence[int] | None, keep: bool) -> Any:
        at = None if axes is None else tuple(axes)
        return emit(op, (x,), {"axis": at, "keepdims": keep, "separator": attrs["separator"]})

    axes = None if attrs["axis"] is None else axes_of(attrs["axis"], inputs[0], op.name)
    return _over_axes(segments_of, dense, inputs[0], axes, attrs["keepdims"])


def by_segments(segments_of: Segments, op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """`unsorted_segment_sum` and its kin: segments of whole rows, or of their elements if the ids are ragged too."""
    data, ids, count = inputs
    if not isinstance(data, RaggedTensor):
        raise TypeError(f"{op.name} of a tensor takes ids and a count that are tensors, got {ids!r} and {count!r}")
    if isinstance(ids, RaggedTensor):
        same = asserting.assert_equal(
            math.cast(data.row_splits, dtypes.int64),
            math.cast(ids.row_splits, dtypes.int64),
            message="segment_ids.shape must be a prefix of data.shape",
        )
        with control.control_dependencies([] if same is None else [same]):
            values = array.identity(data.values)
        return emit(op, (values, ids.values, count), attrs)
    kind = data.row_splits.dtype
    return in_segments(segments_of, data, math.cast(ids, kind), math.cast(count, kind))


# ---------------------------------------------------------------- along rows


def along(value: RaggedTensor, axis: int, fill: Any, function: Callable[[Any, int], Any]) -> RaggedTensor:
    """`function(dense, axis)` of a ragged value: of its rows filled up, if the axis is one of varying size."""
    if axis > value.ragged_rank:
        return value.with_flat_values(function(value.flat_values, axis - value.ragged_rank))
    if isinstance(value.values, RaggedTensor):
        if axis <= 1:
            raise errors.UnimplementedError(
                None, None, f"an operation along axis {axis} of {value!r}, whose rows are ragged themselves"
            )
        return value.with_values(along(value.values, axis - 1, fill, function))
    dense = function(value.to_tensor(fill), axis)
    return value.with_values(rows.rows_from_padded(dense, value.row_splits))


def running(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], fill: int) -> Any:
    """Running sums and products."""
    value, axis = inputs
    axes = axes_of(0 if axis is None else axis, value, op.name)
    if len(axes) != 1:
        raise ValueError(f"{op.name}: axis must be a scalar, got {axis!r}")
    (at,) = axes
    start = convert_to_tensor(fill, value.dtype)
    return along(value, at, start, lambda dense, a: emit(op, (dense, np.asarray(a, np.int32)), attrs))


def softmax(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    """`softmax` and its logarithm: padding has no weight."""
    (value,) = inputs
    nothing = convert_to_tensor(-np.inf, value.dtype)
    at = positive_axis(attrs.get("axis", -1), value.shape.rank)
    if at == 0:
        raise ValueError(f"{op.name} of a RaggedTensor works along an inner axis, got axis 0")
    return along(value, at, nothing, lambda dense, a: emit(op, (dense,), {"axis": a}))


__all__ = ["in_segments", "reduced"]
