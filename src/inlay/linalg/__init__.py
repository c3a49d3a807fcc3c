"""`tf.linalg`: matrices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "linalg",
    {
        "ops.banded": "banded_triangular_solve tridiagonal_matmul tridiagonal_solve",
        "ops.clipping": "global_norm",
        "ops.determinants": "det slogdet",
        "ops.diagonals": "band_part diag diag_part eye set_diag tensor_diag tensor_diag_part trace",
        "ops.eigenvalues": "eigh eigvalsh",
        "ops.einsum": "cross einsum tensordot",
        "ops.linalg":
        "cholesky cholesky_solve inv l2_normalize logdet lstsq norm qr solve svd triangular_solve",
        "ops.matmul": "adjoint matmul matrix_transpose matvec",
        "ops.matrix_functions":
        "eig eigvals expm logm lu lu_matrix_inverse lu_reconstruct lu_solve matrix_rank normalize pinv sqrtm",
        "ops.tridiagonal_eigenvalues": "eigh_tridiagonal",
        "programs.linear_operators.blocks": "LinearOperatorBlockDiag LinearOperatorBlockLowerTriangular",
        "programs.linear_operators.circulant":
        "LinearOperatorCirculant LinearOperatorCirculant2D LinearOperatorCirculant3D LinearOperatorToeplitz",
        "programs.linear_operators.composed":
        "LinearOperatorAdjoint LinearOperatorComposition LinearOperatorInversion",
        "programs.linear_operators.dense":
        "LinearOperatorFullMatrix LinearOperatorLowerTriangular LinearOperatorTridiag",
        "programs.linear_operators.diagonal": "LinearOperatorDiag",
        "programs.linear_operators.identity":
        "LinearOperatorIdentity LinearOperatorScaledIdentity LinearOperatorZeros",
        "programs.linear_operators.kronecker": "LinearOperatorKronecker",
        "programs.linear_operators.low_rank": "LinearOperatorLowRankUpdate",
        "programs.linear_operators.operator": "LinearOperator",
        "programs.linear_operators.structured": "LinearOperatorHouseholder LinearOperatorPermutation",
    },
    below=("experimental",),
)
