"""Write tests/architecture/public_names.txt: every public name of `inlay` and of its public namespaces.

Run after adding or removing a public name, and read the difference in review:

    make generate
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
# Layers that are also namespaces of their own.
PUBLIC_LAYERS = {"errors", "data"}
LIST = ROOT / "tests" / "architecture" / "public_names.txt"


def names_of(module: ModuleType, internal: frozenset[str] = frozenset()) -> list[str]:
    """`__all__`, or else the names without an underscore that are not foreign modules, features or `internal`."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    return sorted(n for n in dir(module) if not n.startswith("_") and _is_own(getattr(module, n), internal))


def _is_own(value: Any, internal: frozenset[str]) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__.startswith("inlay.") and value.__name__ not in internal
    return type(value).__module__ != "__future__"


def public_names(root: ModuleType, internal: Iterable[str] = ()) -> dict[str, Any]:
    """Dotted public name -> value. A namespace reachable by several paths is listed once, by its shortest path."""
    hidden = frozenset(internal)
    found: dict[str, Any] = {}
    seen = {id(root)}
    todo = [(root.__name__, root)]
    while todo:
        path, module = todo.pop(0)
        for name in names_of(module, hidden):
            value = found[f"{path}.{name}"] = getattr(module, name)
            if isinstance(value, ModuleType) and id(value) not in seen:
                seen.add(id(value))
                todo.append((f"{path}.{name}", value))
    return dict(sorted(found.items()))


def internal_modules() -> list[str]:
    """Layers below the public face: attributes of the package that users are not promised."""
    sys.path.insert(0, str(ROOT))
    from tests.architecture.sources import ARCHITECTURE, layer_table

    *below, _ = layer_table(ARCHITECTURE.read_text(encoding="utf-8"))
    names = {name for layer in below for group in layer for name in group}
    _load_namespaces()
    parts = [n for n in sys.modules if n.startswith("inlay.") and n.split(".")[1] in names - PUBLIC_LAYERS]
    # A public namespace that is a package promises what it re-exports, not its modules.
    parts += [n for n in sys.modules if n.count(".") >= 2 and n.split(".")[0] == "inlay" and not _stated(n)]
    return sorted({*parts, *(f"inlay.{name}" for name in names - PUBLIC_LAYERS)})


def _load_namespaces() -> None:
    """Loads every module of the public packages, so that the answer does not depend on what was used before."""
    package = importlib.import_module("inlay")
    for name in ("autograph", "compat", "config", "contrib", "experimental", "train"):
        found = importlib.import_module(f"{package.__name__}.{name}")
        for module in pkgutil.walk_packages(found.__path__, f"{found.__name__}."):
            importlib.import_module(module.name)


def _stated(name: str) -> bool:
    """Whether the parent of a module names it in `__all__` or imports it under its own name, as `a as a` does."""
    parent, _, last = name.rpartition(".")
    holder = sys.modules[parent]
    if hasattr(holder, "__all__"):
        return last in holder.__all__
    source = Path(holder.__file__).read_text(encoding="utf-8") if holder.__file__ else ""
    return re.search(rf"\bimport (?:\S+\.)?{last} as {last}\b", source) is not None


def current() -> dict[str, Any]:
    return public_names(importlib.import_module("inlay"), internal_modules())


def pages() -> dict[Path, str]:
    """The list and its text."""
    return {LIST: "".join(f"{name}\n" for name in current())}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(f"{text.count(chr(10))} names in {path.relative_to(ROOT)}")
