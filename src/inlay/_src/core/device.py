"""Device strings, and the devices that are there: the CPU, under one name or several, and GPUs that JAX can reach.

Logical devices of the CPU are names: the same processor computes and the same memory holds what is placed on any.

JAX is asked once, and only where a GPU can be: with a driver, a plugin of JAX for it, and no variable that hides it.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Collection, Mapping
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import repr_of

CPU = "/device:CPU:0"
_DRIVERS = ("/dev/nvidiactl", "/proc/driver/nvidia/version", "/dev/dxg", "/dev/kfd")
_PLUGINS = ("jax_cuda13_plugin", "jax_cuda12_plugin", "jax_rocm7_plugin", "jax_rocm60_plugin")


_PART = r"(?i)(job):([A-Za-z]\w*)|(replica|task):(\d+)|(?:device:)?(CPU|GPU|TPU|XLA_CPU|XLA_GPU)(?::(\d+|\*))?"


def parts_of(text: str) -> dict[str, str]:
    """The parts of a device string that are specified: `/job:w/gpu:0` -> {"job": "w", "device": "GPU", "index": "0"}.

    Raises:
      ValueError: if a part is not understood.
    """
    parts = {}
    for part in filter(None, text.split("/")):
        match = re.fullmatch(_PART, part)
        if match is None:
            raise ValueError(
                f"Unknown attribute {part.split(':')[0]!r} is encountered while parsing the device spec: {text!r}."
            )
        job, name, numbered, number, kind, index = match.groups()
        if job:
            parts["job"] = name
        elif numbered:
            parts[numbered.lower()] = str(int(number))
        else:
            parts["device"] = kind.upper()
            if index not in (None, "*"):
                parts["index"] = str(int(index))
    return parts


def canonical(text: Any, outer: str = "") -> str:
    """The canonical spelling of `text` inside a scope of device `outer`; None leaves every scope.

    Raises:
      ValueError: if `text` is neither a string nor a `DeviceSpec`, or names no device.
    """
    if text is None:
        return ""
    if not isinstance(text, str):
        if not hasattr(text, "to_string"):
            raise ValueError(f"Expecting a string device name. Got {type(text)}({repr_of(text)})")
        text = text.to_string()
    parts = parts_of(outer) | parts_of(text)
    if "device" in parts:
        parts["device"] += f":{parts.get('index', '*')}"
    return "".join(f"/{name}:{parts[name]}" for name in ("job", "replica", "task", "device") if name in parts)


# ---------------------------------------------------------------- what is there


class _Accelerators:
    """The accelerators of this process, and what happens where one is asked for that is not there.

    Attributes:
      all: by name; None before anybody asked.
      hidden: those that are not to be seen.
      soft: whether eager ops and functions run on the CPU then.
      missed: devices that were asked for in vain; each is logged once.
      cpus: the names of the CPU.
      started: whether an op ran, a session was made or the logical devices were listed: the names stay as they are.
    """

    all: Mapping[str, Any] | None = None
    hidden: frozenset[str] = frozenset()
    soft = True
    missed: set[str] = set()
    cpus: tuple[str, ...] = (CPU,)
    started = False


def accelerators() -> Mapping[str, Any]:
    """The visible accelerators: canonical name -> JAX device. Empty, and found without JAX, where there is no GPU."""
    gpus = _Accelerators.all
    if gpus is None:
        gpus = _Accelerators.all = xla.gpus() if _may_have_gpu() else {}
    return {n: d for n, d in gpus.items() if n not in _Accelerators.hidden} if gpus and _Accelerators.hidden else gpus


def _may_have_gpu() -> bool:
    """Whether asking JAX for GPUs can have an answer; asking costs its import and its start."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", os.environ.get("HIP_VISIBLE_DEVICES"))
    platforms = os.environ.get("JAX_PLATFORMS", "")
    return (
        (visible is None or visible.strip() not in ("", "-1"))
        and (not platforms or any(p.strip() in ("cuda", "rocm", "gpu") for p in platforms.split(",")))
        and any(map(os.path.exists, _DRIVERS))
        and any(importlib.util.find_spec(plugin) is not None for plugin in _PLUGINS)
    )


