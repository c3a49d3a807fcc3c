"""`tf.lookup.experimental`: tables that programs change."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.hash_tables.mutable_table import DenseHashTable, MutableHashTable
__all__ = [
    "DenseHashTable", "MutableHashTable"
]
