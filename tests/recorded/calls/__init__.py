"""Which functions are called, and with what: one module for each area. Importing this fills `draws.TABLE`."""

from __future__ import annotations

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