def use(devices: Mapping[str, Any] | None) -> None:
    """Says which accelerators there are, by name; None looks again. Tests let another device stand in for a GPU."""
    _Accelerators.all, _Accelerators.hidden, _Accelerators.missed = devices, frozenset(), set()
    _Accelerators.cpus, _Accelerators.started = (CPU,), False


def hide(names: Collection[str]) -> None:
    """Takes accelerators out of sight; replaces what was hidden before."""
    _Accelerators.hidden = frozenset(names)


def every() -> list[str]:
    """The canonical names of all local devices, hidden ones included."""
    accelerators()
    return [CPU, *(_Accelerators.all or ())]


def available() -> list[str]:
    """The canonical names of the local devices that ops can be placed on."""
    return [*_Accelerators.cpus, *accelerators()]


def name_cpus(count: int) -> None:
    """Gives the CPU so many names.

    Raises:
      RuntimeError: if it has another number of them that was used already.
    """
    if count != len(_Accelerators.cpus):
        if _Accelerators.started:
            raise RuntimeError("Virtual devices cannot be modified after being initialized")
        _Accelerators.cpus = cpu_names(count)


def cpu_names(count: int = 0) -> tuple[str, ...]:
    """So many names of the CPU; 0 gives those in force."""
    return tuple(f"/device:CPU:{i}" for i in range(count)) if count else _Accelerators.cpus


def note_started() -> None:
    """The logical devices were used: their number stays as it is."""
    _Accelerators.started = True


def logical_cpu(device: str) -> str:
    """The name of the CPU, other than its first, that a canonical string asks for; "" if it asks for none."""
    if len(_Accelerators.cpus) == 1:
        return ""
    name = _LOCAL_NAMES[device]
    return name if name and name != CPU and name in _Accelerators.cpus else ""


def _local_name(device: str) -> str | None:
    """`/device:GPU:1` of a canonical string; "" if it names no type, None if it is not of this process."""
    parts = parts_of(device)
    if "device" not in parts:
        return ""
    local = parts.get("job", "localhost") == "localhost" and parts.get("task", "0") == "0"
    return f"/device:{parts['device']}:{parts.get('index', 0)}" if local else None


_LOCAL_NAMES: BoundedCache[str, str | None] = BoundedCache("device strings", 1024, _local_name)


def resolved(device: str) -> str:
    """Where what asked for `device` runs: an accelerator's name, CPU, or "" if it did not ask.

    A request for a device that is not there was refused before (`check`), or asked softly: it runs on the CPU.
    """
    if not device:
        return ""
    name = _LOCAL_NAMES[device]
    return "" if name == "" else name if name in accelerators() else CPU  # type: ignore[return-value]


@export("config.set_soft_device_placement")
def set_soft_device_placement(enabled: bool) -> None:
    """Says whether eager ops and functions run on the CPU where the device that they ask for is not there (they do)."""
    _Accelerators.soft = bool(enabled)


@export("config.get_soft_device_placement")
def get_soft_device_placement() -> bool:
    """Whether eager ops and functions run on the CPU where the device that they ask for is not there."""
    return _Accelerators.soft


def _tell_missing(name: str) -> None:
    from inlay._src.base.interpreter import messages

    extra = "" if xla.is_installed() else " Accelerators need JAX: pip install 'inlay[jax]'"
    messages.warning("%s is not there: what asks for it runs on the CPU.%s", name, extra)


def check(device: str, what: str, soft: bool | None = None, cpus: Collection[str] = ()) -> None:
    """Refuses to place `what` on a device this process does not have, unless soft placement was asked for.

    Without `soft`, what `set_soft_device_placement` said holds for devices of this process; the first
    missing one is logged. Those of another process are never present. `cpus` are the names of the CPU if a session has
    its own number of them.
    """
    if not device or soft:
        return
    name = _LOCAL_NAMES[device]
    there = [*(cpus or _Accelerators.cpus), *accelerators()]
    if name != "" and name not in there:
        if soft is None and _Accelerators.soft and name is not None:
            if name not in _Accelerators.missed:
                _Accelerators.missed.add(name)
                _tell_missing(name)
            return
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Cannot assign a device for operation {what}: it was explicitly assigned to {device} but "
            f"available devices are [ {', '.join(there)} ]. Make sure the device specification refers to a valid "
            "device, or ask for soft placement (ConfigProto(allow_soft_placement=True)). (inlay explain no-device)",
        )
