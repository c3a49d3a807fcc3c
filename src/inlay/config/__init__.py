"""`tf.config`: settings of the process."""

from inlay.config import optimizer as optimizer
from inlay.config.devices import PhysicalDevice as PhysicalDevice
from inlay.config.devices import get_visible_devices as get_visible_devices
from inlay.config.devices import list_logical_devices as list_logical_devices
from inlay.config.devices import list_physical_devices as list_physical_devices
from inlay.config.devices import set_visible_devices as set_visible_devices
from inlay.functions.function import functions_run_eagerly as functions_run_eagerly
from inlay.functions.function import run_functions_eagerly as run_functions_eagerly

__all__ = [
    "PhysicalDevice",
    "functions_run_eagerly",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_visible_devices",
]
