"""`tf.config`: settings of the process."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.devices.listing import (
    PhysicalDevice, get_visible_devices, list_logical_devices, list_physical_devices, set_visible_devices
)
from inlay.functions.function import functions_run_eagerly, run_functions_eagerly
import importlib as _importlib
from typing import Any as _Any

_BELOW = {
    "optimizer": "inlay.config.optimizer",
}


def __getattr__(name: str) -> _Any:
    if name not in _BELOW:
        raise AttributeError(f"module 'inlay.config' has no attribute {name!r}")
    return globals().setdefault(name, _importlib.import_module(_BELOW[name]))


def __dir__() -> list[str]:
    return sorted({*globals(), *_BELOW})
