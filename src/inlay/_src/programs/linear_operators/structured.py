"""Linear operators that move or mirror vectors: permutations and reflections."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import read_only
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, control, joining, math, ranges, sorting
from inlay._src.ops.asserting import assert_equal_v1
from inlay._src.ops.diagonals import eye
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.linalg import l2_normalize
from inlay._src.ops.matmul import matmul_op
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.hints import settle
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator
from inlay._src.programs.linear_operators.parameters import parameter, require
from inlay._src.programs.linear_operators.sizes import Sizes, batch_of, spread, turned


@export("linalg.LinearOperatorHouseholder")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorHouseholder")
class LinearOperatorHouseholder(SizedOperator):
    """Reflections, [..., n, n], at the hyperplane that is orthogonal to an axis.

    Args:
      reflection_axis: the axis, [..., n], of any length but zero.
      is_non_singular, is_self_adjoint, is_positive_definite, is_square: hints; reflections are self-adjoint.

    Raises:
      ValueError: for a scalar, or a hint that cannot be.
    """

    _matrix_ranks = {"reflection_axis": 1}

    def __init__(self, reflection_axis: Any, **hints: Any) -> None:
        self._reflection_axis = parameter(reflection_axis, "reflection_axis", 1)
        settle(hints, "is_self_adjoint", True, "A Householder operator is always self adjoint.")
        settle(hints, "is_positive_definite", False, "A Householder operator is always non-positive definite.")
        settle(hints, "is_square", True, "A Householder operator is always square.")
        super().__init__(self._reflection_axis.dtype, **hints)

    reflection_axis: Tensor | Any = read_only(lambda self: self._reflection_axis, doc="The axis, [..., n].")

    def _sizes(self) -> Sizes:
        sizes = Sizes.of(self._reflection_axis)
        return sizes + sizes[-1:]

    def _unit(self) -> Any:
        """The axis at length 1, as a column."""
        return array.expand_dims(l2_normalize(self._reflection_axis, -1), -1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, axis = turned(x, adjoint_arg), self._unit()
        return x - math.number_of(2, x) * axis * matmul_op(axis, x, adjoint_a=True)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        return self._matmul(eye(self.domain_dimension_tensor(), dtype=self.dtype))

    def _determinant(self) -> Any:
        return -array.ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self) -> Any:
        return array.zeros(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self) -> Any:
        axis = self._unit()[..., 0]
        return 1 - math.number_of(2, axis) * axis * math.conj(axis)

    def _trace(self) -> Any:
        rows = math.cast(self.domain_dimension_tensor(), self.dtype)
        return array.ones(self.batch_shape_tensor(), self.dtype) * (rows - math.number_of(2, rows))

    def _eigvals(self) -> Any:
        ones = array.ones(self._sizes()[:-1].tensor(), self.dtype)
        return joining.concat([-ones[..., :1], ones[..., 1:]], -1)

    def _cond(self) -> Any:
        return array.ones(self.batch_shape_tensor(), self.dtype)

    def _assert_non_singular(self) -> Any:
        return control.no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        raise errors.InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return control.no_op("assert_self_adjoint")


@rule("inverse", LinearOperatorHouseholder)
def _mirrored_back(operator: LinearOperatorHouseholder) -> LinearOperator:
    return operator


@export("linalg.LinearOperatorPermutation")
@constructor("graph_parents", "parameters", name="LinearOperatorPermutation")
class LinearOperatorPermutation(SizedOperator):
    """Permutations, [..., n, n]: row `i` of the product is row `perm[i]` of what is multiplied.

    Args:
      perm: a permutation of 0..n-1, [..., n], integers.
      dtype: the type of the matrix.

    Raises:
      ValueError: for a scalar, for a static value that is no permutation, or if `is_square` is False.
      TypeError: for numbers that are no integers.
    """

    _matrix_ranks = {"perm": 1}

    def __init__(self, perm: Any, dtype: Any = dtypes.float32, **hints: Any) -> None:
        self._perm = parameter(perm, "perm", 1)
        if not self._perm.dtype.is_integer:
            raise TypeError(f"Argument `perm` must be integer dtype. Found: {self._perm.dtype!r}.")
        values = None if isinstance(self._perm, Variable) else constant_of(self._perm)
        if values is not None:
            every = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
            is_permutation = np.array_equal(np.sort(values, -1), every)
            require(is_permutation, "Argument `perm` must be a vector of unique integers from `0` to `N - 1`.")
        settle(hints, "is_square", True, "A Permutation operator is always square.")
        super().__init__(dtype, **hints)

    perm: Tensor | Any = read_only(lambda self: self._perm, doc="The permutation, [..., n].")

    def _sizes(self) -> Sizes:
        sizes = Sizes.of(self._perm)
        return sizes + sizes[-1:]

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x, order = turned(x, adjoint_arg), array.expand_dims(convert_to_tensor(self._perm), -1)
        batch = batch_of(x, order)
        x, order = spread(x, batch), spread(order, batch)[..., 0]
        if adjoint:
            order = sorting.argsort(order)
        rows = Sizes.of(x)[-2:].tensor()
        flat = array.reshape(x, joining.concat([[-1], rows], 0))
        taken = gather_op(flat, array.reshape(order, [-1, rows[0]]), 1, 1)
        return array.reshape(taken, Sizes.of(x).tensor())

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _to_dense(self) -> Any:
        order = array.expand_dims(convert_to_tensor(self._perm), -1)
        return math.cast(math.equal(order, self._columns()), self.dtype)

    def _columns(self) -> Any:
        return math.cast(ranges.range_(self.domain_dimension_tensor()), self._perm.dtype)

    def _log_abs_determinant(self) -> Any:
        return array.zeros(self.batch_shape_tensor(), self.dtype)

    def _diag_part(self) -> Any:
        return math.cast(math.equal(self._perm, self._columns()), self.dtype)

    def _cond(self) -> Any:
        return array.ones(self.batch_shape_tensor(), self.dtype)

    def _assert_non_singular(self) -> Any:
        ordered = sorting.sort(convert_to_tensor(self._perm))
        message = "`perm` is not a vector of unique integers from `0` to `N - 1`."
        return assert_equal_v1(ordered, array.zeros_like(ordered) + self._columns(), message=message)
