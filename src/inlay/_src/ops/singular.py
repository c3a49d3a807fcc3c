"""Singular value decompositions: NaN for a matrix that is not finite, and the gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.core.opdef import OPS
from inlay._src.ops import array, complex_numbers, division, math, reductions
from inlay._src.ops.diagonals import diag_op, diag_part_op
from inlay._src.ops.lapack import stacked
from inlay._src.ops.matmul import adjoint, matmul_op


def singular(xp: Any, x: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """`xp.linalg.svd`, all of whose results are NaN for matrices that hold NaN or an infinity.

    Args:
      xp: NumPy, or JAX's NumPy.
      x: matrices, [..., m, n].
      full_matrices, compute_uv: as in NumPy.

    Returns:
      `(u, s, vh)`, or the singular values alone.

    Raises:
      numpy.linalg.LinAlgError: if finite numbers do not converge.
    """
    svd: Any = xp.linalg.svd
    if xp is not np or np.ndim(x) < 2:
        return svd(x, full_matrices=full_matrices, compute_uv=compute_uv)

    def decomposed(matrices: np.ndarray) -> Any:
        factors = svd(matrices, full_matrices=full_matrices, compute_uv=compute_uv)
        return tuple(factors) if compute_uv else factors

    finite = np.isfinite(x).all(axis=(-2, -1))
    if finite.all():
        return stacked(decomposed, x, effort=8)
    # LAPACK may go round for ever with an infinity.
    factors = stacked(decomposed, np.where(finite[..., None, None], x, 0), effort=8)
    parts = [np.where(np.expand_dims(finite, _axes(finite, p)), p, p.dtype.type(np.nan)) for p in _several(factors)]
    return parts if compute_uv else parts[0]


def _several(factors: Any) -> Any:
    return factors if isinstance(factors, tuple) else (factors,)


def _axes(finite: Any, part: Any) -> tuple[int, ...]:
    """The axes that `finite`, one truth per matrix, lacks beside a result."""
    return tuple(range(-1, finite.ndim - part.ndim - 1, -1))


# ---------------------------------------------------------------- gradients


def values_vjp(op: Any, ds: Any) -> Any:
    """The gradient of `SingularValues`: `u @ diag(ds) @ adjoint(v)`."""
    x = op.inputs[0]
    svd: Any = OPS["Svd"].dispatch.function
    _, u, v = svd(x, Treal=op.attrs["Treal"])
    return _product(u, diag_op(math.cast(ds, x.dtype)), v)


def svd_vjp(op: Any, ds: Any, du: Any, dv: Any) -> Any:
    """The gradient of `Svd`, of its own results: another decomposition may have vectors of other signs.

    A vector turns into another one by the difference of their squared values. The vectors that `full_matrices` adds
    have the value 0. Two of them may turn into one another freely, so they have no derivative.
    """
    x, (s, u, v) = op.inputs[0], op.outputs
    full = op.attrs["full_matrices"]
    if full:
        _refuse_free_vectors(x)
    rows, columns = (u.shape[-1], v.shape[-1]) if full else (-1, -1)
    values = math.cast(diag_op(s, num_rows=rows, num_cols=columns), x.dtype)
    middle = None if ds is None else math.cast(diag_op(ds, num_rows=rows, num_cols=columns), x.dtype)
    outer = None
    if du is not None:
        turned = matmul_op(u, du, adjoint_a=True)
        middle = _sum(middle, matmul_op(_turn(turned, values, -1), values))
        if x.dtype.is_complex:  # the phase of the vectors of one value, which is that of `u`
            phase = complex_numbers.imag(diag_part_op(turned))[..., : s.shape[-1]]
            turn = math.multiply(math.cast(division.divide_no_nan(phase, s), x.dtype), math.number_of(1j, x))
            middle = _sum(middle, diag_op(turn, num_rows=rows, num_cols=columns))
        if not full:
            outer = _product(_beside(u, du), _inverse(s, x), v)
    if dv is not None:
        turned = matmul_op(v, dv, adjoint_a=True)
        middle = _sum(middle, matmul_op(values, _turn(turned, values, -2)))
        if not full:
            outer = _sum(outer, _product(u, _inverse(s, x), _beside(v, dv)))
    return _sum(_product(u, middle, v), outer)


def _refuse_free_vectors(x: Any) -> None:
    """Refuses matrices for which several vectors may belong to the value 0, whatever their numbers are."""
    sides: Any = [None] if x.shape.rank is None else x.shape.as_list()[-2:]
    if None in sides or abs(sides[0] - sides[1]) > 1:
        raise NotImplementedError(
            "svd with full_matrices=True has a gradient for matrices of a known shape whose numbers of rows and "
            f"columns differ by 1 at most; got shape {x.shape}: more vectors belong to the singular value 0"
        )


def _turn(turned: Any, values: Any, axis: int) -> Any:
    """`f * (turned - adjoint(turned))`, where `f[i, j]` is `1 / (values[j]**2 - values[i]**2)`."""
    size = complex_numbers.real(values) if values.dtype.is_complex else values
    squares = reductions.reduce_sum(math.multiply(size, size), axis)
    gap = math.subtract(array.expand_dims(squares, -2), array.expand_dims(squares, -1))
    inverse = math.cast(division.divide_no_nan(array.ones_like(gap), gap), turned.dtype)
    return math.multiply(inverse, math.subtract(turned, adjoint(turned)))


def _beside(vectors: Any, change: Any) -> Any:
    """The part of a change of vectors that is orthogonal to all of them."""
    return math.subtract(change, matmul_op(vectors, matmul_op(vectors, change, adjoint_a=True)))


def _inverse(s: Any, x: Any) -> Any:
    return diag_op(math.cast(division.divide_no_nan(array.ones_like(s), s), x.dtype))


def _product(u: Any, middle: Any, v: Any) -> Any:
    return matmul_op(u, matmul_op(middle, v, adjoint_b=True))


def _sum(one: Any, two: Any) -> Any:
    return two if one is None else one if two is None else math.add(one, two)
