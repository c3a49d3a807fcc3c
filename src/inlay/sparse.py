"""`tf.sparse`: tensors most of whose elements are zero."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "sparse",
    ("composite.sparse", "composite.sparse_features", "composite.sparse_ops"),
)
