"""`tf.compat.v1.saved_model.main_op`: operations that a loaded graph runs first."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.saved_model.main_op",
    {
        "saved.main_ops": "main_op main_op_with_restore",
    },
)
