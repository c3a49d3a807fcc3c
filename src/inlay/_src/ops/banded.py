"""Matrices given by their diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math
from inlay._src.ops.asserting import assert_equal_v1
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.diagonals import diag_part_op
from inlay._src.ops.gathering import gather
from inlay._src.ops.joining import concat
from inlay._src.ops.lapack import substituted
from inlay._src.ops.linalg import X, turned
from inlay._src.ops.matmul import matrix_transpose
from inlay._src.ops.ranges import range_
from inlay._src.ops.reductions import reduce_sum
from inlay._src.ops.shaping import sum_like
from inlay._src.ops.special import from_scipy
from inlay._src.ops.stacking import stack


def _solve_infer(s: Shapes) -> list[Dims]:
    bands, rhs = s.dims
    for dims in (bands, rhs):
        if dims is not None and len(dims) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if bands is None or rhs is None:
        return [None]
    rows = shapes.merge(bands[-1:], rhs[-2:-1])
    _check_count(bands[-2], None if rows is None else rows[0])
    return [(*(shapes.broadcast(bands[:-2], rhs[:-2]) or ()), *(rows or ()), rhs[-1])]


def _check_count(count: int | None, side: int | None) -> None:
    """ValueError if a matrix of that side cannot have so many diagonals."""
    if count == 0:
        raise ValueError("Number of bands must be positive, but is 0")
    if count is not None and side is not None and count > side:
        raise ValueError(f"Number of bands {count} cannot exceed the size of the matrix {side}")


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
    lower=REFUSES_VALUES,
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
    _check_count(*np.shape(bands)[-2:])
    if (np.asarray(bands)[..., 0 if lower else -1, :] == 0).any() if xp is np else False:
        raise ValueError("Input matrix is not invertible.")
    if xp is not np:
        whole = _dense(xp, bands, lower)
        return xp.linalg.solve(xp.conjugate(xp.swapaxes(whole, -1, -2)) if adjoint else whole, rhs)
    lead = np.broadcast_shapes(np.shape(bands)[:-2], np.shape(rhs)[:-2])
    bands, rhs = (np.broadcast_to(x, (*lead, *np.shape(x)[-2:])) for x in (bands, rhs))
    if not np.isfinite(rhs).all():
        return substituted(turned(np, _dense(np, bands, lower), False, adjoint), rhs, lower != adjoint)
    out = np.empty(rhs.shape, rhs.dtype)
    for at in np.ndindex(lead):
        out[at] = _solved(bands[at], rhs[at], lower, adjoint)
    return out


# ---------------------------------------------------------------- three diagonals


def _beside(x: Any, by: int) -> Any:
    """Each row's neighbor `by` rows further, zeros beyond the end."""
    nothing = array.zeros_like(x[..., :1, :])
    return concat([x[..., 1:, :], nothing] if by > 0 else [nothing, x[..., :-1, :]], -2)


def compact(diagonals: Any, diagonals_format: str) -> Any:
    """Three diagonals in one tensor, [..., 3, n], each element in the column of its row's number."""
    if diagonals_format == "compact":
        return convert_to_tensor(math.float_tensor(diagonals))
    if diagonals_format == "matrix":
        matrix = math.float_tensor(diagonals)
        sides = set(matrix.shape[-2:].as_list() if matrix.shape.rank is not None else []) - {None}
        if len(sides) > 1:
            raise ValueError(f"Expected a square matrix, got shape {matrix.shape}")
        return diag_part_op(matrix, k=(-1, 1), align="LEFT_RIGHT")
    if diagonals_format != "sequence":
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = (math.float_tensor(d) for d in diagonals)
    for off in (above, below):
        lengths = [n for n in (main.shape[-1], off.shape[-1]) if n is not None]
        fits = not lengths or lengths[0] - lengths[-1] in (0, 1)
        if not (fits and main.shape[:-1].is_compatible_with(off.shape[:-1])):
            raise ValueError(f"Expected diagonals of as many elements, got shapes {main.shape} and {off.shape}")
    if main.shape[-1] is not None and above.shape[-1] == main.shape[-1] - 1:
        above = concat([above, array.zeros_like(main[..., :1])], -1)
    if main.shape[-1] is not None and below.shape[-1] == main.shape[-1] - 1:
        below = concat([array.zeros_like(main[..., :1]), below], -1)
    return stack([above, main, below], -2)


def _same_rows(bands: Any, rhs: Any) -> Any:
    """The bands, which must have the rows and the leading axes of `rhs`."""
    held, wanted = bands.shape, rhs.shape
    if held.rank is not None and wanted.rank is not None:
        shapes.merge((*held._dims[:-2], held._dims[-1]), wanted._dims[:-1])
        if held.is_fully_defined() and wanted.is_fully_defined():
            return bands
    rows = concat([array.shape(bands)[:-2], array.shape(bands)[-1:]], 0)
    fits = assert_equal_v1(rows, array.shape(rhs)[:-1], message="bands and rhs must have the same rows")
    with control_dependencies([] if fits is None else [fits]):
        return array.identity(bands)


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None) -> Tensor:
    """The product of a tridiagonal matrix and another one.

    Args:
      diagonals: by `diagonals_format`: "compact", [..., 3, n], the one above the main one first, row `i` of the matrix
        in column `i`, so that its last element and the first of the one below are ignored; "sequence", a tuple of the
        three, of `n` or, beside the main one, `n - 1` elements; "matrix", [..., n, n].
      rhs: [..., n, k].
      diagonals_format: see `diagonals`.
      name: the node's name.

    Raises:
      ValueError: for another format.
    """
    bands = compact(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, bands.dtype)
    bands = _same_rows(bands, rhs)
    places = range_(array.shape(bands)[-1])
    nothing = array.zeros_like(bands[..., 1, :])
    upper = array.where(math.less(places, array.shape(bands)[-1] - 1), bands[..., 0, :], nothing)
    lower = array.where(math.greater(places, 0), bands[..., 2, :], nothing)  # what is ignored may be infinite
    parts = [
        array.expand_dims(band, -1) * x
        for band, x in zip((upper, bands[..., 1, :], lower), (_beside(rhs, 1), rhs, _beside(rhs, -1)), strict=True)
    ]
    return math.add(parts[0] + parts[1], parts[2], name=name)


