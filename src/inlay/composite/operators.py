"""Python's operators for composite values: each is the op of the same meaning, which asks the value for its answer."""

from __future__ import annotations

from typing import Any

from inlay.ops import math


class Operators:
    """Arithmetic and comparison; tensors on the left decline, so that these answer."""

    __slots__ = ()
    __inlay_operators__ = True
    __array_priority__ = 100

    def __add__(self, other: Any) -> Any:
        return math.add(self, other)

    def __radd__(self, other: Any) -> Any:
        return math.add(other, self)

    def __sub__(self, other: Any) -> Any:
        return math.subtract(self, other)

    def __rsub__(self, other: Any) -> Any:
        return math.subtract(other, self)

    def __mul__(self, other: Any) -> Any:
        return math.multiply(self, other)

    def __rmul__(self, other: Any) -> Any:
        return math.multiply(other, self)

    def __truediv__(self, other: Any) -> Any:
        return math.divide(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return math.divide(other, self)

    def __floordiv__(self, other: Any) -> Any:
        return math.floordiv(self, other)

    def __mod__(self, other: Any) -> Any:
        return math.floormod(self, other)

    def __pow__(self, other: Any) -> Any:
        return math.pow(self, other)

    def __neg__(self) -> Any:
        return math.negative(self)

    def __abs__(self) -> Any:
        return math.abs(self)

    def __lt__(self, other: Any) -> Any:
        return math.less(self, other)

    def __le__(self, other: Any) -> Any:
        return math.less_equal(self, other)

    def __gt__(self, other: Any) -> Any:
        return math.greater(self, other)

    def __ge__(self, other: Any) -> Any:
        return math.greater_equal(self, other)

    def __eq__(self, other: object) -> Any:
        return False if other is None else math.equal(self, other)

    def __ne__(self, other: object) -> Any:
        return True if other is None else math.not_equal(self, other)

    def __and__(self, other: Any) -> Any:
        return math.logical_and(self, other)

    def __or__(self, other: Any) -> Any:
        return math.logical_or(self, other)

    def __invert__(self) -> Any:
        return math.logical_not(self)

    def __hash__(self) -> int:
        return id(self)
