"""`tf.compat.v1.saved_model.main_op`: operations that a loaded graph runs first."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.saved.main_ops import main_op, main_op_with_restore
__all__ = [
    "main_op", "main_op_with_restore"
]
