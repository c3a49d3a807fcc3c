"""Sparse tensors: coordinates, values and a dense shape. Gradients flow through the values."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES, LoweringHints, some_values
from inlay._src.core.opdef import Shapes, as_first, no_gradient
from inlay._src.ops import array, math, scatter
from inlay._src.ops.shaping import sum_like


def _where(indices: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The coordinates as one index array per axis, checked against the shape."""
    rows = np.asarray(indices)
    if rows.ndim != 2 or rows.shape[1] != len(shape):
        raise ValueError(
            f"indices must have shape [n, {len(shape)}] for dense shape {list(shape)}, got {list(rows.shape)}"
        )
    outside = (rows < 0) | (rows >= np.asarray(shape, np.int64))
    if outside.any():
        at = int(np.argmax(outside.any(axis=1)))
        raise ValueError(f"indices[{at}] = {rows[at].tolist()} is out of bounds: need 0 <= index < {list(shape)}")
    return tuple(rows.T)


def _flat(where: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """The positions of coordinates among the elements in order; NumPy itself takes at most 63 index arrays."""
    flat = where[0]
    for at, size in zip(where[1:], shape[1:], strict=True):
        flat = flat * size + at
    return flat


def _dense_infer(s: Shapes) -> list[Dims]:
    return [s.partial_value(1)]


def _dense_vjp(op, dy):
    indices, shape, _, default = op.inputs
    inner = values_at(dy, indices)
    rest = math.subtract(dy, sparse_to_dense(indices, shape, inner, array.zeros((), dy.dtype)))
    return None, None, inner, sum_like(rest, default)


@op(
    "SparseToDense",
    "sparse_indices:int64, output_shape:int64, sparse_values:T, default_value:T -> T",
    ranks={"output_shape": 1, "sparse_values": 1, "default_value": 0},
    infer=_dense_infer,
    vjp=_dense_vjp,
    lower=REFUSES_VALUES,
)
def sparse_to_dense(xp, sparse_indices, output_shape, sparse_values, default_value, *, validate_indices=True):
    """A dense tensor with the values at their coordinates and a default elsewhere."""
    if np.ndim(output_shape) != 1:
        raise ValueError(f"output_shape must be rank 1, got shape {list(np.shape(output_shape))}")
    if np.shape(sparse_values) != np.shape(sparse_indices)[:1]:
        wanted = list(np.shape(sparse_indices)[:1])
        raise ValueError(f"sparse_values has incorrect shape {list(np.shape(sparse_values))}, should be [] or {wanted}")
    if np.ndim(default_value):
        raise ValueError(f"default_value should be a scalar, got shape {list(np.shape(default_value))}")
    shape = tuple(np.asarray(output_shape).tolist())
    where = _where(sparse_indices, shape)
    if validate_indices and len(sparse_indices) > 1:
        steps = np.diff(_flat(where, shape) if shape else np.zeros(len(sparse_indices)))
        if (steps <= 0).any():
            at = int(np.argmax(steps <= 0)) + 1
            what = "repeated" if steps[at - 1] == 0 else "out of order"
            raise ValueError(
                f"indices[{at}] = {np.asarray(sparse_indices)[at].tolist()} is {what}; many sparse ops require sorted "
                "indices: use tf.sparse.reorder to create a correctly ordered copy."
            )
    out = np.empty(shape, sparse_values.dtype)
    out[...] = default_value[()]
    if shape:
        out.reshape(-1)[_flat(where, shape)] = sparse_values
    elif len(sparse_values):
        out[...] = sparse_values[0]
    return out


def _values_vjp(op, dy):
    spread = sparse_to_dense(op.inputs[1], array.shape(op.inputs[0], dtypes.int64), dy, array.zeros((), dy.dtype))
    return spread, None


@op(
    "SparseValuesAt",
    "dense:T, indices:int64 -> T",
    infer=lambda s: [(None if s.dims[1] is None else s.dims[1][0],)],
    vjp=_values_vjp,
    lower=REFUSES_VALUES,
)
def values_at(xp, dense, indices):
    """The elements of a dense tensor at coordinates."""
    shape = np.shape(dense)
    where = _where(indices, shape)
    if not where:
        return np.full(len(indices), dense)
    return np.asarray(dense).reshape(-1)[_flat(where, shape)]


@op(
    "SparseOrder",
    "indices:int64, shape:int64 -> int64",
    infer=lambda s: [None if s.dims[0] is None else s.dims[0][:1]],
    lower=REFUSES_VALUES,
)
def sparse_order(xp, indices, shape):
    """The permutation that sorts coordinates row by row."""
    where = _where(indices, tuple(np.asarray(shape).tolist()))
    return np.lexsort(tuple(reversed(where))).astype(np.int64)


@op(
    "SparseGroups",
    "indices:int64 -> int64, int64",
    infer=lambda s: [(None, None if s.dims[0] is None else s.dims[0][1]), None if s.dims[0] is None else s.dims[0][:1]],
    vjp=no_gradient,
)
def sparse_groups(xp, indices):
    """The different coordinates, in order, and for each of the given ones its number among them."""
    coordinates = np.asarray(indices)
    if not coordinates.size:  # no coordinates, or those of scalars, which are all the same
        return [coordinates[:1], np.zeros(coordinates.shape[0], np.int64)]
    rows, ids = np.unique(coordinates, axis=0, return_inverse=True)
    return [rows, ids.reshape(-1).astype(np.int64)]


@op(
    "SparseBesideDense",
    "indices:int64, shape:int64, size:int64 -> int64",
    infer=lambda s: [(None if s.dims[0] is None else s.dims[0][0], _size(s.dims[2]))],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def beside_dense(xp, indices, shape, size):
    """Where a dense tensor of shape `size`, broadcast to a sparse one, has the elements at that one's coordinates."""
    have, want = (np.asarray(v).tolist() for v in (size, shape))
    start = len(want) - len(have)
    if start < 0 or any(h not in (1, w) for h, w in zip(have, want[start:], strict=True)):
        raise ValueError(
            f"SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: {want} vs. {have}"
        )
    return np.asarray(indices)[:, start:] * (np.asarray(size) > 1)


def _reshaped_infer(s: Shapes) -> list[Dims]:
    old, new = s.value(1), s.value(2)
    if old is not None and new is not None and min(new, default=0) >= 0 and prod(old.tolist()) != prod(new.tolist()):
        raise ValueError(
            f"Cannot reshape a tensor with {prod(old.tolist())} elements to shape {new.tolist()} "
            f"({prod(new.tolist())} elements)."
        )
    return [(None if s.dims[0] is None else s.dims[0][0], _size(s.dims[2])), s.dims[2] or (None,)]


@op(
    "SparseReshape",
    "indices:int64, shape:int64, new_shape:int64 -> int64, int64",
    ranks={"indices": 2, "shape": 1, "new_shape": 1},
    infer=_reshaped_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def reshaped(xp, indices, shape, new_shape):
    """Coordinates in a tensor of another shape, and that shape, one of whose sizes may be given as -1."""
    old, new = (tuple(np.asarray(v).tolist()) for v in (shape, new_shape))
    count = prod(old)
    product = prod(size for size in new if size >= 0)
    if new.count(-1) == 1 and product and count % product == 0:
        new = tuple(count // product if size < 0 else size for size in new)
    if min(new, default=0) < 0 or prod(new) != count:
        raise ValueError(f"Input to reshape is a tensor with {count} dense values, but the requested shape has {new}")
    flat = np.ravel_multi_index(_where(indices, old), old) if old else np.zeros(len(indices), np.int64)
    where = np.unravel_index(flat, new) if new else ()
    return [np.asarray(where, np.int64).reshape(len(new), len(flat)).T, np.asarray(new, np.int64)]


@op(
    "SliceBox",
    "start:int64, size:int64, shape:int64 -> int64, int64",
    infer=lambda s: [s.dims[2], s.dims[2]],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def box(xp, start, size, shape):
    """Where a box begins that is cut out of a tensor of a shape, and its sizes."""
    for vector, what in ((start, "start"), (size, "size")):
        if np.shape(vector) != np.shape(shape):
            raise ValueError(
                f"Expected {what} to be a vector of length {len(shape)}, got shape {list(np.shape(vector))}"
            )
    if np.min(size, initial=0) < 0:
        raise ValueError(f"Expected a non-negative size, got {np.asarray(size).tolist()}")
    return [start, size]


def _size(dims: Dims) -> int | None:
    return None if dims is None else dims[0]


def _filled_infer(s: Shapes) -> list[Dims]:
    shape = s.partial_value(2)
    return [(None, _size(s.dims[2])), (None,), (None if shape is None else shape[0],), s.dims[1]]


def _filled_vjp(op, _, dy, *__):
    mine, rest = filled_gradients(op.outputs[3], dy)
    return None, mine, None, rest


def _parted_infer(s: Shapes) -> list[Dims]:
    for dims in s.dims:
        if dims is not None and len(dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    return [s.dims[0], ()]


def _parted_vjp(op, mine, rest):
    reverse, dy = op.inputs
    whole = array.fill(array.shape(dy), rest)
    return None, scatter.tensor_scatter_nd_update(whole, array.expand_dims(reverse, 1), mine)


@op(
    "SparseFillEmptyRowsGrad",
    "reverse_index_map:int64, grad_values:T -> T, T",
    infer=_parted_infer,
    vjp=_parted_vjp,
    lower=REFUSES_VALUES,
)
def filled_gradients(xp, reverse_index_map, grad_values):
    """The gradients of what `SparseFillEmptyRows` was given: of the values, and of the default.

    Args:
      reverse_index_map: the places at which the values were put.
      grad_values: the gradient of the values that came of it.
    """
    places, gradient = np.asarray(reverse_index_map), np.asarray(grad_values)
    if places.ndim != 1:
        raise ValueError(f"reverse_index_map must be a vector, saw: {list(places.shape)}")
    if gradient.ndim != 1:
        raise ValueError(f"grad_values must be a vector, saw: {list(gradient.shape)}")
    outside = (places < 0) | (places >= len(gradient))
    if outside.any():
        raise ValueError(f"Elements in reverse index must be in [0, {len(gradient)}) but got {places[outside][0]}")
    others = np.ones(len(gradient), bool)
    others[places] = False
    return gradient[places], gradient[others].sum(dtype=gradient.dtype)


@op(
    "SparseFillEmptyRows",
    "indices:int64, values:T, dense_shape:int64, default_value:T -> int64, T, bool, int64",
    infer=_filled_infer,
    vjp=_filled_vjp,
    lower=REFUSES_VALUES,
    ranks={"indices": 2, "values": 1, "dense_shape": 1, "default_value": 0},
)
def fill_empty_rows(xp, indices, values, dense_shape, default_value):
    """Coordinates and values row by row, with a default at the start of rows without any.

    A mask of those rows and the new places of the values are returned too.
    """
    rows, entry_rows = int(np.asarray(dense_shape)[0]), np.asarray(indices)[:, 0]
    if np.ndim(default_value):
        raise ValueError(f"default_value must be a scalar, got shape {list(np.shape(default_value))}")
    outside = (entry_rows < 0) | (entry_rows >= rows)
    if outside.any():
        at = int(np.argmax(outside))
        raise ValueError(f"indices({at}, 0) is invalid: {entry_rows[at]} is not in [0, {rows})")
    empty = np.bincount(entry_rows, minlength=rows) == 0
    new = np.zeros((int(empty.sum()), np.shape(indices)[1]), np.int64)
    new[:, 0] = np.flatnonzero(empty)
    order = np.argsort(np.concatenate([entry_rows, new[:, 0]]), kind="stable")
    added = np.full(len(new), np.asarray(default_value)[()], values.dtype)
    return [
        np.concatenate([indices, new])[order],
        np.concatenate([values, added])[order],
        empty,
        np.argsort(order)[: len(entry_rows)].astype(np.int64),
    ]


@op(
    "SparseConcatShape",
    "first:int64, rest:*int64 -> int64",
    infer=lambda s: [s.dims[0]],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def concat_shape(xp, first, rest, *, axis, expand):
    """The dense shape of sparse tensors joined along an axis; `expand`: other sizes may differ, the largest counts."""
    rows = np.stack([first, *rest])
    others = np.delete(rows, axis, axis=1)
    if not expand and (others != others[0]).any():
        raise ValueError(f"sparse tensors of shapes {rows.tolist()} cannot be joined along axis {axis}")
    out = rows.max(axis=0)
    out[axis] = rows[:, axis].sum()
    return out


@op(
    "SameCoordinates",
    "indices:int64, other:int64 -> int64",
    infer=as_first,
    lower=LoweringHints(aliases=True, refuses=some_values),
)
def same_coordinates(xp, indices, other):
    """`indices` (or a dense shape), refused unless `other` is the same."""
    if not np.array_equal(indices, other):
        raise ValueError(
            f"sparse tensors do not go together: {np.asarray(indices).tolist()} against {np.asarray(other).tolist()}"
        )
    return indices


def _distance(first: list[Any], second: list[Any]) -> int:
    """The edit distance of two sequences: insertions, deletions and replacements."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        before, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def _sequences(indices: Any, values: Any) -> dict[tuple[int, ...], list[Any]]:
    """The values of each row, by its coordinates."""
    rows: dict[tuple[int, ...], list[Any]] = {}
    for at, value in zip(np.asarray(indices).tolist(), np.asarray(values).tolist(), strict=True):
        rows.setdefault(tuple(at[:-1]), []).append(value)
    return rows


def _distances_infer(s: Shapes) -> list[Dims]:
    """The greater of the sizes before the last axis; their number, where only that is known."""
    sizes = [s.value(2), s.value(5)]
    if all(v is not None for v in sizes) and len({np.size(v) for v in sizes}) == 1:
        return [tuple(np.maximum(*sizes)[:-1].tolist())]
    ranks = {n for dims in (s.dims[2], s.dims[5]) for n in dims or () if n is not None}
    if len(ranks) == 2:
        raise ValueError(f"hypothesis_shape and truth_shape have different lengths: {sorted(ranks)}")
    return [(None,) * (ranks.pop() - 1) if len(ranks) == 1 else None]


@op(
    "EditDistance",
    "hypothesis_indices:int64, hypothesis_values:T, hypothesis_shape:int64, truth_indices:int64, truth_values:T, "
    "truth_shape:int64 -> float32",
    types=dtypes.DENSE,
    infer=_distances_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
    ranks={
        "hypothesis_indices": 2,
        "hypothesis_values": 1,
        "hypothesis_shape": 1,
        "truth_indices": 2,
        "truth_values": 1,
        "truth_shape": 1,
    },
)
def edit_distances(
    xp,
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    *,
    normalize=True,
):
    """The edit distance between corresponding rows of two sparse tensors."""
    ranks = np.size(hypothesis_shape), np.size(truth_shape)
    if ranks[0] != ranks[1] or ranks[0] < 2:
        raise ValueError(f"hypothesis and truth must have one rank of at least 2, got ranks {ranks[0]} and {ranks[1]}")
    out = np.zeros(np.maximum(hypothesis_shape, truth_shape)[:-1], np.float32)
    first, second = _sequences(hypothesis_indices, hypothesis_values), _sequences(truth_indices, truth_values)
    for at in {*first, *second}:
        a, b = first.get(at, []), second.get(at, [])
        distance = float(_distance(a, b))
        out[at] = distance if not normalize else distance / len(b) if b else np.inf
    return out
