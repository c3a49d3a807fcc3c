"""`inlay doctor`: versions, limits and settings of this machine, and a call on each executor."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import sys
import threading
from collections.abc import Callable
from typing import Any

import click

from inlay._src.base.tracebacks import FOLDER
from inlay._src.base.types.dtypes import int64
from inlay._src.core.devices.listing import list_physical_devices
from inlay._src.host.api import py_function
from inlay._src.host.executors.processes.pool import Processes
from inlay._src.tools.commands.limits import limits, memory, shared_memory
from inlay._src.tools.commands.output import command, say

_OTHERS = ("tensorflow", "numpy", "ml_dtypes")
_EXTRAS = ("data", "jax", "keras", "progress", "ray", "scipy", "sign", "torch")
_WORKS, _LEFT_OUT = "works", "not tried"
_ABSENT = "not installed"
_INSTALL = "pip install 'inlay[{}]'"


@command(examples=["inlay doctor", "inlay doctor --no-ray", "inlay doctor --json > report.json"])
@click.option("--ray/--no-ray", "with_ray", default=True, help="Whether to try Ray, which takes some seconds to start.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def doctor(with_ray: bool, as_json: bool) -> None:
    """Show versions, extras, devices, limits and settings, and try each executor; exit status 1 if one fails.

    Extras that are not installed are listed with the command that installs them. Paste the output into a report of a
    bug.
    """
    extras, executors = _extras(), _executors(with_ray)
    report = {
        "inlay": {"version": vars(sys.modules["inlay"])["__version__"], "folder": FOLDER},
        "machine": _machine(),
        "limits": limits(),
        "packages": {name: _version(name) for name in _OTHERS},
        "extras": extras,
        "to install": {
            name: _INSTALL.format(name) for name, versions in extras.items() if _ABSENT in versions.values()
        },
        "devices": _devices(),
        "settings": {name: value for name, value in sorted(os.environ.items()) if name.startswith("INLAY_")},
        "executors": executors,
    }
    say(json.dumps(report, indent=1) if as_json else _text(report))
    if any(not outcome.startswith((_WORKS, _LEFT_OUT, _ABSENT)) for outcome in executors.values()):
        raise click.exceptions.Exit(1)


def _machine() -> dict[str, Any]:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()} ({sys.executable})",
        "system": platform.platform(),
        "cores": available,
        "memory": memory(),
        "shared memory": shared_memory(),
    }


def _version(package: str) -> str:
    """The installed version of a package, or "not installed"."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return _ABSENT


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


def _executors(with_ray: bool) -> dict[str, str]:
    """Executor -> "works", the error of a call on it, or the reason why it was not tried."""
    outcomes = {
        "inline": _tried(lambda: py_function(_thread, [], int64) == threading.get_ident()),
        "threads": _tried(lambda: py_function(_thread, [], int64, executor="threads") != threading.get_ident()),
        "async": _tried(lambda: py_function(_awaited_thread, [], int64) != threading.get_ident()),
        "processes": _tried(_in_a_worker),
    }
    if importlib.util.find_spec("ray") is None:
        outcomes["ray"] = f"{_ABSENT}: {_INSTALL.format('ray')}"
    elif with_ray:
        outcomes["ray"] = _tried(lambda: py_function(os.getpid, [], int64, executor="ray") != os.getpid())
    else:
        outcomes["ray"] = f"{_LEFT_OUT}: --no-ray"
    return outcomes


def _thread() -> int:
    return threading.get_ident()


async def _awaited_thread() -> int:
    return threading.get_ident()


def _in_a_worker() -> Any:
    with Processes(workers=1) as pool:
        return py_function(os.getpid, [], int64, executor=pool) != os.getpid()


def _tried(call: Callable[[], Any]) -> str:
    """Makes a call that tells whether it ran in the right place."""
    try:
        return _WORKS if bool(call()) else "ran in another place than it should"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _text(report: dict[str, Any]) -> str:
    names = [name for part in report.values() if isinstance(part, dict) for name in part]
    width = max(map(len, names))
    lines = []
    for title, part in report.items():
        lines.append(f"{title}: {part}" if isinstance(part, str) else title)
        if isinstance(part, list):
            lines += [f"  {row}" for row in part]
        elif isinstance(part, dict):
            for name, value in part.items():
                row = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
                lines.append(f"  {name:<{width}} {row}")
            if not part:
                lines.append("  none")
    return "\n".join(lines)
