"""Functions of whole matrices: exponential, logarithm, roots, pseudo-inverse, factors, eigenvalues."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import COMPLEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops import complex_numbers, division, lapack, math
from inlay._src.ops.array import expand_dims, ones_like, reshape, shape, zeros_like
from inlay._src.ops.diagonals import band_part, diag_op, diag_part_op, eye, set_diag_op
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.joining import concat, split
from inlay._src.ops.linalg import X, norm, solve, square_infer, squares, svd, triangular_solve
from inlay._src.ops.matmul import adjoint, matmul_op
from inlay._src.ops.reductions import reduce_max, reduce_sum
from inlay._src.ops.singular import singular
from inlay._src.ops.special import from_scipy


def _pade(degree: int) -> tuple[float, ...]:
    """The coefficients of the diagonal Pade approximant of the exponential, lowest power first."""
    return tuple(
        factorial(2 * degree - j) * factorial(degree) / (factorial(2 * degree) * factorial(degree - j) * factorial(j))
        for j in range(degree + 1)
    )


# Bytes of a real number -> the approximant, and the norm up to which it is exact in that type (Higham, 2005).
APPROXIMANTS = {4: (_pade(7), 3.925724783138660), 8: (_pade(13), 5.371920351148152)}
_MOST_SQUARINGS = 32  # where the number depends on values that a compiler does not know


def _expm_vjp(op, dy):
    # The exponential of [[a, d], [0, a]] holds the derivative of that of `a` in the direction `d`, above the diagonal.
    a = adjoint(op.inputs[0])
    block = concat([concat([a, dy], -1), concat([zeros_like(a), a], -1)], -2)
    return split(split(_expm(block), 2, -1)[1], 2, -2)[0]


@op("MatrixExponential", "input:T -> T", types=X, infer=square_infer, vjp=_expm_vjp)
def _expm(xp, input):
    """The exponential of square matrices, by scaling, a Pade approximant, and squaring."""
    squares(input, "exponentiate")
    if not np.size(input):
        return input
    coefficients, reach = APPROXIMANTS[np.finfo(input.dtype).bits // 8]
    norm = xp.max(xp.sum(xp.abs(input), axis=-2), axis=-1)[..., None, None]
    halvings = xp.where((norm > reach) & xp.isfinite(norm), xp.ceil(xp.log2(norm / norm.dtype.type(reach))), 0)
    a = (input * xp.exp2(-halvings)).astype(input.dtype)
    squared, power = xp.matmul(a, a), xp.broadcast_to(xp.eye(a.shape[-1], dtype=a.dtype), a.shape)
    even, odd = xp.zeros_like(a), xp.zeros_like(a)
    for k in range(0, len(coefficients), 2):
        even = even + power * a.dtype.type(coefficients[k])
        odd = odd + power * a.dtype.type(coefficients[k + 1])
        power = xp.matmul(power, squared)
    odd = xp.matmul(a, odd)
    out = xp.linalg.solve(even - odd, even + odd)
    for i in range(int(np.max(halvings)) if xp is np else _MOST_SQUARINGS):
        out = xp.where(i < halvings, xp.matmul(out, out), out)
    return xp.where(xp.isfinite(norm), out, np.nan).astype(input.dtype)


@export("linalg.expm")
def expm(input: Any, name: str | None = None) -> Tensor:
    """The exponential of square matrices, the sum of their powers over factorials.

    Args:
      input: [..., n, n], of float32, float64 or complex numbers.
      name: the node's name.

    Raises:
      ValueError: for another type.
    """
    input = convert_to_tensor(input)
    if input.dtype not in X:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {input.dtype.name}")
    return _expm(input, name=name)


def _pinv_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None]
    return [(*dims[:-2], dims[-1], dims[-2])]


def _pinv_vjp(op, dy):
    # Golub and Pereyra (1973), for matrices whose rank stays.
    a, y = op.inputs[0], op.outputs[0]
    tall = matmul_op(dy, matmul_op(y, y, adjoint_b=True), adjoint_a=True)
    wide = matmul_op(matmul_op(y, y, adjoint_a=True), dy, adjoint_b=True)
    gradient = math.subtract(tall, matmul_op(a, matmul_op(y, tall)))
    gradient = math.add(gradient, math.subtract(wide, matmul_op(matmul_op(wide, y), a)))
    turned = matmul_op(matmul_op(y, dy, adjoint_a=True), y, adjoint_b=True)
    return math.subtract(gradient, turned), None


@op(
    "PseudoInverse",
    "a:T, rcond:T -> T",
    types=frozenset({dtypes.float32, dtypes.float64}),
    infer=_pinv_infer,
    vjp=_pinv_vjp,
)
def _pinv(xp, a, rcond):
    """The pseudo-inverse, from singular values above `rcond` times the greatest."""
    if np.ndim(a) < 2:
        raise ValueError(f"Input must have rank >= 2, got shape {list(np.shape(a))}")
    if not np.size(a):
        return xp.swapaxes(a, -1, -2)
    u, s, vh = singular(xp, a)
    cutoff = xp.asarray(rcond * xp.max(s, axis=-1))[..., None]
    s = xp.where(xp.logical_or(s > cutoff, xp.isnan(cutoff)), s, np.inf).astype(a.dtype)
    return xp.matmul(xp.swapaxes(vh, -1, -2) / s[..., None, :], xp.swapaxes(u, -1, -2))


@export("linalg.pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse of matrices.

    Args:
      a: [..., m, n], of float32 or float64.
      rcond: singular values up to this times the greatest count as zero, one number or one per matrix;
        `10 * max(m, n) * eps` if None.
      validate_args: ignored; the rank is always checked.
      name: the node's name.

    Returns:
      [..., n, m].

    Raises:
      TypeError: for another type.
      ValueError: if there is no matrix.
    """
    a = convert_to_tensor(a)
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have float-like `dtype` (saw {a.dtype.name}).")
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")
    if rcond is None:
        sides = a.shape[-2:]
        most = max(sides.as_list()) if sides.is_fully_defined() else math.cast(reduce_max(shape(a)[-2:]), a.dtype)
        rcond = 10.0 * most * float(np.finfo(a.dtype.np).eps)
    return _pinv(a, convert_to_tensor(rcond, a.dtype), name=name)


