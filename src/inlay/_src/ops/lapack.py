"""LAPACK and BLAS for NumPy arrays: by NumPy or SciPy, and stacks of small matrices on several threads.

NumPy has no triangular solver and no LU decomposition. SciPy has both, one matrix a call, and is loaded where there is
so much to do that its import is worth it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.ops.special import from_scipy, scipy_is_installed

_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
"""Character of a dtype -> the first letter of LAPACK's functions for it."""


_CHOICES: BoundedCache[Any, ThreadChoice] = BoundedCache("functions of stacks", 64, lambda function: ThreadChoice())
_SUBSTITUTED = ThreadChoice()


def stacked(function: Callable[..., Any], *stacks: np.ndarray, effort: float = 1.0) -> Any:
    """`function(*stacks)` of NumPy's, to which stacks of small matrices go in parts, on several threads.

    Args:
      function: factors or solves each matrix alone, and returns an array or a tuple of arrays.
      stacks: of the same leading axes, [..., m, n].
      effort: the time for a matrix, in solutions of a system of its size.
    """
    *lead, rows, columns = stacks[0].shape
    count, side = prod(lead), max(rows, columns)
    if count < 2 or not side or side > TUNING.small_matrix_side:
        return function(*stacks)
    each = TUNING.matrix_call_ns + TUNING.matrix_product_ns * side**3
    with _CHOICES[getattr(function, "__code__", function)].over(count * each * effort, 2) as threads:
        return function(*stacks) if threads == 1 else _in_parts(function, stacks, threads)


