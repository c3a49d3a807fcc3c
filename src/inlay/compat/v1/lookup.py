"""`tf.compat.v1.lookup`: tables, with the operations that fill them."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.lookup",
    {
        "ops.hash_tables.static_table": "StaticHashTable",
        "ops.hash_tables.vocabulary": "StaticVocabularyTable",
    },
    continues="lookup",
)
