"""Limits of this process: those of the system, and those of its control group in a container."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

try:
    import resource
except ModuleNotFoundError:  # no Unix
    resource = None  # type: ignore[assignment]

_SHARED_MEMORY = "/dev/shm"
_GROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")
_ENDLESS = 1 << 60  # control groups of version 1 say no limit by a number above this one
_NAMES = {"open files": "RLIMIT_NOFILE", "processes of the user": "RLIMIT_NPROC", "address space": "RLIMIT_AS"}
_BYTES = ("address space",)


def limits() -> dict[str, str]:
    """The name of each limit -> the limit; "unlimited" where there is none."""
    rows: dict[str, str] = {}
    for name, constant in _NAMES.items():
        if resource is not None and hasattr(resource, constant):
            soft, hard = resource.getrlimit(getattr(resource, constant))
            limit = _number(soft, name in _BYTES)
            rows[name] = limit if soft == hard else f"{limit}, may be raised to {_number(hard, name in _BYTES)}"
    rows["memory of the group"] = _of_group("memory.max", "memory/memory.limit_in_bytes", in_bytes=True)
    rows["processes of the group"] = _of_group("pids.max", "pids/pids.max", in_bytes=False)
    return rows


def shared_memory() -> str:
    """The size of the shared memory, and how much of it is free; "absent" where there is none."""
    if not os.path.isdir(_SHARED_MEMORY):
        return "absent"
    usage = shutil.disk_usage(_SHARED_MEMORY)
    return f"{usage.total >> 20:,} MB, {usage.free >> 20:,} MB free"


def memory() -> str:
    """The memory of the machine, and how much of it is available; "unknown" where the system does not say."""
    try:
        page, names = os.sysconf("SC_PAGE_SIZE"), ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES")
        total, free = (os.sysconf(name) * page >> 20 for name in names)
    except (AttributeError, ValueError, OSError):
        return "unknown"
    return f"{total:,} MB, {free:,} MB free"


def _number(value: int, in_bytes: bool) -> str:
    assert resource is not None
    if value == resource.RLIM_INFINITY:
        return "unlimited"
    return f"{value >> 20:,} MB" if in_bytes else f"{value:,}"


def _of_group(name: str, older: str, in_bytes: bool) -> str:
    """A limit of the control group of this process: the lowest one from its folder up to the root."""
    values = [value for path in _files(name, older) if (value := _value(path)) is not None]
    if not values:
        return "unlimited"
    return f"{min(values) >> 20:,} MB" if in_bytes else f"{min(values):,}"


def _files(name: str, older: str) -> list[Path]:
    """The files that may hold the limit, of version 2 and 1."""
    try:
        lines = _OWN_GROUP.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    own = next((line.split(":", 2)[2] for line in lines if line.startswith("0::")), "/")
    folder = _GROUPS / own.lstrip("/")
    folders = [folder, *folder.parents]
    inside = [part for part in folders if part == _GROUPS or _GROUPS in part.parents]
    return [*(part / name for part in inside), _GROUPS / older]


def _value(path: Path) -> int | None:
    """The number in a file; None if there is no such file, or no limit."""
    try:
        text = path.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() and int(text) < _ENDLESS else None
