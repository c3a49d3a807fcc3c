"""The modules that fill the tables of the library, so that a key loads the module that declares it and no other.

A process of its own loads every module of the library and records which one fills each table under which keys.
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "src" / "inlay" / "_src" / "base" / "declaring_modules.txt"


def pages() -> dict[Path, str]:
    """The generated file and its text."""
    command = [sys.executable, "-m", "scripts.declaring_modules"]
    return {FILE: subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout}


def _executing_module(frame: FrameType | None) -> str:
    """The module whose body runs; "" if none does, as for ops that calls declare."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    name: str = "" if frame is None else frame.f_globals["__name__"]
    return name if name.startswith("inlay.") else ""


def table() -> str:
    """The modules of a process that has loaded none of them yet, with the keys that each declares in each table."""
    from inlay._src.base.export import Declared

    modules: dict[str, dict[str, str]] = defaultdict(dict)

    class Recorded(Declared[Any, Any]):
        __slots__ = ()

        def _record(self, keys: Iterable[Any]) -> None:
            declaring = _executing_module(sys._getframe(2))
            for key in keys:
                if modules[self._name].setdefault(str(key), declaring) != declaring and self._name:
                    raise ValueError(f"{self._name}: {key} is declared by {modules[self._name][key]} and {declaring}")

        def __setitem__(self, key: Any, value: Any) -> None:
            self._record([key])
            super().__setitem__(key, value)

        def update(self, other: Any) -> None:  # type: ignore[override]
            self._record(other)
            super().update(other)

        def __ior__(self, other: Any) -> Any:
            self.update(other)
            return self

    sys.modules[Declared.__module__].Declared = Recorded  # type: ignore[attr-defined]
    import inlay._src

    for module in pkgutil.walk_packages(inlay._src.__path__, "inlay._src."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or "").startswith("inlay"):
                raise  # other packages are optional
    lines = ["# Written by scripts/update_generated.py: run `make generate`.\n"]
    for name in sorted(filter(None, modules)):
        keys = defaultdict(list)
        for key, declaring in modules[name].items():
            keys[declaring].append(key)
        lines += [f"{name} {module}: {' '.join(sorted(keys[module]))}\n" for module in sorted(keys) if module]
    return "".join(lines)


if __name__ == "__main__":
    sys.stdout.write(table())
