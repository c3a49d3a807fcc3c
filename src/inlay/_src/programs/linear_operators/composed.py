"""Linear operators that stand for the adjoint, the inverse or the product of others."""

from __future__ import annotations

import functools
import operator as python_operators
from collections.abc import Sequence
from typing import Any, ClassVar

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.base.parameters import constructor
from inlay._src.base.types.attributes import read_only
from inlay._src.ops import array, complex_numbers, control, math
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.dense import LinearOperatorLowerTriangular, dense_cholesky
from inlay._src.programs.linear_operators.hints import hints_of, of_product, settle
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator
from inlay._src.programs.linear_operators.parameters import require
from inlay._src.programs.linear_operators.sizes import Sizes, batch_of, turned

# ---------------------------------------------------------------- of one operator


@constructor("dtype", "graph_parents", "parameters")
class _Derived(SizedOperator):
    """Base of the adjoint and the inverse of an operator, which have its hints."""

    _relation: ClassVar[str]
    """The relation to the operator, for messages: "adjoint" or "inverse"."""
    _suffix: ClassVar[str]
    """The end of its name."""

    def __init__(self, operator: LinearOperator, **hints: Any) -> None:
        for hint, value in hints_of(operator).items():
            words = hint.removeprefix("is_").replace("_", "-")
            if value is not None:
                settle(hints, hint, value, f"An operator is {words} if and only if its {self._relation} is {words}.")
        self._operator = operator
        hints["name"] = hints.get("name") or f"{operator.name}_{self._suffix}"
        super().__init__(operator.dtype, **hints)

    operator: LinearOperator = read_only(lambda self: self._operator, doc="The operator.")

    def _sizes(self) -> Sizes:
        sizes = Sizes.of(self._operator)
        return sizes[:-2] + sizes[-1:] + sizes[-2:-1]

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()

    def _cond(self) -> Any:
        return self._operator.cond()


@export("linalg.LinearOperatorAdjoint")
@constructor()
class LinearOperatorAdjoint(_Derived):
    """The adjoint of a linear operator, [..., n, m] if that is [..., m, n].

    Args:
      operator: the operator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; those of `operator` if None.
      name: the operator's name; that of `operator` and "_adjoint" if None.

    Raises:
      ValueError: for a hint that is not that of `operator`.
    """

    _relation, _suffix = "adjoint", "adjoint"

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return math.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Any:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Any:
        return math.conj(self._operator.trace())

    def _diag_part(self) -> Any:
        return math.conj(self._operator.diag_part())

    def _to_dense(self) -> Any:
        return turned(self._operator.to_dense(), True)

    def _eigvals(self) -> Any:
        return math.conj(self._operator.eigvals())


@export("linalg.LinearOperatorInversion")
@constructor()
class LinearOperatorInversion(_Derived):
    """The inverse of a linear operator, [..., n, n].

    Args:
      operator: the operator.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; those of `operator` if None.
      name: the operator's name; that of `operator` and "_inv" if None.

    Raises:
      ValueError: for an operator that is known to have no inverse, or a hint that is not that of `operator`.
    """

    _relation, _suffix = "inverse", "inv"

    def __init__(self, operator: LinearOperator, **hints: Any) -> None:
        for hint in ("is_square", "is_non_singular"):
            supplied, value = hints.get(hint), getattr(operator, hint)
            message = (
                f"Argument `{hint}` or argument `operator` must have supplied hint `{hint}` equal to `True` or `None`. "
                f"Found `operator.{hint}`: {value}, `{hint}`: {supplied}."
            )
            require(supplied is not False and value is not False, message)
        super().__init__(operator, **hints)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Any:
        return 1 / self._operator.determinant()

    def _log_abs_determinant(self) -> Any:
        return -self._operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return 1 / self._operator.eigvals()


@rule("adjoint", LinearOperator)
def _adjoint(operator: LinearOperator) -> LinearOperator:
    return LinearOperatorAdjoint(operator)


@rule("inverse", LinearOperator)
def _inverse(operator: LinearOperator) -> LinearOperator:
    return LinearOperatorInversion(operator)


@rule("adjoint", LinearOperatorAdjoint)
@rule("inverse", LinearOperatorInversion)
def _undone(operator: _Derived) -> LinearOperator:
    return operator.operator


# ---------------------------------------------------------------- of several


def of_one_dtype(operators: Any) -> list[Any]:
    """Operators as a list.

    Raises:
      ValueError: if there are none.
      TypeError: if one is no operator, or if they are of several types.
    """
    operators = list(operators)
    for operator in operators:
        if not isinstance(operator, LinearOperator):
            raise TypeError(f"Expected a list of linear operators. Found: {repr_of(operator)}")
    require(operators, f"Expected a non-empty list of operators. Found: {operators}")
    if any(operator.dtype is not operators[0].dtype for operator in operators):
        pairs = "   ".join(f"({operator.name}, {operator.dtype!r})" for operator in operators)
        raise TypeError(f"Expected all operators to have the same dtype.  Found {pairs}")
    return operators


