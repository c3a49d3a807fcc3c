"""Bands and diagonals of matrices, the identity matrix."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import operand
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import Shapes, as_first
from inlay._src.core.signature import OneOf
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, joining, math, reductions
from inlay._src.ops.shaping import numbers_of, put

DIAGONAL = dtypes.NUMBERS | {dtypes.bool_}
TENSOR_DIAGONAL = dtypes.TRAINABLE | {dtypes.int32, dtypes.int64}


def _band_mask(rows: int, columns: int, lower: int, upper: int) -> np.ndarray:
    gap = np.arange(rows)[:, None] - np.arange(columns)[None, :]
    return ((lower < 0) | (gap <= lower)) & ((upper < 0) | (-gap <= upper))


@op(
    "MatrixBandPart",
    "input:T, num_lower:Index, num_upper:Index -> T",
    types=DIAGONAL,
    static=("num_lower", "num_upper"),
    ranks={"num_lower": 0, "num_upper": 0},
    infer=as_first,
    vjp=lambda op, dy: (band_part(dy, op.inputs[1], op.inputs[2]), None, None),
)
@export("linalg.band_part", "matrix_band_part")
def band_part(xp, input, num_lower, num_upper):
    """Matrices with everything outside a band around the diagonal set to zero.

    Args:
      input: matrices, [..., m, n].
      num_lower: number of subdiagonals to keep; negative keeps them all.
      num_upper: number of superdiagonals to keep; negative keeps them all.
    """
    if np.ndim(input) < 2:
        raise ValueError(f"input must be at least 2-dim, received shape: {list(np.shape(input))}")
    rows, columns = np.shape(input)[-2:]
    lower, upper = int(np.asarray(num_lower)), int(np.asarray(num_upper))
    for side, count, most, what in (("lower", lower, rows, "rows"), ("upper", upper, columns, "columns")):
        if count > most:
            raise ValueError(f"num_{side} must be negative or less or equal to number of {what} ({most}) got: {count}")
    mask = _band_mask(rows, columns, lower, upper)
    return xp.where(mask, input, xp.zeros_like(input))


_K = "k:int32"


def _band(k: Any) -> tuple[int, int]:
    """The lowest and the highest of the diagonals that an input `k` names.

    Raises:
      ValueError: if these are not one number or two in ascending order.
    """
    numbers, shape = numbers_of(k)
    if len(shape) > 1:
        raise ValueError(f"diag_index must be a scalar or vector, received shape: {list(shape)}")
    if len(numbers) not in (1, 2):
        raise ValueError(f"diag_index must have only one or two elements, received {len(numbers)} elements.")
    low, high = int(numbers[0]), int(numbers[-1])
    if low > high:
        raise ValueError(f"lower_diag_index must not be larger than upper_diag_index: {low} > {high}")
    return low, high


def _inside(k: tuple[int, int], rows: int, columns: int) -> None:
    """Refuses diagonals that a matrix does not have; 0 is one of every matrix."""
    for end, d in zip(("lower", "upper"), k, strict=True):
        if d and not -rows < d < columns:
            raise ValueError(
                f"{end}_diag_index is out of bound: {d}. It must be between {-rows} and {columns} "
                f"(a matrix of {rows} by {columns})"
            )


def _places(rows: int, columns: int, k: tuple[int, int], align: str) -> tuple[np.ndarray, ...]:
    """Of the diagonals k[0]..k[1] of a matrix: (diagonal, position) in the packed form, (row, column) in the matrix.

    Packed diagonals stand top down from k[1] to k[0], each padded to the longest; `align` says at which end.
    """
    numbers = np.arange(k[1], k[0] - 1, -1)
    above, below = np.maximum(numbers, 0), np.minimum(numbers, 0)
    lengths = np.maximum(np.minimum(rows + below, columns - above), 0)
    up, down = (side == "RIGHT" for side in align.split("_"))
    starts = np.where((above > 0) & up | (below < 0) & down, lengths.max() - lengths, 0)
    which, at = np.nonzero(np.arange(lengths.max()) < lengths[:, None])
    return which, starts[which] + at, at - below[which], at + above[which]


_ALIGNMENTS = {"align": OneOf(("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"))}


def _packed(lead: Any, rows: Any, columns: Any, k: tuple[int, int]) -> tuple[Any, ...]:
    """The shape of the diagonals k[0]..k[1] of matrices; a length that is not known is None."""
    if rows is None or columns is None:
        length = None
    else:
        _inside(k, rows, columns)
        length = min(rows + min(k[1], 0), columns - max(k[0], 0))
    return (*lead, length) if k[0] == k[1] else (*lead, k[1] - k[0] + 1, length)


def _at_least(rank: int, dims: Dims, name: str) -> None:
    """Refuses a static shape of less than `rank` dimensions, as it is worded while a graph is built."""
    if dims is not None and len(dims) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(dims)}: {name}")


def _ranked(x: Any, rank: int, name: str) -> tuple[int, ...]:
    """The shape of a value of at least `rank` dimensions."""
    if np.ndim(x) < rank:
        raise ValueError(f"{name} must be at least {rank}-dim, received shape: {list(np.shape(x))}")
    return np.shape(x)  # type: ignore[no-any-return]


def _diag_part_infer(s: Shapes) -> list[Dims]:
    dims, k = s.dims[0], s.value(1)
    _at_least(2, dims, "input")
    return [None if dims is None or k is None else _packed(dims[:-2], dims[-2], dims[-1], _band(k))]


def _one_diagonal(k: Any) -> bool:
    """Whether an input `k` is known to name one diagonal."""
    value = constant_of(k)
    return value is not None and len(set(np.asarray(value).reshape(-1).tolist())) == 1


def _diag_part_vjp(op, dy):
    x, k, padding = op.inputs
    zeros, align = array.zeros_like(x), op.attrs["align"]
    if _one_diagonal(k):  # which is not padded
        return set_diag_op(zeros, dy, k, align), None, None
    padded = diag_part_op(zeros, k, array.ones_like(padding), align)
    return set_diag_op(zeros, dy, k, align), None, reductions.reduce_sum(math.multiply(dy, padded))


@op(
    "MatrixDiagPartV3",
    f"input:T, {_K}, padding_value:T -> T",
    types=DIAGONAL,
    static=("k",),
    infer=_diag_part_infer,
    attrs=_ALIGNMENTS,
    vjp=_diag_part_vjp,
)
def diag_part_op(xp, input, k=0, padding_value=0, *, align="RIGHT_LEFT"):
    """The diagonals of matrices."""
    *lead, rows, columns = _ranked(input, 2, "input")
    band = _band(k)
    shape = _packed(lead, rows, columns, band)
    d, p, r, c = _places(rows, columns, band, align)
    if band[0] == band[1]:
        return input[..., r, c]
    return put(xp, xp.full(shape, padding_value, input.dtype), (..., d, p), input[..., r, c])


def _set_diag_infer(s: Shapes) -> list[Dims]:
    dims, diagonal, k = s.dims[0], s.dims[1], s.value(2)
    _at_least(2, dims, "input")
    _at_least(1, diagonal, "diagonal")
    if dims is not None and diagonal is not None and k is not None:
        packed = _packed(dims[:-2], dims[-2], dims[-1], _band(k))
        if len(packed) != len(diagonal):  # sizes are compared when it runs
            raise ValueError(f"Shape must be rank {len(packed)} but is rank {len(diagonal)}: diagonal")
    return [dims]


def _set_diag_vjp(op, dy):
    k, align = op.inputs[2], op.attrs["align"]
    diagonal = diag_part_op(dy, k, array.zeros([], dy.dtype), align)
    return set_diag_op(dy, array.zeros_like(op.inputs[1]), k, align), diagonal, None


@op(
    "MatrixSetDiagV3",
    f"input:T, diagonal:T, {_K} -> T",
    types=DIAGONAL,
    static=("k",),
    infer=_set_diag_infer,
    attrs=_ALIGNMENTS,
    vjp=_set_diag_vjp,
)
def set_diag_op(xp, input, diagonal, k=0, *, align="RIGHT_LEFT"):
    """Matrices with other diagonals."""
    *lead, rows, columns = _ranked(input, 2, "input")
    band, shape = _band(k), _ranked(diagonal, 1, "diagonal")
    packed = _packed(lead, rows, columns, band)
    if tuple(shape) != packed:
        raise ValueError(
            f"diagonals {band[0]} to {band[1]} of matrices {[*lead, rows, columns]} have the shape {list(packed)}, "
            f"but diagonal has {list(shape)}"
        )
    d, p, r, c = _places(rows, columns, band, align)
    values = diagonal if band[0] == band[1] else diagonal[..., d, p]
    base = np.array(input) if xp is np else input
    return put(xp, base, (..., r, c), values)


def _matrix_sides(length: int, k: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """The sides of the matrix that diagonals make; -1 is as small as they allow.

    Raises:
      ValueError: if such diagonals do not fit a matrix of these sides, or are shorter than its own.
    """
    least_rows, least_columns = length - min(k[1], 0), length + max(k[0], 0)
    for name, side, least in (("rows", rows, least_rows), ("columns", columns, least_columns)):
        if side != -1 and side < least:
            raise ValueError(f"The number of {name} is too small: {side}, where the diagonals need {least}.")
    if rows == -1 and columns == -1:
        side = max(least_rows, least_columns)
        return side, side
    rows, columns = (least_rows if rows == -1 else rows), (least_columns if columns == -1 else columns)
    if rows != least_rows and columns != least_columns:
        raise ValueError(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal: "
            f"{rows} by {columns}, where the diagonals fill {least_rows} rows or {least_columns} columns."
        )
    return rows, columns


def _count_of(rows: int | None, k: tuple[int, int]) -> None:
    """Refuses another number of packed diagonals than that of k[0]..k[1]."""
    if rows is not None and rows != k[1] - k[0] + 1:
        raise ValueError(
            "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index "
            f"range: {rows} rows, where {k[0]} to {k[1]} are {k[1] - k[0] + 1} diagonals."
        )


def _scalar_of(value: Any) -> int:
    return int(np.asarray(value).reshape(()))


def _diag_infer(s: Shapes) -> list[Dims]:
    dims, k = s.dims[0], s.value(1)
    _at_least(1, dims, "diagonal")
    if dims is None or k is None:
        return [None]
    band = _band(k)
    if band[0] != band[1]:
        _at_least(2, dims, "diagonal")
        _count_of(dims[-2], band)
    lead = dims[:-1] if band[0] == band[1] else dims[:-2]
    rows, columns = s.value(2), s.value(3)
    if rows is None or columns is None:
        return [(*lead, None, None)]
    rows, columns = _scalar_of(rows), _scalar_of(columns)
    if dims[-1] is None:
        return [(*lead, None if rows == -1 else rows, None if columns == -1 else columns)]
    return [(*lead, *_matrix_sides(dims[-1], band, rows, columns))]


def _diag_vjp(op, dy):
    x, k, rows, columns, padding = op.inputs
    diagonal = diag_part_op(dy, k, array.zeros([], dy.dtype), op.attrs["align"])
    elsewhere = diag_op(array.zeros_like(x), k, rows, columns, array.ones_like(padding), op.attrs["align"])
    return diagonal, None, None, None, reductions.reduce_sum(math.multiply(dy, elsewhere))


@op(
    "MatrixDiagV3",
    f"diagonal:T, {_K}, num_rows:int32, num_cols:int32, padding_value:T -> T",
    types=DIAGONAL,
    static=("k", "num_rows", "num_cols"),
    infer=_diag_infer,
    attrs=_ALIGNMENTS,
    vjp=_diag_vjp,
)
def diag_op(xp, diagonal, k=0, num_rows=-1, num_cols=-1, padding_value=0, *, align="RIGHT_LEFT"):
    """Matrices with given diagonals and one value elsewhere."""
    shape = _ranked(diagonal, 1, "diagonal")
    band = _band(k)
    single = band[0] == band[1]
    if not single:
        _count_of(_ranked(diagonal, 2, "diagonal")[-2], band)
    rows, columns = _matrix_sides(shape[-1], band, _scalar_of(num_rows), _scalar_of(num_cols))
    base = xp.full((*(shape[:-1] if single else shape[:-2]), rows, columns), padding_value, diagonal.dtype)
    if not shape[-1]:
        return base
    d, p, r, c = _places(rows, columns, band, align)
    return put(xp, base, (..., r, c), diagonal if single else diagonal[..., d, p])


def _padding(value: Any, kind: DType) -> Any:
    """The value of padding; 0, the default, is False among bools."""
    return bool(value) if kind.is_bool and value.__class__ is int else value


@export("linalg.diag", "matrix_diag")
def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonal (or band of diagonals) and `padding_value` elsewhere.

    Args:
      diagonal: [..., length], or [..., diagonals, length] for a band.
      name: the node's name.
      k: number of the diagonal, or the pair (lowest, highest).
      num_rows, num_cols: the sides; -1 is as small as the diagonals allow.
      padding_value: value outside of the diagonals.
      align: at which end shorter superdiagonals and subdiagonals are padded.
    """
    diagonal = convert_to_tensor(diagonal)
    padding = _padding(padding_value, diagonal.dtype)
    return diag_op(diagonal, k, num_rows, num_cols, padding, align, name=name)


