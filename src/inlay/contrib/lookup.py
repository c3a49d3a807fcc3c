"""`tf.contrib.lookup`: tables by their first names, and those of words in files."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "contrib.lookup",
    {
        "ops.hash_tables.initializers":
        "KeyValueTensorInitializer TextFileIdTableInitializer TextFileIndex TextFileInitializer "
        "TextFileStringTableInitializer",
        "ops.hash_tables.mutable_table": "MutableDenseHashTable MutableHashTable",
        "ops.hash_tables.static_table": "HashTable",
        "ops.hash_tables.vocabulary":
        "IdTableWithHashBuckets index_table_from_file index_table_from_tensor index_to_string_table_from_file "
        "index_to_string_table_from_tensor",
    },
)
