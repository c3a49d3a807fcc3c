"""`tf.contrib.framework`: `py_func` over nests of arrays, and nests."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.host.contrib import py_func
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "nest": "inlay.contrib.framework.nest",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.contrib.framework' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
