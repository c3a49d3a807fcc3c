"""Settings of devices that programs make: kept, and told again, where they mean nothing here.

JAX divides the memory of accelerators: its environment variable XLA_PYTHON_CLIENT_PREALLOCATE and its like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.core.device import name_cpus
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
