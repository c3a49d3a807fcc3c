"""`tf.compat.v1.sparse`: tensors most of whose elements are zero, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import (
    sparse_add as add, sparse_concat as concat, sparse_reduce_max as reduce_max, sparse_reduce_max_sparse as
    reduce_max_sparse, sparse_reduce_sum as reduce_sum, sparse_reduce_sum_sparse as reduce_sum_sparse
)
from inlay._src.ops.composite.sparse import sparse_dense_matmul as matmul
from inlay._src.ops.composite.sparse_features import merge
from inlay._src.ops.composite.sparse_ops import split_v1 as split
from inlay.compat.v1 import (
    SparseConditionalAccumulator, sparse_segment_mean as segment_mean, sparse_segment_sqrt_n as segment_sqrt_n,
    sparse_segment_sum as segment_sum
)
from inlay.sparse import (
    SparseTensor, bincount, cross, cross_hashed, expand_dims, eye, fill_empty_rows, from_dense, map_values, mask,
    maximum, minimum, placeholder, reorder, reset_shape, reshape, retain, sampled_addmm, slice, softmax,
    sparse_dense_matmul, to_dense, to_indicator, transpose
)
__all__ = [
    "SparseConditionalAccumulator", "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed",
    "expand_dims", "eye", "fill_empty_rows", "from_dense", "map_values", "mask", "matmul", "maximum", "merge",
    "minimum", "placeholder", "reduce_max", "reduce_max_sparse", "reduce_sum", "reduce_sum_sparse", "reorder",
    "reset_shape", "reshape", "retain", "sampled_addmm", "segment_mean", "segment_sqrt_n", "segment_sum", "slice",
    "softmax", "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose"
]
