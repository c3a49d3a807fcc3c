"""`tf.test.experimental`: waiting for devices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.devices.listing import sync_devices
__all__ = [
    "sync_devices"
]
