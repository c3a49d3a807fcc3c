"""Sets in the last axis of tensors: intersection, difference and union, and the number of members."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import no_gradient

MEMBERS = frozenset({dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.string})
"""The types of members."""

_Sets = tuple[np.ndarray, np.ndarray, tuple[int, ...]]
"""The number of the set that each member is in, the members, and the shape of the sets without their last axis."""


def _of_dense(values: Any) -> _Sets:
    array = np.asarray(values)
    if array.ndim < 2:
        raise ValueError(f"Invalid input rank {array.ndim}: sets need at least 2 axes")
    groups = int(np.prod(array.shape[:-1], dtype=np.int64))
    return np.repeat(np.arange(groups), array.shape[-1]), array.reshape(-1), array.shape[:-1]


def _of_sparse(indices: Any, values: Any, shape: Any, validate_indices: bool) -> _Sets:
    places, sizes = np.asarray(indices), tuple(np.asarray(shape).tolist())
    if len(sizes) < 2:
        raise ValueError(f"Invalid input rank {len(sizes)}: sets need at least 2 axes")
    if places.size and ((places < 0) | (places >= np.array(sizes))).any():
        raise ValueError(f"an index is out of bounds: need all of them in [0, {list(sizes)})")
    if validate_indices and len(places) > 1:
        flat = np.ravel_multi_index(tuple(places.T), sizes)
        late = np.flatnonzero(np.diff(flat) <= 0)
        if late.size:
            at = int(late[0]) + 1
            raise ValueError(f"indices[{at}] = {places[at].tolist()} is out of order or repeated")
    groups = np.ravel_multi_index(tuple(places[:, :-1].T), sizes[:-1]) if len(places) else np.zeros(0, np.int64)
    return groups, np.asarray(values), sizes[:-1]


def _operated(one: _Sets, other: _Sets, operation: str) -> list[Any]:
    """Indices, values and shape of the result."""
    if one[2] != other[2]:
        raise ValueError(f"Mismatched group shapes {list(one[2])} vs {list(other[2])}")
    members, codes = np.unique(np.concatenate([one[1], other[1]]), return_inverse=True)
    keys = np.concatenate([one[0], other[0]]) * max(len(members), 1) + codes.reshape(-1)
    a, b = keys[: len(one[0])], keys[len(one[0]) :]
    match operation:
        case "a-b":
            combined = np.setdiff1d(a, b)
        case "b-a":
            combined = np.setdiff1d(b, a)
        case "intersection":
            combined = np.intersect1d(a, b)
        case "union":
            combined = np.union1d(a, b)
        case _:
            raise ValueError(f"Invalid set_operation {operation}.")
    groups, codes = np.divmod(combined.astype(np.int64), max(len(members), 1))
    counts = np.bincount(groups, minlength=int(np.prod(one[2], dtype=np.int64)))
    place = np.arange(len(combined)) - np.repeat(np.cumsum(counts) - counts, counts)
    indices = np.stack([*np.unravel_index(groups, one[2]), place], axis=1).astype(np.int64)
    return [indices, members[codes].astype(one[1].dtype), np.array([*one[2], max(counts, default=0)], np.int64)]


def _unknown_of(sizes: Dims) -> Dims:
    """Unknown sizes, as many as a shape vector of this shape has elements."""
    return None if not sizes or sizes[0] is None else (None,) * sizes[0]


def _inferred(one: Dims, other: Dims) -> list[Dims]:
    for dims in (one, other):
        if dims is not None and len(dims) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    groups = shapes.merge(None if one is None else one[:-1], None if other is None else other[:-1])
    rank = None if groups is None else len(groups) + 1
    return [(None, rank), (None,), (rank,)]


@op(
    "DenseToDenseSetOperation",
    "set1:T, set2:T -> int64, T, int64",
    types=MEMBERS,
    infer=lambda s: _inferred(*s.dims),
    vjp=no_gradient,
)
def dense_to_dense(xp, set1, set2, *, set_operation, validate_indices=True):
    """The members of sets of two dense tensors, as a sparse one."""
    return _operated(_of_dense(set1), _of_dense(set2), set_operation)


@op(
    "DenseToSparseSetOperation",
    "set1:T, set2_indices:int64, set2_values:T, set2_shape:int64 -> int64, T, int64",
    types=MEMBERS,
    ranks={"set2_indices": 2, "set2_values": 1, "set2_shape": 1},
    infer=lambda s: _inferred(s.dims[0], _unknown_of(s.dims[3])),
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def dense_to_sparse(xp, set1, set2_indices, set2_values, set2_shape, *, set_operation, validate_indices=True):
    """The members of sets of a dense tensor and a sparse one, as a sparse one."""
    other = _of_sparse(set2_indices, set2_values, set2_shape, validate_indices)
    return _operated(_of_dense(set1), other, set_operation)


@op(
    "SparseToSparseSetOperation",
    "set1_indices:int64, set1_values:T, set1_shape:int64, set2_indices:int64, set2_values:T, set2_shape:int64 -> "
    "int64, T, int64",
    types=MEMBERS,
    ranks={"set1_indices": 2, "set1_values": 1, "set1_shape": 1, "set2_indices": 2, "set2_values": 1, "set2_shape": 1},
    infer=lambda s: _inferred(_unknown_of(s.dims[2]), _unknown_of(s.dims[5])),
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def sparse_to_sparse(
    xp,
    set1_indices,
    set1_values,
    set1_shape,
    set2_indices,
    set2_values,
    set2_shape,
    *,
    set_operation,
    validate_indices=True,
):
    """The members of sets of two sparse tensors, as a sparse one."""
    one = _of_sparse(set1_indices, set1_values, set1_shape, validate_indices)
    return _operated(one, _of_sparse(set2_indices, set2_values, set2_shape, validate_indices), set_operation)


@op(
    "SetSize",
    "set_indices:int64, set_values:T, set_shape:int64 -> int32",
    types=MEMBERS,
    infer=lambda s: [None if not s.dims[2] or s.dims[2][0] is None else (None,) * (s.dims[2][0] - 1)],
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def set_size(xp, set_indices, set_values, set_shape, *, validate_indices=True):
    """The number of distinct members of each set."""
    groups, values, shape = _of_sparse(set_indices, set_values, set_shape, validate_indices)
    members, codes = np.unique(values, return_inverse=True)
    different = np.unique(groups * max(len(members), 1) + codes.reshape(-1)) // max(len(members), 1)
    counts = np.bincount(different.astype(np.int64), minlength=int(np.prod(shape, dtype=np.int64)))
    return counts.reshape(shape).astype(np.int32)
