"""`tf.compat`: TensorFlow's 1.x and 2.x namespaces, and text helpers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.types.text import as_bytes, as_text as as_str, as_str_any, as_text
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "v1": "inlay.compat.v1",
    "v2": "inlay.compat.v2",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.compat' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
