"""`tf.linalg`: matrices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay import cholesky, qr, slogdet, svd
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.banded import tridiagonal_matmul, tridiagonal_solve
from inlay._src.ops.clipping import global_norm
from inlay._src.ops.diagonals import diag, diag_part, eye, set_diag, trace
from inlay._src.ops.eigenvalues import eigh, eigvalsh
from inlay._src.ops.einsum import cross, einsum, tensordot
from inlay._src.ops.linalg import cholesky_solve, l2_normalize, logdet, lstsq, norm
from inlay._src.ops.matmul import matmul, matrix_transpose, matvec
from inlay._src.ops.matrix_functions import (
    eig, eigvals, expm, lu, lu_matrix_inverse, lu_reconstruct, lu_solve, matrix_rank, normalize, pinv
)
from inlay._src.programs.linear_operators.blocks import (
    LinearOperatorBlockDiag as _LinearOperatorBlockDiag, LinearOperatorBlockLowerTriangular as
    _LinearOperatorBlockLowerTriangular
)
from inlay._src.programs.linear_operators.circulant import (
    LinearOperatorCirculant as _LinearOperatorCirculant, LinearOperatorCirculant2D as _LinearOperatorCirculant2D,
    LinearOperatorCirculant3D as _LinearOperatorCirculant3D, LinearOperatorToeplitz as _LinearOperatorToeplitz
)
from inlay._src.programs.linear_operators.composed import (
    LinearOperatorAdjoint as _LinearOperatorAdjoint, LinearOperatorComposition as _LinearOperatorComposition,
    LinearOperatorInversion as _LinearOperatorInversion
)
from inlay._src.programs.linear_operators.dense import (
    LinearOperatorFullMatrix as _LinearOperatorFullMatrix, LinearOperatorLowerTriangular as
    _LinearOperatorLowerTriangular, LinearOperatorTridiag as _LinearOperatorTridiag
)
from inlay._src.programs.linear_operators.diagonal import LinearOperatorDiag as _LinearOperatorDiag
from inlay._src.programs.linear_operators.identity import (
    LinearOperatorIdentity as _LinearOperatorIdentity, LinearOperatorScaledIdentity as _LinearOperatorScaledIdentity,
    LinearOperatorZeros as _LinearOperatorZeros
)
from inlay._src.programs.linear_operators.kronecker import LinearOperatorKronecker as _LinearOperatorKronecker
from inlay._src.programs.linear_operators.low_rank import LinearOperatorLowRankUpdate as _LinearOperatorLowRankUpdate
from inlay._src.programs.linear_operators.operator import LinearOperator, LinearOperator as _LinearOperator
from inlay._src.programs.linear_operators.structured import (
    LinearOperatorHouseholder as _LinearOperatorHouseholder, LinearOperatorPermutation as _LinearOperatorPermutation
)
from inlay.linalg import experimental
from typing import Any as _Any, Literal as _Literal, overload as _overload
__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorBlockDiag", "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant", "LinearOperatorCirculant2D", "LinearOperatorCirculant3D", "LinearOperatorComposition",
    "LinearOperatorDiag", "LinearOperatorFullMatrix", "LinearOperatorHouseholder", "LinearOperatorIdentity",
    "LinearOperatorInversion", "LinearOperatorKronecker", "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular", "LinearOperatorPermutation", "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz", "LinearOperatorTridiag", "LinearOperatorZeros", "adjoint", "band_part",
    "banded_triangular_solve", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh",
    "eigh_tridiagonal", "eigvals", "eigvalsh", "einsum", "experimental", "expm", "eye", "global_norm", "inv",
    "l2_normalize", "logdet", "logm", "lstsq", "lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul",
    "matrix_rank", "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet", "solve",
    "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve", "tridiagonal_matmul",
    "tridiagonal_solve"
]
class LinearOperatorAdjoint(_LinearOperatorAdjoint):
    def __init__(self, operator: _LinearOperator, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = None) -> None: ...
class LinearOperatorBlockDiag(_LinearOperatorBlockDiag):
    def __init__(self, operators: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = True, name: str | None = None) -> None: ...
class LinearOperatorBlockLowerTriangular(_LinearOperatorBlockLowerTriangular):
    def __init__(self, operators: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorBlockLowerTriangular") -> None: ...
class LinearOperatorCirculant(_LinearOperatorCirculant):
    def __init__(self, spectrum: _Any, input_output_dtype: _Any = ..., is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = True, name: str | None = "LinearOperatorCirculant") -> None: ...
class LinearOperatorCirculant2D(_LinearOperatorCirculant2D):
    def __init__(self, spectrum: _Any, input_output_dtype: _Any = ..., is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = True, name: str | None = "LinearOperatorCirculant2D") -> None: ...
class LinearOperatorCirculant3D(_LinearOperatorCirculant3D):
    def __init__(self, spectrum: _Any, input_output_dtype: _Any = ..., is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = True, name: str | None = "LinearOperatorCirculant3D") -> None: ...
class LinearOperatorComposition(_LinearOperatorComposition):
    def __init__(self, operators: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = None) -> None: ...
class LinearOperatorDiag(_LinearOperatorDiag):
    def __init__(self, diag: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorDiag") -> None: ...
class LinearOperatorFullMatrix(_LinearOperatorFullMatrix):
    def __init__(self, matrix: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorFullMatrix") -> None: ...
class LinearOperatorHouseholder(_LinearOperatorHouseholder):
    def __init__(self, reflection_axis: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorHouseholder") -> None: ...
class LinearOperatorIdentity(_LinearOperatorIdentity):
    def __init__(self, num_rows: _Any, batch_shape: _Any = None, dtype: _Any = None, is_non_singular: builtins.bool | None = True, is_self_adjoint: builtins.bool | None = True, is_positive_definite: builtins.bool | None = True, is_square: builtins.bool | None = True, assert_proper_shapes: builtins.bool = False, name: str | None = "LinearOperatorIdentity") -> None: ...
class LinearOperatorInversion(_LinearOperatorInversion):
    def __init__(self, operator: _LinearOperator, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = None) -> None: ...
class LinearOperatorKronecker(_LinearOperatorKronecker):
    def __init__(self, operators: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = None) -> None: ...
class LinearOperatorLowRankUpdate(_LinearOperatorLowRankUpdate):
    def __init__(self, base_operator: _LinearOperator, u: _Any, diag_update: _Any = None, v: _Any = None, is_diag_update_positive: builtins.bool | None = None, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorLowRankUpdate") -> None: ...
class LinearOperatorLowerTriangular(_LinearOperatorLowerTriangular):
    def __init__(self, tril: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorLowerTriangular") -> None: ...
class LinearOperatorPermutation(_LinearOperatorPermutation):
    def __init__(self, perm: _Any, dtype: _Any = ..., is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorPermutation") -> None: ...
class LinearOperatorScaledIdentity(_LinearOperatorScaledIdentity):
    def __init__(self, num_rows: _Any, multiplier: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = True, assert_proper_shapes: builtins.bool = False, name: str | None = "LinearOperatorScaledIdentity") -> None: ...
class LinearOperatorToeplitz(_LinearOperatorToeplitz):
    def __init__(self, col: _Any, row: _Any, is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorToeplitz") -> None: ...
class LinearOperatorTridiag(_LinearOperatorTridiag):
    def __init__(self, diagonals: _Any, diagonals_format: str = "compact", is_non_singular: builtins.bool | None = None, is_self_adjoint: builtins.bool | None = None, is_positive_definite: builtins.bool | None = None, is_square: builtins.bool | None = None, name: str | None = "LinearOperatorTridiag") -> None: ...
class LinearOperatorZeros(_LinearOperatorZeros):
    def __init__(self, num_rows: _Any, num_columns: _Any = None, batch_shape: _Any = None, dtype: _Any = None, is_non_singular: builtins.bool | None = False, is_self_adjoint: builtins.bool | None = True, is_positive_definite: builtins.bool | None = False, is_square: builtins.bool | None = True, assert_proper_shapes: builtins.bool = False, name: str | None = "LinearOperatorZeros") -> None: ...
@_overload
def adjoint(matrix: _LinearOperator, name: str | None = None) -> _LinearOperator:
    """The conjugate transpose of the last two axes, of a linear operator too."""
@_overload
def adjoint(matrix: _Any, name: str | None = None) -> _Tensor: ...
def band_part(input: _TensorLike, num_lower: _TensorLike, num_upper: _TensorLike, name: str | None = None) -> _Tensor:
    """Matrices with everything outside a band around the diagonal set to zero.

    Args:
      input: matrices, [..., m, n].
      num_lower: number of subdiagonals to keep; negative keeps them all.
      num_upper: number of superdiagonals to keep; negative keeps them all."""
def banded_triangular_solve(bands: _TensorLike, rhs: _TensorLike, lower: _Any = True, adjoint: _Any = False, name: str | None = None) -> _Tensor:
    """The solution `x` of `matrix @ x = rhs`, for a triangular matrix given by its diagonals. SciPy computes it.

    Args:
      bands: [..., k, n]: row `i` of the matrix has its elements in column `i`; the main diagonal first and then those
        below it, or last and those above it before.
      rhs: [..., n, c]; leading axes broadcast.
      lower: whether the diagonals are those below the main one.
      adjoint: whether to solve with the adjoint of the matrix.

    Raises:
      ValueError: if the sizes do not fit, or the matrix is not invertible."""
def det(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The determinant of square matrices."""
@_overload
def eigh_tridiagonal(alpha: _Any, beta: _Any, eigvals_only: _Literal[True] = True, select: str = "a", select_range: _Any = None, tol: _Any = None, name: str | None = None) -> _Tensor:
    """Eigenvalues, in rising order, of the Hermitian tridiagonal matrix with two given diagonals, and eigenvectors.

    Args:
      alpha: n floating or complex numbers: the diagonal, of which the real part is read.
      beta: n - 1 numbers of that type: the diagonal above it; the one below is its conjugate.
      eigvals_only: whether eigenvectors are left out.
      select: "a" for all eigenvalues, "i" for those numbered `select_range`, "v" for those of its interval.
      select_range: the numbers of the first and the last eigenvalue (from 0), or the two ends of an interval, which
        belong to it; for "a" None.
      tol: accepted and not used: the eigenvalues are as exact as their type.
      name: the node's name.

    Returns:
      The eigenvalues, real; or these and the eigenvectors as the columns of a matrix.

    Raises:
      TypeError: if the types differ, or are not floating or complex.
      ValueError: if `select` is unknown.
      InvalidArgumentError: if `select_range` is empty."""
