"""Sparse tensors as text, whole or row by row."""

from __future__ import annotations

from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import serialized_sparse as kernels
from inlay._src.ops.composite.sparse import SparseTensor, SparseTensorValue, checked


def _parts(value: Any, out_type: Any) -> tuple[Any, Any, Any]:
    if not isinstance(value, (SparseTensor, SparseTensorValue)):
        raise TypeError(f"Input must be a SparseTensor, got {type(value).__name__}.")
    if dtypes.as_dtype(out_type) is not dtypes.string:
        raise errors.UnimplementedError(None, None, "sparse tensors are serialized as text: out_type must be tf.string")
    sparse = checked(value, "serialize_sparse")
    return sparse.indices, sparse.values, sparse.dense_shape


@export("io.serialize_sparse")
def serialize_sparse(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Tensor:
    """A sparse tensor as three strings, which TensorFlow reads too: its coordinates, values and shape.

    Args:
      sp_input: a `SparseTensor`.
      out_type: string, the only one.
      name: the node's name.

    Raises:
      TypeError: if it is no `SparseTensor`.
    """
    return kernels.serialize_whole(*_parts(sp_input, out_type), name=name)


@export("io.serialize_many_sparse")
def serialize_many_sparse(sp_input: Any, out_type: Any = dtypes.string, name: str | None = None) -> Tensor:
    """Each row of a sparse tensor as three strings.

    Args:
      sp_input: a `SparseTensor` of rank 2 or more.
      out_type: string, the only one.
      name: the node's name.

    Returns:
      A matrix of strings, [rows, 3].

    Raises:
      TypeError: if it is no `SparseTensor`.
    """
    return kernels.serialize_rows(*_parts(sp_input, out_type), name=name)


serialize_sparse_v1: Any = export("compat.v1.serialize_sparse", "compat.v1.io.serialize_sparse")(
    another_form(serialize_sparse, "sp_input, name=None, out_type=dtypes.string")
)
serialize_many_sparse_v1: Any = export("compat.v1.serialize_many_sparse", "compat.v1.io.serialize_many_sparse")(
    another_form(serialize_many_sparse, "sp_input, name=None, out_type=dtypes.string")
)


@export("io.deserialize_many_sparse", "compat.v1.deserialize_many_sparse")
def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor of rows that `serialize_many_sparse` or `serialize_sparse` made strings of.

    Args:
      serialized_sparse: [rows, 3].
      dtype: the type of the values.
      rank: of the result, one more than that of a row; it is not known while a graph is built if None.
      name: the node's name.

    Returns:
      A `SparseTensor` of one more axis than its rows, as large as the largest of them.

    Raises:
      ValueError: if it has another rank.
    """
    words = convert_to_tensor(serialized_sparse, dtypes.string)
    indices, values, shape = kernels.deserialize_rows(words, dtype=dtypes.as_dtype(dtype), name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
