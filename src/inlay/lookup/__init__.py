"""`tf.lookup`: tables of keys and values."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "lookup",
    {
        "ops.hash_tables.initializers": "KeyValueTensorInitializer TextFileIndex TextFileInitializer",
        "ops.hash_tables.static_table": "StaticHashTable",
        "ops.hash_tables.vocabulary": "StaticVocabularyTable",
    },
    below=("experimental",),
)
