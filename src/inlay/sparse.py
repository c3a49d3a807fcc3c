"""`tf.sparse`: tensors most of whose elements are zero."""

from inlay.composite.sparse import (
    SparseTensor as SparseTensor,
)
from inlay.composite.sparse import (
    from_dense as from_dense,
)
from inlay.composite.sparse import (
    placeholder as placeholder,
)
from inlay.composite.sparse import (
    reorder as reorder,
)
from inlay.composite.sparse import (
    sparse_dense_matmul as sparse_dense_matmul,
)
from inlay.composite.sparse import (
    to_dense as to_dense,
)

__all__ = ["SparseTensor", "from_dense", "placeholder", "reorder", "sparse_dense_matmul", "to_dense"]
