"""`tf.contrib.lookup`: tables by their first names, and those of words in files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.hash_tables.initializers import (
    KeyValueTensorInitializer, TextFileIdTableInitializer, TextFileIndex, TextFileInitializer,
    TextFileStringTableInitializer
)
from inlay._src.ops.hash_tables.mutable_table import DenseHashTable as MutableDenseHashTable, MutableHashTable
from inlay._src.ops.hash_tables.static_table import HashTable
from inlay._src.ops.hash_tables.vocabulary import (
    IdTableWithHashBuckets, index_table_from_file, index_table_from_tensor, index_to_string_table_from_file,
    index_to_string_table_from_tensor
)
__all__ = [
    "HashTable", "IdTableWithHashBuckets", "KeyValueTensorInitializer", "MutableDenseHashTable", "MutableHashTable",
    "TextFileIdTableInitializer", "TextFileIndex", "TextFileInitializer", "TextFileStringTableInitializer",
    "index_table_from_file", "index_table_from_tensor", "index_to_string_table_from_file",
    "index_to_string_table_from_tensor"
]
