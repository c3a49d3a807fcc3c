"""Settings of devices that programs make: kept, and told again, where they mean nothing here.

JAX divides the memory of accelerators: its environment variable XLA_PYTHON_CLIENT_PREALLOCATE and its like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.core.device import accelerators, available, canonical, name_cpus, parts_of
from inlay._src.core.devices.listing import PhysicalDevice, list_physical_devices


@export("config.LogicalDeviceConfiguration", "config.experimental.VirtualDeviceConfiguration")
class LogicalDeviceConfiguration(NamedTuple):
    """The share of a device that a logical device has.

    Attributes:
      memory_limit: megabytes; None for all.
      experimental_priority, experimental_device_ordinal: accepted.
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_growing: dict[PhysicalDevice, bool] = {}
_configured: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}


def _there(device: PhysicalDevice) -> PhysicalDevice:
    if not isinstance(device, PhysicalDevice) or device not in list_physical_devices():
        raise ValueError(f"Unrecognized device: {device!r}")
    return device


@export("config.experimental.set_memory_growth")
def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Accepted: JAX allocates the memory of GPUs.

    Args:
      device: a GPU, of `list_physical_devices`.
      enable: the result of `get_memory_growth` from now on.

    Raises:
      ValueError: for a device that is not there, or no GPU.
    """
    if _there(device).device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU and non-Pluggable devices")
    _growing[device] = bool(enable)


@export("config.experimental.get_memory_growth")
def get_memory_growth(device: PhysicalDevice) -> bool:
    """The setting of `set_memory_growth`; False if nothing was said.

    Raises:
      ValueError: for a device that is not there.
    """
    return _growing.get(_there(device), False)


@export("config.experimental.get_device_details")
def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """The details of a GPU: JAX does not tell more than its name, so nothing; nothing of a CPU, as in TensorFlow.

    Args:
      device: of `list_physical_devices`.

    Raises:
      ValueError: for a device that is not there.
    """
    return {"device_name": device.name} if _there(device).device_type == "GPU" else {}


@export("config.set_logical_device_configuration", "config.experimental.set_virtual_device_configuration")
def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Says what a device is divided into, before its logical devices are used.

    The CPU is divided into several names of one processor: ops are placed on each, tensors and variables know theirs,
    all compute alike and share their memory. A GPU is one logical device, whose memory limit is accepted.

    Args:
      device: of `list_physical_devices`.
      logical_devices: a configuration for each.

    Raises:
      ValueError: for a device that is not there, and a memory limit or priority of the CPU.
      RuntimeError: for another number of names of the CPU once an op ran, a session was made or the logical devices
        were listed.
      NotImplementedError: for several logical devices of a GPU.
    """
    wanted = list(logical_devices)
    on_cpu = _there(device).device_type == "CPU"
    for setting, said in (("memory limit", "memory_limit"), ("experimental_priority", "experimental_priority")):
        if on_cpu and any(getattr(one, said) is not None for one in wanted):
            raise ValueError(f"Setting {setting} on CPU virtual devices is currently not supported")
    if on_cpu:
        name_cpus(max(len(wanted), 1))
    elif len(wanted) > 1:
        raise NotImplementedError(
            f"{device.name} cannot be divided into {len(wanted)} logical devices: a GPU is one. Try "
            "placement on logical devices of the CPU, or run the parts of a program on servers: tf.distribute.Server"
        )
    _configured[device] = wanted


@export("config.get_logical_device_configuration", "config.experimental.get_virtual_device_configuration")
def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """The configuration by `set_logical_device_configuration`; None if nothing was said.

    Raises:
      ValueError: for a device that is not there.
    """
    return _configured.get(_there(device))


@export("config.experimental.get_device_policy")
def get_device_policy() -> str:
    """The policy for an op on a tensor of another device, which `set_device_policy` sets: "silent" at first."""
    return _execution.device_policy


