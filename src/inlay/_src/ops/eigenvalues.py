"""Eigenvalues and eigenvectors of Hermitian matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, math
from inlay._src.ops.diagonals import band_part, diag_op, diag_part_op, set_diag_op
from inlay._src.ops.lapack import stacked
from inlay._src.ops.linalg import X, square_infer, squares
from inlay._src.ops.matmul import adjoint, matmul_op


def _eigh_infer(s: Shapes) -> list[Dims]:
    square = square_infer(s)[0]
    return [None if square is None else square[:-1], square if s.attrs["compute_v"] else (0,)]


def _eigh_vjp(op, de, dv):
    if not op.attrs["compute_v"]:
        e, v = eigh_op(op.inputs[0])
        dv = None
    else:
        e, v = op.outputs
    middle = None if de is None else diag_op(de)
    if dv is not None:
        gap = math.subtract(array.expand_dims(e, -2), array.expand_dims(e, -1))
        inverse = division.divide_no_nan(array.ones_like(gap), gap)
        turn = math.multiply(inverse, matmul_op(v, dv, adjoint_a=True))
        middle = turn if middle is None else math.add(middle, turn)
    whole = matmul_op(v, matmul_op(middle, v, adjoint_b=True))
    # Only the lower triangle was read.
    lower = band_part(math.add(whole, adjoint(whole)), -1, 0)
    return set_diag_op(lower, math.multiply(diag_part_op(lower), math.number_of(0.5, lower)))


@op("SelfAdjointEigV2", "input:T -> T, T", types=X, infer=_eigh_infer, vjp=_eigh_vjp, lower=REFUSES_VALUES)
def eigh_op(xp, input, *, compute_v=True):
    """Eigenvalues, in rising order, and eigenvectors of Hermitian matrices; no elements if these are not computed."""
    squares(input, "have eigenvalues")
    if xp is np and not np.isfinite(np.tril(input)).all():  # which LAPACK may go round for ever
        raise ValueError("Self-adjoint eigen decomposition was not successful: the input is not finite")
    if not compute_v:
        e = stacked(np.linalg.eigvalsh, input, effort=4) if xp is np else xp.linalg.eigvalsh(xp.tril(input))
        return e.astype(input.dtype), xp.zeros((0,), input.dtype)
    if xp is np:
        e, v = stacked(lambda x: tuple(np.linalg.eigh(x)), input, effort=8)
    else:
        e, v = xp.linalg.eigh(input, symmetrize_input=False)
    return e.astype(input.dtype), v


@export("linalg.eigh", "self_adjoint_eig")
def eigh(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, in rising order, and eigenvectors (columns) of Hermitian matrices; the lower triangle is read."""
    return tuple(eigh_op(tensor, name=name))


@export("linalg.eigvalsh", "self_adjoint_eigvals")
def eigvalsh(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues of Hermitian matrices, in rising order; the lower triangle is read."""
    return eigh_op(tensor, compute_v=False, name=name)[0]
