"""`tf.config.experimental`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.devices.listing import (
    get_visible_devices, list_logical_devices, list_physical_devices, set_visible_devices
)
from inlay._src.core.devices.settings import (
    LogicalDeviceConfiguration as VirtualDeviceConfiguration, enable_tensor_float_32_execution, get_device_details,
    get_device_policy, get_memory_growth, get_memory_info, get_memory_usage, get_synchronous_execution,
    get_logical_device_configuration as get_virtual_device_configuration, reset_memory_stats, set_device_policy,
    set_memory_growth, set_synchronous_execution, set_logical_device_configuration as set_virtual_device_configuration,
    tensor_float_32_execution_enabled
)
from inlay._src.ops.seeds import enable_op_determinism
__all__ = [
    "VirtualDeviceConfiguration", "enable_op_determinism", "enable_tensor_float_32_execution", "get_device_details",
    "get_device_policy", "get_memory_growth", "get_memory_info", "get_memory_usage", "get_synchronous_execution",
    "get_virtual_device_configuration", "get_visible_devices", "list_logical_devices", "list_physical_devices",
    "reset_memory_stats", "set_device_policy", "set_memory_growth", "set_synchronous_execution",
    "set_virtual_device_configuration", "set_visible_devices", "tensor_float_32_execution_enabled"
]
