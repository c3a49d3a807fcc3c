"""Linear operators that are known by their sizes: multiples of the identity, zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import read_only
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, control, math, powers
from inlay._src.ops.asserting import assert_equal_v1, assert_non_negative_v1, assert_rank_v1
from inlay._src.ops.composite.known_sizes import static_size
from inlay._src.ops.diagonals import diag_op
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.assertions import no_zeros, positive_real, zero_imaginary
from inlay._src.programs.linear_operators.hints import hints_of, of_commuting, settle
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator
from inlay._src.programs.linear_operators.parameters import parameter, require
from inlay._src.programs.linear_operators.sizes import Sizes, turned

_ALWAYS = {
    "is_self_adjoint": "self adjoint",
    "is_non_singular": "non-singular",
    "is_positive_definite": "positive-definite",
    "is_square": "square",
}
"""Hints that hold for the identity, and their words."""


def _size(value: Any, name: str, rank: int, asserted: bool) -> Any:
    """A number of rows or columns, or a batch shape, checked.

    Args:
      value: an integer scalar, or, if `rank` is 1, a vector.
      name: the parameter's name.
      rank: 0 or 1.
      asserted: whether a value that is known only when the graph runs is checked then.

    Returns:
      The sizes, static where they are known: an int or a `TensorShape`; else a tensor.
    """
    if isinstance(value, Variable):
        raise TypeError(f"{name} cannot be reference type. Found: {value!r}")
    tensor = convert_to_tensor(value.as_list() if isinstance(value, TensorShape) else value, name=name)
    if rank == 1 and tensor.shape == (0,):
        return TensorShape([])
    if not tensor.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type. Found: {value!r}")
    what, constant = f"a {rank}-D Tensor", constant_of(tensor)
    require(tensor.shape.rank in (None, rank), f"Argument {name} must be {what}. Found: {value!r}")
    if constant is not None:
        require((constant >= 0).all(), f"Argument {name} must be non-negative. Found: {value!r}")
        return TensorShape(constant.tolist()) if rank else int(constant)
    if not asserted:
        return tensor
    checks = [
        assert_rank_v1(tensor, rank, message=f"Argument {name} must be {what}."),
        assert_non_negative_v1(tensor, message=f"Argument {name} must be non-negative."),
    ]
    with control.control_dependencies([check for check in checks if check is not None]):
        return array.identity(tensor)


def _as_sizes(size: Any) -> Sizes:
    """A number of rows or columns as the sizes of one axis."""
    if isinstance(size, int):
        return Sizes.listed(TensorShape([size]))
    return Sizes(TensorShape([static_size(size)]), lambda: array.reshape(math.cast(size, dtypes.int32), [1]))


class _OfArguments(SizedOperator):
    """Base of operators that are known by numbers of rows and columns and a batch shape."""

    _num_rows: Any
    _assert_proper_shapes: bool

    def _fitting(self, x: Any) -> Any:
        """`x`, which is asserted to have as many rows as the operator has columns if that was asked for."""
        if not self._assert_proper_shapes:
            return x
        rows = array.shape(x)[-2]
        check = assert_equal_v1(rows, self.domain_dimension_tensor(), message="Dimensions are not compatible.")
        with control.control_dependencies([] if check is None else [check]):
            return array.identity(x)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """The sum of the matrix and others, [..., m, n], which have its type."""
        return super().add_to_tensor(mat, name)


class _MultipleOfIdentity(_OfArguments):
    """Base of the identity and its multiples; `_factor()` is what it is multiplied by, [...]."""

    def _factor(self) -> Any:
        raise NotImplementedError

    def _rows(self) -> Any:
        """n as a number of the operator's type."""
        return math.cast(self.domain_dimension_tensor(), self.dtype)

    def _as_matrix(self, adjoint: bool) -> Any:
        factor = math.conj(self._factor()) if adjoint else self._factor()
        return array.expand_dims(array.expand_dims(factor, -1), -1)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._fitting(turned(x, adjoint_arg)) * self._as_matrix(adjoint)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._fitting(turned(rhs, adjoint_arg)) / self._as_matrix(adjoint)

    def _determinant(self) -> Any:
        return powers.pow(self._factor(), self._rows())

    def _log_abs_determinant(self) -> Any:
        return math.cast(powers.log(complex_numbers.abs(self._factor())), self.dtype) * self._rows()

    def _trace(self) -> Any:
        return self._factor() * self._rows()

    def _diag_part(self) -> Any:
        ones = array.ones(_as_sizes(self._num_rows).tensor(), self.dtype)
        return array.expand_dims(self._factor(), -1) * ones

    def _to_dense(self) -> Any:
        return diag_op(self._diag_part())

    def _eigvals(self) -> Any:
        return self.diag_part()

    def _cond(self) -> Any:
        return array.ones(self.batch_shape_tensor(), self.dtype)


