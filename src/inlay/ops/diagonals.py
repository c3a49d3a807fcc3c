"""Bands and diagonals of matrices, the identity matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, as_first
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import array, joining, math, reductions
from inlay.ops.shaping import put
from inlay.types import dtypes, shapes
from inlay.types.shapes import Dims

DIAGONAL = dtypes.NUMBERS | {dtypes.bool_}


def _band_mask(rows: int, columns: int, lower: int, upper: int) -> np.ndarray:
    gap = np.arange(rows)[:, None] - np.arange(columns)[None, :]
    return ((lower < 0) | (gap <= lower)) & ((upper < 0) | (-gap <= upper))


@op(
    "MatrixBandPart",
    "input:T, num_lower:Index, num_upper:Index -> T",
    types=DIAGONAL,
    static=("num_lower", "num_upper"),
    infer=as_first,
    vjp=lambda op, dy: (band_part(dy, op.inputs[1], op.inputs[2]), None, None),
)
@export("linalg.band_part", "matrix_band_part")
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
    if any(not -rows < d < columns for d in k) and not (low == high == 0):
        raise ValueError(f"diagonals {k} are outside a matrix of {rows} by {columns}")
    numbers = np.arange(high, low - 1, -1)
    above, below = np.maximum(numbers, 0), np.minimum(numbers, 0)
    lengths = np.minimum(rows + below, columns - above)
    up, down = (side == "RIGHT" for side in align.split("_"))
    starts = np.where((above > 0) & up | (below < 0) & down, lengths.max() - lengths, 0)
    which, at = np.nonzero(np.arange(lengths.max()) < lengths[:, None])
    return which, starts[which] + at, at - below[which], at + above[which]


def _packed_length(rows: int, columns: int, k: tuple[int, int]) -> int:
    return max(min(rows + min(d, 0), columns - max(d, 0)) for d in range(k[0], k[1] + 1))


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
    return put(xp, base, (..., d, p), input[..., r, c])


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
    return put(xp, base, (..., r, c), values)


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
    base = xp.full((*lead, rows, columns), np.asarray(padding_value, diagonal.dtype), diagonal.dtype)
    if not np.shape(diagonal)[-1]:
        return base
    d, p, r, c = _places(rows, columns, k, align)
    return put(xp, base, (..., r, c), diagonal if k[0] == k[1] else diagonal[..., d, p])


def _band(k: Any) -> tuple[int, int]:
    pair = np.asarray(k).reshape(-1).tolist()
    low, high = (pair * 2)[:2]
    if low > high:
        raise ValueError(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    return int(low), int(high)


@export("linalg.diag", "matrix_diag")
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


@export("linalg.diag_part", "matrix_diag_part")
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


@export("linalg.set_diag", "matrix_set_diag")
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


@export("linalg.tensor_diag", "diag")
def tensor_diag(diagonal: Any, name: str | None = None) -> Any:
    """The tensor of twice the rank whose diagonal is `diagonal`: `out[i, j, i, j] = diagonal[i, j]`."""
    diagonal = convert_to_tensor(diagonal)
    sizes = array.shape(diagonal)
    return array.reshape(diag_op(array.reshape(diagonal, [-1])), joining.concat([sizes, sizes], 0), name=name)


@export("linalg.tensor_diag_part", "diag_part")
def tensor_diag_part(input: Any, name: str | None = None) -> Any:
    """The diagonal of a tensor of even rank whose first and second half have one shape: `input[i, j, i, j]`."""
    input = convert_to_tensor(input)
    rank = array.rank(input) if input.shape.rank is None else input.shape.rank
    if isinstance(rank, int) and (rank % 2 or not rank):
        raise ValueError(f"tensor_diag_part needs a tensor of even and nonzero rank, got shape {input.shape}")
    sizes = array.shape(input)[: rank // 2]
    count = reductions.reduce_prod(sizes)
    return array.reshape(diag_part_op(array.reshape(input, joining.stack([count, count]))), sizes, name=name)


@export("trace", "linalg.trace")
def trace(x: Any, name: str | None = None) -> Any:
    """The sum of the diagonal of matrices."""
    return reductions.reduce_sum(diag_part_op(x), [-1], name=name)


@op(
    "Eye",
    "num_rows:Index, num_columns:Index -> dtype",
    static=("num_rows", "num_columns"),
    infer=lambda s: [tuple(None if v is None else int(v) for v in (s.value(0), s.value(1)))],
)
def _eye(xp, num_rows, num_columns, *, dtype):
    """The identity matrix."""
    return xp.eye(int(np.asarray(num_rows)), int(np.asarray(num_columns)), dtype=dtype.np)


@export("eye", "linalg.eye")
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
