"""A linear operator with a perturbation of low rank, which is solved with the operator alone (Woodbury's identity)."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import shapes
from inlay._src.base.types.attributes import read_only
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, linalg, math, powers, reductions
from inlay._src.ops.determinants import det, slogdet
from inlay._src.ops.diagonals import diag_part_op
from inlay._src.ops.matmul import matmul_op
from inlay._src.programs.linear_operators.diagonal import LinearOperatorDiag
from inlay._src.programs.linear_operators.hints import settle
from inlay._src.programs.linear_operators.identity import LinearOperatorIdentity
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator
from inlay._src.programs.linear_operators.parameters import parameter, require
from inlay._src.programs.linear_operators.sizes import Sizes, batch_of, size_at, solve, turned


@export("linalg.LinearOperatorLowRankUpdate")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorLowRankUpdate")
class LinearOperatorLowRankUpdate(SizedOperator):
    """`L + U D V^H`, [..., m, n], with an operator `L`, a diagonal `D` and matrices of few columns.

    Solutions and determinants take those of `L` and of a matrix of k rows. Batch shapes broadcast.

    Args:
      base_operator: `L`, [..., m, n], of a real or complex type.
      u: `U`, [..., m, k].
      diag_update: the diagonal of `D`, [..., k]; ones if None.
      v: `V`, [..., n, k]; `u` if None.
      is_diag_update_positive: whether all of `diag_update` is positive; a hint.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints. `L + U D U^H` is known to be positive
        definite if `L` is so and self-adjoint, and `D` is positive.

    Raises:
      ValueError: for sizes that do not fit, or a hint that cannot be.
    """

    _matrix_ranks = {"u": 2, "v": 2, "diag_update": 1}

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: Any = None,
        v: Any = None,
        is_diag_update_positive: bool | None = None,
        **hints: Any,
    ) -> None:
        if diag_update is None:
            message = "Default diagonal is the identity, which is positive, but 'is_diag_update_positive' is False."
            require(is_diag_update_positive is not False, message)
            is_diag_update_positive = True
        base = base_operator
        self._use_cholesky = bool(
            base.is_positive_definite and base.is_self_adjoint and is_diag_update_positive and v is None
        )
        if self._use_cholesky:
            for hint in ("is_non_singular", "is_self_adjoint", "is_positive_definite"):
                settle(hints, hint, True, "Arguments imply this is self-adjoint positive-definite operator.")
        self._base_operator, self._is_diag_update_positive = base, is_diag_update_positive
        self._u = parameter(u, "u", 2)
        self._v = None if v is None else parameter(v, "v", 2)
        self._diag_update = None if diag_update is None else parameter(diag_update, "diag_update", 1)
        self._check_sizes()
        super().__init__(base.dtype, **hints)

    base_operator: LinearOperator = read_only(lambda self: self._base_operator, doc="`L`, [..., m, n].")
    u: Tensor | Any = read_only(lambda self: self._u, doc="`U`, [..., m, k].")
    v: Tensor | Any = read_only(lambda self: self._u if self._v is None else self._v, doc="`V`, [..., n, k].")
    diag_update: Tensor | Any = read_only(lambda self: self._diag_update, doc="The diagonal of `D`, [..., k], or None.")
    is_diag_update_positive: bool | None = read_only(lambda self: self._is_diag_update_positive, doc="The hint.")

    @property
    def diag_operator(self) -> LinearOperator:
        """`D`, [..., k, k]."""
        if self._diag_update is not None:
            return LinearOperatorDiag(self._diag_update, is_positive_definite=self._is_diag_update_positive)
        return LinearOperatorIdentity(Sizes.of(self._u)[-1:].tensor()[0], dtype=self.dtype)

    def _check_sizes(self) -> None:
        """Raises ValueError for sizes that are known not to fit."""
        pairs = [(size_at(self.v.shape, -2), size_at(self._base_operator.shape, -1))]
        pairs += [(size_at(self._u.shape, -2), size_at(self._base_operator.shape, -2))]
        if self._diag_update is not None:
            pairs.append((size_at(self._u.shape, -1), size_at(self._diag_update.shape, -1)))
        for one, two in pairs:
            shapes.Dimension(one).assert_is_compatible_with(two)
        _ = self._sizes().static

    def _sizes(self) -> Sizes:
        batch = batch_of(self._base_operator, self._u, self.v)
        if self._diag_update is not None:
            batch = batch.broadcast(Sizes.of(self._diag_update)[:-1])
        return batch + Sizes.of(self._base_operator)[-2:]

    def _scaled(self, x: Any, adjoint: bool = False) -> Any:
        """Rows, [..., k, l], multiplied by `D` or its adjoint."""
        return x if self._diag_update is None else self.diag_operator.matmul(x, adjoint=adjoint)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, (u, v) = turned(x, adjoint_arg), (self.v, self._u) if adjoint else (self._u, self.v)
        update = matmul_op(u, self._scaled(matmul_op(v, x, adjoint_a=True), adjoint))
        return self._base_operator.matmul(x, adjoint=adjoint) + update

    def _capacitance(self) -> Any:
        """`D^-1 + V^H L^-1 U`, [..., k, k]."""
        inner = matmul_op(self.v, self._base_operator.solve(self._u), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        message = "Solve not implemented unless this is a perturbation of a non-singular LinearOperator."
        require(self._base_operator.is_non_singular is not False, message)
        u, v = (self.v, self._u) if adjoint else (self._u, self.v)
        first = self._base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner, capacitance = matmul_op(v, first, adjoint_a=True), self._capacitance()
        if self._use_cholesky:
            inner = linalg.cholesky_solve(linalg.cholesky(capacitance), inner)
        else:
            inner = solve(capacitance, inner, adjoint)
        return first - self._base_operator.solve(matmul_op(u, inner), adjoint=adjoint)

    def _determinant(self) -> Any:
        factors = self.diag_operator.determinant() * self._base_operator.determinant()
        return factors * det(self._capacitance())

    def _log_abs_determinant(self) -> Any:
        total = self.diag_operator.log_abs_determinant() + self._base_operator.log_abs_determinant()
        capacitance = self._capacitance()
        if not self._use_cholesky:
            return total + slogdet(capacitance)[1]
        diagonal = diag_part_op(linalg.cholesky(capacitance))
        return total + math.number_of(2, diagonal) * reductions.reduce_sum(powers.log(diagonal), [-1])

    def _diag_part(self) -> Any:
        if self.is_square is False:
            return super()._diag_part()
        rows = self._u * math.conj(self.v)
        if self._diag_update is not None:
            rows = rows * array.expand_dims(self._diag_update, -2)
        return reductions.reduce_sum(rows, [-1]) + self._base_operator.diag_part()
