"""Hints of linear operators that are made of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.programs.linear_operators.parameters import require

Hint = bool | None
_KEPT = (
    ("is_non_singular", "non-singular"),
    ("is_self_adjoint", "self-adjoint"),
    ("is_positive_definite", "positive-definite"),
)
"""Hints that hold for a direct sum or a Kronecker product if they do for every operator in it, and their words."""


def hints_of(operator: Any) -> dict[str, Any]:
    """All hints of an operator, by name: also those of its adjoint and inverse."""
    return {name: getattr(operator, name) for name in (*(hint for hint, _ in _KEPT), "is_square")}


def settle(hints: dict[str, Any], hint: str, value: bool, message: str) -> None:
    """Sets a hint to what is certain; ValueError if it was given and says something else."""
    require(hints.get(hint) in (None, value), message)
    hints[hint] = value


def settle_all(hints: dict[str, Any], operators: Sequence[Any], what: str) -> None:
    """Sets the hints of a composite of operators that all of them have.

    Args:
      hints: those that were given.
      operators: the operators.
      what: the word for the composite in messages.

    Raises:
      ValueError: if a hint that follows was given as False.
    """
    for hint, words in _KEPT:
        if all(getattr(operator, hint) for operator in operators):
            settle(hints, hint, True, f"The {what} of {words} operators is always {words}.")


def are_non_singular(left: Any, right: Any) -> Hint:
    """Whether a product of square operators has an inverse."""
    if left.is_non_singular is False or right.is_non_singular is False:
        return False
    return left.is_non_singular and right.is_non_singular  # type: ignore[no-any-return]


def of_commuting(left: Any, right: Any) -> dict[str, Any]:
    """The hints of the product of two operators of which the order does not matter."""
    adjoint = (left.is_self_adjoint, right.is_self_adjoint)
    definite = all(o.is_positive_definite and o.is_self_adjoint for o in (left, right))
    return {
        "is_non_singular": are_non_singular(left, right),
        "is_self_adjoint": None if None in adjoint or not any(adjoint) else all(adjoint),
        "is_positive_definite": definite or None,
        "is_square": True,
    }


def is_square_product(left: Any, right: Any) -> Hint:
    """Whether a product is square."""
    one, two = left.is_square, right.is_square
    if one is False and two is False:
        rows, columns = left.range_dimension.value, right.domain_dimension.value
        return None if None in (rows, columns) else rows == columns
    return None if None in (one, two) else one == two


def of_product(left: Any, right: Any) -> dict[str, Any]:
    """The hints of the product of any two operators."""
    is_square = is_square_product(left, right)
    rest = False if is_square is False else None
    return {
        "is_non_singular": are_non_singular(left, right) if is_square else rest,
        "is_self_adjoint": rest,
        "is_positive_definite": rest,
        "is_square": is_square,
    }
