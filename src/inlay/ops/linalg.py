"""Products of matrices and tensors, bands and diagonals, solving, factorisations, norms."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, as_first, some_values
from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor
from inlay.ops import array, joining, math, reductions, shaping
from inlay.types import dtypes, shapes
from inlay.types.shapes import Dims


def _matmul_infer(s: Shapes) -> list[Dims]:
    a, b = s.dims
    if a is None or b is None:
        return [None]
    if len(a) < 2 or len(b) < 2:
        raise ValueError(f"Shape must be rank 2 or more but is {shapes.bracketed(a)} and {shapes.bracketed(b)}")
    rows, inner = (a[-1], a[-2]) if s.attrs["transpose_a"] or s.attrs["adjoint_a"] else (a[-2], a[-1])
    inner2, columns = (b[-1], b[-2]) if s.attrs["transpose_b"] or s.attrs["adjoint_b"] else (b[-2], b[-1])
    if inner is not None and inner2 is not None and inner != inner2:
        raise ValueError(
            f"Dimensions must be equal, but are {inner} and {inner2}: the inner sizes of "
            f"{shapes.bracketed(a)} and {shapes.bracketed(b)}"
        )
    batch = shapes.broadcast(a[:-2], b[:-2])
    return [None if batch is None else (*batch, rows, columns)]


def _turned(xp: Any, x: Any, transpose: bool, adjoint: bool) -> Any:
    if adjoint:
        x = xp.conjugate(x)
    return xp.swapaxes(x, -1, -2) if transpose or adjoint else x


def _matmul_vjp(op, dy):
    a, b = op.inputs
    ta, tb = op.attrs["transpose_a"], op.attrs["transpose_b"]
    aa, ab = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    # With A' = op_a(A) and B' = op_b(B): dA' = dy B'^H, dB' = A'^H dy; then each is turned back.
    ca, cb = (a if aa else math._conj(a)), (b if ab else math._conj(b))
    flip_a, flip_b = ta or aa, tb or ab
    da = db = None
    if op.needs(0):
        if flip_a:
            da = matmul_op(cb, dy, transpose_a=flip_b, transpose_b=True)
        else:
            da = matmul_op(dy, cb, transpose_b=not flip_b)
        da = shaping.sum_like(math._conj(da) if aa else da, a)
    if op.needs(1):
        if flip_b:
            db = matmul_op(dy, ca, transpose_a=True, transpose_b=flip_a)
        else:
            db = matmul_op(ca, dy, transpose_a=not flip_a)
        db = shaping.sum_like(math._conj(db) if ab else db, b)
    return da, db


@op("BatchMatMulV2", "a:T, b:T -> T", types={"T": dtypes.NUMBERS}, infer=_matmul_infer, vjp=_matmul_vjp)
def matmul_op(xp, a, b, *, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False):
    """The matrix product of the last two axes; the leading ones broadcast."""
    if np.ndim(a) < 2 or np.ndim(b) < 2:
        raise ValueError(f"In[0] and In[1] must have rank 2 or more, got {np.ndim(a)} and {np.ndim(b)}")
    a, b = _turned(xp, a, transpose_a, adjoint_a), _turned(xp, b, transpose_b, adjoint_b)
    if np.shape(a)[-1] != np.shape(b)[-2]:
        raise ValueError(
            f"Matrix size-incompatible: In[0]: {shapes.bracketed(np.shape(a))}, In[1]: {shapes.bracketed(np.shape(b))}"
        )
    x = shaping.wide(a)
    return xp.matmul(a, b) if x is a else xp.matmul(x, shaping.wide(b)).astype(a.dtype)


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    name: str | None = None,
) -> Any:
    """The matrix product `a @ b` of the last two axes; leading axes broadcast.

    Args:
      a, b: tensors of rank 2 or more and one type.
      transpose_a, transpose_b: whether to swap the last two axes first.
      adjoint_a, adjoint_b: whether to conjugate them too.
      a_is_sparse, b_is_sparse: accepted and ignored.
      output_type: accepted if it is the input type.
      name: the node's name.
    """
    return matmul_op(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, name=name or "MatMul")


# ---------------------------------------------------------------- shapes of matrices

X = {"T": frozenset({dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128})}


def _square_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None]
    if len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is {shapes.bracketed(dims)}")
    rows, columns = dims[-2:]
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}: a square matrix is needed")
    side = columns if rows is None else rows
    return [(*dims[:-2], side, side)]


def _batch_infer(s: Shapes) -> list[Dims]:
    square = _square_infer(s)[0]
    return [None if square is None else square[:-2]]


def _squares(x: Any, what: str) -> None:
    shape = np.shape(x)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(f"Input matrix must be square to {what}, got shape {list(shape)}")


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """`a` with its last two axes swapped, and conjugated if asked for.

    Args:
      a: a tensor of rank 2 or more.
      name: the node's name.
      conjugate: whether to take complex conjugates too.
    """
    a = convert_to_tensor(a)
    rank = a.shape.rank
    if rank is None:
        places = array.range_(array.rank(a))
        perm: Any = joining.concat([places[:-2], places[-1:], places[-2:-1]], 0)
    else:
        if rank < 2:
            raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2. Received shape {a.shape}")
        perm = [*range(rank - 2), rank - 1, rank - 2]
    return array.transpose(a, perm, conjugate, name=name)


def adjoint(matrix: Any, name: str | None = None) -> Any:
    """The conjugate transpose of the last two axes."""
    return matrix_transpose(matrix, name or "adjoint", conjugate=True)


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of matrices `a` and vectors `b`, over the last axes.

    Args:
      a: matrices, [..., n, m].
      b: vectors, [..., m].
      transpose_a, adjoint_a: whether to transpose or adjoin `a` first.
      a_is_sparse, b_is_sparse: accepted and ignored.
      name: the node's name.
    """
    product = matmul(a, array.expand_dims(b, -1), transpose_a=transpose_a, adjoint_a=adjoint_a)
    return array.squeeze(product, [-1], name=name)


