"""Ops of TensorFlow's private modules that libraries use although no public namespace has them."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import identity, ones_like, shape, size, where, zeros_like
from inlay._src.ops.asserting import assert_equal
from inlay._src.ops.clipping import clip_by_value
from inlay._src.ops.composite.sparse import SparseTensor, reorder
from inlay._src.ops.control import control_dependencies
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

    Raises:
      ValueError: if the block has another rank, or is larger, as far as the static shapes say it.
    """
    whole, block = convert_to_tensor(operand), convert_to_tensor(update)
    if not _fits(block.shape, whole.shape):
        raise ValueError(f"dynamic_update_slice: an update of shape {block.shape} has no place in {whole.shape}")
    start = convert_to_tensor(start_indices)
    sizes, block_sizes = shape(whole, start.dtype), shape(block, start.dtype)
    start = clip_by_value(start, 0, sizes - block_sizes)
    paddings = stack([start, sizes - block_sizes - start], 1)
    result = where(pad(ones_like(block, dtypes.bool_), paddings), pad(block, paddings), whole)
    result.set_shape(whole.shape)
    return result


def _fits(block: TensorShape, whole: TensorShape) -> bool:
    """Whether a block may have a place in a tensor, by what is known of their shapes."""
    if block.rank is None or whole.rank is None:
        return True
    sizes = zip(block.as_list(), whole.as_list(), strict=False)
    return block.rank == whole.rank and not any(n is not None and m is not None and n > m for n, m in sizes)


# ---------------------------------------------------------------- tensorflow.python.ops.linalg.sparse


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> SparseTensor:
    """A sparse matrix, which is a `SparseTensor` here, in the order of its rows.

    Args:
      indices, values, dense_shape: those of a `SparseTensor` of rank 2 or 3.
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
    """The product of two sparse matrices, as Gustavson's algorithm has its entries; of each pair in a batch.

    Args:
      a: `[m, k]` or `[batch, m, k]`.
      b: `[k, n]` or `[batch, k, n]`, in the order of its rows.
      type, name: accepted.

    Returns:
      `[m, n]` or `[batch, m, n]`, in the order of its rows. An entry whose products add up to zero is kept.

    Raises:
      InvalidArgumentError: if the inner dimensions differ, or the sizes of the batches.
    """
    agree = [
        assert_equal(a.dense_shape[-1], b.dense_shape[-2], message="Inner product dimensions of A and B do not agree"),
        assert_equal(a.dense_shape[:-2], b.dense_shape[:-2], message="Batch sizes of A and B do not agree"),
    ]
    with control_dependencies([check for check in agree if check is not None]):
        a = SparseTensor(a.indices, a.values, identity(a.dense_shape))
    m, k, n = a.dense_shape[-2], a.dense_shape[-1], b.dense_shape[-1]
    if a.shape.rank == 3:
        count = a.dense_shape[0]
        of_left, of_right = a.indices[:, 0], b.indices[:, 0]
    else:
        count = ones_like(m)
        of_left, of_right = zeros_like(a.indices[:, 0]), zeros_like(b.indices[:, 0])
    inner = of_left * k + a.indices[:, -1]  # a row of `b`, counted over the batch
    right_rows = of_right * k + b.indices[:, -2]
    lengths = unsorted_segment_sum(ones_like(right_rows), right_rows, count * k)
    products = gather(lengths, inner)  # of each entry of `a`
    left = repeat(range_(size(inner, dtypes.int64)), products)
    within = range_(size(left, dtypes.int64)) - gather(cumsum(products, exclusive=True), left)
    right = gather(cumsum(lengths, exclusive=True), gather(inner, left)) + within
    rows = of_left * m + a.indices[:, -2]
    keys = gather(rows, left) * n + gather(b.indices[:, -1], right)
    entries = sort(unique(keys).y)
    terms = gather(a.values, left) * gather(b.values, right)
    values = unsorted_segment_sum(terms, searchsorted(entries, keys), size(entries))
    row, column = entries // n, entries % n
    if a.shape.rank == 3:
        return SparseTensor(stack([row // m, row % m, column], 1), values, stack([count, m, n]))
    return SparseTensor(stack([row, column], 1), values, stack([m, n]))