@export("linalg.LinearOperatorIdentity")
@constructor(
    "graph_parents",
    "parameters",
    last=("assert_proper_shapes", "name"),
    is_non_singular=True,
    is_self_adjoint=True,
    is_positive_definite=True,
    is_square=True,
    name="LinearOperatorIdentity",
)
class LinearOperatorIdentity(_MultipleOfIdentity):
    """Identity matrices, [..., n, n].

    Args:
      num_rows: n, an integer scalar that is no variable.
      batch_shape: the shape of the batch, an integer vector; of one matrix if None.
      dtype: the type; float32 if None.
      assert_proper_shapes: whether sizes that are known only when a graph runs are checked then.

    Raises:
      ValueError: for a negative size, another rank, or a hint that cannot be.
      TypeError: for a size that is no integer, or a variable.
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        assert_proper_shapes: bool = False,
        **hints: Any,
    ) -> None:
        for hint, words in _ALWAYS.items():
            require(hints[hint], f"An identity operator is always {words}.")
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _size(num_rows, "num_rows", 0, assert_proper_shapes)
        self._batch_shape = _size([] if batch_shape is None else batch_shape, "batch_shape", 1, assert_proper_shapes)
        super().__init__(dtype or dtypes.float32, **hints)

    def _sizes(self) -> Sizes:
        rows = _as_sizes(self._num_rows)
        return Sizes.listed(self._batch_shape) + rows + rows

    def _factor(self) -> Any:
        return array.ones(Sizes.listed(self._batch_shape).tensor(), self.dtype)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        if self._batch_shape == TensorShape([]):
            return self._fitting(turned(x, adjoint_arg))
        return super()._matmul(x, adjoint, adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _sliced(self, slices: Any, batch: Sizes) -> Any:
        return type(self)(**{**self.parameters, "batch_shape": sliced_shape(slices, batch)})

    def _assert_non_singular(self) -> Any:
        return control.no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        return control.no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Any:
        return control.no_op("assert_self_adjoint")


@export("linalg.LinearOperatorScaledIdentity")
@constructor(
    "dtype",
    "graph_parents",
    "parameters",
    last=("assert_proper_shapes", "name"),
    is_square=True,
    name="LinearOperatorScaledIdentity",
)
class LinearOperatorScaledIdentity(_MultipleOfIdentity):
    """Multiples of the identity matrix, [..., n, n].

    Args:
      num_rows: n, an integer scalar that is no variable.
      multiplier: the factors, [...].
      assert_proper_shapes: whether sizes that are known only when a graph runs are checked then.

    Raises:
      ValueError: for a negative size, another rank, or a hint that cannot be.
      TypeError: for a size that is no integer, or a variable.
    """

    _matrix_ranks = {"multiplier": 0}

    def __init__(self, num_rows: Any, multiplier: Any, assert_proper_shapes: bool = False, **hints: Any) -> None:
        self._multiplier = parameter(multiplier, "multiplier")
        if not self._multiplier.dtype.is_complex:
            settle(hints, "is_self_adjoint", True, "A real diagonal operator is always self adjoint.")
        require(hints["is_square"], "A ScaledIdentity operator is always square.")
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _size(num_rows, "num_rows", 0, assert_proper_shapes)
        super().__init__(self._multiplier.dtype, **hints)

    multiplier: Tensor | Any = read_only(lambda self: self._multiplier, doc="The factors, [...].")

    def _sizes(self) -> Sizes:
        rows = _as_sizes(self._num_rows)
        return Sizes.of(self._multiplier) + rows + rows

    def _factor(self) -> Any:
        return convert_to_tensor(self._multiplier)

    def _assert_non_singular(self) -> Any:
        return no_zeros(self._multiplier, "LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        return positive_real(self._multiplier, "LinearOperator was not positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return zero_imaginary(self._multiplier, "LinearOperator was not self-adjoint")


@export("linalg.LinearOperatorZeros")
@constructor(
    "graph_parents",
    "parameters",
    last=("assert_proper_shapes", "name"),
    is_non_singular=False,
    is_self_adjoint=True,
    is_positive_definite=False,
    is_square=True,
    name="LinearOperatorZeros",
)
class LinearOperatorZeros(_OfArguments):
    """Matrices of zeros, [..., m, n].

    Args:
      num_rows: m, an integer scalar that is no variable.
      num_columns: n; m if None.
      batch_shape: the shape of the batch, an integer vector; of one matrix if None.
      dtype: the type; float32 if None.
      assert_proper_shapes: whether sizes that are known only when a graph runs are checked then.

    Raises:
      ValueError: for a negative size, another rank, or a hint that cannot be.
      TypeError: for a size that is no integer, or a variable.
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        assert_proper_shapes: bool = False,
        **hints: Any,
    ) -> None:
        require(hints["is_self_adjoint"] or not hints["is_square"], "A zero operator is always self adjoint.")
        settle(hints, "is_non_singular", False, "A zero operator is always singular.")
        settle(hints, "is_positive_definite", False, "A zero operator is always not positive-definite.")
        self._assert_proper_shapes = assert_proper_shapes
        self._num_rows = _size(num_rows, "num_rows", 0, assert_proper_shapes)
        columns = num_rows if num_columns is None else num_columns
        self._num_columns = _size(columns, "num_columns", 0, assert_proper_shapes)
        self._batch_shape = _size([] if batch_shape is None else batch_shape, "batch_shape", 1, assert_proper_shapes)
        super().__init__(dtype or dtypes.float32, **hints)

    def _sizes(self) -> Sizes:
        return Sizes.listed(self._batch_shape) + _as_sizes(self._num_rows) + _as_sizes(self._num_columns)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        x = turned(x, adjoint_arg)
        x = x if adjoint else self._fitting(x)
        rows = _as_sizes(self._num_columns if adjoint else self._num_rows)
        batch = Sizes.listed(self._batch_shape).broadcast(Sizes.of(x)[:-2])
        return array.zeros((batch + rows + Sizes.of(x)[-1:]).tensor(), self.dtype)

    def _to_dense(self) -> Any:
        return array.zeros(self.shape_tensor(), self.dtype)

    def _determinant(self) -> Any:
        return array.zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Any:
        return array.zeros(self.batch_shape_tensor(), self.dtype)

    def _eigvals(self) -> Any:
        return self.diag_part()

    def _sliced(self, slices: Any, batch: Sizes) -> Any:
        return type(self)(**{**self.parameters, "batch_shape": sliced_shape(slices, batch)})

    def _assert_non_singular(self) -> Any:
        raise errors.InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise errors.InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return control.no_op("assert_self_adjoint")


