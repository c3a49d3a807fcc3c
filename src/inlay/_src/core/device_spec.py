"""`DeviceSpec`: the parts of a device string as an object."""

from __future__ import annotations

from typing import Any, Self

from inlay._src.base.export import export

_FIELDS = ("job", "replica", "task", "device_type", "device_index")


def _kind(text: Any) -> str | None:
    """A type of device; "cpu" and "gpu" are written in capitals."""
    if text is None:
        return None
    return str(text).upper() if str(text).lower() in ("cpu", "gpu") else str(text)


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _parsed(spec: str) -> dict[str, Any]:
    """The parts that a device string says."""
    if not isinstance(spec, str):
        raise TypeError(f"A device is a string such as '/device:CPU:0', got {spec!r}")
    parts: dict[str, Any] = dict.fromkeys(_FIELDS)
    for part in filter(None, spec.split("/")):
        name, *rest = part.split(":")
        lowered = name.lower()
        if lowered == "job" and len(rest) == 1:
            parts["job"] = rest[0]
        elif lowered in ("replica", "task") and len(rest) == 1:
            parts[lowered] = int(rest[0])
        elif (lowered == "device" and len(rest) == 2) or (lowered in ("cpu", "gpu") and len(rest) <= 1):
            kind, *index = rest if lowered == "device" else [name, *rest]
            if parts["device_type"] is not None:
                raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
            parts["device_type"] = _kind(kind)
            parts["device_index"] = int(index[0]) if index and index[0] != "*" else None
        else:
            raise ValueError(f"Unknown attribute '{name}' is encountered while parsing the device spec: '{spec}'.")
    return parts


@export("DeviceSpec")
class DeviceSpec:
    """A partial description of a device; each part may be None. It goes where device strings go.

    Args:
      job: the name of a job of a cluster.
      replica, task: numbers.
      device_type: "CPU" or "GPU".
      device_index: a number.
    """

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica, self._task, self._index = _number(replica), _number(task), _number(device_index)
        self._type = _kind(device_type)

    @classmethod
    def from_string(cls, spec: str) -> Self:
        """The parts of a device string.

        Args:
          spec: "/job:worker/task:1/device:GPU:0" and its like.

        Raises:
          ValueError: for a part that is none, and for several types of devices.
        """
        return cls(**_parsed(spec))

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """`from_string`, of a spec that is there already."""
        return type(self).from_string(spec)

    @property
    def job(self) -> str | None:
        """The job."""
        return self._job

    @property
    def replica(self) -> int | None:
        """The replica's number."""
        return self._replica

    @property
    def task(self) -> int | None:
        """The task's number."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """The type of device."""
        return self._type

    @property
    def device_index(self) -> int | None:
        """The number of the device among those of its type."""
        return self._index

    def to_string(self) -> str:
        """The device string: a device without a number is any of its type."""
        said = [(name, getattr(self, name)) for name in ("job", "replica", "task")]
        text = "".join(f"/{name}:{value}" for name, value in said if value is not None)
        if self.device_type is None:
            return text
        return f"{text}/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}"

    def _said(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _FIELDS}

    def make_merged_spec(self, dev: DeviceSpec) -> Self:
        """A spec of what `dev` says, and of what this one says beside.

        Args:
          dev: the other spec, whose parts count more.
        """
        return type(self)(**(self._said() | {name: part for name, part in dev._said().items() if part is not None}))

    def replace(self, **kwargs: Any) -> Self:
        """A spec with other parts.

        Args:
          **kwargs: the parts, by the names of the constructor's arguments.
        """
        return type(self)(**(self._said() | kwargs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{name}={getattr(self, name)}' for name in _FIELDS)})>"


@export("compat.v1.DeviceSpec")
class DeviceSpecV1(DeviceSpec):
    """A `DeviceSpec` of 1.x, whose parts may be assigned.

    Args:
      job, replica, task, device_type, device_index: as for `DeviceSpec`.
    """

    __hash__ = DeviceSpec.__hash__

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIELDS:
            spec = type(self)(**(self._said() | {name: value}))
            vars(self).update(vars(spec))
        else:
            object.__setattr__(self, name, value)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Takes over the parts of a device string; returns itself."""
        vars(self).update(vars(type(self)(**_parsed(spec))))
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Takes over what another spec says.

        Args:
          dev: the other spec.
        """
        vars(self).update(vars(self.make_merged_spec(dev)))
