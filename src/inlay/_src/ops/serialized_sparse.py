"""Sparse tensors as text: three messages each, of its coordinates, values and shape, in TensorFlow's wire format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DENSE, DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.values import to_value
from inlay._src.ops.serialized import array_of, part_of

Parts = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Coordinates, values, shape."""


def _kind(values: np.ndarray) -> DType:
    return dtypes.string if values.dtype == object else dtypes.FROM_NUMPY[values.dtype]


def _checked(indices: Any, values: Any, shape: Any) -> Parts:
    indices, values, shape = np.asarray(indices), np.asarray(values), np.asarray(shape)
    if indices.ndim != 2 or values.ndim != 1 or shape.ndim != 1:
        raise ValueError(
            f"a sparse tensor is [n, rank], [n] and [rank], got shapes {list(indices.shape)}, {list(values.shape)} and "
            f"{list(shape.shape)}"
        )
    if indices.shape != (len(values), len(shape)):
        raise ValueError(f"coordinates {list(indices.shape)} do not fit {len(values)} values of rank {len(shape)}")
    return indices, values, shape


def _words(parts: Parts) -> list[bytes]:
    indices, values, shape = parts
    return [part_of(indices, dtypes.int64), part_of(values, _kind(values)), part_of(shape, dtypes.int64)]


def _ranks(s: Shapes) -> None:
    for dims, rank, what in zip(s.dims, (2, 1, 1), ("sparse_indices", "sparse_values", "sparse_shape"), strict=True):
        if dims is not None and len(dims) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(dims)}: {what}")


def _whole_infer(s: Shapes) -> list[Dims]:
    _ranks(s)
    return [(3,)]


def _rows_infer(s: Shapes) -> list[Dims]:
    _ranks(s)
    return [(None, 3)]


_INPUTS = "sparse_indices:int64, sparse_values:T, sparse_shape:int64 -> string"
_COMMON: dict[str, Any] = {"types": DENSE, "vjp": no_gradient, "lower": REFUSES_VALUES}


@op("SerializeSparse", _INPUTS, infer=_whole_infer, **_COMMON)
def serialize_whole(xp, sparse_indices, sparse_values, sparse_shape):
    """A sparse tensor as three messages."""
    return to_value(_words(_checked(sparse_indices, sparse_values, sparse_shape)), dtypes.string)


@op("SerializeManySparse", _INPUTS, infer=_rows_infer, **_COMMON)
def serialize_rows(xp, sparse_indices, sparse_values, sparse_shape):
    """Each row of a sparse tensor, in the order of rows, as three messages."""
    indices, values, shape = _checked(sparse_indices, sparse_values, sparse_shape)
    if len(shape) < 2:
        raise ValueError(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    bad = np.flatnonzero(((indices < 0) | (indices >= shape)).any(axis=1))
    if bad.size:
        raise ValueError(
            f"indices[{bad[0]}] = {indices[bad[0]].tolist()} is out of bounds: need 0 <= index < {shape.tolist()}"
        )
    order = np.argsort(indices[:, 0], kind="stable")
    cuts = np.searchsorted(indices[order, 0], np.arange(1, shape[0]))
    out = np.empty((int(shape[0]), 3), object)
    for row, part in enumerate(np.split(order, cuts) if shape[0] else []):
        out[row] = _words((indices[part, 1:], values[part], shape[1:]))
    return out


def _read(words: Sequence[bytes], kind: DType, number: int) -> Parts:
    """The sparse tensor of three messages.

    Raises:
      ValueError: if they are none, or of another type.
    """
    try:
        parts = [array_of(word) for word in words]
    except (TypeError, ValueError) as error:
        raise ValueError(f"Could not parse serialized proto: {error}") from None
    (indices, one), (values, stated), (shape, other) = parts
    if stated is not kind:
        raise ValueError(
            f"Requested SparseTensor of type {kind.name} but SparseTensor[{number}].values.dtype() == {stated.name}"
        )
    if one is not dtypes.int64 or other is not dtypes.int64:
        raise ValueError(f"SparseTensor[{number}] has coordinates of {one.name} and a shape of {other.name}, not int64")
    return _checked(indices, values, shape)


def _stacked(words: np.ndarray, kind: DType) -> Parts:
    """Sparse tensors on axes of their own, which are those of `words` [..., 3] but the last."""
    batch, flat = words.shape[:-1], words.reshape(-1, 3)
    if not len(flat):
        raise ValueError("there is no serialized tensor to deserialize")
    every = [_read(row.tolist(), kind, number) for number, row in enumerate(flat)]
    rank = len(every[0][2])
    for number, (_, _, shape) in enumerate(every):
        if len(shape) != rank:
            raise ValueError(
                f"Inconsistent shape across SparseTensors: rank prior to SparseTensor[{number}] was: {rank} but rank "
                f"of SparseTensor[{number}] is: {len(shape)}"
            )
    places = np.array(list(np.ndindex(*batch)), np.int64).reshape(len(every), len(batch))
    before = np.repeat(places, [len(values) for _, values, _ in every], axis=0)
    indices = np.concatenate([before, np.concatenate([i for i, _, _ in every])], axis=1)
    shape = np.concatenate([np.array(batch, np.int64), np.max([s for _, _, s in every], axis=0)])
    return indices, np.concatenate([v for _, v, _ in every]), shape


def _read_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is not None and (not dims or dims[-1] not in (3, None)):
        raise ValueError(f"Serialized sparse should have 3 as the last dimension {shapes.bracketed(dims)}")
    return [(None, None), (None,), (None,)]


_READ: dict[str, Any] = {"vjp": no_gradient, "lower": REFUSES_VALUES}


@op(
    "DeserializeManySparse",
    "serialized_sparse:string -> int64, dtype, int64",
    infer=_read_infer,
    **_READ,
)
def deserialize_rows(xp, serialized_sparse, *, dtype):
    """The sparse tensor whose rows are given as messages, [rows, 3]."""
    words = np.asarray(serialized_sparse)
    if words.ndim != 2 or words.shape[1] != 3:
        raise ValueError(f"Serialized sparse should have 3 as the last dimension {shapes.bracketed(words.shape)}")
    return _stacked(words, dtype)


@op(
    "DeserializeSparse",
    "serialized_sparse:string -> int64, dtype, int64",
    infer=_read_infer,
    **_READ,
)
def deserialize_all(xp, serialized_sparse, *, dtype):
    """The sparse tensor of which parts are given as messages, [..., 3]."""
    words = np.asarray(serialized_sparse)
    if not words.ndim or words.shape[-1] != 3:
        raise ValueError(f"Serialized sparse should have 3 as the last dimension {shapes.bracketed(words.shape)}")
    return _stacked(words, dtype)
