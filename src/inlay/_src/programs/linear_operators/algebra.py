"""The algebra of linear operators: for operands of some kinds, the rule that gives the result of an operation.

    "adjoint", "inverse", "cholesky"     of one operator
    "matmul", "solve"                    of a left and a right one

The rule of the nearest kinds applies: every operator is a `LinearOperator`, for which each operation has a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Rule = TypeVar("Rule", bound=Callable[..., Any])

_RULES: dict[tuple[str, tuple[type, ...]], Callable[..., Any]] = {}
"""(Operation, kinds of its operands) -> the rule."""


def rule(operation: str, *kinds: type) -> Callable[[Rule], Rule]:
    """A decorator: the function gives the result of an operation on operands of these kinds."""

    def decorate(function: Rule) -> Rule:
        _RULES[operation, kinds] = function
        return function

    return decorate


def derive(operation: str, *operands: Any) -> Any:
    """The operator that is the result of an operation, by the rule of the nearest kinds."""
    fitting = [k for name, k in _RULES if name == operation and all(map(isinstance, operands, k))]
    distance = {k: sum(type(o).__mro__.index(kind) for o, kind in zip(operands, k, strict=True)) for k in fitting}
    return _RULES[operation, min(fitting, key=distance.__getitem__)](*operands)
