"""Diagonal linear operators."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types.attributes import read_only
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, math, powers, reductions
from inlay._src.ops.diagonals import diag_op, diag_part_op, set_diag_op
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.assertions import no_zeros, positive_real, zero_imaginary
from inlay._src.programs.linear_operators.hints import hints_of, of_commuting, settle
from inlay._src.programs.linear_operators.identity import LinearOperatorScaledIdentity
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator, condition
from inlay._src.programs.linear_operators.parameters import parameter
from inlay._src.programs.linear_operators.sizes import Sizes, batch_of, turned


@export("linalg.LinearOperatorDiag")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorDiag")
class LinearOperatorDiag(SizedOperator):
    """Square diagonal matrices, [..., n, n].

    Args:
      diag: the diagonal, [..., n].

    Raises:
      ValueError: for a scalar, or a hint that cannot be.
    """

    _matrix_ranks = {"diag": 1}

    def __init__(self, diag: Any, **hints: Any) -> None:
        self._diag = parameter(diag, "diag", 1)
        if not self._diag.dtype.is_complex:
            settle(hints, "is_self_adjoint", True, "A real diagonal operator is always self adjoint.")
        settle(hints, "is_square", True, "Only square diagonal operators currently supported.")
        super().__init__(self._diag.dtype, **hints)

    diag: Tensor | Any = read_only(lambda self: self._diag, doc="The diagonal, [..., n].")

    def _sizes(self) -> Sizes:
        sizes = Sizes.of(self._diag)
        return sizes + sizes[-1:]

    def _turned(self, adjoint: bool) -> Any:
        return math.conj(self._diag) if adjoint else convert_to_tensor(self._diag)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return array.expand_dims(self._turned(adjoint), -1) * turned(x, adjoint_arg)

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return self._turned(adjoint) * x

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return turned(rhs, adjoint_arg) / array.expand_dims(self._turned(adjoint), -1)

    def _determinant(self) -> Any:
        return reductions.reduce_prod(self._diag, [-1])

    def _log_abs_determinant(self) -> Any:
        total = reductions.reduce_sum(powers.log(complex_numbers.abs(self._diag)), [-1])
        return math.cast(total, self.dtype)

    def _diag_part(self) -> Any:
        return convert_to_tensor(self._diag)

    def _to_dense(self) -> Any:
        return diag_op(self._diag)

    def _add_to_tensor(self, x: Any) -> Any:
        if (batch_of(x).static == self.batch_shape) is not True:
            return self.to_dense() + x
        return set_diag_op(x, diag_part_op(x) + self._diag)

    def _eigvals(self) -> Any:
        return self.diag_part()

    def _cond(self) -> Any:
        return condition(self._diag)

    def _assert_non_singular(self) -> Any:
        return no_zeros(self._diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self) -> Any:
        what = "non-positive real part" if self.dtype.is_complex else "non-positive values"
        message = f"Diagonal operator had diagonal entries with {what}, thus was not positive definite."
        return positive_real(self._diag, message)

    def _assert_self_adjoint(self) -> Any:
        message = "This diagonal operator contained non-zero imaginary values.  Thus it was not self-adjoint."
        return zero_imaginary(self._diag, message)


@rule("adjoint", LinearOperatorDiag)
def _diag_adjoint(operator: LinearOperatorDiag) -> LinearOperator:
    return LinearOperatorDiag(math.conj(operator.diag), **hints_of(operator))


@rule("inverse", LinearOperatorDiag)
def _diag_inverse(operator: LinearOperatorDiag) -> LinearOperator:
    return LinearOperatorDiag(1 / operator.diag, **hints_of(operator))


@rule("cholesky", LinearOperatorDiag)
def _diag_cholesky(operator: LinearOperatorDiag) -> LinearOperator:
    return LinearOperatorDiag(
        powers.sqrt(operator.diag), is_non_singular=True, is_self_adjoint=True, is_positive_definite=True
    )


def _numbers(operator: Any) -> Any:
    """The diagonal of an operator, [..., n] or [..., 1]."""
    return operator.diag if isinstance(operator, LinearOperatorDiag) else array.expand_dims(operator.multiplier, -1)


@rule("matmul", LinearOperatorDiag, LinearOperatorDiag)
@rule("matmul", LinearOperatorDiag, LinearOperatorScaledIdentity)
@rule("matmul", LinearOperatorScaledIdentity, LinearOperatorDiag)
def _diagonal_times(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return LinearOperatorDiag(_numbers(left) * _numbers(right), **of_commuting(left, right))


@rule("solve", LinearOperatorDiag, LinearOperatorDiag)
@rule("solve", LinearOperatorDiag, LinearOperatorScaledIdentity)
@rule("solve", LinearOperatorScaledIdentity, LinearOperatorDiag)
def _diagonal_solved(left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return LinearOperatorDiag(_numbers(right) / _numbers(left), **of_commuting(left, right))
