"""Rows of different lengths: row partitions, reductions over rows, padding. Values stay one flat tensor.

A row partition is a vector `splits`: row i is `values[splits[i]:splits[i + 1]]`. Gradients flow through `values`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, as_first, some_values
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import array, math
from inlay.ops.shaping import sum_like
from inlay.types import dtypes
from inlay.types.shapes import Dims


def _shifted(dims: Dims, by: int) -> Dims:
    """A vector's shape, `by` longer."""
    size = None if dims is None or len(dims) != 1 else dims[0]
    return (None if size is None else max(size + by, 0),)


# ---------------------------------------------------------------- row partitions


@op(
    "ValidSplits",
    "splits:Index, length:Index -> Index",
    infer=as_first,
    aliases=True,
    differentiable=False,
    refuses=some_values,
)
def valid_splits(xp, splits, length):
    """`splits`, refused unless it partitions `length` values: it starts with 0, never falls and ends with `length`."""
    found = np.asarray(splits)
    if found.ndim != 1 or not found.size:
        raise ValueError(f"row_splits must be a vector of at least one number, got shape {list(found.shape)}")
    if found[0] != 0:
        raise ValueError(f"row_splits must start with 0, got {found[0]}")
    steps = np.diff(found)
    if (steps < 0).any():
        at = int(np.argmax(steps < 0))
        raise ValueError(f"row_splits must not decrease: row {at} starts at {found[at]} and ends at {found[at + 1]}")
    if found[-1] != length:
        raise ValueError(f"row_splits must end with the number of values, {int(length)}; it ends with {found[-1]}")
    return splits


@op("SameSplits", "splits:Index, other:Index -> Index", infer=as_first, aliases=True, refuses=some_values)
def same_splits(xp, splits, other):
    """`splits`, refused unless `other` is the same row partition."""
    if not np.array_equal(splits, other):
        raise ValueError(
            f"Inputs must have identical ragged splits: {np.asarray(splits).tolist()} against "
            f"{np.asarray(other).tolist()}"
        )
    return splits


@op("SplitsFromLengths", "lengths:Index -> Index", infer=lambda s: [_shifted(s.dims[0], 1)], refuses=some_values)
def splits_from_lengths(xp, lengths):
    """The row partition whose rows have the given lengths."""
    found = np.asarray(lengths)
    if found.ndim != 1:
        raise ValueError(f"row_lengths must be a vector, got shape {list(found.shape)}")
    if found.size and found.min() < 0:
        raise ValueError(f"row_lengths must not be negative: row {int(found.argmin())} has {found.min()}")
    return splits_of(found)


def splits_of(lengths: Any) -> Any:
    """Where rows of the given lengths start, and where the last one ends."""
    out = np.zeros(len(lengths) + 1, lengths.dtype)
    np.cumsum(lengths, out=out[1:])
    return out


def _from_rowids_infer(s: Shapes) -> list[Dims]:
    rows = s.value(1)
    return [(None if rows is None else int(rows) + 1,)]


@op("SplitsFromRowids", "rowids:Index, nrows:Index -> Index", infer=_from_rowids_infer, refuses=some_values)
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


@op("RowidsFromSplits", "splits:Index -> Index", infer=lambda s: [(None,)])
def rowids_from_splits(xp, splits):
    """For each value the row it belongs to."""
    found = np.asarray(splits)
    return np.repeat(np.arange(found.size - 1, dtype=found.dtype), np.diff(found))


@op(
    "RowGather",
    "splits:Index, rows:Index -> Index, Index",
    infer=lambda s: [_shifted(s.dims[1], 1), (None,)],
    differentiable=False,
    refuses=some_values,
)
def row_gather(xp, splits, rows):
    """The partition of the chosen rows, and the positions of their values."""
    found, chosen = np.asarray(splits), np.asarray(rows)
    if chosen.size and (chosen.min() < 0 or chosen.max() >= found.size - 1):
        raise ValueError(
            f"row {int(chosen.min() if chosen.min() < 0 else chosen.max())} is not in [0, {found.size - 1})"
        )
    return _picked(found[:-1][chosen], found[1:][chosen] - found[:-1][chosen], np.ones(chosen.size, found.dtype))


