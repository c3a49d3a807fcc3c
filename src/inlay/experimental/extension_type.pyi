"""`tf.experimental.extension_type`: functions of users' own types."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.composite.extension_type import as_dict
__all__ = [
    "as_dict"
]
