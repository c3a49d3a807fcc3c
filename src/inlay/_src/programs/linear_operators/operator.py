"""`LinearOperator`: a matrix, or a batch of them, that is known by what it does to vectors.

A kind of operator defines `_shape`, `_shape_tensor` and `_matmul`; everything else follows from these, through the
dense matrix where there is no better way. A kind that has a better way defines `_solve`, `_determinant`, `_diag_part`
or another method with an underscore, and registers rules of the algebra (`algebra.py`).

    operator.solve(rhs) ── checks, name scope ──▶ operator._solve(rhs)       the kind's own, or by the dense matrix
    operator.inverse()  ── checks, name scope ──▶ derive("inverse", operator)   a rule for its kind, or for any
    tf.matmul(operator, x) ── the funnel ──▶ `answer` ──▶ operator.matmul(x)
"""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.attributes import read_only
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dimension, TensorShape
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, determinants, eigenvalues, linalg, math, powers, reductions
from inlay._src.ops.asserting import assert_equal_v1, assert_less_v1, assert_positive_v1
from inlay._src.ops.diagonals import diag_part_op, eye
from inlay._src.ops.matmul import adjoint as adjoint_of
from inlay._src.programs.linear_operators.algebra import derive
from inlay._src.programs.linear_operators.parameters import Parametrized, require
from inlay._src.programs.linear_operators.sizes import Sizes, size_at, solve, spread, turned

_IMPLIED = (
    ("is_positive_definite", "is_non_singular", "A positive definite matrix is always non-singular."),
    ("is_non_singular", "is_square", "A non-singular matrix is always square."),
    ("is_self_adjoint", "is_square", "A self-adjoint matrix is always square."),
)
"""(Hint, another one that it implies, the error if that is False)."""


