"""The functions of this library that call a function of the user's as converted code, and which parameter takes it.

TensorFlow converts the function that `map_fn`, `Strategy.run` and their like are passed where converted code makes the
call; it leaves those of `scan`, `while_loop` and `cond` as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

CONVERTS = "__inlay_converts__"
"""The attribute with the position and the name of the parameter."""

F = TypeVar("F", bound=Callable[..., Any])


def converts(place: int, name: str) -> Callable[[F], F]:
    """Declares the parameter whose function is converted where converted code makes the call.

    Args:
      place: the position of the parameter, counted from `self` in a method.
      name: the name of the parameter.
    """

    def declare(function: F) -> F:
        setattr(function, CONVERTS, (place, name))
        return function

    return declare
