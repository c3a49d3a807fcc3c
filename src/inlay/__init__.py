"""Python functions inside computation graphs. `import inlay as tf`.

`import inlay` alone loads nothing. A name that is asked for loads the module that defines it: `inlay.api`, which is
written from the `export` of each name, says which one that is. Type checkers read `__init__.pyi`.
"""

import importlib
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Any

__version__ = "0.1.0"
_FORMER_NAMES = "inlay._src.base.former_names"


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name not in {"__all__", "__internal__"}:
        raise AttributeError(f"module 'inlay' has no attribute {name!r}")
    api = importlib.import_module("inlay.api")
    if (
        name not in {"__all__", "keras"}
        and name not in api.__all__
        and importlib.machinery.PathFinder.find_spec(f"inlay.{name}", __path__)
    ):
        raise AttributeError(f"module 'inlay' has not loaded its module {name!r}")  # as `from inlay import` wants it
    try:
        value = getattr(api, name)
    except AttributeError as error:
        error.args = (str(error).replace("inlay.api", "inlay"),)
        raise error.with_traceback(None) from None
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    api = importlib.import_module("inlay.api")
    return sorted({*api.__all__, "__version__", "__name__", "__doc__", "__file__", "__path__"})


class _FormerModules:
    """Finds modules by the names that they had when pickles and saved bodies were written."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith("inlay."):
            return None
        present = importlib.import_module(_FORMER_NAMES).present_name(name)
        return None if present is None else importlib.util.spec_from_loader(name, _Present(present))  # type: ignore[arg-type]


class _Present:
    """Loads the module that stands under another name now."""

    def __init__(self, name: str) -> None:
        self.name = name

    def create_module(self, spec: Any) -> None:
        """Leaves it to the import system."""

    def exec_module(self, module: ModuleType) -> None:
        names = importlib.import_module(_FORMER_NAMES)
        present, former = importlib.import_module(self.name), names.former_module(module.__name__)
        if hasattr(present, "__path__"):  # its modules are found here, too, by their former names
            module.__path__ = []
        elif former not in names.RENAMED:
            sys.modules[module.__name__] = present
        vars(module)["__getattr__"] = names.finder(present, former)


class _RenamedClasses:
    """Finds present modules some of whose classes had other names, and lets the modules find these by those names."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if not name.startswith("inlay._src.") or _FORMER_NAMES.startswith(name):
            return None
        names = sys.modules.get(_FORMER_NAMES) or importlib.import_module(_FORMER_NAMES)
        former = name.removeprefix("inlay._src.")
        if former not in names.RENAMED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            vars(module)["__getattr__"] = names.finder(module, former)
            execute(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, _RenamedClasses)  # type: ignore[arg-type]
sys.meta_path.append(_FormerModules)  # type: ignore[arg-type]
