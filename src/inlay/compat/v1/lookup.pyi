"""`tf.compat.v1.lookup`: tables, with the operations that fill them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.hash_tables.static_table import StaticHashTableV1 as StaticHashTable
from inlay._src.ops.hash_tables.vocabulary import StaticVocabularyTable
from inlay.lookup import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer, experimental
__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex", "TextFileInitializer",
    "experimental"
]
