"""`tf.experimental.extension_type`: functions of users' own types."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental.extension_type",
    {
        "ops.composite.extension_type": "as_dict",
    },
)
