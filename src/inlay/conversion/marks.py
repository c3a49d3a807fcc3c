"""What is known of a function to the conversion: that it was converted, that it must not be, or why it cannot be."""

from __future__ import annotations

import types
from typing import Any

# Marks. Each holds the code of the function it was put on, for `functools.wraps` copies them to wrappers.
CONVERTED = "__inlay_converted__"
UNCONVERTED = "__inlay_unconverted__"


def mark(function: types.FunctionType, name: str) -> None:
    """Puts a mark on a function."""
    setattr(function, name, function.__code__)


def is_marked(function: Any, *names: str) -> bool:
    """Whether a function, not one that it wraps, has one of the marks."""
    code = getattr(function, "__code__", None)
    return code is not None and any(getattr(function, name, None) is code for name in names)


class Refusal:
    """Why a function is not converted."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason
