"""The Kronecker product of linear operators."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types.attributes import read_only
from inlay._src.base.types.shapes import TensorShape
from inlay._src.ops import array, control, math, powers
from inlay._src.ops.matmul import matrix_transpose
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.blocks import sum_of
from inlay._src.programs.linear_operators.composed import of_one_dtype, product
from inlay._src.programs.linear_operators.hints import hints_of, settle_all
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator
from inlay._src.programs.linear_operators.parameters import require
from inlay._src.programs.linear_operators.sizes import Sizes, batch_of, size_at, turned


@export("linalg.LinearOperatorKronecker")
@constructor("dtype", "graph_parents", "parameters")
class LinearOperatorKronecker(SizedOperator):
    """The Kronecker product of linear operators, [..., m, n]; m and n are the products of theirs.

    Args:
      operators: a list of operators of one type; batch shapes broadcast.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; those that all operators have hold.
      name: the operator's name; those of `operators` with "_x_" between them if None.

    Raises:
      ValueError: for an empty list, or a hint that cannot be.
      TypeError: for operators of several types.
    """

    def __init__(self, operators: Any, **hints: Any) -> None:
        operators = list(operators)
        require(operators, f"Argument `operators` must be a list of >=1 operators. Received: {operators}.")
        self._operators = of_one_dtype(operators)
        settle_all(hints, operators, "Kronecker product")
        hints["name"] = hints.get("name") or "_x_".join(operator.name for operator in operators)
        super().__init__(operators[0].dtype, **hints)

    operators: list[Any] = read_only(lambda self: list(self._operators), doc="The factors, from the left.")

    def _sizes(self) -> Sizes:
        sides = [Sizes.of(operator)[-2:] for operator in self._operators]
        rows, columns = _times([side[:1] for side in sides]), _times([side[1:] for side in sides])
        return batch_of(*self._operators) + rows + columns

    def _through(self, method: str, x: Any, adjoint: bool) -> Any:
        """Columns, [..., n, k], to each axis of which the factor for it was applied.

        The first axis is in front each time, and the one that comes out of it goes to the end: of n = n1 n2 and
        m = m1 m2, the axes are (n1, n2, k), then (n2, k, m1), and at last (k, m1, m2).
        """
        inner = -2 if adjoint != (method == "solve") else -1
        axes = [_side(operator, inner) for operator in self._operators] + [Sizes.of(x)[-1:]]
        x = array.reshape(x, (Sizes.of(x)[:-2] + axes[0] + _times(axes[1:])).tensor())
        for operator in self._operators:
            x = matrix_transpose(getattr(operator, method)(x, adjoint=adjoint))
            axes = [*axes[1:], _side(operator, -3 - inner)]
            x = array.reshape(x, (Sizes.of(x)[:-2] + axes[0] + _times(axes[1:])).tensor())
        return matrix_transpose(x)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through("matmul", turned(x, adjoint_arg), adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._through("solve", turned(rhs, adjoint_arg), adjoint)

    def _copies(self, operator: LinearOperator) -> Any:
        """The exponent of a factor's determinant in that of the product."""
        return math.cast(self.domain_dimension_tensor() // operator.domain_dimension_tensor(), self.dtype)

    def _all_square(self) -> bool:
        return all(operator.is_square for operator in self._operators)

    def _determinant(self) -> Any:
        if not self._all_square():
            return super()._determinant()
        return product([powers.pow(o.determinant(), self._copies(o)) for o in self._operators])

    def _log_abs_determinant(self) -> Any:
        if not self._all_square():
            return super()._log_abs_determinant()
        return sum_of([o.log_abs_determinant() * self._copies(o) for o in self._operators])

    def _trace(self) -> Any:
        return product([operator.trace() for operator in self._operators]) if self._all_square() else super()._trace()

    def _diag_part(self) -> Any:
        if not self._all_square():
            return super()._diag_part()
        return functools.reduce(_outer_vectors, [operator.diag_part() for operator in self._operators])

    def _eigvals(self) -> Any:
        return functools.reduce(_outer_vectors, [operator.eigvals() for operator in self._operators])

    def _assert_of_all(self, assertion: str) -> Any:
        if not self._all_square():
            message = "All Kronecker factors must be square for the product to be invertible. Expected hint `is_square`"
            raise errors.InvalidArgumentError(None, None, f"{message} to be True for every operator.")
        return control.group(*[getattr(operator, assertion)() for operator in self._operators])

    def _assert_non_singular(self) -> Any:
        return self._assert_of_all("assert_non_singular")

    def _assert_self_adjoint(self) -> Any:
        return self._assert_of_all("assert_self_adjoint")


def _side(operator: LinearOperator, axis: int) -> Sizes:
    """The number of rows, for axis -2, or of columns of an operator."""
    return Sizes.of(operator)[-2:][axis + 2 : axis + 3]


def _times(sizes: Sequence[Sizes]) -> Sizes:
    """The product of the sizes of one axis each."""
    numbers = [size_at(one.static, 0) for one in sizes]
    total = None if None in numbers else product(numbers)
    return Sizes(TensorShape([total]), lambda: product([one.tensor() for one in sizes]))


def _outer_vectors(one: Any, two: Any) -> Any:
    """The Kronecker product of vectors, [..., m] and [..., n]; batch axes broadcast."""
    table = array.expand_dims(one, -1) * array.expand_dims(two, -2)
    sizes = Sizes.of(table)
    return array.reshape(table, (sizes[:-2] + _times([sizes[-2:-1], sizes[-1:]])).tensor())


def _of_each(method: str, operator: LinearOperatorKronecker, **hints: bool | None) -> LinearOperator:
    return LinearOperatorKronecker([getattr(factor, method)() for factor in operator.operators], **hints)


@rule("adjoint", LinearOperatorKronecker)
def _kronecker_adjoint(operator: LinearOperatorKronecker) -> LinearOperator:
    return _of_each("adjoint", operator, **hints_of(operator))


@rule("inverse", LinearOperatorKronecker)
def _kronecker_inverse(operator: LinearOperatorKronecker) -> LinearOperator:
    return _of_each("inverse", operator, **hints_of(operator))


@rule("cholesky", LinearOperatorKronecker)
def _kronecker_cholesky(operator: LinearOperatorKronecker) -> LinearOperator:
    return _of_each("cholesky", operator, is_non_singular=True, is_square=True)
