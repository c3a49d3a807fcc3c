"""`tf.config`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.device import get_soft_device_placement, set_soft_device_placement
from inlay._src.core.devices.listing import (
    LogicalDevice, PhysicalDevice, get_visible_devices, list_logical_devices, list_physical_devices,
    set_visible_devices
)
from inlay._src.core.devices.settings import (
    LogicalDeviceConfiguration, get_logical_device_configuration, set_logical_device_configuration
)
from inlay._src.programs.functions.function import (
    functions_run_eagerly as experimental_functions_run_eagerly, run_functions_eagerly as
    experimental_run_functions_eagerly, functions_run_eagerly, run_functions_eagerly
)
from inlay.config import experimental, optimizer, threading
__all__ = [
    "LogicalDevice", "LogicalDeviceConfiguration", "PhysicalDevice", "experimental",
    "experimental_functions_run_eagerly", "experimental_run_functions_eagerly", "functions_run_eagerly",
    "get_logical_device_configuration", "get_soft_device_placement", "get_visible_devices", "list_logical_devices",
    "list_physical_devices", "optimizer", "run_functions_eagerly", "set_logical_device_configuration",
    "set_soft_device_placement", "set_visible_devices", "threading"
]
