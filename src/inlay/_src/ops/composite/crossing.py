"""Features of sparse, ragged and dense columns crossed with one another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.core.tensor import Tensor
from inlay._src.ops import crossing, math
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor, SparseTensorValue

HASH_KEY = 0xDECAFCAFFE
"""The default key of the hash function."""
SEPARATOR = "_X_"

assert crossing.PARTS  # the op is declared


def _feature(values: Any) -> Any:
    """Features as text or int64."""
    values = convert_to_tensor(values)
    return values if values.dtype is dtypes.string else math.cast(values, dtypes.int64)


def _parts(column: Any) -> tuple[str, list[Any]]:
    """The kind of a column, and its tensors."""
    if isinstance(column, RaggedTensor):
        return "R", [_feature(column.values), column.row_splits]
    if isinstance(column, SparseTensor):
        return "S", [column.indices, _feature(column.values), column.dense_shape]
    return "D", [_feature(column)]


def _crossed(
    columns: Sequence[Any], hashed: bool, buckets: int, key: int | None, separator: Any, name: str | None
) -> RaggedTensor:
    columns_parts = [_parts(column) for column in columns]
    key = HASH_KEY if key is None else key
    ragged = [c for c in columns if isinstance(c, RaggedTensor)]
    narrow = bool(ragged) and all(c.row_splits.dtype is dtypes.int32 for c in ragged)
    attrs = {
        "input_order": "".join(kind for kind, _ in columns_parts),
        "hashed_output": hashed,
        "num_buckets": int(buckets),
        "hash_key": int(key) - (1 << 64) if key >= 1 << 63 else int(key),
        "out_values_type": dtypes.int64 if hashed else dtypes.string,
        "out_row_splits_type": dtypes.int32 if narrow else dtypes.int64,
    }
    parts = [part for _, tensors in columns_parts for part in tensors]
    values, splits = emit(OPS["CrossRows"], (parts, convert_to_tensor(separator, dtypes.string)), attrs, name)
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def _listed(inputs: Any) -> Sequence[Any]:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    return inputs


# ---------------------------------------------------------------- sparse


def _sparse_columns(inputs: Any) -> list[Any]:
    """Columns in the order in which they are crossed: sparse ones first."""
    if not all(isinstance(i, (SparseTensor, Tensor)) for i in _listed(inputs)):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    return sorted(inputs, key=lambda i: not isinstance(i, SparseTensor))


@export("sparse.cross")
def sparse_cross(inputs: Any, name: str | None = None, separator: Any = None) -> SparseTensor:
    """Every choice of one feature of each column, row by row, as text.

    Args:
      inputs: sparse and dense matrices of text or integers; the sparse ones come first in a cross.
      name: the node's name.
      separator: separator between the features; "_X_" if None.

    Returns:
      A SparseTensor of text, [rows, crosses].
    """
    by = SEPARATOR if separator is None else separator
    return _crossed(_sparse_columns(inputs), False, 0, None, by, name).to_sparse()


@export("sparse.cross_hashed")
def sparse_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """Every choice of one feature of each column, row by row, as a hash.

    Args:
      inputs: sparse and dense matrices of text or integers; the sparse ones come first in a cross.
      num_buckets: hashes are below that number; below the greatest int64 if 0.
      hash_key: key of the hash function.
      name: the node's name.

    Returns:
      A SparseTensor of int64, [rows, crosses].
    """
    return _crossed(_sparse_columns(inputs), True, num_buckets, hash_key, SEPARATOR, name).to_sparse()


# ---------------------------------------------------------------- ragged


def _ragged_columns(inputs: Any) -> list[Any]:
    columns = [
        SparseTensor.from_value(i)
        if isinstance(i, (SparseTensor, SparseTensorValue))
        else RaggedTensor._ragged_or_dense(i)
        for i in _listed(inputs)
    ]
    for at, column in enumerate(columns):
        if not (column.dtype is dtypes.string or column.dtype.is_integer):
            raise ValueError(f"Unexpected dtype for inputs[{at}]: {column.dtype!r}")
        if isinstance(column, RaggedTensor) and column.ragged_rank != 1:
            raise ValueError("tf.ragged.cross only supports inputs with rank=2")
    return columns


@export("ragged.cross")
def ragged_cross(inputs: Any, name: str | None = None) -> RaggedTensor:
    """Every choice of one feature of each column, row by row, as text with "_X_" between the features.

    Args:
      inputs: ragged, sparse and dense matrices of text or integers.
      name: the node's name.

    Returns:
      A RaggedTensor of text, [rows, (crosses)].
    """
    return _crossed(_ragged_columns(inputs), False, 0, None, SEPARATOR, name)


@export("ragged.cross_hashed")
def ragged_cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """Every choice of one feature of each column, row by row, as a hash.

    Args:
      inputs: ragged, sparse and dense matrices of text or integers.
      num_buckets: hashes are below that number; below the greatest int64 if 0.
      hash_key: key of the hash function.
      name: the node's name.

    Returns:
      A RaggedTensor of int64, [rows, (crosses)].
    """
    return _crossed(_ragged_columns(inputs), True, num_buckets, hash_key, SEPARATOR, name)
