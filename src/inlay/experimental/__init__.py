"""`tf.experimental`."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "dlpack": "inlay.experimental.dlpack",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.experimental' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
