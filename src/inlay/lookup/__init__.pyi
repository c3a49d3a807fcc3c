"""`tf.lookup`: tables of keys and values."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.hash_tables.initializers import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer
from inlay._src.ops.hash_tables.static_table import StaticHashTable
from inlay._src.ops.hash_tables.vocabulary import StaticVocabularyTable
from inlay.lookup import experimental
__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex", "TextFileInitializer",
    "experimental"
]
