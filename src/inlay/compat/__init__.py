"""`tf.compat`: TensorFlow's 1.x and 2.x namespaces, and text helpers."""

import importlib
from typing import TYPE_CHECKING, Any

from inlay.compat.text import as_bytes as as_bytes
from inlay.compat.text import as_str as as_str
from inlay.compat.text import as_str_any as as_str_any
from inlay.compat.text import as_text as as_text

if TYPE_CHECKING:
    from inlay.compat import v1 as v1
    from inlay.compat import v2 as v2

__all__ = ["as_bytes", "as_str", "as_str_any", "as_text", "v1", "v2"]


def __getattr__(name: str) -> Any:
    # On first use: they re-export what `inlay` itself is still importing while it imports this.
    if name in ("v1", "v2"):
        return importlib.import_module(f"inlay.compat.{name}")
    raise AttributeError(f"module 'inlay.compat' has no attribute {name!r}")
