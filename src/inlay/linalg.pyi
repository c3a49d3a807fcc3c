"""`tf.linalg`: matrices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import cholesky, qr, slogdet
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.banded import tridiagonal_matmul, tridiagonal_solve
from inlay._src.ops.clipping import global_norm
from inlay._src.ops.diagonals import diag, diag_part, eye, set_diag, trace
from inlay._src.ops.einsum import cross, einsum, tensordot
from inlay._src.ops.linalg import cholesky_solve, eigh, eigvalsh, l2_normalize, logdet, lstsq, norm, svd
from inlay._src.ops.matmul import adjoint, matmul, matrix_transpose, matvec
from inlay._src.ops.matrix_functions import (
    eig, eigvals, expm, lu, lu_matrix_inverse, lu_reconstruct, lu_solve, matrix_rank, normalize, pinv
)
from inlay._src.ops.tridiagonal_eigenvalues import eigh_tridiagonal
from inlay._src.programs.linear_operators.composed import (
    LinearOperatorAdjoint, LinearOperatorComposition, LinearOperatorInversion
)
from inlay._src.programs.linear_operators.dense import (
    LinearOperatorFullMatrix, LinearOperatorLowerTriangular, LinearOperatorTridiag
)
from inlay._src.programs.linear_operators.diagonal import (
    LinearOperatorDiag, LinearOperatorIdentity, LinearOperatorScaledIdentity, LinearOperatorZeros
)
from inlay._src.programs.linear_operators.operator import LinearOperator
from typing import Any as _Any
__all__ = [
    "LinearOperator", "LinearOperatorAdjoint", "LinearOperatorComposition", "LinearOperatorDiag",
    "LinearOperatorFullMatrix", "LinearOperatorIdentity", "LinearOperatorInversion", "LinearOperatorLowerTriangular",
    "LinearOperatorScaledIdentity", "LinearOperatorTridiag", "LinearOperatorZeros", "adjoint", "band_part",
    "banded_triangular_solve", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eig", "eigh",
    "eigh_tridiagonal", "eigvals", "eigvalsh", "einsum", "expm", "eye", "global_norm", "inv", "l2_normalize", "logdet",
    "logm", "lstsq", "lu", "lu_matrix_inverse", "lu_reconstruct", "lu_solve", "matmul", "matrix_rank",
    "matrix_transpose", "matvec", "norm", "normalize", "pinv", "qr", "set_diag", "slogdet", "solve", "sqrtm", "svd",
    "tensor_diag", "tensor_diag_part", "tensordot", "trace", "triangular_solve", "tridiagonal_matmul",
    "tridiagonal_solve"
]
def band_part(input: _TensorLike, num_lower: _TensorLike, num_upper: _TensorLike, name: str | None = None) -> _Tensor: ...
def banded_triangular_solve(bands: _TensorLike, rhs: _TensorLike, lower: _Any = True, adjoint: _Any = False, name: str | None = None) -> _Tensor: ...
def det(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def inv(input: _TensorLike, adjoint: _Any = False, name: str | None = None) -> _Tensor: ...
def logm(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def solve(matrix: _TensorLike, rhs: _TensorLike, adjoint: _Any = False, name: str | None = None) -> _Tensor: ...
def sqrtm(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def tensor_diag(diagonal: _TensorLike, name: str | None = None) -> _Tensor: ...
def tensor_diag_part(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def triangular_solve(matrix: _TensorLike, rhs: _TensorLike, lower: _Any = True, adjoint: _Any = False, name: str | None = None) -> _Tensor: ...