@_overload
def eigh_tridiagonal(alpha: _Any, beta: _Any, *, eigvals_only: _Literal[False], select: str = "a", select_range: _Any = None, tol: _Any = None, name: str | None = None) -> builtins.tuple[_Tensor, _Tensor]: ...
@_overload
def eigh_tridiagonal(alpha: _Any, beta: _Any, eigvals_only: builtins.bool = True, select: str = "a", select_range: _Any = None, tol: _Any = None, name: str | None = None) -> _Any: ...
def inv(input: _TensorLike, adjoint: _Any = False, name: str | None = None) -> _Tensor:
    """The inverse of square matrices, or of their adjoints.

    Args:
      input: matrices, [..., n, n].
      adjoint: whether to adjoin the result."""
def logm(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The principal logarithm of square matrices of complex numbers. There is no gradient."""
def solve(matrix: _TensorLike, rhs: _TensorLike, adjoint: _Any = False, name: str | None = None) -> _Tensor:
    """The solution `x` of `matrix @ x = rhs`, for square matrices.

    Args:
      matrix: [..., n, n].
      rhs: [..., n, k].
      adjoint: whether to solve with the adjoint of `matrix`."""
def sqrtm(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The principal square root of square matrices, NaN where it is not real; SciPy computes it."""
def tensor_diag(diagonal: _TensorLike, name: str | None = None) -> _Tensor:
    """The tensor of twice the rank whose diagonal is `diagonal`: `out[i, j, i, j] = diagonal[i, j]`."""
def tensor_diag_part(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The diagonal of a tensor of even rank whose first and second half have one shape: `input[i, j, i, j]`."""
def triangular_solve(matrix: _TensorLike, rhs: _TensorLike, lower: _Any = True, adjoint: _Any = False, name: str | None = None) -> _Tensor:
    """The solution `x` of `matrix @ x = rhs`, reading one triangle of `matrix`.

    Args:
      matrix: [..., n, n].
      rhs: [..., n, k].
      lower: whether the lower triangle is read rather than the upper.
      adjoint: whether to solve with the adjoint of `matrix`.

    Returns:
      [..., n, k]; infinite or NaN from the row on where the diagonal is zero or `rhs` is not finite.

    Raises:
      ValueError: if the shapes do not fit."""
