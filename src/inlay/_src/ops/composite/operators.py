"""Python's operators for composite values: each is the op of the same meaning, which asks the value for its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from inlay._src.base import errors
from inlay._src.base.types.attributes import WithOperators
from inlay._src.core import context
from inlay._src.ops import math
from inlay._src.ops.operators import BINARY, COMPARISONS, UNARY, compared_by_identity


class Operators(WithOperators[Any]):
    """The operators of tensors; tensors on the left decline, so that these answer."""

    __slots__ = ()
    __inlay_operators__ = True
    __array_priority__ = 100

    if TYPE_CHECKING:  # of composites

        def _components(self) -> Sequence[Any]: ...

    def __eq__(self, other: object) -> Any:
        return self._compared(math.equal, other, self is other)

    def __ne__(self, other: object) -> Any:
        return self._compared(math.not_equal, other, self is not other)

    def _compared(self, function: Callable[..., Any], other: object, by_identity: bool) -> Any:
        """The answer of `==` or `!=`: by identity too where, in eager code, the values cannot be compared."""
        if other is None or any(map(compared_by_identity, self._components())):
            return by_identity
        try:
            return function(self, other)
        except (TypeError, ValueError, errors.InvalidArgumentError):
            if context.executing_eagerly():
                return by_identity
            raise

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
