"""Solving, determinants, factorizations, norms."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.attributes import flag
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES, LoweringHints
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import (
    array,
    complex_numbers,
    joining,
    lapack,
    math,
    powers,
    ranges,
    rearranging,
    reductions,
)
from inlay._src.ops.diagonals import band_part, diag_part_op, set_diag_op
from inlay._src.ops.gathering import boolean_mask
from inlay._src.ops.matmul import adjoint, matmul_op, turned
from inlay._src.ops.shaping import sum_like
from inlay._src.ops.singular import singular, svd_vjp, values_vjp

# ---------------------------------------------------------------- shapes of matrices


X = frozenset({dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128})
HALF = X | {dtypes.float16}


def _sides(dims: Any) -> Any:
    """(the axes before them, rows, columns, the smaller number of the two) of matrices."""
    if len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    *lead, rows, columns = dims
    return lead, rows, columns, None if None in (rows, columns) else min(rows, columns)


def square_infer(s: Shapes) -> list[Dims]:
    if s.dims[0] is None:
        return [None]
    lead, rows, columns, _ = _sides(s.dims[0])
    if None not in (rows, columns) and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}: a square matrix is needed")
    side = columns if rows is None else rows
    return [(*lead, side, side)]


def squares(x: Any, what: str) -> None:
    shape = np.shape(x)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"Input matrix must be square to {what}, got shape {list(shape)}")


# ---------------------------------------------------------------- solving


def _inverse_vjp(op, dy):
    y, flipped = op.outputs[0], op.attrs["adjoint"]
    if flipped:
        return negative_product(y, dy, y, middle_adjoint=True)
    return math.negative(matmul_op(y, matmul_op(dy, y, adjoint_b=True), adjoint_a=True))


def negative_product(a: Any, b: Any, c: Any, middle_adjoint: bool = False) -> Any:
    """`-(a @ b @ c)`, with `b` adjoined if asked for."""
    return math.negative(matmul_op(a, matmul_op(b, c, adjoint_a=middle_adjoint)))


@op("MatrixInverse", "input:T -> T", types=HALF, infer=square_infer, vjp=_inverse_vjp, lower=REFUSES_VALUES)
@export("linalg.inv", "matrix_inverse")
def inv(xp, input, *, adjoint=False):
    """The inverse of square matrices, or of their adjoints.

    Args:
      input: matrices, [..., n, n].
      adjoint: whether to adjoin the result.
    """
    squares(input, "be inverted")
    wide = input.astype(np.result_type(input.dtype, np.float32), copy=False)
    try:
        out = (lapack.inverse(wide) if xp is np else xp.linalg.inv(wide)).astype(input.dtype, copy=False)
    except np.linalg.LinAlgError:
        raise ValueError("Input is not invertible.") from None
    return turned(xp, out, False, adjoint)


@export("linalg.logdet")
def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of Hermitian positive definite matrices, a real number."""
    half = reductions.reduce_sum(powers.log(complex_numbers.real(diag_part_op(cholesky(matrix)))), [-1])
    return math.multiply(half, math.two_like(half), name=name)


def _solution_dims(matrix: Dims, rhs: Dims, stretches: bool) -> Dims:
    """The shape of what square matrices are solved for.

    Args:
      matrix, rhs: shapes as far as they are known.
      stretches: whether the axes before matrices broadcast; else they are equal.

    Raises:
      ValueError: if the shapes do not fit.
    """
    for dims in (matrix, rhs):
        if dims is not None:
            _sides(dims)
    if matrix is None or rhs is None:
        solution = rhs if rhs is not None else (*matrix[:-1], None) if matrix is not None else None
        return None if stretches else solution
    sides = {d for d in (*matrix[-2:], rhs[-2]) if d is not None}
    if len(sides) > 1:
        raise ValueError(
            f"Dimensions must be equal, but are {' and '.join(map(str, sorted(sides)))}: a square matrix and a "
            f"right-hand side of as many rows are needed, got shapes {shapes.bracketed(matrix)} and "
            f"{shapes.bracketed(rhs)}"
        )
    lead = shapes.broadcast(matrix[:-2], rhs[:-2]) if stretches else shapes.merge(matrix[:-2], rhs[:-2])
    return (*(lead or ()), next(iter(sides), None), rhs[-1])