# ---------------------------------------------------------------- bands and diagonals


def _band_mask(rows: int, columns: int, lower: int, upper: int) -> np.ndarray:
    gap = np.arange(rows)[:, None] - np.arange(columns)[None, :]
    return ((lower < 0) | (gap <= lower)) & ((upper < 0) | (-gap <= upper))


@op(
    "MatrixBandPart",
    "input:T, num_lower:Index, num_upper:Index -> T",
    types={"T": dtypes.NUMBERS | {dtypes.bool_}, "Index": dtypes.INDEX},
    static=("num_lower", "num_upper"),
    infer=as_first,
    vjp=lambda op, dy: (band_part(dy, op.inputs[1], op.inputs[2]), None, None),
)
def band_part(xp, input, num_lower, num_upper):
    """Matrices with everything outside a band around the diagonal set to zero.

    Args:
      input: matrices, [..., m, n].
      num_lower: how many subdiagonals to keep; negative keeps them all.
      num_upper: how many superdiagonals to keep; negative keeps them all.
    """
    if np.ndim(input) < 2:
        raise ValueError(f"input must be at least 2-dim, received shape: {list(np.shape(input))}")
    rows, columns = np.shape(input)[-2:]
    mask = _band_mask(rows, columns, int(np.asarray(num_lower)), int(np.asarray(num_upper)))
    return xp.where(mask, input, xp.zeros_like(input))


def _places(rows: int, columns: int, k: tuple[int, int], align: str) -> tuple[np.ndarray, ...]:
    """Of the diagonals k[0]..k[1] of a matrix: (diagonal, position) in the packed form, (row, column) in the matrix.

    Packed diagonals stand top down from k[1] to k[0], each padded to the longest; `align` says at which end.
    """
    low, high = k
    lengths = {d: min(rows + min(d, 0), columns - max(d, 0)) for d in range(low, high + 1)}
    if any(not -rows < d < columns for d in (low, high)) and not (low == high == 0):
        raise ValueError(f"diagonals {k} are outside a matrix of {rows} by {columns}")
    longest = max(lengths.values())
    up, down = align.split("_")
    out: list[list[int]] = [[], [], [], []]
    for d in range(high, low - 1, -1):
        side = up if d > 0 else down if d < 0 else "LEFT"
        start = longest - lengths[d] if side == "RIGHT" else 0
        for i in range(lengths[d]):
            for column, value in zip(out, (high - d, start + i, i - min(d, 0), i + max(d, 0)), strict=True):
                column.append(value)
    return tuple(np.asarray(c, np.int64) for c in out)


def _packed_length(rows: int, columns: int, k: tuple[int, int]) -> int:
    return max(min(rows + min(d, 0), columns - max(d, 0)) for d in range(k[0], k[1] + 1))


def _put(xp: Any, base: Any, index: Any, values: Any) -> Any:
    """`base`, which is ours, with `values` written at `index`."""
    if xp is np:
        base[index] = values
        return base
    return base.at[index].set(values)


DIAGONAL = {"T": dtypes.NUMBERS | {dtypes.bool_}}


def _diag_part_infer(s: Shapes) -> list[Dims]:
    dims, k = s.dims[0], s.attrs["k"]
    if dims is None:
        return [None]
    if len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is {shapes.bracketed(dims)}")
    rows, columns = dims[-2:]
    length = None if rows is None or columns is None else _packed_length(rows, columns, k)
    return [(*dims[:-2], length) if k[0] == k[1] else (*dims[:-2], k[1] - k[0] + 1, length)]


def _diag_part_vjp(op, dy):
    return set_diag_op(array.zeros_like(op.inputs[0]), dy, op.attrs["k"], op.attrs["align"])


