"""Python control flow on tensors as graph control flow: what `tf.function` does to the functions it traces."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.conversion.public import set_verbosity, to_code, to_graph, trace
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "experimental": "inlay.autograph.experimental",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.autograph' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
