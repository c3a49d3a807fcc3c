"""The modules that declare ops, so that a graph loads what its ops need and no more.

A process of its own loads every module of the library and records which one fills the table of ops.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "src" / "inlay" / "_src" / "core" / "op_modules.txt"


def pages() -> dict[Path, str]:
    """The generated file and its text."""
    command = [sys.executable, "-m", "scripts.op_modules"]
    return {TABLE: subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout}


def _executing_module(frame: FrameType | None) -> str:
    """The module whose body runs; "" if none does, as for ops that calls declare."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    name: str = "" if frame is None else frame.f_globals["__name__"]
    return name if name.startswith("inlay.") else ""


def table() -> str:
    """The modules of a process that has loaded none of them yet, with the ops that each declares."""
    from inlay._src.base.export import Declared

    modules: dict[int, dict[str, str]] = defaultdict(dict)

    class Recorded(Declared[Any, Any]):
        __slots__ = ()

        def __setitem__(self, key: Any, value: Any) -> None:
            modules[id(self)][key] = _executing_module(sys._getframe(1))
            super().__setitem__(key, value)

    sys.modules[Declared.__module__].Declared = Recorded  # type: ignore[attr-defined]
    import inlay._src

    for module in pkgutil.walk_packages(inlay._src.__path__, "inlay._src."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("inlay"):
                raise  # other packages are optional
    from inlay._src.core.opdef import OPS

    ops = defaultdict(list)
    for op, declaring in modules[id(OPS)].items():
        ops[declaring].append(op)
    lines = [f"{name}: {' '.join(sorted(ops[name]))}\n" for name in sorted(ops) if name]
    return "".join(["# Written by scripts/update_generated.py: run `make generate`.\n", *lines])


if __name__ == "__main__":
    sys.stdout.write(table())
