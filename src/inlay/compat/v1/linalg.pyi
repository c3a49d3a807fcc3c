"""`tf.compat.v1.linalg`: matrices, with the 1.x names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.matmul import matrix_transpose as transpose
from inlay.linalg import (
    LinearOperator, LinearOperatorAdjoint, LinearOperatorBlockDiag, LinearOperatorBlockLowerTriangular,
    LinearOperatorCirculant, LinearOperatorCirculant2D, LinearOperatorCirculant3D, LinearOperatorComposition,
    LinearOperatorDiag, LinearOperatorFullMatrix, LinearOperatorHouseholder, LinearOperatorIdentity,
    LinearOperatorInversion, LinearOperatorKronecker, LinearOperatorLowRankUpdate, LinearOperatorLowerTriangular,
    LinearOperatorPermutation, LinearOperatorScaledIdentity, LinearOperatorToeplitz, LinearOperatorTridiag,
    LinearOperatorZeros, adjoint, band_part, banded_triangular_solve, cholesky, cholesky_solve, cross, det, diag,
    diag_part, eig, eigh, eigh_tridiagonal, eigvals, eigvalsh, einsum, experimental, expm, eye, global_norm, inv,
    l2_normalize, logdet, logm, lstsq, lu, lu_matrix_inverse, lu_reconstruct, lu_solve, matmul, matrix_rank,
    matrix_transpose, matvec, norm, normalize, pinv, qr, set_diag, slogdet, solve, sqrtm, svd, tensor_diag,
    tensor_diag_part, tensordot, trace, triangular_solve, tridiagonal_matmul, tridiagonal_solve
)
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
    "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "transpose", "triangular_solve",
    "tridiagonal_matmul", "tridiagonal_solve"
]
