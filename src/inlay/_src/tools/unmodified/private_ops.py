"""Ops of TensorFlow's private modules that libraries use although no public namespace has them."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import ones_like, shape, size, where
from inlay._src.ops.clipping import clip_by_value
from inlay._src.ops.composite.sparse import SparseTensor, reorder
from inlay._src.ops.cumulative import cumsum
from inlay._src.ops.gathering import gather
from inlay._src.ops.ranges import range_
from inlay._src.ops.segments import unsorted_segment_sum
from inlay._src.ops.slicing import pad
from inlay._src.ops.sorting import searchsorted, sort, unique
from inlay._src.ops.stacking import stack
from inlay._src.ops.tiling import repeat


def dynamic_update_slice(operand: Any, update: Any, start_indices: Any, name: str | None = None) -> Tensor:
    """A tensor one block of which is another tensor: `tensorflow.compiler.tf2xla.python.xla.dynamic_update_slice`.

    Args:
      operand: a tensor.
      update: the block, of the same rank and no larger along any axis.
      start_indices: int32 or int64 `[rank]`, the place of its first element; a block that would not fit begins earlier,
        as in XLA: https://openxla.org/xla/operation_semantics#dynamicupdateslice
      name: accepted.

    Returns:
      A tensor like `operand`.
    """
    whole, block = convert_to_tensor(operand), convert_to_tensor(update)
    start = convert_to_tensor(start_indices)
    sizes, block_sizes = shape(whole, start.dtype), shape(block, start.dtype)
    start = clip_by_value(start, 0, sizes - block_sizes)
    paddings = stack([start, sizes - block_sizes - start], 1)
    result = where(pad(ones_like(block, dtypes.bool_), paddings), pad(block, paddings), whole)
    result.set_shape(whole.shape)
    return result


# ---------------------------------------------------------------- tensorflow.python.ops.linalg.sparse


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> SparseTensor:
    """A sparse matrix, which is a `SparseTensor` here, in the order of its rows.

    Args:
      indices, values, dense_shape: those of a `SparseTensor` of rank 2.
      name: accepted.
    """
    return reorder(SparseTensor(indices, values, dense_shape))


def csr_sparse_matrix_to_sparse_tensor(sparse_matrix: SparseTensor, type: Any, name: str | None = None) -> SparseTensor:
    """The `SparseTensor` of a sparse matrix.

    Args:
      sparse_matrix: the matrix.
      type, name: accepted.
    """
    return sparse_matrix


def sparse_matrix_sparse_mat_mul(a: SparseTensor, b: SparseTensor, type: Any, name: str | None = None) -> SparseTensor:
    """The product of two sparse matrices, as Gustavson's algorithm has its entries.

    Args:
      a: `[m, k]`.
      b: `[k, n]`, in the order of its rows.
      type, name: accepted.

    Returns:
      `[m, n]`, in the order of its rows. An entry whose products add up to zero is kept.
    """
    rows, inner = a.indices[:, 0], a.indices[:, 1]
    columns = b.dense_shape[1]
    lengths = unsorted_segment_sum(ones_like(b.indices[:, 0]), b.indices[:, 0], b.dense_shape[0])
    counts = gather(lengths, inner)  # products of each entry of `a`
    left = repeat(range_(size(inner, dtypes.int64)), counts)
    within = range_(size(left, dtypes.int64)) - gather(cumsum(counts, exclusive=True), left)
    right = gather(cumsum(lengths, exclusive=True), gather(inner, left)) + within
    keys = gather(rows, left) * columns + gather(b.indices[:, 1], right)
    entries = sort(unique(keys).y)
    products = gather(a.values, left) * gather(b.values, right)
    values = unsorted_segment_sum(products, searchsorted(entries, keys), size(entries))
    indices = stack([entries // columns, entries % columns], 1)
    return SparseTensor(indices, values, stack([a.dense_shape[0], columns]))