def _solve_infer(s: Shapes) -> list[Dims]:
    return [_solution_dims(s.dims[0], s.dims[1], False)]


def _triangular_infer(s: Shapes) -> list[Dims]:
    return [_solution_dims(s.dims[0], s.dims[1], True)]


def _solve_vjp(op, dy):
    a, adjoint = op.inputs[0], op.attrs["adjoint"]
    x, db = op.outputs[0], solve(a, dy, adjoint=not adjoint)
    da = matmul_op(x, db, adjoint_b=True) if adjoint else matmul_op(db, x, adjoint_b=True)
    return math.negative(da), db


@op("MatrixSolve", "matrix:T, rhs:T -> T", types=X, infer=_solve_infer, vjp=_solve_vjp, lower=REFUSES_VALUES)
@export("linalg.solve", "matrix_solve")
def solve(xp, matrix, rhs, *, adjoint=False):
    """The solution `x` of `matrix @ x = rhs`, for square matrices.

    Args:
      matrix: [..., n, n].
      rhs: [..., n, k].
      adjoint: whether to solve with the adjoint of `matrix`.
    """
    _solution_dims(np.shape(matrix), np.shape(rhs), False)
    matrix = turned(xp, matrix, False, adjoint)
    try:
        return lapack.stacked(np.linalg.solve, matrix, rhs) if xp is np else xp.linalg.solve(matrix, rhs)
    except np.linalg.LinAlgError:
        raise ValueError("Input matrix is not invertible.") from None


def _triangular_vjp(op, dy):
    a, lower, adjoint = op.inputs[0], op.attrs["lower"], op.attrs["adjoint"]
    x, db = op.outputs[0], triangular_solve(a, dy, lower, not adjoint)
    da = math.negative(matmul_op(x, db, adjoint_b=True) if adjoint else matmul_op(db, x, adjoint_b=True))
    return sum_like(band_part(da, -1, 0) if lower else band_part(da, 0, -1), a), sum_like(db, op.inputs[1])


@op(
    "MatrixTriangularSolve",
    "matrix:T, rhs:T -> T",
    types=X,
    infer=_triangular_infer,
    vjp=_triangular_vjp,
)
@export("linalg.triangular_solve", "matrix_triangular_solve")
def triangular_solve(xp, matrix, rhs, *, lower=True, adjoint=False):
    """The solution `x` of `matrix @ x = rhs`, reading one triangle of `matrix`.

    Args:
      matrix: [..., n, n].
      rhs: [..., n, k].
      lower: whether the lower triangle is read rather than the upper.
      adjoint: whether to solve with the adjoint of `matrix`.

    Returns:
      [..., n, k]; infinite or NaN from the row on where the diagonal is zero or `rhs` is not finite.

    Raises:
      ValueError: if the shapes do not fit.
    """
    _solution_dims(np.shape(matrix), np.shape(rhs), True)
    return _triangles_solved(xp, matrix, rhs, lower, adjoint)


def _triangles_solved(xp: Any, matrix: Any, rhs: Any, lower: bool, adjoint: bool) -> Any:
    if xp is np:
        solution = lapack.triangular(matrix, rhs, lower, adjoint)
        if solution is not None:
            return solution
    matrix = turned(xp, xp.tril(matrix) if lower else xp.triu(matrix), False, adjoint)
    if lower == adjoint:
        return xp.linalg.solve(matrix, rhs)
    # Turned around it is an upper triangle, in which the solver exchanges no rows: that would cost digits.
    return xp.flip(xp.linalg.solve(xp.flip(matrix, (-2, -1)), xp.flip(rhs, -2)), -2)


