"""`tf.sparse`: tensors most of whose elements are zero."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.ops.composite.counting import bincount
from inlay._src.ops.composite.crossing import sparse_cross as cross, sparse_cross_hashed as cross_hashed
from inlay._src.ops.composite.sparse import (
    SparseTensor, SparseTensor as _SparseTensor, from_dense, placeholder, reorder, sparse_dense_matmul, to_dense
)
from inlay._src.ops.composite.sparse_features import (
    fill_empty_rows, mask, reset_shape, sampled_addmm, softmax, to_indicator
)
from inlay._src.ops.composite.sparse_ops import (
    concat, eye, map_values, maximum, minimum, reduce_max, reduce_sum, retain, slice_ as slice, split
)
from inlay._src.ops.composite.sparse_shapes import expand_dims, reshape, transpose
from typing import Any as _Any, overload as _overload
__all__ = [
    "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims", "eye", "fill_empty_rows",
    "from_dense", "map_values", "mask", "maximum", "minimum", "placeholder", "reduce_max", "reduce_sum", "reorder",
    "reset_shape", "reshape", "retain", "sampled_addmm", "segment_mean", "segment_sqrt_n", "segment_sum", "slice",
    "softmax", "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose"
]
@_overload
def add(a: _SparseTensor, b: _SparseTensor, threshold: _Any = 0) -> _SparseTensor:
    """The sum of two tensors at least one of which is sparse.

    Args:
      a, b: the tensors, of one shape.
      threshold: of two sparse ones, sums at a place that both have are left out if they are smaller in magnitude.

    Returns:
      A SparseTensor if both are sparse, else a tensor.

    Raises:
      TypeError: if neither is sparse.
      InvalidArgumentError: if a dense one is of another shape."""
@_overload
def add(a: _Any, b: _Any, threshold: _Any = 0) -> _Tensor: ...
def segment_mean(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any = None, name: str | None = None, sparse_gradient: builtins.bool = False) -> _Tensor:
    """The mean of the rows of `data` that `indices` chooses, segment by segment.

    Args:
      data: numbers, [rows, ...]; floating ones where they are divided.
      indices: n integers: which rows of `data` are reduced.
      segment_ids: n integers, sorted, from 0: the segment of each chosen row.
      num_segments: how many rows the result has; as many as the last id says if None.
      name: the node's name.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      One row for each segment; zeros for one without rows."""
def segment_sqrt_n(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any = None, name: str | None = None, sparse_gradient: builtins.bool = False) -> _Tensor:
    """The sum, divided by the root of their number, of the rows of `data` that `indices` chooses, segment by segment.

    Args:
      data: numbers, [rows, ...]; floating ones where they are divided.
      indices: n integers: which rows of `data` are reduced.
      segment_ids: n integers, sorted, from 0: the segment of each chosen row.
      num_segments: how many rows the result has; as many as the last id says if None.
      name: the node's name.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      One row for each segment; zeros for one without rows."""
def segment_sum(data: _Any, indices: _Any, segment_ids: _Any, num_segments: _Any = None, name: str | None = None, sparse_gradient: builtins.bool = False) -> _Tensor:
    """The sum of the rows of `data` that `indices` chooses, segment by segment.

    Args:
      data: numbers, [rows, ...]; floating ones where they are divided.
      indices: n integers: which rows of `data` are reduced.
      segment_ids: n integers, sorted, from 0: the segment of each chosen row.
      num_segments: how many rows the result has; as many as the last id says if None.
      name: the node's name.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      One row for each segment; zeros for one without rows."""
