"""`tf.lookup`: tables of keys and values."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "lookup",
    ("hash_tables.initializers", "hash_tables.static_table", "hash_tables.vocabulary"),
    below=("experimental",),
)
