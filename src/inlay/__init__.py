"""Python functions inside computation graphs. `import inlay as tf`.

`import inlay` alone loads nothing. The first name asked for loads `inlay.api`, which imports them all, but for the
namespaces, and is written from the `export` of each; type checkers read `__init__.pyi`.
"""

import importlib
import sys
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if (name.startswith("__") and name != "__all__") or _asked_by_a_module_of_ours():
        raise AttributeError(f"module 'inlay' has no attribute {name!r}")
    api = _load()
    try:
        return getattr(api, name)  # `__all__` too
    except AttributeError as error:
        raise AttributeError(str(error).replace("inlay.api", "inlay"), name=name, obj=sys.modules[__name__]) from None


def __dir__() -> list[str]:
    return sorted({*_load().__all__, "__version__", "__name__", "__doc__", "__file__", "__path__"})


def _asked_by_a_module_of_ours() -> bool:
    """Whether a module of this package runs `from inlay import errors`: no name is meant then, but a module."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and frame.f_globals.get("__name__", "").startswith("inlay.")


def _load() -> Any:
    """The module of the public names, whole; from then on they are this module's own."""
    api = importlib.import_module("inlay.api")  # another thread waits here until it is whole
    globals().update((name, value) for name, value in vars(api).items() if name in api.__all__)
    return api