def _tridiagonal_infer(s: Shapes) -> list[Dims]:
    bands, rhs = s.dims
    if bands is None or rhs is None:
        return [None]
    shapes.merge(bands[-1:], rhs[-2:-1])
    return [rhs]


def _tridiagonal_vjp(op, dy):
    bands, x = op.inputs[0], op.outputs[0]
    turned = stack([bands[..., 2, :], bands[..., 1, :], bands[..., 0, :]], -1)
    turned = math.conj(stack([_beside(turned, 1)[..., 0], turned[..., 1], _beside(turned, -1)[..., 2]], -2))
    drhs = _tridiagonal_solve(turned, dy, **op.attrs)
    diagonals = (reduce_sum(drhs * math.conj(near), -1) for near in (_beside(x, 1), x, _beside(x, -1)))
    return math.negative(stack(list(diagonals), -2)), drhs


@op(
    "TridiagonalSolve",
    "diagonals:T, rhs:T -> T",
    types=X,
    infer=_tridiagonal_infer,
    vjp=_tridiagonal_vjp,
)
def _tridiagonal_solve(xp, diagonals, rhs, *, partial_pivoting=True):
    """The solution of a tridiagonal system. SciPy computes it, or JAX."""
    if np.ndim(diagonals) < 2 or np.ndim(rhs) < 2:
        raise ValueError(f"Expected matrices, got shapes {list(np.shape(diagonals))} and {list(np.shape(rhs))}")
    if np.shape(diagonals)[:-2] != np.shape(rhs)[:-2] or np.shape(diagonals)[-2:] != (3, np.shape(rhs)[-2]):
        raise ValueError(f"diagonals and rhs do not fit: shapes {list(np.shape(diagonals))} and {list(np.shape(rhs))}")
    above, main, below = (diagonals[..., i, :] for i in range(3))
    first = np.arange(main.shape[-1]) == 0
    above, below = xp.where(first[::-1], 0, above), xp.where(first, 0, below)
    if xp is not np:
        return xla.lax().linalg.tridiagonal_solve(below, main, above, rhs)
    columns = np.stack([np.roll(above, 1, -1), main, np.roll(below, -1, -1)], -2)
    out = np.empty(rhs.shape, rhs.dtype)
    for at in np.ndindex(rhs.shape[:-2]):
        try:
            out[at] = from_scipy("linalg", "solve_banded")((1, 1), columns[at], rhs[at], check_finite=False)
        except np.linalg.LinAlgError:
            out[at] = np.nan
    return out


def _check_tridiagonal(bands: shapes.TensorShape, rhs: shapes.TensorShape) -> None:
    """ValueError if three diagonals and right-hand sides are known not to fit, in either mode."""
    rank = bands.rank
    if rank is None:
        return
    if rank < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
    if bands[-2] not in (3, None):
        raise ValueError(f"Expected 3 diagonals got {bands[-2]}")
    if rhs.rank is None:
        return
    if rhs.rank not in (rank - 1, rank):
        raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {rhs.rank}")
    if not bands[:-2].is_compatible_with(rhs[: rank - 2]):
        raise ValueError(f"Batch shapes {bands[:-2]} and {rhs[: rank - 2]} are incompatible")
    if rhs.rank == rank - 1 and None not in (bands[-1], rhs[-1]) and bands[-1] != rhs[-1]:
        raise ValueError(f"Expected the length of diagonals {bands[-1]} and of rhs {rhs[-1]} to be equal")


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """The solution `x` of `matrix @ x = rhs` for a tridiagonal matrix; NaN if it is not invertible.

    Args:
      diagonals: see `tridiagonal_matmul`.
      rhs: [..., n, k], or [..., n] for one system.
      diagonals_format: "compact", "sequence" or "matrix".
      transpose_rhs: whether `rhs` is [..., k, n].
      conjugate_rhs: whether `rhs` is conjugated.
      name: the node's name.
      partial_pivoting: accepted; rows are always exchanged where it is needed.
      perturb_singular: must be False: no matrix is changed to make it invertible.

    Raises:
      ValueError: for another format.
      UnimplementedError: for `perturb_singular`.
      InvalidArgumentError: if the sizes do not fit.
    """
    if perturb_singular:
        raise errors.UnimplementedError(None, None, "tridiagonal_solve does not perturb singular matrices")
    bands = compact(diagonals, diagonals_format)
    rhs = convert_to_tensor(rhs, bands.dtype)
    rhs = math.conj(rhs) if conjugate_rhs else rhs
    _check_tridiagonal(bands.shape, rhs.shape)
    if None not in (rhs.shape.rank, bands.shape.rank) and rhs.shape.rank == bands.shape.rank - 1:
        return array.squeeze(_tridiagonal_solve(bands, array.expand_dims(rhs, -1)), [-1], name=name)
    return _tridiagonal_solve(bands, matrix_transpose(rhs) if transpose_rhs else rhs, name=name)
