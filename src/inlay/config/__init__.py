"""`tf.config`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "config",
    {
        "core.device": "get_soft_device_placement set_soft_device_placement",
        "core.devices.listing":
        "LogicalDevice PhysicalDevice get_visible_devices list_logical_devices list_physical_devices "
        "set_visible_devices",
        "core.devices.settings":
        "LogicalDeviceConfiguration get_logical_device_configuration set_logical_device_configuration",
        "programs.functions.function":
        "experimental_functions_run_eagerly experimental_run_functions_eagerly functions_run_eagerly "
        "run_functions_eagerly",
    },
    below=("experimental", "optimizer", "threading"),
    absent={
        "experimental_connect_to_cluster": "name a server's task with tf.device, and run a Session on its target",
        "experimental_connect_to_host": "name a server's task with tf.device, and run a Session on its target",
    },
)
