"""Rows of different lengths: row partitions, reductions over rows, padding. Values stay one flat tensor.

A row partition is a vector `splits`: row i is `values[splits[i]:splits[i + 1]]`. Gradients flow through `values`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES, LoweringHints, some_values
from inlay._src.core.opdef import Shapes, as_first, no_gradient
from inlay._src.ops import array, math
from inlay._src.ops.shaping import sum_like


def _shifted(dims: Dims, by: int) -> Dims:
    """A vector's shape, `by` longer."""
    size = None if dims is None or len(dims) != 1 else dims[0]
    return (None if size is None else max(size + by, 0),)


# ---------------------------------------------------------------- row partitions


@op(
    "ValidSplits",
    "splits:Index, length:Index -> Index",
    infer=as_first,
    lower=LoweringHints(aliases=True, refuses=some_values),
    vjp=no_gradient,
)
def valid_splits(xp, splits, length):
    """`splits`, refused unless it partitions `length` values: it starts with 0, never falls and ends with `length`."""
    array = np.asarray(splits)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"row_splits must be a vector of at least one number, got shape {list(array.shape)}")
    if array[0] != 0:
        raise ValueError(f"row_splits must start with 0, got {array[0]}")
    steps = np.diff(array)
    if (steps < 0).any():
        at = int(np.argmax(steps < 0))
        raise ValueError(f"row_splits must not decrease: row {at} starts at {array[at]} and ends at {array[at + 1]}")
    if array[-1] != length:
        raise ValueError(f"row_splits must end with the number of values, {int(length)}; it ends with {array[-1]}")
    return splits


@op(
    "SameSplits",
    "splits:Index, other:Index -> Index",
    infer=as_first,
    lower=LoweringHints(aliases=True, refuses=some_values),
)
def same_splits(xp, splits, other, *, what="Inputs must have identical ragged splits"):
    """`splits`, refused in the words of `what` unless `other` is the same row partition."""
    if not np.array_equal(splits, other):
        raise ValueError(f"{what}: {np.asarray(splits).tolist()} against {np.asarray(other).tolist()}")
    return splits


@op("SplitsFromLengths", "lengths:Index -> Index", infer=lambda s: [_shifted(s.dims[0], 1)], lower=REFUSES_VALUES)
def splits_from_lengths(xp, lengths):
    """The row partition whose rows have the given lengths."""
    array = np.asarray(lengths)
    if array.ndim != 1:
        raise ValueError(f"row_lengths must be a vector, got shape {list(array.shape)}")
    if array.size and array.min() < 0:
        raise ValueError(f"row_lengths must not be negative: row {int(array.argmin())} has {array.min()}")
    return splits_of(array)


def splits_of(lengths: Any) -> Any:
    """Where rows of the given lengths start, and where the last one ends."""
    out = np.zeros(len(lengths) + 1, lengths.dtype)
    np.cumsum(lengths, out=out[1:])
    return out


def _from_rowids_infer(s: Shapes) -> list[Dims]:
    rows = s.value(1)
    return [(None if rows is None else int(rows) + 1,)]


@op("SplitsFromRowids", "rowids:Index, nrows:Index -> Index", infer=_from_rowids_infer, lower=REFUSES_VALUES)
def splits_from_rowids(xp, rowids, nrows):
    """The row partition in which value i belongs to row `rowids[i]`."""
    ids = np.asarray(rowids)
    if ids.ndim != 1:
        raise ValueError(f"value_rowids must be a vector, got shape {list(ids.shape)}")
    if ids.size and (np.diff(ids) < 0).any():
        raise ValueError("value_rowids must be sorted: values of one row stand together, rows in order")
    if ids.size and (ids[0] < 0 or ids[-1] >= nrows):
        raise ValueError(f"value_rowids must lie in [0, nrows = {int(nrows)}), got {ids[0]}..{ids[-1]}")
    return splits_of(np.bincount(ids, minlength=int(nrows)).astype(ids.dtype))


