"""Python functions inside computation graphs. `import inlay as tf`.

`import inlay` alone loads nothing. A name that is asked for loads the module that defines it: `inlay.api`, which is
written from the `export` of each name, says which one that is. Type checkers read `__init__.pyi`.
"""

import importlib
import importlib.util
import sys
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module 'inlay' has no attribute {name!r}")
    api = importlib.import_module("inlay.api")
    if name != "__all__" and name not in api.__all__ and importlib.util.find_spec(f"inlay.{name}") is not None:
        raise AttributeError(f"module 'inlay' has not loaded its module {name!r}")  # as `from inlay import` wants it
    try:
        value = getattr(api, name)
    except AttributeError as error:
        raise AttributeError(str(error).replace("inlay.api", "inlay"), name=name, obj=sys.modules[__name__]) from None
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    api = importlib.import_module("inlay.api")
    return sorted({*api.__all__, "__version__", "__name__", "__doc__", "__file__", "__path__"})