@export("linalg.LinearOperator")
class LinearOperator(Parametrized, abc.ABC):
    """Base class of matrices, [..., m, n], that are known by what they do to vectors.

    A subclass defines `_shape`, `_shape_tensor` and `_matmul(x, adjoint, adjoint_arg)`. Hints are True, False or, where
    nothing is known, None; they choose faster algorithms and are not checked against the values.

    Args:
      dtype: the type of the matrix and of what it is applied to.
      graph_parents: accepted and told back; a deprecated argument of TensorFlow.
      is_non_singular: whether the matrix has an inverse.
      is_self_adjoint: whether it equals its adjoint.
      is_positive_definite: whether the real part of `x^H A x` is positive for every `x` but zero.
      is_square: whether m equals n.
      name: the name; that of the class if None.
      parameters: the arguments of the subclass's constructor; those it was called with if None.

    Raises:
      ValueError: if hints contradict one another.
    """

    def __init__(
        self,
        dtype: Any,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self._name = name or type(self).__name__
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._graph_parents = list(graph_parents or ())
        if parameters is not None:
            self._parameters = parameters
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        for hint, implied, message in _IMPLIED:
            if hints[hint]:
                require(hints[implied] is not False, message)
                hints[implied] = True
        self._hints = hints

    # ---- what is known of it

    dtype: DType = read_only(lambda self: self._dtype, doc="The type of the matrix.")
    name: str = read_only(lambda self: self._name, doc="The name.")
    graph_parents: list[Any] = read_only(lambda self: self._graph_parents, doc="The argument of that name.")
    parameters: dict[str, Any] = read_only(
        lambda self: dict(self._parameters), doc="The arguments that the operator was made with, by name."
    )
    is_non_singular: bool | None = read_only(lambda self: self._hints["is_non_singular"], doc="The hint.")
    is_self_adjoint: bool | None = read_only(lambda self: self._hints["is_self_adjoint"], doc="The hint.")
    is_positive_definite: bool | None = read_only(lambda self: self._hints["is_positive_definite"], doc="The hint.")

    @property
    def is_square(self) -> bool | None:
        """Whether the matrix is square, as the hints or the static shape say; None if neither does."""
        hint, rows, columns = self._hints["is_square"], size_at(self.shape, -2), size_at(self.shape, -1)
        is_square = None if None in (rows, columns) else rows == columns
        require(hint is not False or not is_square, "User set is_square hint to False, but the operator was square.")
        return is_square if hint is None else hint

    @property
    def shape(self) -> TensorShape:
        """The static shape, [..., m, n]."""
        return self._shape()

    batch_shape: TensorShape = read_only(lambda self: self.shape[:-2], doc="The static shape without m and n.")
    tensor_rank: int | None = read_only(lambda self: self.shape.rank, doc="The number of axes, None if unknown.")
    domain_dimension: Dimension = read_only(
        lambda self: shapes.dimension_at_index(self.shape, -1), doc="n, a Dimension."
    )
    range_dimension: Dimension = read_only(
        lambda self: shapes.dimension_at_index(self.shape, -2), doc="m, a Dimension."
    )

    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        """The shape [..., m, n], an int32 vector."""
        with self._scope(name):
            return Sizes(self.shape, self._shape_tensor).tensor()

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape without m and n, an int32 vector."""
        with self._scope(name):
            return Sizes.of(self)[:-2].tensor()

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        """The number of axes, an int32 scalar."""
        with self._scope(name):
            return array.size(self.shape_tensor())

    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        """n, an int32 scalar."""
        with self._scope(name):
            return Sizes.of(self)[-1:].tensor()[0]

    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        """m, an int32 scalar."""
        with self._scope(name):
            return Sizes.of(self)[-2:-1].tensor()[0]

    # ---- assertions

    def assert_non_singular(self, name: str = "assert_non_singular") -> Operation | None:
        """An operation that fails with InvalidArgumentError if the matrix is singular; None while executing eagerly."""
        with self._scope(name):
            return self._assert_non_singular()

    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Operation | None:
        """An operation that fails with InvalidArgumentError unless the matrix is positive definite.

        Raises:
          NotImplementedError: for a matrix that is not known to be self-adjoint.
        """
        with self._scope(name):
            return self._assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Operation | None:
        """An operation that fails with InvalidArgumentError unless the matrix equals its adjoint."""
        with self._scope(name):
            return self._assert_self_adjoint()

    # ---- products and solutions

    def matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul") -> Tensor | Any:
        """The product of the matrix and others.

        Args:
          x: matrices, [..., n, k], of the operator's type, or a linear operator; batch axes broadcast.
          adjoint: whether to multiply by the adjoint of the matrix.
          adjoint_arg: whether to adjoin `x` first.
          name: the scope of the ops.

        Returns:
          [..., m, k], or a linear operator.

        Raises:
          ValueError: if the sizes do not fit.
          TypeError: for another type.
        """
        return self._applied("matmul", x, adjoint, adjoint_arg, name)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product of the matrix and vectors, [..., n]; see `matmul`."""
        with self._scope(name):
            return self._matvec(self._operand(x, adjoint, -1), adjoint=adjoint)

    def solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve") -> Tensor | Any:
        """The solution `x` of `A x = rhs`.

        Args:
          rhs: matrices, [..., m, k], of the operator's type, or a linear operator; batch axes broadcast.
          adjoint: whether to solve with the adjoint of the matrix.
          adjoint_arg: whether to adjoin `rhs` first.
          name: the scope of the ops.

        Returns:
          [..., n, k], or a linear operator.

        Raises:
          NotImplementedError: if the matrix is known to be singular or not square.
        """
        self._check_solvable()
        return self._applied("solve", rhs, adjoint, adjoint_arg, name)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Tensor:
        """The solution of `A x = rhs` for vectors, [..., m]; see `solve`."""
        self._check_solvable()
        with self._scope(name):
            return self._solvevec(self._operand(rhs, adjoint, -1), adjoint=adjoint)

    # ---- other operators

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The conjugate transpose, an operator; itself if the operator is known to be self-adjoint."""
        if self.is_self_adjoint is True:
            return self
        with self._scope(name):
            return derive("adjoint", self)  # type: ignore[no-any-return]

    H: LinearOperator = read_only(adjoint, doc="`adjoint()`.")

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The inverse, an operator; ValueError if the matrix is known to have none."""
        for hint, what in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            require(hint is not False, f"Cannot take the Inverse: This operator represents a {what} matrix.")
        with self._scope(name):
            return derive("inverse", self)  # type: ignore[no-any-return]

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The lower triangular factor `L` with `A = L L^H`, an operator.

        Raises:
          ValueError: unless the hints say that the matrix is self-adjoint and positive definite.
        """
        message = "Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix."
        require(self._can_use_cholesky(), message)
        with self._scope(name):
            return derive("cholesky", self)  # type: ignore[no-any-return]

    # ---- numbers

    def determinant(self, name: str = "det") -> Tensor:
        """The determinant, [...]; NotImplementedError if the matrix is known not to be square."""
        self._check_square("Determinant")
        with self._scope(name):
            return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the determinant's modulus, [...]."""
        self._check_square("Determinant")
        with self._scope(name):
            return self._log_abs_determinant()

    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrix as a tensor, [..., m, n]."""
        with self._scope(name):
            return self._to_dense()

    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The diagonal, [..., min(m, n)]."""
        with self._scope(name):
            return self._diag_part()

    def trace(self, name: str = "trace") -> Tensor:
        """The sum of the diagonal, [...]."""
        with self._scope(name):
            return self._trace()

    def add_to_tensor(self, x: Any, name: str = "add_to_tensor") -> Tensor:
        """The sum of the matrix and others, [..., m, n], which have its type."""
        with self._scope(name):
            return self._add_to_tensor(self._typed(x))

    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues of a self-adjoint matrix, [..., n].

        Raises:
          NotImplementedError: unless the hints say that it is self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._scope(name):
            return self._eigvals()

    def cond(self, name: str = "cond") -> Tensor:
        """The condition number, [...]: the quotient of the greatest and the least singular value."""
        with self._scope(name):
            return self._cond()

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def __getitem__(self, slices: Any) -> LinearOperator:
        return self._sliced(slices if isinstance(slices, (tuple, list)) else (slices,), Sizes.of(self)[:-2])

    # ---- what a kind of operator defines

    @abc.abstractmethod
    def _shape(self) -> TensorShape:
        """The static shape, [..., m, n]."""

    def _shape_tensor(self) -> Any:
        """The shape, an int32 vector."""
        raise NotImplementedError("_shape_tensor is not implemented.")

    @abc.abstractmethod
    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        """The product with matrices of fitting sizes and type."""

    # ---- what follows from that

    def _matvec(self, x: Any, adjoint: bool = False) -> Any:
        return array.squeeze(self._matmul(array.expand_dims(x, -1), adjoint=adjoint), [-1])

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        rhs, dense = turned(rhs, adjoint_arg), self.to_dense()
        if self._can_use_cholesky():
            return linalg.cholesky_solve(linalg.cholesky(dense), rhs)
        return solve(dense, rhs, adjoint)

    def _solvevec(self, rhs: Any, adjoint: bool = False) -> Any:
        return array.squeeze(self._solve(array.expand_dims(rhs, -1), adjoint=adjoint), [-1])

    def _determinant(self) -> Any:
        if self._can_use_cholesky():
            return powers.exp(self.log_abs_determinant())
        return determinants.det(self.to_dense())

    def _log_abs_determinant(self) -> Any:
        if self._can_use_cholesky():
            diagonal = diag_part_op(linalg.cholesky(self.to_dense()))
            return reductions.reduce_sum(powers.log(diagonal), [-1]) * math.number_of(2, diagonal)
        return determinants.slogdet(self.to_dense())[1]

    def _to_dense(self) -> Any:
        batch, columns = Sizes.of(self)[:-2], self.domain_dimension_tensor()
        return self._matmul(spread(eye(columns, dtype=self.dtype), batch))

    def _diag_part(self) -> Any:
        return diag_part_op(self.to_dense())

    def _trace(self) -> Any:
        return reductions.reduce_sum(self.diag_part(), [-1])

    def _add_to_tensor(self, x: Any) -> Any:
        return self.to_dense() + x

    def _eigvals(self) -> Any:
        return eigenvalues.eigvalsh(self.to_dense())

    def _cond(self) -> Any:
        values = self.eigvals() if self.is_self_adjoint else linalg.svd(self.to_dense(), compute_uv=False)
        return condition(values)

    def _assert_non_singular(self) -> Any:
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        rows, columns = self.range_dimension_tensor(), self.domain_dimension_tensor()
        real = self.dtype.real_dtype
        side = math.cast(math.maximum(math.maximum(rows, columns), 100), real)
        most = powers.reciprocal(side * array.constant(np.finfo(real.as_numpy_dtype).eps, real))
        return assert_less_v1(self.cond(), most, message="Singular matrix up to precision epsilon.")

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        diagonal = complex_numbers.real(diag_part_op(linalg.cholesky(self.to_dense())))
        return assert_positive_v1(diagonal, message="Matrix was not positive definite.")

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        return assert_equal_v1(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    # ---- checks and scopes

    def _scope(self, name: str) -> Any:
        return name_scope(f"{self.name}/{name}")

    def _can_use_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _check_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(f"{what} not implemented for an operator that is expected to not be square.")

    def _check_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError("Exact solve not implemented for an operator that is expected to be singular.")
        self._check_square("Exact solve")

    def _typed(self, x: Any) -> Any:
        """An argument as a tensor of the operator's type."""
        x = convert_to_tensor(x, name="x")
        if x.dtype is not self.dtype:
            raise TypeError(f"Expected argument to have dtype {self.dtype!r}.  Found: {x.dtype!r} in tensor {x}")
        return x

    def _operand(self, x: Any, transposed: bool, axis: int) -> Any:
        """An argument as a tensor whose `axis` has the size of the operator's columns, or rows if `transposed`."""
        x = self._typed(x)
        side = shapes.dimension_at_index(self.shape, -2 if transposed else -1)
        side.assert_is_compatible_with(size_at(x.shape, axis))
        return x

    def _applied(self, operation: str, x: Any, adjoint: bool, adjoint_arg: bool, name: str) -> Any:
        """The product with a tensor or an operator, or the solution for one."""
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            side, other = left.domain_dimension.value, right.range_dimension.value
            if operation == "matmul" or left.is_square:
                label = "x" if operation == "matmul" else "rhs"
                message = f"Operators are incompatible. Expected `{label}` to have dimension {side} but got {other}."
                require(None in (side, other) or side == other, message)
            with self._scope(name):
                return derive(operation, left, right)
        with self._scope(name):
            x = self._operand(x, adjoint != (operation == "solve"), -1 if adjoint_arg else -2)
            return getattr(self, f"_{operation}")(x, adjoint=adjoint, adjoint_arg=adjoint_arg)


def condition(values: Any) -> Any:
    """The quotient of the greatest and the least modulus along the last axis."""
    sizes = complex_numbers.abs(values)
    return reductions.reduce_max(sizes, [-1]) / reductions.reduce_min(sizes, [-1])


class SizedOperator(LinearOperator):
    """An operator whose shape follows from the sizes of its parameters."""

    @abc.abstractmethod
    def _sizes(self) -> Sizes:
        """The shape, [..., m, n]."""

    def _shape(self) -> TensorShape:
        return self._sizes().static

    def _shape_tensor(self) -> Any:
        return self._sizes().tensor()
