"""`tf.manip`: shapes, rows and blocks of tensors, by the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.manip",
    {
        "ops.array": "reshape",
        "ops.blocks": "batch_to_space_nd space_to_batch_nd",
        "ops.legacy": "gather_nd",
        "ops.rearranging": "reverse roll",
        "ops.scatter": "scatter_nd",
        "ops.tiling": "tile",
    },
)
