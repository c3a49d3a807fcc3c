"""Linear operators that are held as matrices or bands of them: full, lower triangular, tridiagonal."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import read_only
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, linalg, math, powers, rearranging, reductions, stacking
from inlay._src.ops.asserting import assert_equal_v1
from inlay._src.ops.banded import compact, tridiagonal_matmul, tridiagonal_solve
from inlay._src.ops.diagonals import band_part, diag_op, diag_part_op
from inlay._src.ops.matmul import matmul_op
from inlay._src.programs.linear_operators.algebra import rule
from inlay._src.programs.linear_operators.assertions import no_zeros
from inlay._src.programs.linear_operators.diagonal import LinearOperatorDiag
from inlay._src.programs.linear_operators.hints import are_non_singular, settle
from inlay._src.programs.linear_operators.operator import LinearOperator, SizedOperator
from inlay._src.programs.linear_operators.parameters import parameter, require
from inlay._src.programs.linear_operators.sizes import Sizes, batch_of, spread, turned

_TYPES = (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


@export("linalg.LinearOperatorFullMatrix")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorFullMatrix")
class LinearOperatorFullMatrix(SizedOperator):
    """Matrices that are held as they are, [..., m, n].

    Args:
      matrix: float16, float32, float64, complex64 or complex128.

    Raises:
      ValueError: for fewer than two axes.
      TypeError: for another type.
    """

    _matrix_ranks = {"matrix": 2}

    def __init__(self, matrix: Any, **hints: Any) -> None:
        self._matrix = parameter(matrix, "matrix", 2, _TYPES)
        super().__init__(self._matrix.dtype, **hints)

    matrix: Tensor | Any = read_only(lambda self: self._matrix, doc="The matrices, [..., m, n].")

    def _sizes(self) -> Sizes:
        return Sizes.of(self._matrix)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul_op(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Any:
        return convert_to_tensor(self._matrix)


@export("linalg.LinearOperatorLowerTriangular")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorLowerTriangular")
class LinearOperatorLowerTriangular(SizedOperator):
    """Square lower triangular matrices, [..., n, n].

    Args:
      tril: float16, float32, float64, complex64 or complex128; numbers above the diagonal are ignored.

    Raises:
      ValueError: for fewer than two axes, or if `is_square` is False.
      TypeError: for another type.
    """

    _matrix_ranks = {"tril": 2}

    def __init__(self, tril: Any, **hints: Any) -> None:
        settle(hints, "is_square", True, "Only square lower triangular operators supported at this time.")
        self._tril = parameter(tril, "tril", 2, _TYPES)
        super().__init__(self._tril.dtype, **hints)

    tril: Tensor | Any = read_only(lambda self: self._tril, doc="The matrices, [..., n, n].")

    def _sizes(self) -> Sizes:
        return Sizes.of(self._tril)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return matmul_op(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return linalg.triangular_solve(self._tril, turned(rhs, adjoint_arg), True, adjoint)

    def _determinant(self) -> Any:
        return reductions.reduce_prod(self._diag_part(), [-1])

    def _log_abs_determinant(self) -> Any:
        total = reductions.reduce_sum(powers.log(complex_numbers.abs(self._diag_part())), [-1])
        return math.cast(total, self.dtype)

    def _diag_part(self) -> Any:
        return diag_part_op(self._tril)

    def _to_dense(self) -> Any:
        return band_part(self._tril, -1, 0)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        return no_zeros(self._diag_part(), "Singular operator:  Diagonal contained zero values.")


@export("linalg.LinearOperatorTridiag")
@constructor("dtype", "graph_parents", "parameters", name="LinearOperatorTridiag")
class LinearOperatorTridiag(SizedOperator):
    """Square tridiagonal matrices, [..., n, n].

    Args:
      diagonals: by `diagonals_format`; see `tf.linalg.tridiagonal_matmul`.
      diagonals_format: "compact", [..., 3, n]; "sequence", three tensors [..., n]; "matrix", [..., n, n].

    Raises:
      ValueError: for another format, or if `is_square` is False.
    """

    def __init__(self, diagonals: Any, diagonals_format: str = "compact", **hints: Any) -> None:
        message = "Argument `diagonals_format` must be one of compact, matrix, or sequence. Received :"
        require(diagonals_format in ("compact", "matrix", "sequence"), f"{message} {diagonals_format}.")
        settle(hints, "is_square", True, "Only square tridiagonal operators supported at this time.")
        self._diagonals_format = diagonals_format
        if diagonals_format == "sequence":
            self._diagonals: Any = [parameter(diagonal, "diagonals") for diagonal in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = parameter(diagonals, "diagonals")
            dtype = self._diagonals.dtype
        super().__init__(dtype, **hints)

    diagonals: Tensor | Any = read_only(lambda self: self._diagonals, doc="The diagonals, in their format.")
    diagonals_format: str = read_only(lambda self: self._diagonals_format, doc="The format of the diagonals.")

    @property
    def _matrix_ranks(self) -> dict[str, int]:  # type: ignore[override]
        return {"diagonals": 1 if self._diagonals_format == "sequence" else 2}

    def _sizes(self) -> Sizes:
        if self._diagonals_format == "matrix":
            return Sizes.of(self._diagonals)
        if self._diagonals_format == "compact":
            sizes = Sizes.of(self._diagonals)
            return sizes[:-2] + sizes[-1:] + sizes[-1:]
        side = Sizes.of(self._diagonals[1])[-1:]
        batch = batch_of(*self._diagonals, rank=1)
        return batch + side + side

    def _bands(self) -> Any:
        """The diagonals in the compact format."""
        if self._diagonals_format != "sequence":
            return compact(self._diagonals, self._diagonals_format)
        batch = self._sizes()[:-2]
        return compact([spread(diagonal, batch, 1) for diagonal in self._diagonals], "sequence")

    def _turned(self, adjoint: bool) -> Any:
        """The diagonals of the matrix or its adjoint in the compact format."""
        bands = self._bands()
        if not adjoint:
            return bands
        above, main, below = (math.conj(bands[..., row, :]) for row in range(3))
        return stacking.stack([rearranging.roll(below, -1, -1), main, rearranging.roll(above, 1, -1)], -2)

    def _beside(self, x: Any, adjoint: bool) -> tuple[Any, Any]:
        """The diagonals and a right-hand side, with equal batch shapes."""
        bands = self._turned(adjoint)
        batch = batch_of(bands, x)
        return spread(bands, batch), spread(x, batch)

    def _matmul(self, x: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tridiagonal_matmul(*self._beside(turned(x, adjoint_arg), adjoint))

    def _solve(self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False) -> Any:
        return tridiagonal_solve(*self._beside(turned(rhs, adjoint_arg), adjoint))

    def _diag_part(self) -> Any:
        return self._bands()[..., 1, :]

    def _to_dense(self) -> Any:
        return diag_op(self._bands(), k=(-1, 1), align="LEFT_RIGHT")

    def _assert_self_adjoint(self) -> Any:
        message = "The diagonals above and below the main one were not adjoint, or that one was not real."
        dense = self._to_dense()
        return assert_equal_v1(dense, turned(dense, True), message=message)


# ---------------------------------------------------------------- the algebra


@rule("cholesky", LinearOperator)
def dense_cholesky(operator: LinearOperator) -> LinearOperator:
    """The lower triangular factor of the dense matrix."""
    return LinearOperatorLowerTriangular(
        linalg.cholesky(operator.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True
    )


def _triangular(matrix: Any, left: LinearOperator, right: LinearOperator) -> LinearOperator:
    return LinearOperatorLowerTriangular(matrix, is_non_singular=are_non_singular(left, right), is_square=True)


@rule("matmul", LinearOperatorLowerTriangular, LinearOperatorDiag)
def _columns_scaled(left: Any, right: Any) -> LinearOperator:
    return _triangular(left.to_dense() * array.expand_dims(right.diag, -2), left, right)


@rule("matmul", LinearOperatorDiag, LinearOperatorLowerTriangular)
def _rows_scaled(left: Any, right: Any) -> LinearOperator:
    return _triangular(left.matmul(right.to_dense()), left, right)


@rule("solve", LinearOperatorDiag, LinearOperatorLowerTriangular)
def _rows_divided(left: Any, right: Any) -> LinearOperator:
    return _triangular(left.solve(right.to_dense()), left, right)