@export("config.experimental.set_device_policy")
def set_device_policy(device_policy: str | None) -> None:
    """Accepted: tensors are copied to the device of the op that takes them, whatever the policy.

    Args:
      device_policy: "explicit", "warn", "silent" or "silent_for_int32", the result of `get_device_policy` from now on;
        None for "silent".

    Raises:
      ValueError: for another policy.
    """
    policy = "silent" if device_policy is None else device_policy
    if policy not in ("explicit", "warn", "silent", "silent_for_int32"):
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. It must be 'explicit', 'warn', 'silent', "
            "'silent_for_int32' or None."
        )
    _execution.device_policy = policy


@export("config.experimental.get_synchronous_execution")
def get_synchronous_execution() -> bool:
    """The setting of `set_synchronous_execution`; True at first."""
    return _execution.synchronous


@export("config.experimental.set_synchronous_execution")
def set_synchronous_execution(enable: bool | None) -> None:
    """Accepted: an eager op has its value when the call returns, in either case.

    Args:
      enable: the result of `get_synchronous_execution` from now on; None for True.
    """
    _execution.synchronous = True if enable is None else enable


@export("config.experimental.tensor_float_32_execution_enabled")
def tensor_float_32_execution_enabled() -> bool:
    """The setting of `enable_tensor_float_32_execution`; True at first."""
    return _execution.tensor_float_32


@export("config.experimental.enable_tensor_float_32_execution")
def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Accepted: matrix products of float32 are computed in float32 by NumPy, and as JAX is configured on a GPU.

    `jax.default_matmul_precision` sets the precision of products on a GPU.

    Args:
      enabled: the result of `tensor_float_32_execution_enabled` from now on.
    """
    _execution.tensor_float_32 = bool(enabled)


@export("config.experimental.get_memory_info")
def get_memory_info(device: str) -> dict[str, int]:
    """The memory that a device holds for tensors.

    Args:
      device: a name with an index, such as "GPU:0".

    Returns:
      The bytes in use, "current", and the greatest number of them, "peak". Both are 0 for the CPU, as in TensorFlow:
      the operating system knows.

    Raises:
      ValueError: for a name without an index, and for a device that is not there.
    """
    statistics = _statistics(device)
    return {"current": statistics.get("bytes_in_use", 0), "peak": statistics.get("peak_bytes_in_use", 0)}


@export("config.experimental.get_memory_usage")
def get_memory_usage(device: str) -> int:
    """The bytes that a device holds for tensors: `get_memory_info(device)["current"]`.

    Args:
      device: a name with an index, such as "GPU:0".

    Raises:
      ValueError: for a name without an index, and for a device that is not there.
    """
    return get_memory_info(device)["current"]


@export("config.experimental.reset_memory_stats")
def reset_memory_stats(device: str) -> None:
    """Accepted for the CPU, of which nothing is counted.

    Args:
      device: a name with an index, such as "CPU:0".

    Raises:
      ValueError: for a name without an index, and for a device that is not there.
      NotImplementedError: for a GPU, as JAX does not reset the peak of its memory.
    """
    if _statistics(device):
        raise NotImplementedError(
            f"The peak of the memory of {device} cannot be reset: JAX counts it from the start of the process. Compare "
            "get_memory_info(device)['current'] before and after instead"
        )


class _ExecutionSettings:
    """The execution settings of eager ops."""

    device_policy: str = "silent"
    synchronous: bool = True
    tensor_float_32: bool = True


_execution = _ExecutionSettings()


def _statistics(device: str) -> Mapping[str, int]:
    """JAX's memory statistics of a device; empty for the CPU."""
    try:
        parts = parts_of(device)
    except (ValueError, AttributeError):
        parts = {}
    if "index" not in parts:
        raise ValueError(
            f"Failed parsing device name: {device!r}. Note a valid device string should at least contain a device type "
            'and a device index, like "GPU:0".'
        )
    name = canonical(device)
    if name not in available():
        raise ValueError(f"No matching devices found for {device!r}")
    accelerator = accelerators().get(name)
    return {} if accelerator is None else accelerator.memory_stats() or {}