@export("linalg.diag_part", "matrix_diag_part")
def diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The diagonal of matrices, or a band of diagonals.

    Args:
      input: matrices, [..., m, n].
      name: the node's name.
      k: number of the diagonal, or the pair (lowest, highest).
      padding_value: fills shorter diagonals of a band.
      align: at which end shorter superdiagonals and subdiagonals are padded.
    """
    input = operand(input)
    return diag_part_op(input, k, _padding(padding_value, input.dtype), align, name=name)


@export("linalg.set_diag", "matrix_set_diag")
def set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """Matrices with their diagonal, or a band of diagonals, replaced.

    Args:
      input: matrices, [..., m, n].
      diagonal: [..., length], or [..., diagonals, length] for a band.
      name: the node's name.
      k: number of the diagonal, or the pair (lowest, highest).
      align: at which end shorter superdiagonals and subdiagonals are padded.
    """
    return set_diag_op(input, diagonal, k, align, name=name)


def _tensor_diag_infer(s: Shapes) -> list[Dims]:
    _at_least(1, s.dims[0], "diagonal")
    return [None if s.dims[0] is None else (*s.dims[0], *s.dims[0])]


@op(
    "Diag",
    "diagonal:T -> T",
    types=TENSOR_DIAGONAL,
    infer=_tensor_diag_infer,
    vjp=lambda op, dy: tensor_diag_part(dy),
)
@export("linalg.tensor_diag", "diag")
def tensor_diag(xp, diagonal):
    """The tensor of twice the rank whose diagonal is `diagonal`: `out[i, j, i, j] = diagonal[i, j]`."""
    if not np.ndim(diagonal):
        raise ValueError("Input must be at least rank 1, got 0")
    return xp.reshape(xp.diag(xp.reshape(diagonal, (-1,))), np.shape(diagonal) * 2)


def _tensor_diag_part_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None]
    half = len(dims) // 2
    if len(dims) % 2 or not dims:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {len(dims)}")
    return [shapes.merge(dims[:half], dims[half:])]


@op(
    "DiagPart",
    "input:T -> T",
    types=TENSOR_DIAGONAL,
    infer=_tensor_diag_part_infer,
    vjp=lambda op, dy: tensor_diag(dy),
)
@export("linalg.tensor_diag_part", "diag_part")
def tensor_diag_part(xp, input):
    """The diagonal of a tensor of even rank whose first and second half have one shape: `input[i, j, i, j]`."""
    shape = np.shape(input)
    half = len(shape) // 2
    if len(shape) % 2:
        raise ValueError(f"The rank of the tensor should be even and positive, got shape {list(shape)}")
    for i in range(half):
        if shape[i] != shape[half + i]:
            raise ValueError(f"Invalid shape {list(shape)}: dimensions {i} and {half + i} do not match.")
    count = prod(shape[:half])
    return xp.reshape(xp.diagonal(xp.reshape(input, (count, count))), shape[:half])


@export("trace", "linalg.trace")
def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal of matrices."""
    return reductions.reduce_sum(diag_part_op(x), [-1], name=name)


