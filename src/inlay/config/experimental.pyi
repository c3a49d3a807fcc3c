"""`tf.config.experimental`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.ops.seeds import enable_op_determinism
__all__ = [
    "enable_op_determinism"
]
