"""`tf.experimental.dlpack`: tensors and arrays of other libraries without copies, on the host and on accelerators."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.devices.dlpack import from_dlpack, to_dlpack
__all__ = [
    "from_dlpack", "to_dlpack"
]