def _cholesky_vjp(op, dy):
    factor = op.outputs[0]
    middle = matmul_op(factor, dy, adjoint_a=True)
    half = math.multiply(diag_part_op(middle), math.number_of(0.5, middle))
    middle = band_part(set_diag_op(middle, half), -1, 0)
    # inv(L)^H middle inv(L), by two triangular solves.
    inner = triangular_solve(factor, middle, True, True)
    outer = adjoint(triangular_solve(factor, adjoint(inner), True, True))
    return math.multiply(math.add(outer, adjoint(outer)), math.number_of(0.5, outer))


def _factors(xp: Any, matrices: Any) -> Any:
    """Cholesky's factors, NaN where there are none."""
    if xp is not np:
        return xp.linalg.cholesky(matrices, symmetrize_input=False)
    try:
        return lapack.stacked(np.linalg.cholesky, matrices)
    except np.linalg.LinAlgError:
        if matrices.ndim == 2:
            return np.tril(np.full_like(matrices, np.nan))
        return np.stack([_factors(np, one) for one in matrices])


@op("Cholesky", "input:T -> T", types=X, infer=square_infer, vjp=_cholesky_vjp)
@export("cholesky", "linalg.cholesky")
def cholesky(xp, input):
    """The lower triangular factor `L` of Hermitian positive definite matrices, `L @ adjoint(L)`.

    Only the lower triangle of `input` is read. The factor of a matrix that is not positive definite is NaN.
    """
    squares(input, "be factored")
    return _factors(xp, input)


@export("cholesky_solve", "linalg.cholesky_solve")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """The solution `x` of `A @ x = rhs`, given the factor `chol` that `cholesky(A)` returns."""
    return triangular_solve(chol, triangular_solve(chol, rhs, True, False), True, True, name=name)


def _lstsq_infer(s: Shapes) -> list[Dims]:
    a, b = s.dims[:2]
    for dims in (a, b):
        if dims is not None:
            _sides(dims)
    if a is None or b is None:
        return [None]
    shapes.merge(a[-2:-1], b[-2:-1])
    lead = shapes.broadcast(a[:-2], b[:-2])
    return [None if lead is None else (*lead, a[-1], b[-1])]


@op(
    "MatrixSolveLs",
    "matrix:T, rhs:T, l2_regularizer:float64 -> T",
    types=X,
    infer=_lstsq_infer,
    lower=LoweringHints(refuses=lambda _, values: values[2] is None or bool(values[2] < 0)),
)
def _lstsq(xp, matrix, rhs, l2_regularizer, *, fast=True):
    """Least squares: from the normal equations of the shorter side, or from singular values."""
    for dims in (np.shape(matrix), np.shape(rhs)):
        _sides(dims)
    rows, columns = np.shape(matrix)[-2:]
    if np.shape(rhs)[-2] != rows:
        raise ValueError(f"Input matrix and rhs are incompatible: {rows} and {np.shape(rhs)[-2]} rows")
    if not rows or not columns:
        return xp.zeros((*np.shape(matrix)[:-2], columns, np.shape(rhs)[-1]), matrix.dtype)
    if xp is np and l2_regularizer < 0:
        raise ValueError(f"l2_regularizer must be >= 0, got {l2_regularizer}")
    if not fast:
        finite = xp.isfinite(matrix).all((-2, -1), keepdims=True)
        inverse = xp.linalg.pinv(xp.where(finite, matrix, 0))
        return xp.matmul(xp.where(finite, inverse, xp.nan).astype(matrix.dtype), rhs)
    flipped = turned(xp, matrix, False, True)
    gram = xp.matmul(flipped, matrix) if rows >= columns else xp.matmul(matrix, flipped)
    gram = gram + xp.eye(min(rows, columns), dtype=matrix.dtype) * xp.asarray(l2_regularizer).astype(matrix.dtype)
    factor, solved = _factors(xp, gram), xp.matmul(flipped, rhs) if rows >= columns else rhs
    for turn in (False, True):
        solved = _triangles_solved(xp, factor, solved, True, turn)
    return solved if rows >= columns else xp.matmul(flipped, solved)


