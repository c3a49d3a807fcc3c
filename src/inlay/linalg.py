"""`tf.linalg`: matrices."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.ops.clipping import global_norm
from inlay.ops.diagonals import band_part, diag, diag_part, eye, set_diag, tensor_diag, tensor_diag_part, trace
from inlay.ops.einsum import cross, einsum, tensordot
from inlay.ops.linalg import (
    cholesky, cholesky_solve, det, eigh, eigvalsh, inv, l2_normalize, logdet, lstsq, norm, qr, slogdet, solve, svd,
    triangular_solve
)
from inlay.ops.matmul import adjoint, matmul, matrix_transpose, matvec
from inlay.ops.matrix_functions import expm, pinv
