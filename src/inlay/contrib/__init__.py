"""`tf.contrib`: the parts that programs around the family use."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inlay.contrib import eager as eager
    from inlay.contrib import framework as framework
    from inlay.contrib import layers as layers

__all__ = ["eager", "framework", "layers"]


def __getattr__(name: str) -> Any:
    # On first use: few programs want these, and every import costs.
    if name in ("eager", "framework", "layers"):
        return importlib.import_module(f"inlay.contrib.{name}")
    raise AttributeError(f"module 'inlay.contrib' has no attribute {name!r}")
