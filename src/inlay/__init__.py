"""Python functions inside computation graphs. `import inlay as tf`.

`import inlay` alone loads nothing. The first name asked for loads `inlay.face`, which holds them all: that is where a
public name is added.
"""

import builtins
import importlib
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from inlay.face import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        if (name.startswith("__") and name != "__all__") or _asked_by_a_module_of_ours():
            raise AttributeError(f"module 'inlay' has no attribute {name!r}")
        face = _load()
        if name == "__all__":
            return _names(face)
        try:
            return getattr(face, name)
        except AttributeError:
            raise AttributeError(f"module 'inlay' has no attribute {name!r}") from None

    def __dir__() -> list[str]:
        return sorted({*_names(_load()), "__version__", "__name__", "__doc__", "__file__", "__path__"})


def _asked_by_a_module_of_ours() -> builtins.bool:
    """Whether a module of this package runs `from inlay import errors`: no name is meant then, but a module."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and frame.f_globals.get("__name__", "").startswith("inlay.")


def _load() -> Any:
    """The module of the public names, whole; from then on they are this module's own."""
    face = importlib.import_module("inlay.face")  # another thread waits here until it is whole
    globals().update((name, getattr(face, name)) for name in _names(face))
    return face


def _names(face: Any) -> list[str]:
    return sorted(name for name in vars(face) if not name.startswith("_"))