OPEN = np.iinfo(np.int64).min
"""A bound of a slice that is left out."""


@op(
    "RowSlice",
    "splits:Index, start:int64, stop:int64 -> Index, Index",
    infer=lambda s: [s.dims[0], (None,)],
    differentiable=False,
)
def row_slice(xp, splits, start, stop, *, step):
    """The partition of every row sliced by `start:stop:step`, and the positions of the values kept."""
    found = np.asarray(splits)
    whole = slice(*(None if v == OPEN else int(v) for v in (start, stop)), step)
    bounds = [whole.indices(int(n)) for n in np.diff(found)]
    first = found[:-1] + np.asarray([b[0] for b in bounds], found.dtype)
    lengths = np.asarray([len(range(*b)) for b in bounds], found.dtype)
    return _picked(first, lengths, np.asarray([b[2] for b in bounds], found.dtype))


def _picked(first: Any, lengths: Any, steps: Any) -> list[Any]:
    """(splits, positions) of rows that take `lengths[i]` values from `first[i]` on, `steps[i]` apart."""
    out = splits_of(lengths)
    inside = np.arange(out[-1], dtype=out.dtype) - np.repeat(out[:-1], lengths)
    return [out, np.repeat(first, lengths) + inside * np.repeat(steps, lengths)]


def _ragged_range_infer(s: Shapes) -> list[Dims]:
    vectors = [d for d in s.dims if d != ()]
    return [_shifted(next((d for d in vectors if d and d[0] is not None), None), 1) if vectors else (2,), (None,)]


@op(
    "RaggedRange",
    "starts:T, limits:T, deltas:T -> int64, T",
    types=dtypes.REALS,
    infer=_ragged_range_infer,
    differentiable=False,
    refuses=some_values,
)
def ragged_range(xp, starts, limits, deltas):
    """A row of evenly spaced numbers for each start, limit and step."""
    start, limit, delta = np.broadcast_arrays(*(np.atleast_1d(v) for v in (starts, limits, deltas)))
    if (delta == 0).any():
        raise ValueError("Requires delta != 0")
    wide = np.float64 if np.dtype(start.dtype).kind not in "iu" else np.int64
    counts = np.ceil((limit.astype(wide) - start.astype(wide)) / delta.astype(wide)).astype(np.int64).clip(0)
    splits = splits_of(counts)
    inside = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    return [splits, (np.repeat(start, counts) + inside * np.repeat(delta, counts)).astype(start.dtype)]


@op(
    "RowPositions",
    "splits:Index, rows:Index, at:Index -> Index",
    infer=lambda s: [s.dims[2]],
    differentiable=False,
    refuses=some_values,
)
def row_positions(xp, splits, rows, at):
    """Where in the values number `at[i]` of row `rows[i]` stands."""
    found, chosen, inside = (np.asarray(v) for v in (splits, rows, at))
    outside = (inside < 0) | (inside >= np.diff(found)[chosen])
    if outside.any():
        i = int(np.argmax(outside))
        row, length = int(chosen[i]), int(np.diff(found)[chosen[i]])
        raise ValueError(f"index {int(inside[i])} is not in [0, {length}), the length of row {row}")
    return found[chosen] + inside


