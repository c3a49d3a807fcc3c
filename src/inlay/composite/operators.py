"""Python's operators for composite values: each is the op of the same meaning, which asks the value for its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay.core.tensor import WithOperators
from inlay.ops import math
from inlay.ops.operators import BINARY, COMPARISONS, UNARY


class Operators(WithOperators[Any]):
    """The operators of tensors; tensors on the left decline, so that these answer."""

    __slots__ = ()
    __inlay_operators__ = True
    __array_priority__ = 100

    def __eq__(self, other: object) -> Any:
        return False if other is None else math.equal(self, other)

    def __ne__(self, other: object) -> Any:
        return True if other is None else math.not_equal(self, other)

    def __hash__(self) -> int:
        return id(self)


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *other: function(self, *other)


def _reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: function(other, self)


def _install() -> None:
    functions: dict[str, Callable[..., Any]] = {**BINARY, **COMPARISONS, **UNARY}
    for name, function in functions.items():
        setattr(Operators, f"__{name}__", _method(function))
    for name, function in BINARY.items():
        setattr(Operators, f"__r{name}__", _reflected(function))


_install()
