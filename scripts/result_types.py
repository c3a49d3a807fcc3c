"""The share of public functions, methods and properties whose result type checkers know, and which they do not.

    python -m scripts.result_types            # shares, by pyright and by mypy
    python -m scripts.result_types --list     # every one whose result is Any, with what the checker says of it

A result counts as known unless it is `Any` in every overload. Each function is asked for by its shortest public path,
methods and properties as those of an instance of the first public class that has them; datasets are of tensors.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from inlay._src.base.misuse import written
from scripts.update_public_names import current

ROOT = Path(__file__).resolve().parents[1]
SPECIAL = frozenset({"__call__", "__enter__", "__getitem__", "__iter__", "__next__"})
"""Methods without a public name that programs use as much."""
UNKNOWN = frozenset({"Any", "Unknown"})


@dataclass(frozen=True)
class Asked:
    """A public function, method or property.

    Attributes:
      path: where it is public.
      member: its name, of a method or property; else "".
      is_called: whether its result is that of a call.
    """

    path: str
    member: str = ""
    is_called: bool = True

    @property
    def expression(self) -> str:
        """The expression that reads the attribute in `program`."""
        if not self.member:
            return self.path
        return f"{self.path.removesuffix(f'.{self.member}').replace('.', '_')}.{self.member}"


def asked() -> list[Asked]:
    """Every public function once, and every method and property of public classes."""
    seen: set[int] = set()
    values = sorted(current().items(), key=lambda item: (item[0].count("."), item[0]))
    functions = [Asked(path) for path, value in values if inspect.isfunction(value) and _first(seen, value)]
    members: list[Asked] = []
    for path, value in values:
        if inspect.isclass(value) and value.__module__.startswith("inlay") and _first(seen, value):
            members += (Asked(f"{path}.{name}", name, called) for name, called in _members(value, seen))
    return functions + members


def _first(seen: set[int], value: Any) -> bool:
    """Whether a function or class was not seen yet, under another name or in another class."""
    identity = id(written(value))
    first = identity not in seen
    seen.add(identity)
    return first


def _members(cls: type, seen: set[int]) -> Iterator[tuple[str, bool]]:
    """The methods and properties of a class that were not seen yet, and whether they are called."""
    for name in dir(cls):
        if name.startswith("_") and name not in SPECIAL:
            continue
        value = inspect.getattr_static(cls, name)
        is_called = not isinstance(value, (property, cached_property))
        function = next((getattr(value, part) for part in ("__func__", "fget", "func") if hasattr(value, part)), value)
        if inspect.isfunction(function) and function.__module__.startswith("inlay") and _first(seen, function):
            yield name, is_called


def program(every: list[Asked]) -> str:
    """The source that reveals the type of each, one a line, from `FIRST` on."""
    classes = {a.expression.rpartition(".")[0]: a.path.rpartition(".")[0] for a in every if a.member}
    values = current()
    elements = {cls: "[inlay.Tensor]" if getattr(values[cls], "__parameters__", ()) else "" for cls in classes.values()}
    parameters = ", ".join(f"{variable}: {cls}{elements[cls]}" for variable, cls in classes.items())
    lines = "".join(f"    reveal_type({a.expression})\n" for a in every)
    return f"import inlay\n\ndef asked({parameters}) -> None:\n{lines}"


FIRST = 4
"""The line of the first expression, counted from 1."""


def by_pyright(every: list[Asked]) -> dict[str, str]:
    """Public path -> the type that pyright reveals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "asked.py"
        path.write_text(program(every), encoding="utf-8")
        settings = {"include": [path.name], "typeCheckingMode": "off"}
        (path.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        printed = _printed("basedpyright", "--outputjson", "-p", folder, "--pythonpath", sys.executable)
    diagnostics = [d for d in json.loads(printed)["generalDiagnostics"] if d["severity"] == "information"]
    lines = {d["range"]["start"]["line"] + 1: d["message"] for d in diagnostics}
    return {
        a.path: lines[number].partition('" is "')[2].removesuffix('"')
        for number, a in enumerate(every, FIRST)
        if number in lines
    }


def by_mypy(every: list[Asked]) -> dict[str, str]:
    """Public path -> the type that mypy reveals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "asked.py"
        path.write_text(program(every), encoding="utf-8")
        printed = _printed("mypy", "--cache-dir", str(Path(folder) / "cache"), "--config-file", os.devnull, str(path))
    notes = re.findall(r'^[^\n]*asked\.py:(\d+): note: Revealed type is "(.*)"$', printed, re.M)
    lines = {int(number): text for number, text in notes}
    return {a.path: lines[number] for number, a in enumerate(every, FIRST) if number in lines}


def _printed(*command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "MYPYPATH": str(ROOT / "src")}
    line = [sys.executable, "-m", *command]
    return subprocess.run(line, capture_output=True, text=True, timeout=500, env=environment, cwd=ROOT).stdout


def results(revealed: str) -> list[str]:
    """The results of a revealed type: one for each overload, the type itself for a property."""
    overloads = re.fullmatch(r"Overload[\[(](.*)[\])]", revealed)
    return [_result(form) for form in (_split(overloads[1]) if overloads else [revealed])]


def _result(form: str) -> str:
    depth = 0
    for place, character in enumerate(form):
        depth += (character in "([{") - (character in ")]}")
        if not depth and form.startswith(" -> ", place):
            return form[place + 4 :].removeprefix("(").removesuffix(")")
    return form


def _split(text: str) -> Iterator[str]:
    """The parts between commas outside of brackets."""
    depth = start = 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if not depth and character == ",":
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()


def unknown(every: list[Asked], types: dict[str, str]) -> list[str]:
    """The paths whose result is `Any` in every overload, or that a checker does not see."""
    return [
        a.path
        for a in every
        if a.path not in types or {*(results(types[a.path]) if a.is_called else [types[a.path]])} <= UNKNOWN
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print those whose result is Any")
    arguments = parser.parse_args()
    every = asked()
    for name, types in (("pyright", by_pyright(every)), ("mypy", by_mypy(every))):
        missing = unknown(every, types)
        share = 1 - len(missing) / len(every)
        print(f"{name}: {len(every) - len(missing)} of {len(every)} results known, {share:.1%}")
        if arguments.list:
            print("".join(f"  {path}: {types.get(path)}\n" for path in missing))


if __name__ == "__main__":
    main()
