"""Order: sorting, searching in sorted rows, unique elements."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DENSE, NUMBERS, REALS
from inlay._src.base.types.shapes import Dims, bracketed
from inlay._src.core.eager.attributes import whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, as_first, no_gradient, of_ranks
from inlay._src.core.signature import INDEX_DTYPE
from inlay._src.core.tensor import Tensor
from inlay._src.ops.gathering import added_at
from inlay._src.ops.shaping import along_axis, axis_of, wide

# ---------------------------------------------------------------- sorting


@op(
    "TakeAlongAxis",
    "input:T, indices:Index -> T",
    infer=lambda s: [s.dims[1]],
    vjp=lambda op, dy: (put_along_axis(op.inputs[0], op.inputs[1], dy, axis=op.attrs["axis"]), None),
)
def _take_along_axis(xp, input, indices, *, axis):
    """`input[..., indices[..., i, ...], ...]` along one axis."""
    return xp.take_along_axis(input, indices, axis=axis)


@op(
    "PutAlongAxis",
    "like:T, indices:Index, dy:T -> T",
    types=NUMBERS,
    infer=as_first,
    vjp=lambda op, ddx: (None, None, _take_along_axis(ddx, op.inputs[1], axis=op.attrs["axis"])),
)
def put_along_axis(xp, like, indices, dy, *, axis):
    """Zeros shaped like `like` with `dy` added at `indices` along one axis."""
    where: list[Any] = list(np.indices(np.shape(indices), sparse=True))
    where[axis] = indices
    return added_at(xp, np.shape(like), tuple(where), dy)


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: {direction}")
    return direction == "DESCENDING"


@op("ArgSort", "values:T -> int32", types=REALS, infer=along_axis, vjp=no_gradient)
def _argsort(xp, values, *, axis=-1, descending=False):
    """The indices that sort a tensor along an axis; equal elements keep their order."""
    return _order(xp, values, axis_of(axis, np.ndim(values)), descending).astype(np.int32)


def _order(xp: Any, values: Any, axis: int, descending: bool) -> Any:
    values = wide(values)  # NumPy does not know where to put a NaN of bfloat16
    if not descending:
        return xp.argsort(values, axis=axis, stable=True)
    order = xp.argsort(xp.flip(values, axis=axis), axis=axis, stable=True)
    return np.shape(values)[axis] - 1 - xp.flip(order, axis=axis)


def _sort_vjp(op, dy):
    x = op.inputs[0]
    return put_along_axis(x, _argsort(x, **op.attrs), dy, axis=op.attrs["axis"])


@op("Sort", "values:T -> T", types=REALS, infer=along_axis, vjp=_sort_vjp)
def _sort(xp, values, *, axis=-1, descending=False):
    """The elements in order along an axis; equal ones keep their order, as 0 and -0 show."""
    axis = axis_of(axis, np.ndim(values))
    if xp is not np:
        return xp.take_along_axis(values, _order(xp, values, axis, descending), axis)
    quick = values.dtype.itemsize <= 2 and values.dtype.kind in "iu"  # then NumPy has a stable sort that is quicker
    ordered = np.sort(wide(values), axis=axis, kind="stable" if quick else None).astype(values.dtype, copy=False)
    if descending:
        ordered = np.flip(ordered, axis).copy()
    if values.dtype.kind not in "iu":
        source, zeros = np.moveaxis(values, axis, -1), np.moveaxis(ordered, axis, -1)
        chosen = source[source == 0]
        if np.signbit(chosen).any():
            zeros[zeros == 0] = chosen  # in each row as many, in their order
    return ordered


@export("argsort")
def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices, int32, that sort a tensor along an axis.

    Args:
      values: numbers.
      axis: the axis.
      direction: "ASCENDING" or "DESCENDING".
      stable: accepted; equal elements always keep their order.
      name: the node's name.
    """
    return _argsort(values, axis=whole(axis, "axis"), descending=_descending(direction), name=name)


