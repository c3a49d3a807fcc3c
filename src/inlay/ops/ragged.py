"""Rows of different lengths: row partitions, reductions over rows, padding. Values stay one flat tensor.

A row partition is a vector `splits`: row i is `values[splits[i]:splits[i + 1]]`. Gradients flow through `values`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, as_first, some_values
from inlay.eager.declaration import op
from inlay.ops import array, division, math, segments
from inlay.ops.shaping import sum_like
from inlay.types import dtypes
from inlay.types.dtypes import INDEX
from inlay.types.shapes import Dims

I = {"Index": INDEX}  # noqa: E741


def _shifted(dims: Dims, by: int) -> Dims:
    """A vector's shape, `by` longer."""
    size = None if dims is None or len(dims) != 1 else dims[0]
    return (None if size is None else max(size + by, 0),)


# ---------------------------------------------------------------- row partitions


@op(
    "ValidSplits",
    "splits:Index, length:Index -> Index",
    types=I,
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


@op(
    "SameSplits",
    "splits:Index, other:Index -> Index",
    types=I,
    infer=as_first,
    aliases=True,
    refuses=some_values,
)
def same_splits(xp, splits, other):
    """`splits`, refused unless `other` is the same row partition."""
    if not np.array_equal(splits, other):
        raise ValueError(
            f"Inputs must have identical ragged splits: {np.asarray(splits).tolist()} against "
            f"{np.asarray(other).tolist()}"
        )
    return splits


@op(
    "SplitsFromLengths",
    "lengths:Index -> Index",
    types=I,
    infer=lambda s: [_shifted(s.dims[0], 1)],
    refuses=some_values,
)
def splits_from_lengths(xp, lengths):
    """The row partition whose rows have the given lengths."""
    found = np.asarray(lengths)
    if found.ndim != 1:
        raise ValueError(f"row_lengths must be a vector, got shape {list(found.shape)}")
    if found.size and found.min() < 0:
        raise ValueError(f"row_lengths must not be negative: row {int(found.argmin())} has {found.min()}")
    out = np.zeros(found.size + 1, found.dtype)
    np.cumsum(found, out=out[1:])
    return out


def _from_rowids_infer(s: Shapes) -> list[Dims]:
    rows = s.value(1)
    return [(None if rows is None else int(rows) + 1,)]


@op("SplitsFromRowids", "rowids:Index, nrows:Index -> Index", types=I, infer=_from_rowids_infer, refuses=some_values)
def splits_from_rowids(xp, rowids, nrows):
    """The row partition in which value i belongs to row `rowids[i]`."""
    ids = np.asarray(rowids)
    if ids.ndim != 1:
        raise ValueError(f"value_rowids must be a vector, got shape {list(ids.shape)}")
    if ids.size and (np.diff(ids) < 0).any():
        raise ValueError("value_rowids must be sorted: values of one row stand together, rows in order")
    if ids.size and (ids[0] < 0 or ids[-1] >= nrows):
        raise ValueError(f"value_rowids must lie in [0, nrows = {int(nrows)}), got {ids[0]}..{ids[-1]}")
    out = np.zeros(int(nrows) + 1, ids.dtype)
    np.cumsum(np.bincount(ids, minlength=int(nrows)), out=out[1:])
    return out


@op("RowidsFromSplits", "splits:Index -> Index", types=I, infer=lambda s: [(None,)])
def rowids_from_splits(xp, splits):
    """For each value the row it belongs to."""
    found = np.asarray(splits)
    return np.repeat(np.arange(found.size - 1, dtype=found.dtype), np.diff(found))


@op("StableOrder", "x:Index -> Index", types=I, infer=as_first, differentiable=False)
def stable_order(xp, x):
    """The permutation that sorts a vector; equal numbers keep their order."""
    return np.argsort(np.asarray(x), kind="stable").astype(x.dtype)


@op(
    "RowGather",
    "splits:Index, rows:Index -> Index, Index",
    types=I,
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


@op(
    "RowSlice",
    "splits:Index -> Index, Index",
    types=I,
    infer=lambda s: [s.dims[0], (None,)],
    differentiable=False,
)
def row_slice(xp, splits, *, start=None, stop=None, step=None):
    """The partition of every row sliced by `start:stop:step`, and the positions of the values kept."""
    found = np.asarray(splits)
    bounds = [slice(start, stop, step).indices(int(n)) for n in np.diff(found)]
    first = found[:-1] + np.asarray([b[0] for b in bounds], found.dtype)
    lengths = np.asarray([len(range(*b)) for b in bounds], found.dtype)
    return _picked(first, lengths, np.asarray([b[2] for b in bounds], found.dtype))


def _picked(first: Any, lengths: Any, steps: Any) -> list[Any]:
    """(splits, positions) of rows that take `lengths[i]` values from `first[i]` on, `steps[i]` apart."""
    out = np.zeros(lengths.size + 1, lengths.dtype)
    np.cumsum(lengths, out=out[1:])
    inside = np.arange(out[-1], dtype=out.dtype) - np.repeat(out[:-1], lengths)
    return [out, np.repeat(first, lengths) + inside * np.repeat(steps, lengths)]


@op(
    "RaggedRange",
    "starts:T, limits:T, deltas:T -> int64, T",
    types={"T": dtypes.REALS},
    infer=lambda s: [_shifted(s.dims[0] or s.dims[1] or s.dims[2], 1), (None,)],
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
    splits = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    inside = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    return [splits, (np.repeat(start, counts) + inside * np.repeat(delta, counts)).astype(start.dtype)]


# ---------------------------------------------------------------- reductions over rows


def _over_rows(reduce: Any, values: Any, splits: Any) -> Any:
    known = splits.shape[0]
    count = known - 1 if known is not None else math.subtract(array.shape(splits)[0], 1)
    return reduce(values, rowids_from_splits(splits), count)


def row_sum(values: Any, splits: Any) -> Any:
    """The sum of each row; 0 for an empty one."""
    return _over_rows(segments.unsorted_segment_sum, values, splits)


def row_mean(values: Any, splits: Any) -> Any:
    """The mean of each row; NaN for an empty one."""
    return division.real_divide(row_sum(values, splits), row_sum(array.ones_like(values), splits))


def row_max(values: Any, splits: Any) -> Any:
    """The greatest value of each row; the type's least number for an empty one."""
    return _over_rows(segments.unsorted_segment_max, values, splits)


def row_min(values: Any, splits: Any) -> Any:
    """The least value of each row; the type's greatest number for an empty one."""
    return _over_rows(segments.unsorted_segment_min, values, splits)


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
    types={"T": dtypes.ANY, **I},
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


@op(
    "PaddedToRows",
    "dense:T, splits:Index -> T",
    types={"T": dtypes.ANY, **I},
    infer=_unpadded_infer,
    vjp=_unpadded_vjp,
    refuses=some_values,
)
def rows_from_padded(xp, dense, splits):
    """The values of the rows of a dense tensor; zeros where it is narrower or shorter than the rows."""
    row, column = _cells(np.asarray(splits))
    kept = (row < dense.shape[0]) & (column < dense.shape[1])
    out = np.zeros((row.size, *dense.shape[2:]), dense.dtype)
    if dense.dtype == object:
        out[...] = b""
    out[kept] = dense[row[kept], column[kept]]
    return out
