"""`tf.compat.v2`: the 2.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.api import *
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "autograph": "inlay.autograph",
    "bitwise": "inlay.bitwise",
    "compat": "inlay.compat",
    "config": "inlay.config",
    "contrib": "inlay.contrib",
    "debugging": "inlay.debugging",
    "dtypes": "inlay.dtypes",
    "errors": "inlay.errors",
    "experimental": "inlay.experimental",
    "image": "inlay.image",
    "initializers": "inlay.initializers",
    "io": "inlay.io",
    "linalg": "inlay.linalg",
    "logging": "inlay.logging",
    "math": "inlay.math",
    "nest": "inlay.nest",
    "nn": "inlay.nn",
    "ragged": "inlay.ragged",
    "random": "inlay.random",
    "signal": "inlay.signal",
    "sparse": "inlay.sparse",
    "strings": "inlay.strings",
    "test": "inlay.test",
    "train": "inlay.train",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.compat.v2' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
