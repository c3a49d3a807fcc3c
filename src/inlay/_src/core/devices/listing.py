"""The devices of this process."""

from __future__ import annotations

import importlib.util
import platform
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inlay._src.base.export import export
from inlay._src.core import device


@export("config.PhysicalDevice")
class PhysicalDevice(NamedTuple):
    """A device.

    Attributes:
      name: for instance "/physical_device:CPU:0".
      device_type: "CPU" or "GPU".
    """

    name: str
    device_type: str


@export("config.LogicalDevice")
class LogicalDevice(NamedTuple):
    """A device that ops are placed on.

    Attributes:
      name: for instance "/device:CPU:0".
      device_type: "CPU" or "GPU".
    """

    name: str
    device_type: str


def _listed(names: Iterable[str], device_type: str | None) -> list[PhysicalDevice]:
    devices = [PhysicalDevice(f"/physical_{name.lstrip('/')}", name.split(":")[1]) for name in names]
    return [d for d in devices if device_type in (None, d.device_type)]


@export("config.list_physical_devices", "config.experimental.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices of this machine, hidden ones included.

    Args:
      device_type: "CPU" or "GPU"; None lists all.
    """
    return _listed(device.every(), device_type)


@export("config.list_logical_devices", "config.experimental.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that ops can be placed on, by the names that `tf.device` takes. Their number stays from then on.

    Args:
      device_type: "CPU" or "GPU"; None lists all.
    """
    device.note_started()
    every = [LogicalDevice(name, name.split(":")[1]) for name in device.available()]
    return [d for d in every if device_type in (None, d.device_type)]


@export("config.get_visible_devices", "config.experimental.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The physical devices that are not hidden.

    Args:
      device_type: "CPU" or "GPU"; None lists all.
    """
    return _listed([device.CPU, *device.accelerators()], device_type)


@export("config.set_visible_devices", "config.experimental.set_visible_devices")
def set_visible_devices(devices: PhysicalDevice | Sequence[PhysicalDevice], device_type: str | None = None) -> None:
    """Hides every device that is not among `devices`; nothing new is placed on a hidden one.

    Args:
      devices: the devices of `list_physical_devices`, or some of them.
      device_type: "CPU" or "GPU"; None judges devices of every type.

    Raises:
      ValueError: for a device that is not there or of another type, and if the CPU would be hidden.
    """
    wanted = [devices] if isinstance(devices, PhysicalDevice) else list(devices)
    there = list_physical_devices(device_type)
    for d in wanted:
        if d not in there:
            raise ValueError(f"set_visible_devices: no such device of type {device_type or 'CPU or GPU'}: {d}")
    if device_type in (None, "CPU") and not any(d.device_type == "CPU" for d in wanted):
        raise ValueError("set_visible_devices: the CPU cannot be hidden")
    if device_type != "CPU":
        shown = {d.name for d in wanted}
        device.hide([n for n in device.every() if n != device.CPU and f"/physical_{n.lstrip('/')}" not in shown])


@export("test.is_gpu_available")
def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: object = None) -> bool:
    """Whether a GPU can be placed on.

    Args:
      cuda_only, min_cuda_compute_capability: accepted.
    """
    return bool(gpu_device_name())


@export("test.gpu_device_name")
def gpu_device_name() -> str:
    """The first GPU's device name, or an empty string."""
    return next((name for name in device.available() if "GPU" in name), "")


@export("test.is_built_with_cuda")
def is_built_with_cuda() -> bool:
    """Whether the package itself was built with CUDA: never, kernels are NumPy's and JAX's."""
    return False


@export("test.is_built_with_rocm")
def is_built_with_rocm() -> bool:
    """Whether the package itself was built with ROCm: never, kernels are NumPy's and JAX's."""
    return False


@export("test.is_built_with_gpu_support")
def is_built_with_gpu_support() -> bool:
    """Whether the package itself was built for GPUs: never. `config.list_physical_devices` lists those of JAX."""
    return False


@export("test.is_built_with_xla")
def is_built_with_xla() -> bool:
    """Whether `jit_compile=True` compiles with XLA: where JAX is installed."""
    return importlib.util.find_spec("jax") is not None


@export("test.is_cpu_target_available")
def is_cpu_target_available(target: str) -> bool:
    """Whether XLA compiles for a kind of processor: for that of this machine.

    Args:
      target: "x86", "aarch64", "arm", "ppc" or "systemz".

    Raises:
      ValueError: for another one.
    """
    machines = {
        "x86": ("x86_64", "amd64", "i386", "i686"),
        "aarch64": ("aarch64", "arm64"),
        "arm": ("armv6l", "armv7l"),
        "ppc": ("ppc64", "ppc64le"),
        "systemz": ("s390x",),
    }
    if target not in machines:
        raise ValueError(f"Unknown CPU target: {target}; the targets are {', '.join(machines)}")
    return platform.machine().lower() in machines[target]


@export("test.experimental.sync_devices")
def sync_devices() -> None:
    """Returns at once: an eager op has its value when the call returns, on a GPU too when it is read."""
