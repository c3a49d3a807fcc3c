"""`tf.sparse`: tensors most of whose elements are zero."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "sparse",
    {
        "ops.composite.counting": "bincount",
        "ops.composite.crossing": "cross cross_hashed",
        "ops.composite.sparse": "SparseTensor from_dense placeholder reorder sparse_dense_matmul to_dense",
        "ops.composite.sparse_features": "fill_empty_rows mask reset_shape sampled_addmm softmax to_indicator",
        "ops.composite.sparse_ops":
        "add concat eye map_values maximum minimum reduce_max reduce_sum retain slice split",
        "ops.composite.sparse_shapes": "expand_dims reshape transpose",
        "ops.sparse_segments": "segment_mean segment_sqrt_n segment_sum",
    },
)
