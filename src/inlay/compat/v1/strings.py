"""`tf.compat.v1.strings`: tensors of bytes, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.strings",
    {
        "ops.composite.text": "split",
        "ops.hashing": "to_hash_bucket",
        "ops.legacy": "length reduce_join substr to_number",
    },
    continues="strings",
)