def product(factors: Sequence[Any]) -> Any:
    """The product of numbers or tensors."""
    return functools.reduce(python_operators.mul, factors)


def _are_adjoint(left: LinearOperator, right: LinearOperator) -> bool:
    """Whether one of two operators is known to be the adjoint of the other."""
    if left is right:
        return bool(left.is_self_adjoint)
    pairs = ((left, right), (right, left))
    return any(isinstance(one, LinearOperatorAdjoint) and one.operator is other for one, other in pairs)


def _is_symmetric(operators: Sequence[LinearOperator]) -> bool:
    """Whether a product is known to be of the form `A A^H`."""
    half = len(operators) // 2
    ends = zip(operators[:half], reversed(operators[half:]), strict=False)
    return len(operators) % 2 == 0 and all(_are_adjoint(left, right) for left, right in ends)


@export("linalg.LinearOperatorComposition")
@constructor("dtype", "graph_parents", "parameters")
class LinearOperatorComposition(SizedOperator):
    """The product of linear operators, [..., m, n].

    Args:
      operators: a list of operators of one type, whose sizes fit; batch shapes broadcast.
      name: the operator's name; those of `operators` with "_o_" between them if None.

    Raises:
      ValueError: for an empty list, or a hint that cannot be.
      TypeError: for operators of several types.
    """

    def __init__(self, operators: Any, **hints: Any) -> None:
        self._operators: list[Any] = of_one_dtype(operators)
        symmetric = _is_symmetric(self._operators)
        if all(operator.is_non_singular for operator in self._operators):
            message = "The composition of non-singular operators is always non-singular."
            settle(hints, "is_non_singular", True, message)
        form = "The composition was determined to have the form A @ A.H, hence it must be {}, but the hint is False."
        if symmetric or (len(self._operators) == 1 and self._operators[0].is_self_adjoint):
            settle(hints, "is_self_adjoint", True, form.format("self-adjoint"))
        if symmetric:
            settle(hints, "is_square", True, form.format("square"))
        if symmetric and hints.get("is_non_singular"):
            settle(hints, "is_positive_definite", True, form.format("positive-definite"))
        hints["name"] = hints.get("name") or "_o_".join(operator.name for operator in self._operators)
        super().__init__(self._operators[0].dtype, **hints)

    operators: list[Any] = read_only(lambda self: list(self._operators), doc="The factors, from the left.")

    def _sizes(self) -> Sizes:
        first, last = self._operators[0], self._operators[-1]
        return batch_of(*self._operators) + Sizes.of(first)[-2:-1] + Sizes.of(last)[-1:]

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _through(self, method: str, x: Any, from_left: bool, adjoint: bool, adjoint_arg: bool) -> Any:
        """The result of applying each factor to `x`, or of solving for it, one after the other."""
        for operator in self._operators if from_left else reversed(self._operators):
            x = getattr(operator, method)(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
            adjoint_arg = False
        return x

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through("matmul", x, adjoint, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through("solve", rhs, not adjoint, adjoint, adjoint_arg)

    def _determinant(self) -> Any:
        if not self._all_square():
            return super()._determinant()
        return product([operator.determinant() for operator in self._operators])

    def _log_abs_determinant(self) -> Any:
        if not self._all_square():
            return super()._log_abs_determinant()
        return sum(operator.log_abs_determinant() for operator in self._operators)

    def _assert_non_singular(self) -> Any:
        if not self._all_square():
            return super()._assert_non_singular()
        return control.group(*[operator.assert_non_singular() for operator in self._operators])


@rule("matmul", LinearOperator, LinearOperator)
def composition(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of two operators of any kinds."""
    return LinearOperatorComposition([left, right], **of_product(left, right))


@rule("solve", LinearOperator, LinearOperator)
def solution(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    """The product of the inverse of an operator and another one, of any kinds."""
    return LinearOperatorComposition([LinearOperatorInversion(left), right], **of_product(left, right))


@rule("solve", LinearOperatorInversion, LinearOperator)
def _inversion_solved(left: LinearOperatorInversion, right: LinearOperator) -> LinearOperator:
    return left.operator.matmul(right)  # type: ignore[return-value]


@rule("cholesky", LinearOperatorComposition)
def _factor(operator: LinearOperatorComposition) -> LinearOperator:
    factors = operator.operators
    left = factors[0]
    if len(factors) != 2 or not isinstance(left, LinearOperatorLowerTriangular) or not _is_symmetric(factors):
        return dense_cholesky(operator)
    if left.is_positive_definite:
        return left
    signs = math.conj(complex_numbers.sign(left.diag_part()))  # L D is another factor for every unitary D
    return LinearOperatorLowerTriangular(
        left.to_dense() * array.expand_dims(signs, -2), is_non_singular=operator.is_non_singular, is_square=True
    )
