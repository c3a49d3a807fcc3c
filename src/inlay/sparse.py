"""`tf.sparse`: tensors most of whose elements are zero."""

from inlay.composite.sparse import SparseTensor, from_dense, placeholder, reorder, sparse_dense_matmul, to_dense

__all__ = ["SparseTensor", "from_dense", "placeholder", "reorder", "sparse_dense_matmul", "to_dense"]