@op(
    "BroadcastRows",
    "first:Index, rest:*Index -> *Index",
    infer=lambda s: [(None,)] * s.attrs["num"],
    differentiable=False,
    refuses=some_values,
)
def broadcast_rows(xp, first, rest, *, num, operands, stretches):
    """Row partitions that several nested ones have in common, and for each operand where its values come from.

    Dimensions of size 1 are stretched, if all rows are known to be of one length.

    Args:
      first: the outermost partition of the first operand.
      rest: its other ones, then those of the other operands, equally many of each.
      num: how many results there are: the common partitions, then a vector of positions for each operand.
      operands: how many operands.
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


@op(
    "UnsortedSegmentJoin",
    "inputs:string, segment_ids:Index, num_segments:Size -> string",
    types={"Size": dtypes.INDEX},
    static=("num_segments",),
    infer=lambda s: [(_known(s.value(2)),)],
    refuses=some_values,
)
@export("strings.unsorted_segment_join")
def unsorted_segment_join(xp, inputs, segment_ids, num_segments, *, separator=""):
    """The strings of each segment joined; a segment without strings is empty.

    Args:
      inputs: a vector of strings.
      segment_ids: for each its segment, an integer below `num_segments`.
      num_segments: how many strings the result has.
      separator: what stands between the parts.
    """
    parts: list[list[bytes]] = [[] for _ in range(int(num_segments))]
    for text, segment in zip(inputs.tolist(), segment_ids.tolist(), strict=True):
        parts[segment].append(text)
    out = np.empty(len(parts), object)
    out[:] = [separator.encode().join(p) for p in parts]
    return out


# ---------------------------------------------------------------- padding


def _known(value: Any) -> int | None:
    """A size input read while building: None if it is unknown or -1."""
    return None if value is None or int(value) < 0 else int(value)


def _padded_infer(s: Shapes) -> list[Dims]:
    values, all_rows = s.dims[0], _shifted(s.dims[1], -1)
    if values is None:
        return [None]
    rows, width = s.value(3), s.value(4)
    count = all_rows[0] if all_rows is not None and rows is not None and int(rows) < 0 else _known(rows)
    return [(count, _known(width), *values[1:])]


def _padded_vjp(op, dy):
    splits, default = op.inputs[1:3]
    inner = rows_from_padded(dy, splits)
    size = array.shape(dy)
    rest = math.subtract(dy, padded(inner, splits, array.zeros((), dy.dtype), size[0], size[1]))
    return inner, None, sum_like(rest, default), None, None


@op(
    "RowsToPadded",
    "values:T, splits:Index, default:T, rows:int32, width:int32 -> T",
    infer=_padded_infer,
    vjp=_padded_vjp,
    refuses=some_values,
)
def padded(xp, values, splits, default, rows, width):
    """Rows as a dense tensor of `rows` rows (-1: all) and `width` columns (-1: the longest row), filled up."""
    found = np.asarray(splits)
    lengths = np.diff(found)
    wide = int(width) if int(width) >= 0 else int(lengths.max(initial=0))
    count = int(rows) if int(rows) >= 0 else lengths.size
    out = np.empty((count, wide, *values.shape[1:]), values.dtype)
    out[...] = default[()] if np.ndim(default) == 0 else default
    row, column = _cells(found)
    kept = (row < count) & (column < wide)
    out[row[kept], column[kept]] = values[kept]
    return out


def _cells(splits: Any) -> tuple[Any, Any]:
    """Row and column of every value."""
    row = np.repeat(np.arange(splits.size - 1), np.diff(splits))
    return row, np.arange(splits[-1]) - np.asarray(splits)[row]


def _unpadded_vjp(op, dy):
    size = array.shape(op.inputs[0])
    return padded(dy, op.inputs[1], array.zeros((), dy.dtype), size[0], size[1]), None


def _unpadded_infer(s: Shapes) -> list[Dims]:
    return [None if s.dims[0] is None else (None, *s.dims[0][2:])]


@op("PaddedToRows", "dense:T, splits:Index -> T", infer=_unpadded_infer, vjp=_unpadded_vjp, refuses=some_values)
def rows_from_padded(xp, dense, splits):
    """The values of the rows of a dense tensor; zeros where it is narrower or shorter than the rows."""
    row, column = _cells(np.asarray(splits))
    kept = (row < dense.shape[0]) & (column < dense.shape[1])
    out = np.zeros((row.size, *dense.shape[2:]), dense.dtype)
    if dense.dtype == object:
        out[...] = b""
    out[kept] = dense[row[kept], column[kept]]
    return out