def sliced_shape(slices: Any, batch: Sizes) -> Any:
    """The shape of slices of a tensor of some shape."""
    if batch.static.is_fully_defined() and not any(isinstance(part, Tensor) for part in slices):
        return TensorShape(np.broadcast_to(0, tuple(batch.static))[tuple(slices)].shape)
    return array.shape(array.zeros(batch.tensor())[tuple(slices)])


# ---------------------------------------------------------------- the algebra


@rule("matmul", LinearOperator, LinearOperatorIdentity)
def _times_identity(left: LinearOperator, right: LinearOperatorIdentity) -> LinearOperator:
    return left


@rule("matmul", LinearOperatorIdentity, LinearOperator)
@rule("solve", LinearOperatorIdentity, LinearOperator)
def _of_identity(left: LinearOperatorIdentity, right: LinearOperator) -> LinearOperator:
    return right


@rule("solve", LinearOperator, LinearOperatorIdentity)
def _identity_solved(left: LinearOperator, right: LinearOperatorIdentity) -> LinearOperator:
    return left.inverse()


@rule("matmul", LinearOperatorZeros, LinearOperator)
def _zeros_times(left: LinearOperatorZeros, right: LinearOperator) -> LinearOperator:
    message = "Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time."
    require(left.is_square and right.is_square, message)
    return left


@rule("matmul", LinearOperator, LinearOperatorZeros)
def _times_zeros(left: LinearOperator, right: LinearOperatorZeros) -> LinearOperator:
    return _zeros_times(right, left)


@rule("adjoint", LinearOperatorScaledIdentity)
def _multiple_adjoint(operator: LinearOperatorScaledIdentity) -> LinearOperator:
    return _multiple_like(operator, math.conj(operator.multiplier))


@rule("inverse", LinearOperatorScaledIdentity)
def _multiple_inverse(operator: LinearOperatorScaledIdentity) -> LinearOperator:
    return _multiple_like(operator, 1 / operator.multiplier)


@rule("cholesky", LinearOperatorScaledIdentity)
def _multiple_cholesky(operator: LinearOperatorScaledIdentity) -> LinearOperator:
    return _multiple_like(operator, powers.sqrt(operator.multiplier))


def _multiple_like(operator: LinearOperatorScaledIdentity, multiplier: Any) -> LinearOperatorScaledIdentity:
    return LinearOperatorScaledIdentity(operator._num_rows, multiplier, **hints_of(operator))


@rule("inverse", LinearOperatorIdentity)
@rule("cholesky", LinearOperatorIdentity)
def _itself(operator: LinearOperatorIdentity) -> LinearOperatorIdentity:
    return operator


@rule("matmul", LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _multiples(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorScaledIdentity(left._num_rows, left.multiplier * right.multiplier, **of_commuting(left, right))


@rule("solve", LinearOperatorScaledIdentity, LinearOperatorScaledIdentity)
def _multiple_solved(left: Any, right: Any) -> LinearOperator:
    return LinearOperatorScaledIdentity(left._num_rows, right.multiplier / left.multiplier, **of_commuting(left, right))
