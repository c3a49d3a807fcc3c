"""Determinants of square matrices, and their signs and logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes
from inlay._src.ops import array, complex_numbers, math
from inlay._src.ops.lapack import stacked
from inlay._src.ops.linalg import X, inv, square_infer, squares


def _batch_infer(s: Shapes) -> list[Dims]:
    square = square_infer(s)[0]
    return [None if square is None else square[:-2]]


def _det_vjp(op, dy):
    x, y = op.inputs[0], op.outputs[0]
    scale = math.multiply(dy, math.conjugate(y))
    return math.multiply(_as_matrix(scale), inv(x, adjoint=True))


def _as_matrix(x: Any) -> Any:
    return array.expand_dims(array.expand_dims(x, -1), -1)


@op("MatrixDeterminant", "input:T -> T", types=X, infer=_batch_infer, vjp=_det_vjp)
@export("linalg.det", "matrix_determinant")
def det(xp, input):
    """The determinant of square matrices."""
    squares(input, "have a determinant")
    values = stacked(np.linalg.det, input) if xp is np else xp.linalg.det(input)
    return xp.where(_holds_nan(xp, input), _nan(input), values).astype(input.dtype)


def _slogdet_infer(s: Shapes) -> list[Dims]:
    return _batch_infer(s) * 2


def _slogdet_vjp(op, dsign, dlog):
    x, sign = op.inputs[0], op.outputs[0]
    if dlog is not None and x.dtype.is_complex:
        dlog = math.cast(complex_numbers.real(dlog), x.dtype)  # the logarithm of a modulus is real
    total = None if dlog is None else math.multiply(_as_matrix(dlog), inv(x, adjoint=True))
    if dsign is None or not x.dtype.is_complex:
        return array.zeros_like(x) if total is None else total
    # The sign turns with the imaginary part of tr(inv(x) dx).
    turn = complex_numbers.imag(math.multiply(math.conj(sign), dsign))
    scale = math.multiply(math.cast(turn, x.dtype), math.number_of(1j, x))
    part = math.multiply(_as_matrix(scale), inv(x, adjoint=True))
    return part if total is None else math.add(total, part)


@op("LogMatrixDeterminant", "input:T -> T, T", types=X, infer=_slogdet_infer, vjp=_slogdet_vjp)
@export("slogdet", "linalg.slogdet")
def slogdet(xp, input):
    """The sign of the determinant of square matrices, and the logarithm of its modulus."""
    squares(input, "have a determinant")
    sign, log = stacked(lambda x: tuple(np.linalg.slogdet(x)), input) if xp is np else xp.linalg.slogdet(input)
    lost = _holds_nan(xp, input) | xp.isnan(log)
    return xp.where(lost, _nan(input), sign).astype(input.dtype), xp.where(lost, np.nan, log).astype(input.dtype)


def _nan(x: Any) -> Any:
    return complex(np.nan, np.nan) if np.dtype(x.dtype).kind == "c" else np.nan


def _holds_nan(xp: Any, matrices: Any) -> Any:
    """A mask of the matrices that hold a NaN: LAPACK may pivot away from it and report a singular matrix."""
    return xp.isnan(matrices).any(axis=(-2, -1))