# ---------------------------------------------------------------- factors, roots, logarithms


class Lu(NamedTuple):
    """The triangular factors of matrices in one, and the permutation of their rows."""

    lu: Any
    p: Any


def _lu_infer(s: Shapes) -> list[Dims]:
    square = square_infer(s)[0]
    return [square, None if square is None else square[:-1]]


@op("Lu", "input:T -> T, output_idx_type", types=X, infer=_lu_infer, vjp=no_gradient, lower=REFUSES_VALUES)
def _lu(xp, input, *, output_idx_type):
    """The LU decomposition, with rows exchanged for the greatest pivots."""
    squares(input, "be factored")
    if xp is not np:
        factors, _, order = xla.lax().linalg.lu(input)
        return factors, order.astype(output_idx_type.np)
    try:
        factors, order = lapack.lu_factors(input)
    except np.linalg.LinAlgError:
        raise ValueError("Input is not invertible.") from None
    return factors, order.astype(output_idx_type.np)


@export("linalg.lu")
def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Lu:
    """The LU decomposition of square matrices, `input[p] = L @ U`.

    Args:
      input: [..., n, n].
      output_idx_type: the type of the permutation.
      name: the node's name.

    Returns:
      `(lu, p)`: both factors in one matrix, without the ones on the diagonal of `L`; and the rows in their order.

    Raises:
      ValueError: if a matrix is not invertible.
    """
    return Lu(*_lu(input, output_idx_type=dtypes.as_dtype(output_idx_type), name=name))


def _of_lu(lower_upper: Any, perm: Any) -> tuple[Any, Any, Any]:
    """The lower factor, the upper one, and the permutation as a matrix."""
    lower_upper, perm = math.float_tensor(lower_upper), convert_to_tensor(perm)
    if None not in (lower_upper.shape.rank, perm.shape.rank) and lower_upper.shape.rank != perm.shape.rank + 1:
        raise ValueError(
            f"`rank(lower_upper)` must equal `rank(perm) + 1`, got shapes {lower_upper.shape} and {perm.shape}"
        )
    shapes.broadcast(lower_upper.shape[:-1]._dims, perm.shape._dims)
    lower = set_diag_op(band_part(lower_upper, -1, 0), ones_like(diag_part_op(lower_upper)))
    order = gather_op(eye(shape(lower_upper)[-1], dtype=lower_upper.dtype), perm)
    return lower, band_part(lower_upper, 0, -1), order


