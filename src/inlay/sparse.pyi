"""`tf.sparse`: tensors most of whose elements are zero."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.composite.sparse import SparseTensor, from_dense, placeholder, reorder, sparse_dense_matmul, to_dense
__all__ = [
    "SparseTensor", "from_dense", "placeholder", "reorder", "sparse_dense_matmul", "to_dense"
]