@export("sort")
def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements in order along an axis.

    Args:
      values: numbers.
      axis: the axis.
      direction: "ASCENDING" or "DESCENDING".
      name: the node's name.
    """
    return _sort(values, axis=whole(axis, "axis"), descending=_descending(direction), name=name)


def _search_infer(s: Shapes) -> list[Dims]:
    return [s.dims[1]]


@op(
    "SearchSorted",
    "sorted_sequence:T, values:T -> out_type",
    types=REALS,
    attrs={"out_type": INDEX_DTYPE},
    infer=_search_infer,
    vjp=no_gradient,
)
def _searchsorted(xp, sorted_sequence, values, *, side, out_type):
    """Where values would be inserted."""
    if not np.ndim(sorted_sequence) or not np.ndim(values):
        raise ValueError("slice index -1 of dimension 0 out of bounds: a sequence and values have an axis at least")
    if math.prod(np.shape(sorted_sequence)[:-1]) != math.prod(np.shape(values)[:-1]):
        raise ValueError(
            f"Leading dim_size of both tensors must match: {list(np.shape(sorted_sequence))}, {list(np.shape(values))}"
        )
    count = math.prod(np.shape(values)[:-1])
    rows = xp.reshape(sorted_sequence, (count, np.shape(sorted_sequence)[-1]))
    wanted = xp.reshape(values, (count, np.shape(values)[-1]))
    places = [xp.searchsorted(r, v, side=side) for r, v in zip(rows, wanted, strict=True)]
    return xp.reshape(xp.stack(places) if places else wanted, np.shape(values)).astype(out_type.np)


@export("searchsorted")
def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Where each value would be inserted to keep the last axis in order.

    Args:
      sorted_sequence: numbers in ascending order along the last axis.
      values: numbers; all axes but the last as in `sorted_sequence`.
      side: "left" (before equal elements) or "right".
      out_type: int32 or int64.
      name: the node's name.
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right'. Saw: {side}.")
    sorted_sequence = convert_to_tensor(sorted_sequence)
    kind = dtypes.as_dtype(out_type)
    return _searchsorted(
        sorted_sequence, convert_to_tensor(values, sorted_sequence.dtype), side=side, out_type=kind, name=name
    )


# ---------------------------------------------------------------- unique


def _first_seen(x: Any) -> tuple[np.ndarray, np.ndarray]:
    """(elements in order of first sight, the number of each element of x)."""
    x = np.asarray(x)
    if x.ndim != 1:
        raise ValueError(f"unique expects a 1D vector, got shape {list(x.shape)}")
    if x.dtype == object:
        return _first_seen_strings(x)
    if x.dtype.kind in "iu" and x.size:
        low, span = int(x.min()), int(x.max()) - int(x.min()) + 1
        if span <= 4 * x.size + 1024:
            number = x.astype(np.int64) if x.dtype.itemsize < 8 else x
            number = (number - x.dtype.type(low)).view(np.int64) if low else number.view(np.int64)
            few = span <= max(x.size // 16, 1024)
            return (_first_seen_of_few if few else _first_seen_near)(x, number, span)
    _, first, inverse = np.unique(x, return_index=True, return_inverse=True, equal_nan=False)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return x[first[order]], place[inverse.reshape(-1)]


def _first_seen_near(x: np.ndarray, number: np.ndarray, span: int) -> tuple[np.ndarray, np.ndarray]:
    """`_first_seen` of integers that are not far apart, given as numbers below `span`: by a table, without sorting."""
    here = np.arange(x.size)
    table = np.empty(span, np.int64)
    table[number[::-1]] = here[::-1]  # of several assignments the last one stays
    first = table[number]
    new = first == here
    return x[new], (np.cumsum(new) - 1)[first]


def _first_seen_of_few(x: np.ndarray, number: np.ndarray, span: int) -> tuple[np.ndarray, np.ndarray]:
    """`_first_seen_near` where most numbers come again: it sorts only the places of first occurrences."""
    table = np.full(span, -1, np.int64)
    table[number[::-1].copy()] = np.arange(x.size - 1, -1, -1)
    seen = np.flatnonzero(table >= 0)
    first = table[seen]
    order = np.argsort(first)
    table[seen[order]] = np.arange(len(seen))
    return x[first[order]], table[number]


def _first_seen_strings(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`_first_seen` of strings, by hashing them."""
    texts = x.tolist()
    numbers = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    distinct = np.empty(len(numbers), object)
    distinct[:] = list(numbers)
    return distinct, np.fromiter(map(numbers.__getitem__, texts), np.int64, len(texts))


def _unique_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is not None and len(dims) != 1:
        raise ValueError(f"unique expects a 1D vector, got shape {bracketed(dims)}")
    return [(None,), dims]


