"""`tf.config.experimental`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.devices.listing import (
    get_visible_devices, list_logical_devices, list_physical_devices, set_visible_devices
)
from inlay._src.core.devices.settings import (
    LogicalDeviceConfiguration as VirtualDeviceConfiguration, get_device_details, get_memory_growth,
    get_logical_device_configuration as get_virtual_device_configuration, set_memory_growth,
    set_logical_device_configuration as set_virtual_device_configuration
)
from inlay._src.ops.seeds import enable_op_determinism
__all__ = [
    "VirtualDeviceConfiguration", "enable_op_determinism", "get_device_details", "get_memory_growth",
    "get_virtual_device_configuration", "get_visible_devices", "list_logical_devices", "list_physical_devices",
    "set_memory_growth", "set_virtual_device_configuration", "set_visible_devices"
]
