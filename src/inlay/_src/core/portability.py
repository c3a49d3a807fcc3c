"""Marks on classes whose instances a serialized function cannot capture, or is bound to again when it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K", bound=type)

PROCESS_BOUND: dict[type, str] = {}
"""Class -> why its instances have no meaning in another process, and what to do instead."""
REBOUND: list[type] = []
"""Classes whose captured instances a loaded function exchanges for instances of its own process."""


def process_bound(advice: str) -> Callable[[K], K]:
    """Marks a class: a function that captures one of its instances is refused when it is serialized.

    Args:
      advice: the reason, and the alternative.
    """

    def mark(cls: K) -> K:
        PROCESS_BOUND[cls] = advice
        return cls

    return mark


def rebound_when_loaded(cls: K) -> K:
    """Marks a class: a saved function that captures one of its instances gets another instance when it is loaded."""
    REBOUND.append(cls)
    return cls
