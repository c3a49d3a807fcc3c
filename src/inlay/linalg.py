"""`tf.linalg`: matrices."""

from inlay.ops.clipping import global_norm
from inlay.ops.diagonals import band_part, diag, diag_part, eye, set_diag, tensor_diag, tensor_diag_part, trace
from inlay.ops.einsum import cross, einsum, tensordot
from inlay.ops.linalg import (
    cholesky,
    cholesky_solve,
    det,
    eigh,
    eigvalsh,
    inv,
    l2_normalize,
    logdet,
    lstsq,
    norm,
    qr,
    slogdet,
    solve,
    svd,
    triangular_solve,
)
from inlay.ops.matmul import adjoint, matmul, matrix_transpose, matvec

__all__ = [
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigvalsh",
    "einsum",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "lstsq",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "triangular_solve",
]
