"""`tf.config.experimental`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "config.experimental",
    {
        "core.devices.listing":
        "get_visible_devices list_logical_devices list_physical_devices set_visible_devices",
        "core.devices.settings":
        "VirtualDeviceConfiguration get_device_details get_memory_growth get_virtual_device_configuration "
        "set_memory_growth set_virtual_device_configuration",
        "ops.seeds": "enable_op_determinism",
    },
)