def _eye_infer(s: Shapes) -> list[Dims]:
    sizes = [None if v is None else int(v) for v in (s.value(0), s.value(1))]
    if min((n for n in sizes if n is not None), default=0) < 0:
        raise ValueError(f"Invalid value in tensor used for shape: {sizes}")
    return [tuple(sizes)]


@op(
    "Eye",
    "num_rows:Index, num_columns:Index -> dtype",
    static=("num_rows", "num_columns"),
    ranks={"num_rows": 0, "num_columns": 0},
    infer=_eye_infer,
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
) -> Tensor:
    """The identity matrix, repeated for each element of `batch_shape`.

    Args:
      num_rows: number of rows.
      num_columns: number of columns; equal to the number of rows if None.
      batch_shape: leading sizes.
      dtype: the type.
      name: the node's name.
    """
    kind = dtypes.as_dtype(dtype)
    rows = _side(num_rows, "num_rows")
    columns = rows if num_columns is None else _side(num_columns, "num_columns")
    one = _eye(rows, columns, kind, name=name)
    if batch_shape is None:
        return one
    sizes = joining.concat([_vector(batch_shape), [1, 1]], 0)
    ones = array.ones(sizes, dtypes.int32 if kind.is_bool else kind)
    return math.cast(math.multiply(ones, math.cast(one, ones.dtype)), kind)


def _side(size: Any, name: str) -> Tensor:
    """The number of rows or columns as a scalar; tensors of another rank are left to the op."""
    tensor = math.whole_numbers(size, dtypes.int32)
    if tensor.shape.rank and not isinstance(size, Tensor):
        raise TypeError(f"Argument `{name}` must be a positive integer. Received: {size!r}")
    return tensor


def _vector(sizes: Any) -> Tensor:
    if isinstance(sizes, shapes.TensorShape):
        sizes = sizes.as_list()
    vector = convert_to_tensor(sizes, dtypes.int32)
    if vector.shape.rank not in (None, 1):
        raise ValueError(f"batch_shape must be a list of sizes, got {sizes!r}")
    return vector
