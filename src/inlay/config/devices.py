"""The devices of this process."""

from __future__ import annotations

from typing import NamedTuple

from inlay.core import device


class PhysicalDevice(NamedTuple):
    """A device.

    Attributes:
      name: for instance "/physical_device:CPU:0".
      device_type: "CPU" or "GPU".
    """

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that ops can be placed on.

    Args:
      device_type: "CPU" or "GPU"; None lists all.
    """
    found = [PhysicalDevice(f"/physical_{name.lstrip('/')}", name.split(":")[1]) for name in device.available()]
    return [d for d in found if device_type in (None, d.device_type)]


def list_logical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The same devices by the names that `tf.device` takes.

    Args:
      device_type: "CPU" or "GPU"; None lists all.
    """
    return [
        PhysicalDevice(f"/{d.name.removeprefix('/physical_')}", d.device_type)
        for d in list_physical_devices(device_type)
    ]