@export("linalg.lu_reconstruct")
def lu_reconstruct(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The matrices of which `lu` made these factors.

    Args:
      lower_upper: [..., n, n], as from `lu`.
      perm: [..., n], as from `lu`.
      validate_args: accepted; shapes are always checked.
      name: the node's name.
    """
    lower, upper, order = _of_lu(lower_upper, perm)
    lower.shape[:-1].assert_is_compatible_with(order.shape[:-1])
    if None in (lower.shape.rank, order.shape.rank):
        order = reshape(order, shape(lower))
    product = matmul_op(order, matmul_op(lower, upper), adjoint_a=True, name=name)
    product.set_shape(lower.shape)
    return product


@export("linalg.lu_solve")
def lu_solve(lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The solution `x` of `matrix @ x = rhs`, given the factors that `lu(matrix)` returns.

    Args:
      lower_upper: [..., n, n], as from `lu`.
      perm: [..., n], as from `lu`; leading axes broadcast, here as those of `rhs`.
      rhs: [..., n, k].
      validate_args: accepted; shapes are always checked.
      name: the node's name.

    Raises:
      ValueError: if `rhs` is known to be no matrix of `n` rows.
    """
    lower, upper, order = _of_lu(lower_upper, perm)
    rhs = convert_to_tensor(rhs, lower.dtype)
    if rhs.shape.rank is not None:
        if rhs.shape.rank < 2:
            raise ValueError("Input `rhs` must have at least 2 dimensions.")
        if not rhs.shape[-2:-1].is_compatible_with(lower.shape[-1:]):
            raise ValueError(f"`lower_upper` and `rhs` have {lower.shape[-1]} and {rhs.shape[-2]} rows")
    return triangular_solve(upper, triangular_solve(lower, matmul_op(order, rhs)), False, name=name)


@export("linalg.lu_matrix_inverse")
def lu_matrix_inverse(lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The inverses of the matrices of which `lu` made these factors.

    Args:
      lower_upper: [..., n, n], as from `lu`.
      perm: [..., n], as from `lu`.
      validate_args: accepted; shapes are always checked.
      name: the node's name.
    """
    lower_upper = math.float_tensor(lower_upper)
    return lu_solve(lower_upper, perm, eye(shape(lower_upper)[-1], dtype=lower_upper.dtype), name=name)


@export("linalg.matrix_rank")
def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The rank of matrices, int32: the number of singular values greater than `tol`.

    Args:
      a: [..., m, n].
      tol: threshold below which a value counts as zero; `max(m, n) * eps` times the greatest singular value if None.
      validate_args: accepted; the rank of `a` is always checked.
      name: the node's name.

    Raises:
      ValueError: if there is no matrix.
    """
    a = math.float_tensor(a)
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")
    singular_values = svd(a, compute_uv=False)
    if tol is None:
        most = math.cast(reduce_max(shape(a)[-2:]), singular_values.dtype) * float(
            np.finfo(singular_values.dtype.np).eps
        )
        tol = math.multiply(most, reduce_max(singular_values, -1, True))
    return reduce_sum(math.cast(math.greater(singular_values, tol), dtypes.int32), -1, name=name)


def _eig_infer(s: Shapes) -> list[Dims]:
    square = square_infer(s)[0]
    return [None if square is None else square[:-1], square]


def _eig_vjp(op, de, dv):
    # Boeddeker et al. (2017), with eigenvectors of length 1.
    x, (e, v) = op.inputs[0], op.outputs
    middle = None if de is None else diag_op(de)
    if dv is not None:
        gap = math.conj(math.subtract(expand_dims(e, -2), expand_dims(e, -1)))
        inverse = division.divide_no_nan(ones_like(gap), gap)
        turn = matmul_op(v, dv, adjoint_a=True)
        along = math.cast(complex_numbers.real(diag_part_op(turn)), v.dtype)
        turn = math.subtract(turn, math.multiply(matmul_op(v, v, adjoint_a=True), expand_dims(along, -2)))
        turn = math.multiply(inverse, turn)
        middle = turn if middle is None else math.add(middle, turn)
    gradient = solve(v, matmul_op(middle, v, adjoint_b=True), adjoint=True)
    return math.cast(gradient if x.dtype.is_complex else complex_numbers.real(gradient), x.dtype)


@op("Eig", "input:T -> Tout, Tout", types=X, infer=_eig_infer, vjp=_eig_vjp, lower=REFUSES_VALUES)
def _eig(xp, input, *, Tout):
    """Eigenvalues and eigenvectors."""
    squares(input, "have eigenvalues")
    parts = lapack.stacked(lambda x: tuple(np.linalg.eig(x)), input, effort=20) if xp is np else xp.linalg.eig(input)
    return tuple(x.astype(Tout.np) for x in parts)


@export("linalg.eig", "eig")
def eig(tensor: Any, name: str | None = None) -> tuple[Any, Any]:
    """Eigenvalues and eigenvectors (columns) of square matrices, complex numbers in no order.

    Args:
      tensor: [..., n, n].
      name: the node's name.

    Returns:
      `(eigenvalues, eigenvectors)`.
    """
    x = math.float_tensor(tensor)
    kind = dtypes.complex64 if x.dtype.real_dtype is dtypes.float32 else dtypes.complex128
    values, vectors = _eig(x, Tout=kind, name=name)
    return values, vectors


@export("linalg.eigvals", "eigvals")
def eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues of square matrices, complex numbers in no order."""
    return eig(tensor, name)[0]


def _each_matrix(of_matrix: Callable[[np.ndarray], np.ndarray], x: Any) -> Any:
    """A function of each matrix, NaN where its value is not of the type of `x`."""
    squares(x, "have a matrix function")
    out = np.empty_like(x)
    for at in np.ndindex(np.shape(x)[:-2]):
        matrix = x[at].astype(np.result_type(x.dtype, np.float64))
        if not np.isfinite(matrix).all():
            out[at] = complex(np.nan, np.nan) if np.iscomplexobj(x) else np.nan
            continue
        result = of_matrix(matrix) if matrix.size else matrix
        out[at] = result if np.iscomplexobj(x) or not np.iscomplexobj(result) else np.nan
    return out


_MOST_ROOTS = 64
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


def _logarithm(matrix: np.ndarray) -> np.ndarray:
    """The principal logarithm by inverse scaling and squaring (Higham 2008, 11.5) of the Schur form.

    SciPy's `logm` draws from NumPy's global generator, which is the user's.
    """
    schur, root, solve_triangular = (from_scipy("linalg", name) for name in ("schur", "sqrtm", "solve_triangular"))
    triangle, basis = schur(matrix, "complex")
    one, roots = np.eye(len(matrix)), 0
    if not np.diagonal(triangle).all():  # a singular matrix has none
        return np.full_like(triangle, complex(np.nan, np.nan))
    while np.linalg.norm(triangle - one, 1) > 0.25 and roots < _MOST_ROOTS:
        triangle, roots = root(triangle), roots + 1
    x = triangle - one
    parts = [w * solve_triangular(one + t * x, x) for t, w in zip((_NODES + 1) / 2, _WEIGHTS / 2, strict=True)]
    return np.asarray(basis @ (sum(parts) * 2.0**roots) @ basis.conj().T)


@op("MatrixLogarithm", "input:T -> T", types=COMPLEX, infer=square_infer, vjp=no_gradient)
@export("linalg.logm")
def logm(xp, input):
    """The principal logarithm of square matrices of complex numbers. There is no gradient."""
    return _each_matrix(_logarithm, input)


def _sqrtm_vjp(op, dy):
    # The root is differentiated by a Sylvester equation, adjoint(y) @ dx + dx @ adjoint(y) = dy: a linear one.
    y, sizes = op.outputs[0], shape(dy)
    side, one = sizes[-1:], eye(sizes[-1], dtype=dy.dtype)
    left = math.multiply(expand_dims(expand_dims(adjoint(y), -2), -1), expand_dims(one, -2))
    right = math.multiply(expand_dims(expand_dims(one, -2), -1), expand_dims(expand_dims(math.conj(y), -3), -2))
    system = reshape(math.add(left, right), concat([sizes[:-2], math.multiply(side, side), [-1]], 0))
    return reshape(solve(system, reshape(dy, concat([sizes[:-2], [-1, 1]], 0))), sizes)


@op("MatrixSquareRoot", "input:T -> T", types=X, infer=square_infer, vjp=_sqrtm_vjp, lower=REFUSES_VALUES)
@export("linalg.sqrtm", "matrix_square_root")
def sqrtm(xp, input):
    """The principal square root of square matrices, NaN where it is not real; SciPy computes it."""
    return _each_matrix(from_scipy("linalg", "sqrtm"), input)


@export("linalg.normalize")
def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """`tensor` divided by its norm.

    Args:
      tensor: floating or complex numbers.
      ord, axis: kind of norm and its axes; see `tf.norm`.
      name: the node's name.

    Returns:
      `(normalized, norm)`; reduced axes of the norm stay, with size 1.
    """
    x = math.float_tensor(tensor)
    size = math.cast(norm(x, ord, axis, True), x.dtype)
    return division.real_divide(x, size, name=name), size