def _in_parts(function: Callable[..., Any], stacks: Sequence[np.ndarray], threads: int) -> Any:
    lead = stacks[0].shape[:-2]
    count = prod(lead)
    flat = [stack.reshape(count, *stack.shape[-2:]) for stack in stacks]
    size = -(-count // (2 * threads))  # a thread that others delay leaves some to the next one
    parts: list[Any] = [None] * -(-count // size)

    def work(turn: int) -> None:
        parts[turn] = function(*[matrices[turn * size : (turn + 1) * size] for matrices in flat])

    spread(work, len(parts), threads)

    def whole(pieces: Any) -> np.ndarray:
        joined = np.concatenate(pieces)
        return joined.reshape(*lead, *joined.shape[1:])

    if isinstance(parts[0], tuple):
        return tuple(whole(pieces) for pieces in zip(*parts, strict=True))
    return whole(parts)


def is_worth_scipy(x: np.ndarray) -> bool:
    """Whether matrices are so large, and NumPy takes so long for them, that SciPy should do the work if it is there."""
    return x.size * x.shape[-1] >= TUNING.scipy_matrix_products and scipy_is_installed()


# ---------------------------------------------------------------- triangles


def triangular(matrix: np.ndarray, rhs: np.ndarray, lower: bool, adjoint: bool) -> np.ndarray | None:
    """The solution of triangular systems.

    Args:
      matrix: [..., n, n], of which one triangle is read.
      rhs: [..., n, k]; leading axes broadcast.
      lower: whether that is the lower triangle.
      adjoint: whether the systems are those of the adjoint matrices.

    Returns:
      [..., n, k], infinite or NaN from the row on where the diagonal is zero or `rhs` is not finite; None where
      `np.linalg.solve` may take the systems.
    """
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    side, columns = rhs.shape[-2:]
    if not (np.diagonal(matrix, axis1=-2, axis2=-1).all() and np.isfinite(rhs).all()):
        triangle = np.tril(matrix) if lower else np.triu(matrix)
        return substituted(np.conjugate(triangle).swapaxes(-1, -2) if adjoint else triangle, rhs, lower != adjoint)
    if not side * columns * prod(lead):
        return None
    if side <= TUNING.substituted_side:
        several = prod(lead) >= TUNING.substituted_matrices
        return _side_by_side(matrix, rhs, lower, adjoint, lead) if several else None
    return _by_blas(matrix, rhs, lower, adjoint, lead) if is_worth_scipy(matrix) else None


def _by_blas(matrix: np.ndarray, rhs: np.ndarray, lower: bool, adjoint: bool, lead: tuple[int, ...]) -> np.ndarray:
    """The solution of triangular systems by `trsm`, one after the other.

    BLAS stores columns, so an array of rows is the transposed matrix to it: it solves `x.T @ matrix.T = rhs.T`, and
    nothing is copied but `rhs`.
    """
    trsm = from_scipy("linalg.blas", _LETTERS[rhs.dtype.char] + "trsm")
    out = np.array(np.broadcast_to(rhs, (*lead, *rhs.shape[-2:])), order="C")
    matrices = np.broadcast_to(matrix, (*lead, *matrix.shape[-2:]))
    for at in np.ndindex(lead):
        solved = trsm(1.0, matrices[at].T, out[at].T, side=1, lower=not lower, trans_a=2 * adjoint, overwrite_b=1)
        if not np.may_share_memory(solved, out):
            out[at] = solved.T
    return out


def _side_by_side(matrix: np.ndarray, rhs: np.ndarray, lower: bool, adjoint: bool, lead: tuple[int, ...]) -> np.ndarray:
    """The solution of many small triangular systems, a row of all of them at a time.

    The systems are the last axis, along which NumPy's loops run; LAPACK would be called for each.
    """
    side, columns = rhs.shape[-2:]
    count = prod(lead)
    turned = np.conjugate(matrix).swapaxes(-1, -2) if adjoint else matrix
    elements = np.broadcast_to(turned, (*lead, side, side)).reshape(count, -1)
    wanted = np.broadcast_to(rhs, (*lead, side, columns)).reshape(count, -1)
    out = np.empty((count, side * columns), rhs.dtype)
    size = max(TUNING.substituted_matrices, TUNING.block_elements // (side * columns))
    ascending = lower != adjoint

    def work(turn: int) -> None:
        cut = slice(turn * size, (turn + 1) * size)
        a = np.ascontiguousarray(elements[cut].T).reshape(side, side, -1)
        x = np.ascontiguousarray(wanted[cut].T).reshape(side, columns, -1)
        for i in range(side) if ascending else reversed(range(side)):
            np.divide(x[i], a[i, i], out=x[i])
            rest = slice(i + 1, side) if ascending else slice(0, i)
            x[rest] -= a[rest, i, None] * x[i]
        out[cut] = x.reshape(side * columns, -1).T

    with np.errstate(all="ignore"):
        nanoseconds, parts = count * side * side * columns * TUNING.matrix_product_ns, -(-count // size)
        with _SUBSTITUTED.over(nanoseconds, 3 * side) as threads:
            spread(work, parts, threads)
    return out.reshape(*lead, side, columns)


def substituted(matrix: np.ndarray, rhs: np.ndarray, lower: bool) -> np.ndarray:
    """The solution of triangular systems row by row, with infinities of `rhs` and of zeros on the diagonal.

    LAPACK is not asked about them: it refuses zeros, and makes NaN of infinities.
    """
    side = matrix.shape[-1]
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.array(np.broadcast_to(rhs, (*lead, *rhs.shape[-2:])))
    with np.errstate(all="ignore"):
        for i in range(side) if lower else reversed(range(side)):
            solved = slice(0, i) if lower else slice(i + 1, side)
            product = np.matmul(matrix[..., i : i + 1, solved], out[..., solved, :])[..., 0, :]
            out[..., i, :] = (out[..., i, :] - product) / matrix[..., i, i, None]
    return out


# ---------------------------------------------------------------- LU decompositions


def inverse(matrices: np.ndarray) -> np.ndarray:
    """The inverses of square matrices of a type that LAPACK knows, computed with 64 bits as NumPy does.

    NumPy solves for the columns of the identity matrix; `getri` makes use of its zeros, in 3/4 of the operations.

    Raises:
      numpy.linalg.LinAlgError: if a matrix is singular.
    """
    if matrices.shape[-1] <= TUNING.small_matrix_side or not matrices.size or not is_worth_scipy(matrices):
        return stacked(np.linalg.inv, matrices)  # type: ignore[no-any-return]
    wide = np.result_type(matrices.dtype, np.float64)
    getrf, getri = (from_scipy("linalg.lapack", _LETTERS[wide.char] + name) for name in ("getrf", "getri"))
    out = np.empty(matrices.shape, matrices.dtype)
    for at in np.ndindex(matrices.shape[:-2]):
        # An array of rows is the transposed matrix to LAPACK, whose inverse is transposed too.
        factors, pivots, failed = getrf(matrices[at].astype(wide).T, overwrite_a=1)
        if not failed:
            inverted, failed = getri(factors, pivots, lwork=64 * len(factors), overwrite_lu=1)
        if failed:
            raise np.linalg.LinAlgError("Singular matrix")
        out[at] = inverted.T
    return out


def lu_factors(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The LU decompositions of square matrices, rows exchanged for the greatest pivots.

    Returns:
      `(factors, order)`: both factors in one matrix, and the rows in their order.

    Raises:
      numpy.linalg.LinAlgError: if a matrix is singular.
    """
    side = matrices.shape[-1]
    small = side <= TUNING.substituted_side or not is_worth_scipy(matrices)
    # LAPACK compares the parts of complex pivots, and TensorFlow their moduli.
    if small or matrices.dtype.kind == "c" or not np.isfinite(matrices).all():
        return stacked(_eliminated, matrices, effort=4)  # type: ignore[no-any-return]
    getrf = from_scipy("linalg.lapack", _LETTERS[matrices.dtype.char] + "getrf")
    factors = np.empty(matrices.shape, matrices.dtype)
    order = np.empty(matrices.shape[:-1], np.intp)
    for at in np.ndindex(matrices.shape[:-2]):
        factors[at], exchanged, failed = getrf(matrices[at])
        if failed:
            raise np.linalg.LinAlgError("Singular matrix")
        rows = list(range(side))
        for i, j in enumerate(exchanged.tolist()):
            rows[i], rows[j] = rows[j], rows[i]
        order[at] = rows
    return factors, order


def _eliminated(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`lu_factors`, a column of all matrices at a time."""
    side = matrices.shape[-1]
    factors = np.array(matrices).reshape(prod(matrices.shape[:-2]), side, side)
    order = np.tile(np.arange(side), (len(factors), 1))
    each = np.arange(len(factors))
    for k in range(side):
        pivot = k + np.argmax(np.abs(factors[:, k:, k]), axis=1)
        for rows in (factors, order):
            rows[each, k], rows[each, pivot] = rows[each, pivot], rows[each, k].copy()
        if (factors[:, k, k] == 0).any():
            raise np.linalg.LinAlgError("Singular matrix")
        factors[:, k + 1 :, k] /= factors[:, k, k, None]
        factors[:, k + 1 :, k + 1 :] -= factors[:, k + 1 :, k, None] * factors[:, None, k, k + 1 :]
    return factors.reshape(matrices.shape), order.reshape(matrices.shape[:-1])
