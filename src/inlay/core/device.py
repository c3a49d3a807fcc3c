"""Device strings: parse, merge, and refuse devices that do not exist."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from inlay import errors


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """A parsed device string; None is unspecified."""

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    @classmethod
    def from_string(cls, text: str) -> DeviceSpec:
        """Parses `/job:worker/task:1/device:GPU:0`, `/gpu:0`, `CPU:0`.

        Raises:
          ValueError: if a part is not understood.
        """
        spec = cls()
        for part in filter(None, text.split("/")):
            match = re.fullmatch(
                r"(?i)(job):([A-Za-z]\w*)|(replica|task):(\d+)|(?:device:)?(CPU|GPU|TPU|XLA_CPU|XLA_GPU)"
                r"(?::(\d+|\*))?",
                part,
            )
            if match is None:
                raise ValueError(
                    f"Unknown attribute {part.split(':')[0]!r} is encountered while parsing the device spec: {text!r}."
                )
            if match[1]:
                spec = replace(spec, job=match[2])
            elif match[3]:
                spec = replace(spec, **{match[3].lower(): int(match[4])})  # type: ignore[arg-type]
            else:
                index = None if match[6] in (None, "*") else int(match[6])
                spec = replace(spec, device_type=match[5].upper(), device_index=index)
        return spec

    def merged(self, inner: DeviceSpec) -> DeviceSpec:
        """This spec with what `inner` specifies put over it."""
        changes = {f: v for f in DeviceSpec.__slots__ if (v := getattr(inner, f)) is not None}
        return replace(self, **changes)

    def to_string(self) -> str:
        parts = []
        if self.job is not None:
            parts.append(f"/job:{self.job}")
        if self.replica is not None:
            parts.append(f"/replica:{self.replica}")
        if self.task is not None:
            parts.append(f"/task:{self.task}")
        if self.device_type is not None:
            parts.append(f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}")
        return "".join(parts)


def canonical(text: str | None, outer: str = "") -> str:
    """The canonical spelling of `text` inside a scope of device `outer`; None leaves every scope."""
    if text is None:
        return ""
    return DeviceSpec.from_string(outer).merged(DeviceSpec.from_string(text)).to_string()


def available() -> list[str]:
    """The local devices' canonical names."""
    return ["/device:CPU:0"]


def check(device: str, what: str, soft: bool = False) -> None:
    """Refuses a device this process does not have.

    Args:
      device: a canonical device string.
      what: what was to be placed there, for the message.
      soft: whether soft placement was asked for; then anything runs on the CPU.

    Raises:
      InvalidArgumentError: if there is no such device.
    """
    if not device or soft:
        return
    spec = DeviceSpec.from_string(device)
    if spec.device_type is None:
        return
    wanted = f"/device:{spec.device_type}:{spec.device_index or 0}"
    local = spec.job in (None, "localhost") and not spec.task
    if not local or wanted not in available():
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Cannot assign a device for operation {what}: it was explicitly assigned to {device} but "
            f"available devices are [ {', '.join(available())} ]. Make sure the device specification refers to a valid "
            "device, or ask for soft placement (ConfigProto(allow_soft_placement=True)).",
        )
