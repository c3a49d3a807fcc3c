"""`tf.contrib`: the parts that programs around the family use."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import importlib as _importlib
from typing import Any as _Any

__all__ = ["eager", "framework", "layers"]


def __getattr__(name: str) -> _Any:
    if name in ["eager", "framework", "layers"]:
        return _importlib.import_module(f"inlay.contrib.{name}")
    raise AttributeError(f"module 'inlay.contrib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
