"""Write tests/architecture/public_names.txt: every public name of `inlay` and of its public namespaces.

Run after adding or removing a public name, and read the difference in review:

    make generate
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts.namespaces import ABOUT, module_of

ROOT = Path(__file__).resolve().parents[1]
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
    """Modules that are no public namespace, of which users are promised nothing."""
    public = {module_of(namespace) for namespace in ABOUT}
    for name in public:  # so that the answer does not depend on what was used before
        importlib.import_module(name)
    return sorted(n for n in sys.modules if n.startswith("inlay.") and n not in public)


def current() -> dict[str, Any]:
    return public_names(importlib.import_module("inlay"), internal_modules())


def pages() -> dict[Path, str]:
    """The list and its text."""
    return {LIST: "".join(f"{name}\n" for name in current())}
