"""Features crossed: every choice of one feature of each column, row by row, as text or as a hash."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.ops.hashing import farm
from inlay._src.ops.ragged import splits_of

_MASK, _BY = (1 << 64) - 1, np.uint64(0xC6A4A7935BD1E995)
_47 = np.uint64(47)
PARTS = {"R": 2, "S": 3, "D": 1}
"""Kind of column (ragged, sparse, dense) -> how many tensors it is: values and splits; indices, values and shape."""


def _folded(word: np.ndarray) -> np.ndarray:
    return word ^ (word >> _47)


def _joined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """FarmHash's fingerprint of two fingerprints."""
    mixed = (first ^ _BY) ^ (_folded(second * _BY) * _BY)
    return _folded(_folded(mixed * _BY) * _BY)


def _ragged_rows(values: np.ndarray, splits: np.ndarray) -> list[np.ndarray]:
    if values.ndim != 1:
        raise ValueError(f"tf.ragged.cross only supports inputs with rank=2, got rank {values.ndim + 1}")
    if not splits.size or splits[0] != 0 or splits[-1] != len(values):
        raise ValueError(f"Invalid row_splits for values of length {len(values)}: {splits[:8].tolist()}")
    return np.split(values, splits[1:-1]) if splits.size > 1 else []


def _sparse_rows(indices: np.ndarray, values: np.ndarray, shape: np.ndarray) -> list[np.ndarray]:
    if shape.shape != (2,) or indices.ndim != 2 or indices.shape[1] != 2:
        raise ValueError(f"Expected D2 of index to be 2, got {list(indices.shape)}: sparse features have rank 2")
    lengths = np.bincount(indices[:, 0], minlength=int(shape[0]))
    return _ragged_rows(values, splits_of(lengths.astype(np.int64)))


def _dense_rows(values: np.ndarray) -> list[np.ndarray]:
    if values.ndim != 2:
        raise ValueError(f"Dense inputs should be a matrix but received shape {list(values.shape)}")
    return list(values)


_ROWS: dict[str, Any] = {"R": _ragged_rows, "S": _sparse_rows, "D": _dense_rows}


def _columns(parts: Sequence[Any], order: str) -> Iterator[list[np.ndarray]]:
    """The rows of each column."""
    rest = iter(parts)
    for kind in order:
        yield _ROWS[kind](*(np.asarray(next(rest)) for _ in range(PARTS[kind])))


def _fingerprints(features: np.ndarray) -> np.ndarray:
    if features.dtype == object:
        return np.array([farm(text) for text in features.tolist()], np.uint64)
    return features.astype(np.int64).view(np.uint64)


def _hashed(row: Sequence[np.ndarray], buckets: int, key: int) -> np.ndarray:
    hashes = np.array([key & _MASK], np.uint64)
    with np.errstate(over="ignore"):
        for features in row:
            hashes = _joined(hashes[:, None], _fingerprints(features)[None, :]).reshape(-1)
    return (hashes % np.uint64(buckets or dtypes.int64.max)).astype(np.int64)


def _worded(row: Sequence[np.ndarray], separator: bytes) -> np.ndarray:
    words = [[f if isinstance(f, bytes) else str(f).encode() for f in features.tolist()] for features in row]
    crossed = [separator.join(choice) for choice in itertools.product(*words)]
    out = np.empty(len(crossed), object)
    out[:] = crossed
    return out


def _infer(s: Shapes) -> list[Dims]:
    """As many rows as a ragged or dense column is known to have; a sparse column's number of rows is a value, not a
    shape.
    """
    if s.attrs["num_buckets"] < 0:
        raise ValueError(f"num_buckets of {s.attrs['num_buckets']} must be at least minimum 0")
    rows, at = None, 0
    for kind in s.attrs["input_order"]:
        dims = s.dims[at + 1] if kind == "R" else s.dims[at]
        at += PARTS[kind]
        if dims is None or kind == "S":
            continue
        if len(dims) != (1 if kind == "R" else 2):
            raise ValueError(f"tf.ragged.cross only supports inputs with rank=2, got shape {shapes.bracketed(dims)}")
        count = None if dims[0] is None else dims[0] - (kind == "R")
        if None not in (rows, count) and rows != count:
            raise ValueError(f"inputs must all have the same batch dimension size, got {rows} and {count}")
        rows = count if rows is None else rows
    return [(None,), (None if rows is None else rows + 1,)]


@op(
    "CrossRows",
    "parts:*any, separator:string -> out_values_type, out_row_splits_type",
    infer=_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
def cross_rows(
    xp, parts, separator, *, input_order, hashed_output, num_buckets, hash_key, out_values_type, out_row_splits_type
):
    """The crosses of columns, row after row, and where the rows begin.

    Args:
      parts: the tensors of the columns, see `PARTS`.
      separator: separator between the features of a cross that is text.
      input_order: the kind of each column.
      hashed_output: whether crosses are hashes.
      num_buckets: hashes are below that number, unless it is 0.
      hash_key: key of the hash function.
      out_values_type, out_row_splits_type: int64 or string, and int32 or int64.
    """
    if num_buckets < 0:
        raise ValueError(f"num_buckets of {num_buckets} must be at least minimum 0")
    if np.ndim(separator):
        raise ValueError(f"Input separator should be a scalar. Received: {np.asarray(separator).tolist()}")
    columns = list(_columns(parts, input_order))
    sizes = {len(rows) for rows in columns}
    if len(sizes) > 1:
        raise ValueError(f"inputs must all have the same batch dimension size, got {[len(rows) for rows in columns]}")
    word = np.asarray(separator)[()]
    crossed = [
        _hashed(row, num_buckets, hash_key) if hashed_output else _worded(row, word)
        for row in zip(*columns, strict=True)
    ]
    empty = np.empty(0, np.int64 if hashed_output else object)
    splits = splits_of(np.array([len(row) for row in crossed], np.int64))
    return np.concatenate([empty, *crossed]), splits.astype(out_row_splits_type.np)
