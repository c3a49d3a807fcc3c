"""`inlay doctor`: what of this machine and environment matters to the library, tried where it can be."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import shutil
import sys
from typing import Any

import click

from inlay._src.base.tracebacks import FOLDER
from inlay._src.base.types.dtypes import int64
from inlay._src.core.devices.listing import list_physical_devices
from inlay._src.host.api import py_function
from inlay._src.host.executors.processes.pool import Processes
from inlay._src.tools.commands.output import command, say

_OTHERS = ("tensorflow", "keras", "numpy", "ml_dtypes")
_EXTRAS = ("data", "jax", "progress", "ray", "scipy", "sign", "torch")
_SHARED_MEMORY = "/dev/shm"


@command(examples=["inlay doctor", "inlay doctor --json > report.json"])
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def doctor(as_json: bool) -> None:
    """Show versions, extras, devices and settings, and try an executor; exit status 1 if something fails.

    Paste its output into a report of a bug.
    """
    report = {
        "inlay": {"version": vars(sys.modules["inlay"])["__version__"], "folder": FOLDER},
        "machine": _machine(),
        "packages": {name: _version(name) for name in _OTHERS},
        "extras": _extras(),
        "devices": _devices(),
        "settings": {name: value for name, value in sorted(os.environ.items()) if name.startswith("INLAY_")},
        "processes": _processes(),
    }
    say(json.dumps(report, indent=1) if as_json else _text(report))
    if report["processes"] != "works":
        raise click.exceptions.Exit(1)


def _machine() -> dict[str, Any]:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    free = f"{shutil.disk_usage(_SHARED_MEMORY).free >> 20} MB free" if os.path.isdir(_SHARED_MEMORY) else "absent"
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "cores": available,
        "shared memory": free,
    }


def _version(package: str) -> str:
    """The installed version of a package, or "not installed"."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _extras() -> dict[str, dict[str, str]]:
    """Extra of users -> the packages that it adds -> the installed version; none where inlay is not installed."""
    extras: dict[str, dict[str, str]] = {}
    try:
        requirements = importlib.metadata.requires("inlay") or ()
    except importlib.metadata.PackageNotFoundError:  # a folder on the path
        return extras
    for requirement in requirements:
        package, _, marker = requirement.partition(";")
        extra = marker.partition("extra ==")[2].strip(" '\"")
        name = "".join(c if c.isalnum() or c in "-_" else " " for c in package).split()[0]
        if extra in _EXTRAS and name != "inlay":
            extras.setdefault(extra, {})[name] = _version(name)
    return extras


def _devices() -> list[str]:
    return [device.name for device in list_physical_devices()]


def _processes() -> str:
    """Whether a function runs in a worker process: "works", or the error."""
    try:
        with Processes(workers=1) as pool:
            there = int(py_function(os.getpid, [], int64, executor=pool))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "works" if there != os.getpid() else "ran in this process"


def _text(report: dict[str, Any]) -> str:
    lines = []
    for title, part in report.items():
        lines.append(f"{title}: {part}" if isinstance(part, str) else title)
        if isinstance(part, list):
            lines += [f"  {row}" for row in part]
        elif isinstance(part, dict):
            for name, value in part.items():
                row = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
                lines.append(f"  {name:<14} {row}")
            if not part:
                lines.append("  none")
    return "\n".join(lines)
