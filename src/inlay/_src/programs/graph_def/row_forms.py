"""Ops of rows and coordinates that TensorFlow lacks, as the ops that they are made of: ragged and sparse tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.core.operation import Operation
from inlay._src.ops import array, division, gathering, joining, math, reductions, scatter, segments
from inlay._src.ops.cumulative import cumsum
from inlay._src.ops.nn import top_k
from inlay._src.ops.ragged import OPEN
from inlay._src.ops.ranges import range_
from inlay._src.ops.shaping import broadcast_to
from inlay._src.ops.stacking import stack
from inlay._src.programs.graph_def.composed_forms import Composition, Unwritten, composed, inline
from inlay._src.programs.graph_def.exporting import FORMS, Scope
from inlay._src.programs.graph_def.several import for_others
from inlay._src.programs.graph_def.wire import Wire


def _rowids(attrs: Mapping[str, Any], splits: Any) -> Any:
    """The rows of values: the cumulative sum of ones at the ends of rows."""
    total = splits[-1:]
    ends = array.reshape(splits[1:-1], [-1, 1])
    ones = array.ones_like(splits[1:-1])
    marks = scatter.scatter_nd(ends, ones, total + 1)
    return cumsum(marks)[:-1]


def _splits_of_lengths(attrs: Mapping[str, Any], lengths: Any) -> Any:
    return joining.concat([array.zeros([1], lengths.dtype), cumsum(lengths)], 0)


def _splits_of_rowids(attrs: Mapping[str, Any], rowids: Any, nrows: Any) -> Any:
    counts = segments.unsorted_segment_sum(array.ones_like(rowids), rowids, nrows)
    return _splits_of_lengths(attrs, counts)


def _repeat_indices(attrs: Mapping[str, Any], repeats: Any, size: Any) -> Any:
    whole = broadcast_to(repeats, array.reshape(size, [1]))
    return math.cast(_rowids(attrs, _splits_of_lengths(attrs, whole)), dtypes.int32)


def _first(attrs: Mapping[str, Any], value: Any, *checked: Any) -> Any:
    """A value whose check is left out, since TensorFlow has no op for it."""
    return array.identity(value)


# ---------------------------------------------------------------- ragged


def _picked(first: Any, lengths: Any, step: Any) -> tuple[Any, Any]:
    """The partition of rows that take `lengths[i]` values from `first[i]` on, and where these values are."""
    splits = _splits_of_lengths({}, lengths)
    row, column = _cells(splits)
    return splits, gathering.gather(first, row) + column * step


def _cells(splits: Any) -> tuple[Any, Any]:
    """The row and the column of every value."""
    splits.set_shape([None])  # whatever is known of it: there is no other rank
    row = _rowids({}, splits)
    row.set_shape([None])
    return row, range_(splits[-1]) - gathering.gather(splits, row)


def _rows_gathered(attrs: Mapping[str, Any], splits: Any, rows: Any) -> tuple[Any, Any]:
    first = gathering.gather(splits[:-1], rows)
    return _picked(first, gathering.gather(splits[1:], rows) - first, array.ones([], splits.dtype))


def _positions(attrs: Mapping[str, Any], splits: Any, rows: Any, at: Any) -> Any:
    """The positions of values; -1, which no op takes as an index, for a value that its row lacks."""
    first = gathering.gather(splits[:-1], rows)
    inside = math.logical_and(at >= 0, at < gathering.gather(splits[1:], rows) - first)
    return array.where(inside, first + at, array.zeros_like(at) - 1)


def _rows_sliced(attrs: Mapping[str, Any], splits: Any, start: Any, stop: Any, step: Any) -> tuple[Any, Any]:
    """Every row sliced as Python slices a list of its length."""
    lengths = math.cast(splits[1:] - splits[:-1], dtypes.int64)
    forward = step > 0
    lowest = array.where(forward, np.int64(0), np.int64(-1)) + array.zeros_like(lengths)
    highest = array.where(forward, lengths, lengths - 1)

    def bound(value: Any, absent: Any) -> Any:
        counted = array.where(value < 0, lengths + value, value + array.zeros_like(lengths))
        return array.where(math.equal(value, OPEN), absent, math.minimum(math.maximum(counted, lowest), highest))

    first = bound(start, array.where(forward, lowest, highest))
    last = bound(stop, array.where(forward, highest, lowest))
    counts = division.floordiv(last - first + step - array.where(forward, np.int64(1), np.int64(-1)), step)
    own = splits.dtype
    begins = splits[:-1] + math.cast(first, own)
    return _picked(begins, math.cast(math.maximum(counts, 0), own), math.cast(step, own))


def _by_number(attrs: Mapping[str, Any], rowids: Any, nrows: Any) -> tuple[Any, Any]:
    order = top_k(-1 - rowids, array.size(rowids)).indices
    return math.cast(order, rowids.dtype), _splits_of_rowids(attrs, rowids, nrows)


def _split_ends(attrs: Mapping[str, Any], size: Any, parts: Any) -> Any:
    """The ends of parts that are of equal sizes, or of those that are passed."""
    if parts.shape.rank is None:
        raise Unwritten
    if parts.shape.rank == 0:
        parts = broadcast_to(division.floordiv(size, attrs["num"]), [attrs["num"]])
    return _splits_of_lengths(attrs, parts)


def _padded(attrs: Mapping[str, Any], values: Any, splits: Any, default: Any, shape: Any) -> Any:
    """Rows put into a matrix of the default, flat; values that do not fit are left out."""
    sizes = math.cast(shape, splits.dtype)
    lengths = splits[1:] - splits[:-1]
    longest = reductions.reduce_max(joining.concat([lengths, array.zeros([1], splits.dtype)], 0))
    count = array.where(sizes[0] < 0, array.size(lengths, out_type=splits.dtype), sizes[0])
    wide = array.where(sizes[1] < 0, longest, sizes[1])
    row, column = _cells(splits)
    fitting = math.logical_and(row < count, column < wide)
    places = gathering.boolean_mask(row * wide + column, fitting)
    inner = array.shape(values, out_type=splits.dtype)[1:]
    whole = broadcast_to(default, joining.concat([stack([count, wide]), inner], 0))
    flat = array.reshape(whole, joining.concat([array.reshape(count * wide, [1]), inner], 0))
    chosen = gathering.boolean_mask(values, fitting)
    put = scatter.tensor_scatter_nd_update(flat, array.expand_dims(places, 1), chosen)
    return array.reshape(put, array.shape(whole))


def _unpadded(attrs: Mapping[str, Any], dense: Any, splits: Any) -> Any:
    """The elements of a matrix where the values of rows stand, and zeros where it is smaller."""
    row, column = _cells(splits)
    sizes = array.shape(dense, out_type=splits.dtype)
    fitting = math.logical_and(row < sizes[0], column < sizes[1])
    cells = gathering.boolean_mask(stack([row, column], 1), fitting)
    empty = array.zeros(joining.concat([array.shape(row, out_type=splits.dtype), sizes[2:]], 0), dense.dtype)
    places = math.cast(array.where(fitting), splits.dtype)
    return scatter.tensor_scatter_nd_update(empty, places, gathering.gather_nd(dense, cells))


# ---------------------------------------------------------------- sparse


def _order(indices: Any) -> Any:
    """The order of coordinates: sorted by the last one, then by the one before it, and so on."""
    rank = indices.shape[1] if indices.shape.rank == 2 else None
    if rank is None:
        raise Unwritten
    count = array.shape(indices)[0]
    order = range_(count)
    for axis in reversed(range(rank)):
        order = gathering.gather(order, top_k(-1 - gathering.gather(indices[:, axis], order), count).indices)
    return order


def _sparse_order(attrs: Mapping[str, Any], indices: Any, shape: Any) -> Any:
    return math.cast(_order(indices), dtypes.int64)


def _sparse_groups(attrs: Mapping[str, Any], indices: Any) -> tuple[Any, Any]:
    """The coordinates in order; each that differs from the one before begins a group."""
    order = _order(indices)
    rows = gathering.gather(indices, order)
    begins = reductions.reduce_any(math.not_equal(rows[1:], rows[:-1]), 1)
    first = array.ones_like(order[:1], dtypes.bool_)
    begins = joining.concat([first, begins], 0)
    numbers = cumsum(math.cast(begins, dtypes.int64)) - 1
    spots = array.expand_dims(order, 1)
    ids = scatter.scatter_nd(spots, numbers, array.shape(order))
    return gathering.boolean_mask(rows, begins), ids


def _values_at(attrs: Mapping[str, Any], dense: Any, indices: Any) -> Any:
    return gathering.gather_nd(dense, indices)


def _box(attrs: Mapping[str, Any], start: Any, size: Any, shape: Any) -> tuple[Any, Any]:
    return array.identity(start), array.identity(size)


def _beside(attrs: Mapping[str, Any], indices: Any, shape: Any, size: Any) -> Any:
    start = array.size(shape) - array.size(size)
    return indices[:, start:] * math.cast(size > 1, dtypes.int64)


def _joined_shape(attrs: Mapping[str, Any], *shapes: Any) -> Any:
    rows, rank = stack(shapes), array.size(shapes[0])
    along = math.equal(range_(rank), division.floormod(attrs["axis"], rank))
    return array.where(along, reductions.reduce_sum(rows, 0), reductions.reduce_max(rows, 0))


# ---------------------------------------------------------------- places in order


def _searched(scope: Scope, node: Operation) -> Wire:
    """The places of values in rows, as TensorFlow finds them in matrices."""
    kind, references = node.inputs[0].dtype, scope.inputs(node)

    def matrix(x: Any) -> Any:
        sizes = array.shape(x)
        return array.reshape(x, stack([reductions.reduce_prod(sizes[:-1]), sizes[-1]]))

    (rows,) = inline(scope, f"{node.name}/rows", matrix, node.inputs[:1], references[:1])
    (values,) = inline(scope, f"{node.name}/values", matrix, node.inputs[1:], references[1:])
    out = node.outputs[0].dtype
    op = "LowerBound" if node.attrs["side"] == "left" else "UpperBound"
    places = scope.extra(f"{node.name}/places", Wire(op, [rows, values], {}, [out]))[0], out
    shape = scope.extra(f"{node.name}/shape", Wire("Shape", [references[1]], {}, [dtypes.int32]))[0], dtypes.int32
    assert kind is rows[1]
    return Wire("Reshape", [places, shape], {}, [out])


_COMPOSED: Mapping[str, Composition] = {
    "PaddedToRows": _unpadded,
    "RepeatIndices": _repeat_indices,
    "RowGather": _rows_gathered,
    "RowPositions": _positions,
    "RowSlice": _rows_sliced,
    "RowidsFromSplits": _rowids,
    "RowsByNumber": _by_number,
    "RowsToPadded": _padded,
    "SameCoordinates": _first,
    "SameSplits": _first,
    "SliceBox": _box,
    "SparseBesideDense": _beside,
    "SparseConcatShape": _joined_shape,
    "SparseGroups": _sparse_groups,
    "SparseOrder": _sparse_order,
    "SparseValuesAt": _values_at,
    "SplitEnds": _split_ends,
    "SplitsFromLengths": _splits_of_lengths,
    "SplitsFromRowids": _splits_of_rowids,
    "ValidSplits": _first,
}
FORMS.update({op: composed(composition) for op, composition in _COMPOSED.items()})
FORMS["SearchSorted"] = for_others(_searched)