@op(
    "Unique",
    "x:T -> T, out_idx",
    types=DENSE,
    attrs={"out_idx": INDEX_DTYPE},
    infer=_unique_infer,
    vjp=no_gradient,
)
def _unique(xp, x, *, out_idx):
    """The distinct elements and where each came from."""
    y, index = _first_seen(x)
    return y, index.astype(out_idx.np)


@op(
    "UniqueWithCounts",
    "x:T -> T, out_idx, out_idx",
    types=DENSE,
    attrs={"out_idx": INDEX_DTYPE},
    infer=lambda s: [*_unique_infer(s), (None,)],
    vjp=no_gradient,
)
def _unique_with_counts(xp, x, *, out_idx):
    """The distinct elements, where each came from, and how often."""
    y, index = _first_seen(x)
    return y, index.astype(out_idx.np), np.bincount(index, minlength=len(y)).astype(out_idx.np)


@op(
    "FirstRows",
    "x:T -> int64, int64",
    types=DENSE,
    infer=lambda s: [(None,), s.dims[0] and s.dims[0][:1]],
    vjp=no_gradient,
)
def first_rows(xp, x):
    """The index of the first of equal rows of a matrix, in order, and for each row the number of its equals there."""
    x = np.asarray(x)
    if x.dtype == object or not x.shape[1]:
        numbers = {row: k for k, row in enumerate(dict.fromkeys(map(tuple, x.tolist())))}
        place = np.fromiter((numbers[tuple(row)] for row in x.tolist()), np.int64, len(x))
    else:
        order = np.lexsort(x.T[::-1])
        rows = x[order]
        new = np.append(
            np.zeros(min(len(x), 1), bool), (rows[1:] != rows[:-1]).any(1)
        )  # a row with nan equals no other
        place = np.empty(len(x), np.int64)
        place[order] = np.cumsum(new)
    _, number = _first_seen(place)
    return np.unique(number, return_index=True)[1], number


class Unique(NamedTuple):
    """The distinct elements in order of first sight, and for each element the index of its equal among them."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """As `Unique`, and how often each distinct element occurs."""

    y: Any
    idx: Any
    count: Any


@export("unique")
def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in order of first sight.

    Args:
      x: a vector.
      out_idx: the type of the indices.
      name: the node's name.

    Returns:
      `(y, idx)`, with `x[i] == y[idx[i]]`.
    """
    return Unique(*_unique(x, out_idx=dtypes.as_dtype(out_idx), name=name))


@export("unique_with_counts")
def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> UniqueWithCounts:
    """The distinct elements of a vector, and how often each occurs.

    Args:
      x: a vector.
      out_idx: the type of indices and counts.
      name: the node's name.

    Returns:
      `(y, idx, count)`.
    """
    return UniqueWithCounts(*_unique_with_counts(x, out_idx=dtypes.as_dtype(out_idx), name=name))


class ListDiff(NamedTuple):
    """The difference of two lists, and the positions of its elements in the first."""

    out: Any
    idx: Any


def _left_infer(s: Shapes) -> list[Dims]:
    return [(None,), (None,)]


@op(
    "ListDiff",
    "x:T, y:T -> T, out_idx",
    types=DENSE,
    attrs={"out_idx": INDEX_DTYPE},
    infer=of_ranks(_left_infer, 1, 1),
    vjp=no_gradient,
)
def _list_diff(xp, x, y, *, out_idx):
    """The elements of one vector that another does not have."""
    if np.ndim(x) != 1 or np.ndim(y) != 1:
        raise ValueError(f"x and y should be 1D vectors, got shapes {list(np.shape(x))} and {list(np.shape(y))}")
    others = set(np.asarray(y).tolist())
    index = np.asarray([i for i, v in enumerate(np.asarray(x).tolist()) if v not in others], np.int64)
    return x[index], index.astype(out_idx.np)


@export("compat.v1.setdiff1d")
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> ListDiff:
    """The elements of a vector that another one does not have, in their order.

    Args:
      x, y: vectors of one type.
      index_dtype: the type of the indices.
      name: the node's name.

    Returns:
      `(out, idx)`, with `out[i] == x[idx[i]]`.
    """
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, x.dtype)
    return ListDiff(*_list_diff(x, y, out_idx=dtypes.as_dtype(index_dtype), name=name))