@op("MatrixDiagPartV3", "input:T -> T", types=DIAGONAL, infer=_diag_part_infer, vjp=_diag_part_vjp)
def diag_part_op(xp, input, *, k=(0, 0), padding_value=0, align="RIGHT_LEFT"):
    """The diagonals of matrices."""
    if np.ndim(input) < 2:
        raise ValueError(f"input must be at least 2-dim, received shape: {list(np.shape(input))}")
    rows, columns = np.shape(input)[-2:]
    d, p, r, c = _places(rows, columns, k, align)
    if k[0] == k[1]:
        return input[..., r, c]
    packed = (*np.shape(input)[:-2], k[1] - k[0] + 1, _packed_length(rows, columns, k))
    base = xp.full(packed, np.asarray(padding_value, input.dtype), input.dtype)
    return _put(xp, base, (..., d, p), input[..., r, c])


def _set_diag_vjp(op, dy):
    k, align = op.attrs["k"], op.attrs["align"]
    return set_diag_op(dy, array.zeros_like(op.inputs[1]), k, align), diag_part_op(dy, k, 0, align)


@op("MatrixSetDiagV3", "input:T, diagonal:T -> T", types=DIAGONAL, infer=as_first, vjp=_set_diag_vjp)
def set_diag_op(xp, input, diagonal, *, k=(0, 0), align="RIGHT_LEFT"):
    """Matrices with other diagonals."""
    rows, columns = np.shape(input)[-2:]
    d, p, r, c = _places(rows, columns, k, align)
    values = diagonal if k[0] == k[1] else diagonal[..., d, p]
    base = np.array(input) if xp is np else input
    return _put(xp, base, (..., r, c), values)


