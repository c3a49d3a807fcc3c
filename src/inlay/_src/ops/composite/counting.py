"""Counts of occurrences, as a sparse tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import in_scope
from inlay._src.core.eager.attributes import whole
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.eager.emit import composite_of
from inlay._src.ops import array, counting, math
from inlay._src.ops.composite.ragged import RaggedTensor
from inlay._src.ops.composite.sparse import SparseTensor


def _length(value: Any) -> int:
    if value is None:
        return -1
    if (length := get_static_value(value)) is None:
        raise ValueError(f"minlength and maxlength must be known while the graph is built, got {value!r}")
    return whole(length, "minlength or maxlength")


@export("sparse.bincount")
@in_scope("count")
def bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts of each whole number from 0, or the sum of the weights of its occurrences, as a sparse tensor.

    Args:
      values: int32 or int64, not negative; dense of rank 1 or 2, ragged or sparse.
      weights: numbers of the shape of `values`, ragged or sparse as it is; 1 each if None.
      axis: None or 0 counts everything; -1 counts each row of a matrix by itself.
      minlength: the least length of the result, or of its rows.
      maxlength: its length: larger numbers are left out.
      binary_output: whether to say 1 for "occurs" instead of counting.
      name: the scope of the nodes.

    Returns:
      A SparseTensor of shape [length], or [rows, length].

    Raises:
      ValueError: for another axis, and for weights beside `binary_output` or of another kind than `values`.
      InvalidArgumentError: for numbers of other types, below 0, and for weights at other places.
    """
    if axis not in (None, 0, -1):
        raise ValueError(counting.AXES.format(axis))
    if binary_output and weights is not None:
        raise ValueError(counting.EXCLUSIVE)
    said = {"binary_output": binary_output, "minlength": _length(minlength), "maxlength": _length(maxlength)}
    values, weights = composite_of(values), composite_of(weights)
    if isinstance(values, RaggedTensor) and values.ragged_rank > 1 and axis != -1:
        weights = weights if weights is None else weights.values  # as TensorFlow counts: each inner row by itself
        return bincount(values.values, weights, -1, minlength, maxlength, binary_output)
    if isinstance(values, (RaggedTensor, SparseTensor)):
        flat = values.flat_values if isinstance(values, RaggedTensor) else values.values
        stored = counting.weights_of(values, weights)
    else:
        flat = convert_to_tensor(values)
        stored = None if weights is None else convert_to_tensor(weights)
    if stored is None:
        stored = array.constant(np.empty(0), flat.dtype)
    if axis != -1:
        flat = array.reshape(flat, [-1])
        stored = array.reshape(stored, [-1])
        return SparseTensor(*counting.dense_counts(flat, stored, **said))
    if isinstance(values, RaggedTensor):
        splits = math.cast(values.row_splits, dtypes.int64)
        if values.ragged_rank > 1 or flat.shape.rank != 1:
            raise ValueError(f"bincount with axis=-1 takes rows of integers, got a ragged tensor of {values.shape}")
        return SparseTensor(*counting.ragged_counts(splits, flat, stored, **said))
    if isinstance(values, SparseTensor):
        return SparseTensor(*counting.sparse_counts(values.indices, flat, values.dense_shape, stored, **said))
    return SparseTensor(*counting.dense_counts(flat, stored, **said))
