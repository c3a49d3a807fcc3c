"""`tf.compat.v1.sparse`: tensors most of whose elements are zero, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.sparse",
    {
        "ops.composite.sparse": "matmul",
        "ops.composite.sparse_features": "merge",
        "ops.composite.sparse_ops":
        "add concat reduce_max reduce_max_sparse reduce_sum reduce_sum_sparse split",
        "ops.sparse_segments": "segment_mean segment_sqrt_n segment_sum",
        "tf1.queues.accumulator": "SparseConditionalAccumulator",
    },
    continues="sparse",
)