@export("linalg.lstsq", "matrix_solve_ls")
def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Tensor:
    """The `x` that makes `|matrix @ x - rhs|**2 + l2_regularizer * |x|**2` least, or the shortest of several.

    Args:
      matrix: [..., m, n].
      rhs: [..., m, k].
      l2_regularizer: the weight of the second term; used if `fast`.
      fast: whether to solve the normal equations of the shorter side, for a matrix of full rank; otherwise singular
        values are used, and any matrix will do.
      name: the node's name.
    """
    matrix = math.float_tensor(matrix)
    rhs = convert_to_tensor(rhs, matrix.dtype)
    weight = convert_to_tensor(l2_regularizer, dtypes.float64 if fast is False else matrix.dtype.real_dtype)
    weight = array.reshape(math.cast(weight, dtypes.float64), [])
    return _lstsq(matrix, rhs, weight, fast is not False, name=name)


# ---------------------------------------------------------------- factorizations; their gradients are derived


def _qr_infer(s: Shapes) -> list[Dims]:
    dims, full = s.dims[0], s.attrs["full_matrices"]
    if dims is None:
        return [None, None]
    lead, rows, columns, short = _sides(dims)
    return [(*lead, rows, rows if full else short), (*lead, rows if full else short, columns)]


@op("Qr", "input:T -> T, T", types=HALF, infer=_qr_infer)
@export("qr", "linalg.qr")
def qr(xp, input, *, full_matrices=False):
    """Matrices as a unitary `q` times an upper triangular `r`.

    Args:
      input: [..., m, n].
      full_matrices: whether `q` is square.

    Returns:
      `(q, r)`.
    """
    _sides(np.shape(input))
    wide = input.astype(np.result_type(input.dtype, np.float32))
    mode = "complete" if full_matrices else "reduced"
    q, r = (
        lapack.stacked(lambda x: tuple(np.linalg.qr(x, mode)), wide, effort=4) if xp is np else xp.linalg.qr(wide, mode)
    )
    return q.astype(input.dtype, copy=False), r.astype(input.dtype, copy=False)


def _svd_infer(s: Shapes) -> list[Dims]:
    dims, full = s.dims[0], s.attrs.get("full_matrices", False)
    if dims is None:
        return [None, None, None]
    lead, rows, columns, short = _sides(dims)
    return [(*lead, short), (*lead, rows, rows if full else short), (*lead, columns, columns if full else short)]


@op("Svd", "input:T -> Treal, T, T", types=X, infer=_svd_infer, vjp=svd_vjp)
def svd_op(xp, input, *, full_matrices=False, Treal):
    """Singular values and vectors."""
    u, s, vh = singular(xp, input, full_matrices)
    return s.astype(Treal.np), u, xp.conjugate(xp.swapaxes(vh, -1, -2))


@op("SingularValues", "input:T -> Treal", types=X, infer=lambda s: _svd_infer(s)[:1], vjp=values_vjp)
def singular_values(xp, input, *, Treal):
    """Singular values, the greatest first."""
    return singular(xp, input, compute_uv=False).astype(Treal.np)


