"""Matrices given by their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, some_values
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import array, math
from inlay.ops.gathering import gather
from inlay.ops.linalg import X
from inlay.ops.ranges import range_
from inlay.ops.reductions import reduce_sum
from inlay.ops.shaping import sum_like
from inlay.ops.special import from_scipy
from inlay.types import shapes
from inlay.types.shapes import Dims


def _solve_infer(s: Shapes) -> list[Dims]:
    bands, rhs = s.dims
    for dims in (bands, rhs):
        if dims is not None and len(dims) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if bands is None or rhs is None:
        return [None]
    rows = shapes.merge(bands[-1:], rhs[-2:-1])
    return [(*(shapes.broadcast(bands[:-2], rhs[:-2]) or ()), *(rows or ()), rhs[-1])]


def _solve_vjp(op, dy):
    bands, rhs = op.inputs
    lower, flipped, x = op.attrs["lower"], op.attrs["adjoint"], op.outputs[0]
    drhs = banded_triangular_solve(bands, dy, lower, not flipped)
    left, right = (x, drhs) if flipped else (drhs, x)
    # -left @ adjoint(right), of which only the bands are reckoned.
    count, side = (array.expand_dims(array.shape(bands)[at], 0) for at in (-2, -1))
    far = array.expand_dims(range_(count[0]), 1)
    columns = range_(side[0]) + (math.negative(far) if lower else count - 1 - far)
    inside = math.logical_and(math.greater_equal(columns, 0), math.less(columns, side))
    across = gather(math.conj(right), array.where(inside, columns, 0), axis=-2)
    dbands = math.negative(reduce_sum(math.multiply(array.expand_dims(left, -3), across), -1))
    return sum_like(array.where(inside, dbands, array.zeros_like(dbands)), bands), sum_like(drhs, rhs)


def _solved(bands: np.ndarray, rhs: np.ndarray, lower: bool, adjoint: bool) -> np.ndarray:
    """One system, by SciPy, whose bands stand by column where TensorFlow's stand by row."""
    count, side = bands.shape
    if not adjoint:
        far = -np.arange(count) if lower else np.arange(count)[::-1]
        rows = np.arange(side) - far[:, None]
        bands = np.where((rows >= 0) & (rows < side), np.take_along_axis(bands, rows % side, axis=1), 0)
    else:
        bands = bands[::-1].conj()
    widths = (count - 1, 0) if lower != adjoint else (0, count - 1)
    return np.asarray(from_scipy("linalg", "solve_banded")(widths, bands, rhs, check_finite=False))


def _dense(xp: Any, bands: Any, lower: bool) -> Any:
    """The whole matrix."""
    count, side = np.shape(bands)[-2:]
    gap = np.arange(side)[:, None] - np.arange(side)
    far = range(count) if lower else range(1 - count, 1)
    return sum(xp.where(gap == d, bands[..., k, :, None], 0) for k, d in enumerate(far))


@op(
    "BandedTriangularSolve",
    "bands:T, rhs:T -> T",
    types=X,
    infer=_solve_infer,
    vjp=_solve_vjp,
    refuses=some_values,
)
@export("linalg.banded_triangular_solve")
def banded_triangular_solve(xp, bands, rhs, *, lower=True, adjoint=False):
    """The solution `x` of `matrix @ x = rhs`, for a triangular matrix given by its diagonals. SciPy computes it.

    Args:
      bands: [..., k, n]: row `i` of the matrix has its elements in column `i`; the main diagonal first and then those
        below it, or last and those above it before.
      rhs: [..., n, c]; leading axes broadcast.
      lower: whether the diagonals are those below the main one.
      adjoint: whether to solve with the adjoint of the matrix.

    Raises:
      ValueError: if the sizes do not fit, or the matrix is not invertible.
    """
    if min(np.ndim(bands), np.ndim(rhs)) < 2 or np.shape(bands)[-1] != np.shape(rhs)[-2]:
        raise ValueError(f"bands and rhs do not fit: shapes {list(np.shape(bands))} and {list(np.shape(rhs))}")
    if (np.asarray(bands)[..., 0 if lower else -1, :] == 0).any() if xp is np else False:
        raise ValueError("Input matrix is not invertible.")
    if xp is not np:
        whole = _dense(xp, bands, lower)
        return xp.linalg.solve(xp.conjugate(xp.swapaxes(whole, -1, -2)) if adjoint else whole, rhs)
    lead = np.broadcast_shapes(np.shape(bands)[:-2], np.shape(rhs)[:-2])
    bands, rhs = (np.broadcast_to(x, (*lead, *np.shape(x)[-2:])) for x in (bands, rhs))
    out = np.empty(rhs.shape, rhs.dtype)
    for at in np.ndindex(lead):
        out[at] = _solved(bands[at], rhs[at], lower, adjoint)
    return out
