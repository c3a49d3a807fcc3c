"""`tf.experimental.dlpack`: tensors and arrays of other libraries without copies, on the host and on accelerators."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "experimental.dlpack",
    {
        "core.devices.dlpack": "from_dlpack to_dlpack",
    },
)
