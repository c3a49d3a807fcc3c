"""The devices of a session, as it lists them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.core import device
from inlay._src.core.operation import Operation
from inlay._src.engine.plan.plan import Step
from inlay._src.programs.session.target import SessionTarget


class DeviceAttributes(NamedTuple):
    """A device that nodes of a session can be placed on.

    Attributes:
      name: its whole name, for instance "/job:localhost/replica:0/task:0/device:CPU:0".
      device_type: "CPU" or "GPU".
      memory_limit_bytes: 0: inlay sets no limit.
      incarnation: a number that is not 0.
    """

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int

    @classmethod
    def of(cls, name: str) -> DeviceAttributes:
        """The device of a name."""
        return cls(name, device.parts_of(name)["device"], 0, zlib.crc32(name.encode()) + 1)


def cpus_of(config: Any) -> tuple[str, ...]:
    """The names of the CPU in a session: as many as `device_count` of its config says, or those of the process."""
    return device.cpu_names(dict(getattr(config, "device_count", None) or {}).get("CPU", 0))


def check_devices(placed: Sequence[Step | Operation], soft: bool, config: Any) -> None:
    """Refuses steps or operations on a device that is missing, unless placement is soft.

    Args:
      placed: the steps or operations that ask for a device.
      soft: whether what is missing is replaced by the CPU.
      config: the `ConfigProto` of their session, or None.

    Raises:
      InvalidArgumentError: naming the first one.
    """
    cpus = cpus_of(config) if placed else ()
    for item in placed:
        name, op = (item.asked, item.op) if isinstance(item, Step) else (item.device, item.type)
        device.check(name, f"{item.name}: {op}", soft, cpus)


def listed(target: SessionTarget | None, config: Any) -> list[DeviceAttributes]:
    """The devices of a session.

    Args:
      target: where it runs; None is this process.
      config: its `ConfigProto`, or None.
    """
    if target is not None:
        return [DeviceAttributes.of(name) for name in target.devices()]
    here = [*cpus_of(config), *device.accelerators()]
    return [DeviceAttributes.of(f"/job:localhost/replica:0/task:0{name}") for name in here]
