"""Read-only attributes, declared in one line each, with a type that checkers and editors show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def read_only(get: Callable[[Any], Any], doc: str) -> Any:
    """A property. It is declared `name: type = read_only(...)`: a bare property tells checkers no type."""
    return property(get, doc=doc)