@op(
    "RowsByNumber",
    "rowids:Index, nrows:Index -> Index, Index",
    ranks={"rowids": 1, "nrows": 0},
    infer=lambda s: [s.dims[0], *_from_rowids_infer(s)],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def rows_by_number(xp, rowids, nrows):
    """Values numbered in any order as rows: (the values in the order of their rows, the partition)."""
    if rowids.size and rowids.min() < 0:
        raise ValueError(f"partitions must be non-negative, got {rowids.min()}")
    if rowids.size and rowids.max() >= nrows:
        raise ValueError(f"partitions must be less than num_partitions, {int(nrows)}; got {rowids.max()}")
    lengths = np.bincount(rowids, minlength=int(nrows)).astype(rowids.dtype)
    return [np.argsort(rowids, kind="stable").astype(rowids.dtype), splits_of(lengths)]


@op(
    "SplitEnds",
    "size:Index, parts:Index -> Index",
    infer=lambda s: [(s.attrs["num"] + 1,)],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def split_ends(xp, size, parts, *, num):
    """Where the first of `num` parts of a dimension starts, and where each ends; `parts` is their number, or sizes."""
    if np.ndim(parts) > 1 or (np.ndim(parts) and np.size(parts) != num):
        raise ValueError(f"sizes of shape {list(np.shape(parts))} are inconsistent with num={num}")
    sizes = parts if np.ndim(parts) else np.full(num, size // num, np.asarray(size).dtype)
    if np.min(sizes, initial=0) < 0:
        raise ValueError(f"the sizes to split into must be non-negative, got {sizes.tolist()}")
    if np.sum(sizes) != size:
        into = f"sizes {sizes.tolist()}" if np.ndim(parts) else f"{num} parts"
        raise ValueError(f"Cannot exactly split a dimension of size {int(size)} into {into}")
    return splits_of(sizes)


@op("RowidsFromSplits", "splits:Index -> Index", ranks={"splits": 1}, infer=lambda s: [(None,)])
def rowids_from_splits(xp, splits):
    """For each value the row it belongs to."""
    array = np.asarray(splits)
    if not array.size:
        raise ValueError("row splits hold at least one number, got none")
    return np.repeat(np.arange(array.size - 1, dtype=array.dtype), np.diff(array))


@op(
    "RowGather",
    "splits:Index, rows:Index -> Index, Index",
    infer=lambda s: [_shifted(s.dims[1], 1), (None,)],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def row_gather(xp, splits, rows):
    """The partition of the chosen rows, and the positions of their values."""
    ends, chosen = np.asarray(splits), np.asarray(rows)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= ends.size - 1):
        k = int(np.argmax((chosen < 0) | (chosen >= ends.size - 1)))
        raise ValueError(f"indices[{k}] = {chosen[k]} is not in [0, {ends.size - 1}), the rows that there are")
    return _picked(ends[:-1][chosen], ends[1:][chosen] - ends[:-1][chosen], np.ones(chosen.size, ends.dtype))


OPEN = np.iinfo(np.int64).min
"""A bound of a slice that is left out."""


@op(
    "RowSlice",
    "splits:Index, start:int64, stop:int64, step:int64 -> Index, Index",
    infer=lambda s: [s.dims[0], (None,)],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def row_slice(xp, splits, start, stop, step):
    """The partition of every row sliced by `start:stop:step`, and the positions of the values kept."""
    ends = np.asarray(splits)
    whole = slice(*(None if v == OPEN else int(v) for v in (start, stop)), int(step))
    bounds = [whole.indices(int(n)) for n in np.diff(ends)]
    first = ends[:-1] + np.asarray([b[0] for b in bounds], ends.dtype)
    lengths = np.asarray([len(range(*b)) for b in bounds], ends.dtype)
    return _picked(first, lengths, np.asarray([b[2] for b in bounds], ends.dtype))


def _picked(first: Any, lengths: Any, steps: Any) -> list[Any]:
    """(splits, positions) of rows that take `lengths[i]` values from `first[i]` on, `steps[i]` apart."""
    out = splits_of(lengths)
    inside = np.arange(out[-1], dtype=out.dtype) - np.repeat(out[:-1], lengths)
    return [out, np.repeat(first, lengths) + inside * np.repeat(steps, lengths)]


def _range_rows(shapes_of: Sequence[Dims]) -> int | None:
    """The number of rows of ranges with ends of these shapes: scalars are broadcast to every row."""
    sizes = {dims[0] for dims in shapes_of if dims}
    if any(dims is not None and len(dims) > 1 for dims in shapes_of) or len(sizes - {None}) > 1:
        raise ValueError(f"starts, limits, and deltas must have the same shape: got {', '.join(map(str, shapes_of))}")
    if None in shapes_of or sizes == {None}:
        return None
    return 1 if not sizes else next(n for n in sizes if n is not None)


def _range_infer(s: Shapes) -> list[Dims]:
    count = _range_rows(s.dims)
    return [(None if count is None else count + 1,), (None,)]


@op(
    "RaggedRange",
    "starts:T, limits:T, deltas:T -> int64, T",
    types=dtypes.REALS,
    infer=_range_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def ragged_range(xp, starts, limits, deltas):
    """A row of evenly spaced numbers for each start, limit and step."""
    _range_rows([np.shape(v) for v in (starts, limits, deltas)])
    start, limit, delta = np.broadcast_arrays(*(np.atleast_1d(v) for v in (starts, limits, deltas)))
    if (delta == 0).any():
        raise ValueError("Requires delta != 0")
    whole = np.dtype(start.dtype).kind in "iu"
    ends = [v.astype(np.int64) if whole else v for v in (start, limit, delta)]
    counts = np.ceil((ends[1] - ends[0]) / ends[2]).astype(np.float64).clip(0)
    if counts.size and counts.max() > np.iinfo(np.int64).max:
        raise ValueError(f"Requires ((limit - start) / delta) <= {np.iinfo(np.int64).max}, got {counts.max()}")
    counts = counts.astype(np.int64)
    splits = splits_of(counts)
    if whole:
        inside = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
        return [splits, (np.repeat(start, counts) + inside * np.repeat(delta, counts)).astype(start.dtype)]
    numbers = np.repeat(delta, counts)
    numbers[splits[:-1][counts > 0]] = start[counts > 0]
    for begin, end in itertools.pairwise(splits.tolist()):
        np.add.accumulate(numbers[begin:end], out=numbers[begin:end])  # each is the one before and the step
    return [splits, numbers]


@op(
    "RowPositions",
    "splits:Index, rows:Index, at:Index -> Index",
    infer=lambda s: [s.dims[2]],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def row_positions(xp, splits, rows, at):
    """Where in the values number `at[i]` of row `rows[i]` stands."""
    ends, chosen, inside = (np.asarray(v) for v in (splits, rows, at))
    outside = (inside < 0) | (inside >= np.diff(ends)[chosen])
    if outside.any():
        i = int(np.argmax(outside))
        row, length = int(chosen[i]), int(np.diff(ends)[chosen[i]])
        raise ValueError(f"index {int(inside[i])} is not in [0, {length}), the length of row {row}")
    return ends[chosen] + inside


def _broadcast_rows_infer(s: Shapes) -> list[Dims]:
    """The number of rows, known if one operand has more than one; nothing else is known."""
    outermost = [s.dims[i] for i in range(0, len(s.inputs), len(s.inputs) // s.attrs["operands"])]
    sizes = {None if dims is None or len(dims) != 1 else dims[0] for dims in outermost} - {2} or {2}
    row_counts = [size for size in sizes if size is not None]
    return [(min(row_counts, default=None),), *[(None,)] * (s.attrs["num"] - 1)]


@op(
    "BroadcastRows",
    "first:Index, rest:*Index -> *Index",
    infer=_broadcast_rows_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def broadcast_rows(xp, first, rest, *, num, operands, stretches):
    """Row partitions that several nested ones have in common, and for each operand where its values come from.

    Dimensions of size 1 are stretched, if all rows are known to be of one length.

    Args:
      first: the outermost partition of the first operand.
      rest: its other ones, then those of the other operands, equally many of each.
      num: number of results: the common partitions, then a vector of positions for each operand.
      operands: number of operands.
      stretches: per operand and partition whether it may be stretched.
    """
    splits = [first, *rest]
    levels = len(splits) // operands
    own = [[np.asarray(v) for v in splits[i * levels : (i + 1) * levels]] for i in range(operands)]
    counts = {o[0].size - 1 for o in own} - {1} or {1}
    if len(counts) > 1:
        raise ValueError(f"Unable to broadcast: values with {' and '.join(map(str, sorted(counts)))} rows")
    (count,) = counts
    where = [np.arange(count) if o[0].size - 1 == count else np.zeros(count, np.int64) for o in own]
    common = []
    for level in range(levels):
        rows = list(zip(own, where, stretches, strict=True))
        lengths = [np.diff(o[level])[w] for o, w, _ in rows]
        stretched = [bool(may[level] and (np.diff(o[level]) == 1).all()) for o, _, may in rows]
        wanted = next((n for n, free in zip(lengths, stretched, strict=True) if not free), lengths[0])
        for n, free in zip(lengths, stretched, strict=True):
            if not free and not np.array_equal(n, wanted):
                raise ValueError(f"Unable to broadcast: rows of lengths {n.tolist()} and {wanted.tolist()}")
        row = np.repeat(np.arange(wanted.size), wanted)
        common.append(np.concatenate([[0], np.cumsum(wanted)]).astype(splits[0].dtype))
        inside = np.arange(row.size) - common[-1][row]
        where = [
            o[level][:-1][w][row] + (0 if free else inside) for (o, w, _), free in zip(rows, stretched, strict=True)
        ]
    return [*common, *(w.astype(splits[0].dtype) for w in where)]


def _joined_infer(s: Shapes) -> list[Dims]:
    data, ids = s.dims[0], s.dims[1]
    if data is None or ids is None:
        return [None]
    _check_ids(data, ids)
    return [(_static_size(s.value(2)), *data[len(ids) :])]


def _joined(parts: list[bytes], separator: bytes) -> bytes:
    """The parts joined as TensorFlow joins those of a segment: no separator before the first that is not empty."""
    return separator.join(itertools.dropwhile(lambda part: not part, parts))


def _check_ids(data: Any, ids: Any) -> None:
    start = data[: len(ids)]
    if len(start) != len(ids) or any(None not in (a, b) and a != b for a, b in zip(start, ids, strict=True)):
        raise ValueError(f"inputs of shape {list(data)} do not start with segment_ids.shape = {list(ids)}")


@op(
    "UnsortedSegmentJoin",
    "inputs:string, segment_ids:Index, num_segments:Size -> string",
    types={"Size": dtypes.INDEX},
    static=("num_segments",),
    ranks={"num_segments": 0},
    infer=_joined_infer,
    lower=REFUSES_VALUES,
)
@export("strings.unsorted_segment_join", "unsorted_segment_join")
def unsorted_segment_join(xp, inputs, segment_ids, num_segments, *, separator=""):
    """The strings of each segment joined, element by element; a segment without strings is empty.

    Args:
      inputs: strings; the first axes are those of `segment_ids`.
      segment_ids: for each its segment, an integer from 0 on and below `num_segments`.
      num_segments: number of segments of the result.
      separator: separator between the parts.
    """
    if np.ndim(segment_ids) > np.ndim(inputs):
        text = f"Invalid segment_id rank {np.ndim(segment_ids)} for input with {np.ndim(inputs)} dimension(s)"
        raise errors.OutOfRangeError(None, None, text)
    _check_ids(np.shape(inputs), np.shape(segment_ids))
    ids, count = np.asarray(segment_ids).reshape(-1), int(num_segments)
    if (ids >= count).any() or (ids < 0).any():
        raise ValueError(
            f"segment_ids are not allowed to exceed num_segments ({count}) or to have negative values: {ids.tolist()}"
        )
    rest = np.shape(inputs)[np.ndim(segment_ids) :]
    rows = np.asarray(inputs).reshape(ids.size, -1) if ids.size else np.empty((0, int(np.prod(rest))), object)
    out = np.full((count, rows.shape[1]), b"", object)
    for segment in np.unique(ids).tolist():
        out[segment] = [_joined(column, separator.encode()) for column in rows[ids == segment].T.tolist()]
    return out.reshape(count, *rest)


# ---------------------------------------------------------------- padding


def _static_size(value: Any) -> int | None:
    """A size input read while building: None if it is unknown or -1."""
    return None if value is None or int(value) < 0 else int(value)


def _padded_infer(s: Shapes) -> list[Dims]:
    values, all_rows = s.dims[0], _shifted(s.dims[1], -1)
    wanted = s.partial_value(3)
    if wanted is None:
        return [None if values is None else (None, None, *values[1:])]
    shape = s.value(3)
    count = all_rows[0] if all_rows is not None and shape is not None and int(shape[0]) < 0 else wanted[0]
    if values is None:
        return [None]
    sizes = (
        values[1:]
        if len(wanted) < 3
        else tuple(v if w is None else w for v, w in zip(values[1:], wanted[2:], strict=False))
    )
    return [(count, wanted[1], *sizes)]


def _padded_vjp(op, dy):
    splits, default = op.inputs[1:3]
    inner = rows_from_padded(dy, splits)
    rest = math.subtract(dy, padded(inner, splits, array.zeros((), dy.dtype), array.shape(dy)))
    return inner, None, sum_like(rest, default), None


def _check_padding(values: Any, splits: Any, default: tuple[int, ...], wanted: Any) -> None:
    """Refuses a filling or a shape that the rows do not fit into."""
    inner, rank = values.shape[1:], values.ndim + 1
    sizes = f"[{','.join(map(str, wanted.tolist()))}]"
    if not splits.size:
        raise ValueError("ragged splits may not be empty")
    if splits[0]:
        raise ValueError(f"First value of ragged splits must be 0, got {splits[0]}")
    if splits[-1] != len(values):
        raise ValueError(
            f"Final value of ragged splits must match the number of values, {len(values)}; got {splits[-1]}"
        )
    if wanted.size > rank:
        raise ValueError(
            f"rt_input.shape and shape={sizes} are incompatible: rt_input.rank = {rank} but shape.rank = {wanted.size}"
        )
    for i, (have, want) in enumerate(zip(inner, wanted[2:].tolist(), strict=False), 2):
        if want not in (-1, have):
            raise ValueError(
                f"rt_input.shape and shape={sizes} are incompatible: rt_input.shape[{i}] = {have} but "
                f"shape[{i}] = {want}"
            )
    where = f"default_value.shape={list(default)} and rt_input.flat_values.shape={list(values.shape)} are incompatible"
    if len(default) >= values.ndim:
        raise ValueError(
            f"{where}: default_value.rank = {len(default)}  must be less than rt_input.flat_values.rank = {values.ndim}"
        )
    for i in range(-1, -len(default) - 1, -1):
        if default[i] not in (1, inner[i]):
            raise ValueError(
                f"{where}: default_value.shape[{i}] = {default[i]} but rt_input.flat_values.shape[{i}] = {inner[i]}"
            )


@op(
    "RowsToPadded",
    "values:T, splits:Index, default:T, shape:Size -> T",
    types={"Size": dtypes.INDEX},
    infer=_padded_infer,
    vjp=_padded_vjp,
    lower=REFUSES_VALUES,
)
def padded(xp, values, splits, default, shape):
    """Rows as a dense tensor of `shape`, filled up.

    In the shape -1 stands for all rows, for the longest row, or for an inner size, of which the last may be left out.
    """
    ends, wanted = np.asarray(splits), np.asarray(shape)
    lengths = np.diff(ends)
    _check_padding(values, ends, np.shape(default), wanted)
    count, wide = (
        n if n >= 0 else m
        for n, m in zip(wanted[:2].tolist(), (lengths.size, int(lengths.max(initial=0))), strict=True)
    )
    out = np.empty((count, wide, *values.shape[1:]), values.dtype)
    out[...] = default[()] if np.ndim(default) == 0 else default
    row, column = _cells(ends)
    fitting = (row < count) & (column < wide)
    out[row[fitting], column[fitting]] = values[fitting]
    return out


def _cells(splits: Any) -> tuple[Any, Any]:
    """Row and column of every value."""
    row = np.repeat(np.arange(splits.size - 1), np.diff(splits))
    return row, np.arange(splits[-1]) - np.asarray(splits)[row]


def _unpadded_vjp(op, dy):
    size = array.shape(op.inputs[0])
    return padded(dy, op.inputs[1], array.zeros((), dy.dtype), size), None


def _unpadded_infer(s: Shapes) -> list[Dims]:
    return [None if s.dims[0] is None else (None, *s.dims[0][2:])]


@op("PaddedToRows", "dense:T, splits:Index -> T", infer=_unpadded_infer, vjp=_unpadded_vjp, lower=REFUSES_VALUES)
def rows_from_padded(xp, dense, splits):
    """The values of the rows of a dense tensor; zeros where it is narrower or shorter than the rows."""
    row, column = _cells(np.asarray(splits))
    fitting = (row < dense.shape[0]) & (column < dense.shape[1])
    out = np.zeros((row.size, *dense.shape[2:]), dense.dtype)
    if dense.dtype == object:
        out[...] = b""
    out[fitting] = dense[row[fitting], column[fitting]]
    return out
