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
        "VirtualDeviceConfiguration enable_tensor_float_32_execution get_device_details get_device_policy "
        "get_memory_growth get_memory_info get_memory_usage get_synchronous_execution "
        "get_virtual_device_configuration reset_memory_stats set_device_policy set_memory_growth "
        "set_synchronous_execution set_virtual_device_configuration tensor_float_32_execution_enabled",
        "ops.seeds": "enable_op_determinism",
    },
    absent={
        "ClusterDeviceFilters": "a server sees every device of its cluster; ConfigProto takes device_filters",
        "disable_mlir_bridge": "no MLIR: tf.function(jit_compile=True) compiles with XLA through JAX",
        "enable_mlir_bridge": "no MLIR: tf.function(jit_compile=True) compiles with XLA through JAX",
    },
)