@export("svd", "linalg.svd")
def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Matrices as `u @ diag(s) @ adjoint(v)`.

    Args:
      tensor: [..., m, n].
      full_matrices: whether `u` and `v` are square.
      compute_uv: whether `u` and `v` are wanted.
      name: the node's name.

    Returns:
      `(s, u, v)`, or `s` alone; the greatest singular value first.
    """
    tensor = math.float_tensor(tensor)
    kind = tensor.dtype.real_dtype
    if compute_uv is None or not flag(compute_uv, "compute_uv"):
        return singular_values(tensor, kind, name=name)
    return tuple(svd_op(tensor, Treal=kind, full_matrices=full_matrices, name=name))


# ---------------------------------------------------------------- norms


@export("norm", "linalg.norm")
def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
) -> Tensor:
    """The norm of vectors (one axis) or matrices (a pair of axes), of everything flattened if `axis` is None.

    Args:
      tensor: floating or complex numbers.
      ord: "euclidean", "fro" (matrices), 1, 2, infinity or any positive number (vectors).
      axis: an axis, or the pair of a matrix's axes.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      keep_dims: the 1.x name of `keepdims`.

    Returns:
      A tensor of the dtype of `tensor`; other norms of complex numbers than the Euclidean and "fro" are real.

    Raises:
      ValueError: for a norm that does not exist, or axes of neither a vector nor a matrix.
    """
    matrices = isinstance(axis, (list, tuple))
    axes: tuple[Any, ...] = tuple(axis) if matrices else () if axis is None else (axis,)
    if not all(isinstance(a, (int, np.integer)) for a in axes) or (matrices and (len(axes) != 2 or axes[0] == axes[1])):
        raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis!r}")
    x = math.float_tensor(tensor)
    keep = bool(keep_dims if keepdims is None else keepdims)
    supported = ["euclidean", "fro", 1, 2, np.inf] if matrices else ["euclidean", 1, 2, np.inf]
    number = isinstance(ord, (int, float)) and ord > 0
    if (ord == "fro" and not matrices) or (ord not in supported and (matrices or not number)):
        raise ValueError(f"'ord' must be one of {supported} for {'matrices' if matrices else 'vectors'}, got {ord!r}")
    if matrices and ord not in ("euclidean", "fro"):
        return _matrix_norm(x, ord, axes, keep, name)
    size = complex_numbers.abs(x)
    if ord in ("euclidean", "fro", 2):
        squares = reductions.reduce_sum(_square_of(x), axis, keep)
        return math.cast(powers.sqrt(squares), x.dtype, name) if x.dtype.is_complex else powers.sqrt(squares, name=name)
    if ord in (1, np.inf):
        return (reductions.reduce_sum if ord == 1 else reductions.reduce_max)(size, axis, keep, name=name)
    power = math.number_of(ord, size)
    return powers.pow(reductions.reduce_sum(powers.pow(size, power), axis, keep), powers.reciprocal(power), name=name)


def _square_of(x: Any) -> Any:
    return complex_numbers.real(math.multiply(x, math.conj(x))) if x.dtype.is_complex else powers.square(x)


def _matrix_norm(x: Any, ord: Any, axis: tuple[Any, ...], keep: bool, name: str | None) -> Any:
    if ord == 2:
        top = reductions.reduce_max(svd(_matrices_last(x, axis), compute_uv=False), [-1], name=None if keep else name)
        return array.reshape(top, reductions.kept_shape(x, list(axis)), name=name) if keep else top
    first, second = axis if ord == 1 else axis[::-1]
    sums = reductions.reduce_sum(complex_numbers.abs(x), [first], True)
    if keep:
        return reductions.reduce_max(sums, [second], True, name=name)
    return array.squeeze(reductions.reduce_max(sums, [second], True), axis, name=name)


def _matrices_last(x: Any, axis: tuple[Any, ...]) -> Any:
    """`x` with the two axes at the end."""
    rank = x.shape.rank
    if rank is not None:
        places = [a % rank for a in axis]
        return rearranging.transpose(x, [*(i for i in range(rank) if i not in places), *places])
    every = ranges.range_(array.rank(x))
    last = convert_to_tensor([a if a >= 0 else array.rank(x) + a for a in axis])
    others = reductions.reduce_all(math.not_equal(array.expand_dims(every, 1), last), 1)
    return rearranging.transpose(x, joining.concat([boolean_mask(every, others), last], 0))


@export("linalg.l2_normalize", "math.l2_normalize", "nn.l2_normalize")
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """`x` divided by its euclidean norm over `axis`; a norm below the root of `epsilon` counts as that.

    Args:
      x: floating or complex numbers.
      axis: an axis or a list of them; all if None.
      epsilon: the least squared norm to divide by.
      name: the node's name.
      dim: the 1.x name of `axis`.
    """
    x = math.float_tensor(x)
    total = reductions.reduce_sum(_square_of(x), dim if axis is None else axis, True)
    scale = powers.rsqrt(math.maximum(total, math.number_of(epsilon, total)))
    return math.multiply(x, math.cast(scale, x.dtype), name=name)
