"""`tf.config`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import inlay.config.optimizer as optimizer
from inlay.devices.listing import (
    PhysicalDevice, get_visible_devices, list_logical_devices, list_physical_devices, set_visible_devices
)
from inlay.functions.function import functions_run_eagerly, run_functions_eagerly
