"""The share of public functions, methods and properties whose result type checkers know, and which they do not.

    python -m scripts.result_types            # shares, by pyright and by mypy
    python -m scripts.result_types --list     # every one whose result is Any, with what the checker says of it

A result counts as known unless it is `Any` in every overload. Each function is asked for by its shortest public path,
methods and properties as those of an instance of the first public class that has them.
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
from functools import cached_property
from pathlib import Path
from typing import Any

from inlay._src.base.misuse import written
from scripts.update_public_names import current

ROOT = Path(__file__).resolve().parents[1]
SPECIAL = frozenset({"__call__", "__enter__", "__getitem__", "__iter__", "__next__"})
"""Methods without a public name that programs use as much."""
UNKNOWN = frozenset({"Any", "Unknown"})


def expressions() -> dict[str, str]:
    """Public path of a function, method or property -> the expression that reads it."""
    seen: set[int] = set()
    values = sorted(current().items(), key=lambda item: (item[0].count("."), item[0]))
    asked = {path: path for path, value in values if inspect.isfunction(value) and _first(seen, value)}
    for path, value in values:
        if inspect.isclass(value) and value.__module__.startswith("inlay") and id(value) not in seen:
            seen.add(id(value))
            variable = path.replace(".", "_")
            asked |= {f"{path}.{name}": f"{variable}.{name}" for name in _members(value, seen)}
    return asked


def _first(seen: set[int], value: Any) -> bool:
    """Whether a function was not seen yet, under another name or in another class."""
    identity = id(written(value))
    first = identity not in seen
    seen.add(identity)
    return first


def _members(cls: type, seen: set[int]) -> Iterator[str]:
    for name in dir(cls):
        if name.startswith("_") and name not in SPECIAL:
            continue
        value = inspect.getattr_static(cls, name)
        if isinstance(value, (classmethod, staticmethod)):
            value = value.__func__
        if isinstance(value, property):
            value = value.fget
        if isinstance(value, cached_property):
            value = value.func
        if inspect.isfunction(value) and value.__module__.startswith("inlay") and _first(seen, value):
            yield name


def program(asked: dict[str, str]) -> str:
    """The source that reveals the type of each expression, one a line, from `FIRST` on."""
    classes = {expression.rpartition(".")[0]: path.rpartition(".")[0] for path, expression in asked.items()}
    parameters = ", ".join(f"{v}: {cls}" for v, cls in classes.items() if v != cls)
    lines = "".join(f"    reveal_type({expression})\n" for expression in asked.values())
    return f"import inlay\n\ndef asked({parameters}) -> None:\n{lines}"


FIRST = 4
"""The line of the first expression, counted from 1."""


def by_pyright(asked: dict[str, str]) -> dict[str, str]:
    """Public path -> the type that pyright reveals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "asked.py"
        path.write_text(program(asked), encoding="utf-8")
        settings = {"include": [path.name], "typeCheckingMode": "off"}
        (path.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
        printed = _printed("basedpyright", "--outputjson", "-p", folder, "--pythonpath", sys.executable)
    told = [d for d in json.loads(printed)["generalDiagnostics"] if d["severity"] == "information"]
    lines = {d["range"]["start"]["line"] + 1: d["message"] for d in told}
    return {
        path: lines[number].partition('" is "')[2].removesuffix('"')
        for number, path in enumerate(asked, FIRST)
        if number in lines
    }


def by_mypy(asked: dict[str, str]) -> dict[str, str]:
    """Public path -> the type that mypy reveals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "asked.py"
        path.write_text(program(asked), encoding="utf-8")
        printed = _printed("mypy", "--cache-dir", str(Path(folder) / "cache"), "--config-file", os.devnull, str(path))
    told = re.findall(r'^[^\n]*asked\.py:(\d+): note: Revealed type is "(.*)"$', printed, re.M)
    lines = {int(number): text for number, text in told}
    return {path: lines[number] for number, path in enumerate(asked, FIRST) if number in lines}


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


def unknown(types: dict[str, str]) -> list[str]:
    """The paths whose result is `Any` in every overload."""
    return [path for path, revealed in types.items() if {*results(revealed)} <= UNKNOWN]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print those whose result is Any")
    arguments = parser.parse_args()
    asked = expressions()
    for name, types in (("pyright", by_pyright(asked)), ("mypy", by_mypy(asked))):
        anything = unknown(types)
        print(f"{name}: {len(types) - len(anything)} of {len(asked)} results known, {1 - len(anything) / len(asked):.1%}")
        if arguments.list:
            print("".join(f"  {path}: {types.get(path)}\n" for path in asked if path in anything or path not in types))


if __name__ == "__main__":
    main()
