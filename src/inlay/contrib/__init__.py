"""`tf.contrib`: the parts that programs around the family use."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "eager": "inlay.contrib.eager",
    "framework": "inlay.contrib.framework",
    "layers": "inlay.contrib.layers",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.contrib' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