def _matrix_sides(length: int, k: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """The sides of the matrix that diagonals make; -1 is as small as they allow."""
    least_rows, least_columns = length - min(k[1], 0), length + max(k[0], 0)
    if rows == -1 and columns == -1:
        side = max(least_rows, least_columns)
        return side, side
    return (least_rows if rows == -1 else rows), (least_columns if columns == -1 else columns)


def _diag_infer(s: Shapes) -> list[Dims]:
    dims, k = s.dims[0], s.attrs["k"]
    if dims is None:
        return [None]
    lead = dims[:-1] if k[0] == k[1] else dims[:-2]
    if dims[-1] is None:
        rows, columns = s.attrs["num_rows"], s.attrs["num_cols"]
        return [(*lead, None if rows == -1 else rows, None if columns == -1 else columns)]
    return [(*lead, *_matrix_sides(dims[-1], k, s.attrs["num_rows"], s.attrs["num_cols"]))]


def _diag_vjp(op, dy):
    return diag_part_op(dy, op.attrs["k"], 0, op.attrs["align"])


@op("MatrixDiagV3", "diagonal:T -> T", types=DIAGONAL, infer=_diag_infer, vjp=_diag_vjp)
def diag_op(xp, diagonal, *, k=(0, 0), num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Matrices with given diagonals and one value elsewhere."""
    lead = np.shape(diagonal)[:-1] if k[0] == k[1] else np.shape(diagonal)[:-2]
    rows, columns = _matrix_sides(np.shape(diagonal)[-1], k, num_rows, num_cols)
    d, p, r, c = _places(rows, columns, k, align)
    base = xp.full((*lead, rows, columns), np.asarray(padding_value, diagonal.dtype), diagonal.dtype)
    return _put(xp, base, (..., r, c), diagonal if k[0] == k[1] else diagonal[..., d, p])


def _band(k: Any) -> tuple[int, int]:
    pair = np.asarray(k).reshape(-1).tolist()
    low, high = (pair * 2)[:2]
    if low > high:
        raise ValueError(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    return int(low), int(high)


def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: int = -1,
    num_cols: int = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Matrices with the given diagonal (or band of diagonals) and `padding_value` elsewhere.

    Args:
      diagonal: [..., length], or [..., diagonals, length] for a band.
      name: the node's name.
      k: which diagonal, or the pair (lowest, highest).
      num_rows, num_cols: the sides; -1 is as small as the diagonals allow.
      padding_value: what stands elsewhere.
      align: at which end shorter superdiagonals and subdiagonals are padded.
    """
    return diag_op(diagonal, _band(k), int(num_rows), int(num_cols), padding_value, align, name=name)


def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """The diagonal of matrices, or a band of diagonals.

    Args:
      input: matrices, [..., m, n].
      name: the node's name.
      k: which diagonal, or the pair (lowest, highest).
      padding_value: fills shorter diagonals of a band.
      align: at which end shorter superdiagonals and subdiagonals are padded.
    """
    return diag_part_op(input, _band(k), padding_value, align, name=name)


def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Any:
    """Matrices with their diagonal, or a band of diagonals, replaced.

    Args:
      input: matrices, [..., m, n].
      diagonal: [..., length], or [..., diagonals, length] for a band.
      name: the node's name.
      k: which diagonal, or the pair (lowest, highest).
      align: at which end shorter superdiagonals and subdiagonals are padded.
    """
    return set_diag_op(input, diagonal, _band(k), align, name=name)


def tensor_diag(diagonal: Any, name: str | None = None) -> Any:
    """The tensor of twice the rank whose diagonal is `diagonal`: `out[i, j, i, j] = diagonal[i, j]`."""
    diagonal = convert_to_tensor(diagonal)
    sizes = array.shape(diagonal)
    return array.reshape(diag_op(array.reshape(diagonal, [-1])), joining.concat([sizes, sizes], 0), name=name)


def tensor_diag_part(input: Any, name: str | None = None) -> Any:
    """The diagonal of a tensor of even rank whose first and second half have one shape: `input[i, j, i, j]`."""
    input = convert_to_tensor(input)
    rank = input.shape.rank
    if rank is None or rank % 2 or not rank:
        raise ValueError(f"tensor_diag_part needs a tensor of known, even and nonzero rank, got shape {input.shape}")
    sizes = array.shape(input)[: rank // 2]
    count = reductions.reduce_prod(sizes)
    return array.reshape(diag_part_op(array.reshape(input, array.stack([count, count]))), sizes, name=name)


def trace(x: Any, name: str | None = None) -> Any:
    """The sum of the diagonal of matrices."""
    return reductions.reduce_sum(diag_part_op(x), [-1], name=name)


@op(
    "Eye",
    "num_rows:Index, num_columns:Index -> dtype",
    types={"Index": dtypes.INDEX},
    static=("num_rows", "num_columns"),
    infer=lambda s: [tuple(None if v is None else int(v) for v in (s.value(0), s.value(1)))],
)
def _eye(xp, num_rows, num_columns, *, dtype):
    """The identity matrix."""
    return xp.eye(int(np.asarray(num_rows)), int(np.asarray(num_columns)), dtype=dtype.np)


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Any:
    """The identity matrix, repeated for each element of `batch_shape`.

    Args:
      num_rows: how many rows.
      num_columns: how many columns; as many as rows if None.
      batch_shape: leading sizes.
      dtype: the type.
      name: the node's name.
    """
    kind = dtypes.as_dtype(dtype)
    one = _eye(num_rows, num_rows if num_columns is None else num_columns, kind, name=name)
    if batch_shape is None:
        return one
    sizes = joining.concat([_vector(batch_shape), [1, 1]], 0)
    ones = array.ones(sizes, dtypes.int32 if kind.is_bool else kind)
    return math.cast(math.multiply(ones, math.cast(one, ones.dtype)), kind)


def _vector(sizes: Any) -> Any:
    if isinstance(sizes, shapes.TensorShape):
        sizes = sizes.as_list()
    return array.reshape(convert_to_tensor(sizes, dtypes.int32) if isinstance(sizes, (list, tuple)) else sizes, [-1])


# ---------------------------------------------------------------- solving


def _inverse_vjp(op, dy):
    y, flipped = op.outputs[0], op.attrs["adjoint"]
    if flipped:
        return negative_product(y, dy, y, middle_adjoint=True)
    return math.negative(matmul_op(y, matmul_op(dy, y, adjoint_b=True), adjoint_a=True))


def negative_product(a: Any, b: Any, c: Any, middle_adjoint: bool = False) -> Any:
    """`-(a @ b @ c)`, with `b` adjoined if asked for."""
    return math.negative(matmul_op(a, matmul_op(b, c, adjoint_a=middle_adjoint)))


@op("MatrixInverse", "input:T -> T", types=X, infer=_square_infer, vjp=_inverse_vjp, refuses=some_values)
def inv(xp, input, *, adjoint=False):
    """The inverse of square matrices, or of their adjoints.

    Args:
      input: matrices, [..., n, n].
      adjoint: whether to adjoin the result.
    """
    _squares(input, "be inverted")
    try:
        out = xp.linalg.inv(input)
    except np.linalg.LinAlgError:
        raise ValueError("Input is not invertible.") from None
    return _turned(xp, out, False, adjoint)


def _det_vjp(op, dy):
    x, y = op.inputs[0], op.outputs[0]
    scale = math.multiply(dy, math._conj(y))
    return math.multiply(_as_matrix(scale), inv(x, adjoint=True))


def _as_matrix(x: Any) -> Any:
    return array.expand_dims(array.expand_dims(x, -1), -1)


@op("MatrixDeterminant", "input:T -> T", types=X, infer=_batch_infer, vjp=_det_vjp)
def det(xp, input):
    """The determinant of square matrices."""
    _squares(input, "have a determinant")
    return xp.linalg.det(input)


def _slogdet_infer(s: Shapes) -> list[Dims]:
    return _batch_infer(s) * 2


def _slogdet_vjp(op, dsign, dlog):
    x, sign = op.inputs[0], op.outputs[0]
    if dlog is not None and x.dtype.is_complex:
        dlog = math.cast(math.real(dlog), x.dtype)  # the logarithm of a modulus is real
    total = None if dlog is None else math.multiply(_as_matrix(dlog), inv(x, adjoint=True))
    if dsign is None or not x.dtype.is_complex:
        return array.zeros_like(x) if total is None else total
    # The sign turns with the imaginary part of tr(inv(x) dx).
    turn = math.imag(math.multiply(math.conj(sign), dsign))
    scale = math.multiply(math.cast(turn, x.dtype), math._number(1j, x))
    part = math.multiply(_as_matrix(scale), inv(x, adjoint=True))
    return part if total is None else math.add(total, part)


@op("LogMatrixDeterminant", "input:T -> T, T", types=X, infer=_slogdet_infer, vjp=_slogdet_vjp)
def slogdet(xp, input):
    """The sign of the determinant of square matrices, and the logarithm of its modulus."""
    _squares(input, "have a determinant")
    sign, log = xp.linalg.slogdet(input)
    return sign, log.astype(input.dtype)


def logdet(matrix: Any, name: str | None = None) -> Any:
    """The logarithm of the determinant of Hermitian positive definite matrices, a real number."""
    half = reductions.reduce_sum(math.log(math.real(diag_part_op(cholesky(matrix)))), [-1])
    return math.multiply(half, math._two(half), name=name)


def _solve_infer(s: Shapes) -> list[Dims]:
    a, b = s.dims
    return [None if a is None or b is None else b]


def _solve_vjp(op, dy):
    a, adjoint = op.inputs[0], op.attrs["adjoint"]
    x = op.outputs[0]
    db = solve(a, dy, adjoint=not adjoint)
    da = matmul_op(x, db, adjoint_b=True) if adjoint else matmul_op(db, x, adjoint_b=True)
    return math.negative(da), db


@op("MatrixSolve", "matrix:T, rhs:T -> T", types=X, infer=_solve_infer, vjp=_solve_vjp, refuses=some_values)
def solve(xp, matrix, rhs, *, adjoint=False):
    """The solution `x` of `matrix @ x = rhs`, for square matrices.

    Args:
      matrix: [..., n, n].
      rhs: [..., n, k].
      adjoint: whether to solve with the adjoint of `matrix`.
    """
    if np.ndim(rhs) != np.ndim(matrix):
        raise ValueError(f"matrix and rhs must have the same rank, got {np.ndim(matrix)} and {np.ndim(rhs)}")
    return _solved(xp, matrix, rhs, adjoint)


def _solved(xp: Any, matrix: Any, rhs: Any, adjoint: bool) -> Any:
    _squares(matrix, "be solved with")
    if np.shape(rhs)[-2:-1] not in ((), np.shape(matrix)[-1:]):
        raise ValueError(
            f"matrix and rhs must have the same number of rows, got shapes {list(np.shape(matrix))} and "
            f"{list(np.shape(rhs))}"
        )
    try:
        return xp.linalg.solve(_turned(xp, matrix, False, adjoint), rhs)
    except np.linalg.LinAlgError:
        raise ValueError("Input matrix is not invertible.") from None


def _triangular_vjp(op, dy):
    a, lower, adjoint = op.inputs[0], op.attrs["lower"], op.attrs["adjoint"]
    x = op.outputs[0]
    db = triangular_solve_op(a, dy, lower, not adjoint)
    da = math.negative(matmul_op(x, db, adjoint_b=True) if adjoint else matmul_op(db, x, adjoint_b=True))
    return band_part(da, -1, 0) if lower else band_part(da, 0, -1), db


@op(
    "MatrixTriangularSolve",
    "matrix:T, rhs:T -> T",
    types=X,
    infer=_solve_infer,
    vjp=_triangular_vjp,
    refuses=some_values,
)
def triangular_solve_op(xp, matrix, rhs, *, lower=True, adjoint=False):
    """The solution of a triangular system."""
    return _solved(xp, xp.tril(matrix) if lower else xp.triu(matrix), rhs, adjoint)


def triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None) -> Any:
    """The solution `x` of `matrix @ x = rhs`, reading one triangle of `matrix`.

    Args:
      matrix: [..., n, n].
      rhs: [..., n, k].
      lower: which triangle is read.
      adjoint: whether to solve with the adjoint of `matrix`.
      name: the node's name.
    """
    return triangular_solve_op(matrix, rhs, lower, adjoint, name=name)


def _cholesky_vjp(op, dy):
    factor = op.outputs[0]
    middle = matmul_op(factor, dy, adjoint_a=True)
    half = math.multiply(diag_part_op(middle), math._number(0.5, middle))
    middle = band_part(set_diag_op(middle, half), -1, 0)
    # inv(L)^H middle inv(L), by two triangular solves.
    inner = triangular_solve_op(factor, middle, True, True)
    outer = adjoint(triangular_solve_op(factor, adjoint(inner), True, True))
    return math.multiply(math.add(outer, adjoint(outer)), math._number(0.5, outer))


@op("Cholesky", "input:T -> T", types=X, infer=_square_infer, vjp=_cholesky_vjp, refuses=some_values)
def cholesky(xp, input):
    """The lower triangular factor `L` of Hermitian positive definite matrices, `L @ adjoint(L)`.

    Only the lower triangle of `input` is read.
    """
    _squares(input, "be factored")
    if xp is not np:
        return xp.linalg.cholesky(input, symmetrize_input=False)
    try:
        return np.linalg.cholesky(input)
    except np.linalg.LinAlgError:
        raise ValueError("Cholesky decomposition was not successful. The input might not be valid.") from None


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """The solution `x` of `A @ x = rhs`, given the factor `chol` that `cholesky(A)` returns."""
    return triangular_solve_op(chol, triangular_solve_op(chol, rhs, True, False), True, True, name=name)


def lstsq(matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None) -> Any:
    """The `x` that makes `|matrix @ x - rhs|**2 + l2_regularizer * |x|**2` least, or the shortest of several.

    Args:
      matrix: [..., m, n], of full rank.
      rhs: [..., m, k].
      l2_regularizer: the weight of the second term.
      fast: accepted; both values solve the normal equations of the shorter side.
      name: the node's name.
    """
    matrix, rhs = math.float_tensor(matrix), math.float_tensor(rhs)
    rows, columns = matrix.shape[-2], matrix.shape[-1]
    tall = rows is None or columns is None or rows >= columns
    gram = matmul_op(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if l2_regularizer:
        weight = math._number(l2_regularizer, gram)
        gram = set_diag_op(gram, math.add(diag_part_op(gram), weight))
    if tall:
        return cholesky_solve(cholesky(gram), matmul_op(matrix, rhs, adjoint_a=True), name=name)
    return matmul_op(matrix, cholesky_solve(cholesky(gram), rhs), adjoint_a=True, name=name)


# ---------------------------------------------------------------- factorisations; their gradients are derived


def _qr_infer(s: Shapes) -> list[Dims]:
    dims, full = s.dims[0], s.attrs["full_matrices"]
    if dims is None:
        return [None, None]
    rows, columns = dims[-2:]
    short = None if rows is None or columns is None else min(rows, columns)
    return [(*dims[:-2], rows, rows if full else short), (*dims[:-2], rows if full else short, columns)]


@op("Qr", "input:T -> T, T", types=X, infer=_qr_infer)
def qr(xp, input, *, full_matrices=False):
    """Matrices as a unitary `q` times an upper triangular `r`.

    Args:
      input: [..., m, n].
      full_matrices: whether `q` is square.

    Returns:
      `(q, r)`.
    """
    q, r = xp.linalg.qr(input, mode="complete" if full_matrices else "reduced")
    return q, r


def _svd_infer(s: Shapes) -> list[Dims]:
    dims, full = s.dims[0], s.attrs["full_matrices"]
    if dims is None:
        return [None, None, None]
    rows, columns = dims[-2:]
    short = None if rows is None or columns is None else min(rows, columns)
    lead = dims[:-2]
    return [(*lead, short), (*lead, rows, rows if full else short), (*lead, columns, columns if full else short)]


@op("Svd", "input:T -> Treal, T, T", types=X, infer=_svd_infer, refuses=some_values)
def svd_op(xp, input, *, full_matrices=False, Treal):
    """Singular values and vectors."""
    u, s, vh = xp.linalg.svd(input, full_matrices=full_matrices)
    return s.astype(Treal.np), u, xp.conjugate(xp.swapaxes(vh, -1, -2))


@op(
    "SingularValues",
    "input:T -> Treal",
    types=X,
    infer=lambda s: [_svd_infer(Shapes(s.inputs, s.dims, {"full_matrices": False}, s.value))[0]],
    refuses=some_values,
)
def singular_values(xp, input, *, Treal):
    """Singular values, the greatest first."""
    return xp.linalg.svd(input, compute_uv=False).astype(Treal.np)


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
    if not compute_uv:
        return singular_values(tensor, kind, name=name)
    return tuple(svd_op(tensor, Treal=kind, full_matrices=full_matrices, name=name))


def _eigh_infer(s: Shapes) -> list[Dims]:
    square = _square_infer(s)[0]
    return [None if square is None else square[:-1], square]


@op("SelfAdjointEigV2", "input:T -> T, T", types=X, infer=_eigh_infer, refuses=some_values)
def eigh_op(xp, input):
    """Eigenvalues, in rising order, and eigenvectors of Hermitian matrices."""
    _squares(input, "have eigenvalues")
    if xp is np:
        e, v = np.linalg.eigh(input)
    else:
        e, v = xp.linalg.eigh(input, symmetrize_input=False)
    return e.astype(input.dtype), v


def eigh(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues, in rising order, and eigenvectors (columns) of Hermitian matrices; the lower triangle is read."""
    return tuple(eigh_op(tensor, name=name))


def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues of Hermitian matrices, in rising order; the lower triangle is read."""
    return eigh_op(tensor, name=name)[0]


# ---------------------------------------------------------------- norms


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
) -> Any:
    """The norm of vectors (one axis) or matrices (a pair of axes), of everything flattened if `axis` is None.

    Args:
      tensor: floating or complex numbers.
      ord: "euclidean", "fro" (matrices), 1, 2, infinity or any positive number (vectors).
      axis: an axis, or the pair of a matrix's axes.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.
      keep_dims: the 1.x name of `keepdims`.

    Raises:
      ValueError: for a norm that does not exist.
    """
    x = math.float_tensor(tensor)
    keep = bool(keep_dims if keepdims is None else keepdims)
    matrices = isinstance(axis, (list, tuple)) and len(axis) == 2
    supported = ["euclidean", "fro", 1, 2, np.inf] if matrices else ["euclidean", 1, 2, np.inf]
    number = isinstance(ord, (int, float)) and ord > 0
    if (ord == "fro" and not matrices) or (ord not in supported and (matrices or not number)):
        kind = "matrix" if matrices else "vector"
        raise ValueError(f"'ord' must be a supported {kind} norm in {supported}, got {ord!r}")
    if matrices and ord not in ("euclidean", "fro"):
        return _matrix_norm(x, ord, tuple(axis), keep, name)
    size = math.abs(x)
    if ord in ("euclidean", "fro", 2):
        return math.sqrt(reductions.reduce_sum(_square_of(x), axis, keep), name=name)
    if ord == np.inf:
        return reductions.reduce_max(size, axis, keep, name=name)
    if ord == 1:
        return reductions.reduce_sum(size, axis, keep, name=name)
    power = math._number(ord, size)
    return math.pow(reductions.reduce_sum(math.pow(size, power), axis, keep), math.reciprocal(power), name=name)


def _square_of(x: Any) -> Any:
    return math.real(math.multiply(x, math.conj(x))) if x.dtype.is_complex else math.square(x)


def _matrix_norm(x: Any, ord: Any, axis: tuple[Any, ...], keep: bool, name: str | None) -> Any:
    rank = x.shape.rank
    if rank is None:
        raise ValueError("a matrix norm over axes needs a tensor of known rank")
    row, column = (a % rank for a in axis)
    if ord == 2:
        order = [*(i for i in range(rank) if i not in (row, column)), row, column]
        top = reductions.reduce_max(svd(array.transpose(x, order), compute_uv=False), [-1], name=name)
        if not keep:
            return top
        for a in sorted((row, column)):
            top = array.expand_dims(top, a)
        return top
    first, second = (row, column) if ord == 1 else (column, row)
    sums = reductions.reduce_sum(math.abs(x), [first], True)
    return (
        reductions.reduce_max(sums, [second], True, name=name)
        if keep
        else array.squeeze(reductions.reduce_max(sums, [second], True), [row, column], name=name)
    )


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Any:
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
    scale = math.rsqrt(math.maximum(total, math._number(epsilon, total)))
    return math.multiply(x, math.cast(scale, x.dtype), name=name)


# ---------------------------------------------------------------- contractions


def _einsum_terms(equation: str) -> tuple[list[str], str]:
    """Input subscripts and the output subscript, which is derived if the equation leaves it out."""
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if not arrow:
        letters = [c for c in left if c.isalpha()]
        right = ("..." if "..." in left else "") + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return terms, right


def _spelled_out(equation: str, ranks: Sequence[int | None]) -> str:
    """The equation with its ellipses as letters, where the ranks are known."""
    terms, out = _einsum_terms(equation)
    if len(terms) != len(ranks):
        raise ValueError(f"Expected {len(terms)} arguments for the equation {equation!r}, got {len(ranks)}")
    if not any("..." in t for t in terms):
        return ",".join(terms) + "->" + out
    if any(r is None for r, t in zip(ranks, terms, strict=True) if "..." in t):
        return equation
    free = [c for c in string.ascii_letters if c not in equation]
    widest = max(
        r - len(t.replace("...", "")) for r, t in zip(ranks, terms, strict=True) if "..." in t and r is not None
    )
    letters = "".join(free[:widest])
    made = []
    for rank, term in zip(ranks, terms, strict=True):
        count = 0 if rank is None else rank - len(term.replace("...", ""))
        made.append(term.replace("...", letters[len(letters) - count :] if count else ""))
    return ",".join(made) + "->" + out.replace("...", letters)


def _einsum_infer(s: Shapes) -> list[Dims]:
    if any(d is None for d in s.dims):
        return [None]
    terms, out = _einsum_terms(_spelled_out(s.attrs["equation"], [len(d or ()) for d in s.dims]))
    sizes: dict[str, int | None] = {}
    for term, dims in zip(terms, s.dims, strict=True):
        assert dims is not None
        if len(term) != len(dims):
            raise ValueError(f"Subscript {term!r} has {len(term)} letters for shape {shapes.bracketed(dims)}")
        for letter, size in zip(term, dims, strict=True):
            have = sizes.get(letter)
            if have is not None and size is not None and have != size and 1 not in (have, size):
                raise ValueError(f"Dimensions must be equal, but are {have} and {size} for the letter {letter!r}")
            sizes[letter] = size if have is None or have == 1 else have
    return [tuple(sizes[c] for c in out)]


def _einsum_vjp(op, dy):
    ranks = [x.shape.rank for x in op.inputs]
    terms, out = _einsum_terms(_spelled_out(op.attrs["equation"], ranks))
    if any("." in t or len(set(t)) != len(t) for t in terms):
        return NotImplemented  # an index repeated in one input, a diagonal: derived from the kernel
    found = []
    for k, x in enumerate(op.inputs):
        others = [i for i in range(len(terms)) if i != k]
        operands = [dy, *(math._conj(op.inputs[i]) for i in others)]
        subscripts = [out, *(terms[i] for i in others)]
        if set(terms[k]) - set("".join(subscripts)):  # indices summed alone: every place gets the same
            operands.append(array.ones_like(x))
            subscripts.append(terms[k])
        grad = einsum_op(operands, ",".join(subscripts) + "->" + terms[k])
        found.append(shaping.sum_like(grad, x))
    return found


@op("Einsum", "inputs:*T -> T", types={"T": dtypes.NUMBERS}, infer=_einsum_infer, vjp=_einsum_vjp)
def einsum_op(xp, inputs, *, equation):
    """A sum of products over named axes."""
    return xp.einsum(equation, *map(shaping.wide, inputs), optimize=len(inputs) > 1).astype(inputs[0].dtype)


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """A sum of products over named axes: `einsum("ij,jk->ik", a, b)` is a matrix product.

    Args:
      equation: one subscript per input, `->`, the result's subscript; `...` stands for leading axes that broadcast.
      *inputs: the tensors.
      **kwargs: `name`, the node's name; `optimize` is accepted and ignored.

    Raises:
      TypeError: for any other keyword.
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for this function: {', '.join(sorted(kwargs))}")
    tensors = [
        convert_to_tensor(x)
        for x in (inputs[0] if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) else inputs)
    ]
    return einsum_op(tensors, _spelled_out(equation, [t.shape.rank for t in tensors]), name=name)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """The sum of products of `a` and `b` over pairs of axes.

    Args:
      a, b: tensors of one type and known rank.
      axes: how many of the last axes of `a` meet the first of `b`, or the pair of lists of axes that meet.
      name: the node's name.

    Raises:
      ValueError: if the axes do not match the ranks.
    """
    a = convert_to_tensor(a)
    b = convert_to_tensor(b)
    ra, rb = a.shape.rank, b.shape.rank
    if ra is None or rb is None:
        raise ValueError("tensordot needs tensors of known rank")
    if np.ndim(axes) == 0:
        count = int(np.asarray(axes))
        if not 0 <= count <= min(ra, rb):
            raise ValueError(f"'axes' must be in [0, {min(ra, rb)}] for tensors of rank {ra} and {rb}, got {count}")
        left, right = list(range(ra - count, ra)), list(range(count))
    else:
        left, right = ([int(i) for i in np.asarray(side).reshape(-1)] for side in axes)
        left, right = [i % ra for i in left], [i % rb for i in right]
    if len(left) != len(right):
        raise ValueError(f"Different number of contraction axes: {len(left)} and {len(right)}")
    of_a = list(string.ascii_letters[:ra])
    of_b = list(string.ascii_letters[ra : ra + rb])
    for i, j in zip(left, right, strict=True):
        of_b[j] = of_a[i]
    kept = [c for i, c in enumerate(of_a) if i not in left] + [c for j, c in enumerate(of_b) if j not in right]
    return einsum_op([a, b], f"{''.join(of_a)},{''.join(of_b)}->{''.join(kept)}", name=name)


def cross(a: Any, b: Any, name: str = "Cross") -> Any:
    """The cross product of vectors of 3, over the last axis."""
    a, b = convert_to_tensor(a), convert_to_tensor(b)
    a0, a1, a2 = array.unstack(a, 3, -1)
    b0, b1, b2 = array.unstack(b, 3, -1)

    def minor(p: Any, q: Any, r: Any, s: Any) -> Any:
        return math.subtract(math.multiply(p, q), math.multiply(r, s))

    return array.stack([minor(a1, b2, a2, b1), minor(a2, b0, a0, b2), minor(a0, b1, a1, b0)], -1, name=name or "stack")
