"""NumPy's products of tensors, and diagonals of matrices."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array as arrays
from inlay._src.ops import diagonals, math, ranges, stacking
from inlay._src.ops import einsum as sums
from inlay._src.ops import matmul as matrices
from inlay._src.ops.shaping import axis_of
from inlay._src.programs.numpy_functions.conversion import rank_of, tensor_of, together
from inlay._src.programs.numpy_functions.creation import with_rank
from inlay._src.programs.numpy_functions.elementwise import multiply
from inlay._src.programs.numpy_functions.reducing import sum_
from inlay._src.programs.numpy_functions.shaping import moveaxis, ravel


@export("experimental.numpy.matmul")
def matmul(x1: Any, x2: Any) -> Tensor:
    """The matrix product of the last two axes; a vector is a row on the left and a column on the right."""
    a, b = together(x1, x2)
    if rank_of(a) == 0 or rank_of(b) == 0:
        raise ValueError(f"matmul needs operands of rank 1 or more, got {a.shape} and {b.shape}")
    if rank_of(a) == 1 and rank_of(b) == 1:
        return sums.tensordot(a, b, 1)
    if rank_of(a) == 1:
        return arrays.squeeze(matrices.matmul(arrays.expand_dims(a, 0), b), -2)
    if rank_of(b) == 1:
        return arrays.squeeze(matrices.matmul(a, arrays.expand_dims(b, -1)), -1)
    return matrices.matmul(a, b)


@export("experimental.numpy.dot")
def dot(a: Any, b: Any) -> Tensor:
    """The sums of products over the last axis of one and the last but one of the other; of scalars the product."""
    a, b = together(a, b)
    if 0 in (rank_of(a), rank_of(b)):
        return math.multiply(a, b)
    return sums.tensordot(a, b, [[rank_of(a) - 1], [max(rank_of(b) - 2, 0)]])


@export("experimental.numpy.inner")
def inner(a: Any, b: Any) -> Tensor:
    """The sums of products over the last axes of both; of scalars the product."""
    a, b = together(a, b)
    if 0 in (rank_of(a), rank_of(b)):
        return math.multiply(a, b)
    return sums.tensordot(a, b, [[rank_of(a) - 1], [rank_of(b) - 1]])


@export("experimental.numpy.vdot")
def vdot(a: Any, b: Any) -> Tensor:
    """The sum of products of all elements, those of the first one conjugated."""
    a, b = together(a, b)
    return sums.tensordot(math.conj(ravel(a)), ravel(b), 1)


@export("experimental.numpy.outer")
def outer(a: Any, b: Any) -> Tensor:
    """The product of each element of one with each of the other."""
    a, b = together(a, b)
    return math.multiply(arrays.reshape(a, [-1, 1]), arrays.reshape(b, [1, -1]))


@export("experimental.numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The sums of products along axes of two tensors.

    Args:
      a, b: the tensors.
      axes: the number of last axes of `a` and first axes of `b`, or two lists of axes.
    """
    first, second = together(a, b)
    return sums.tensordot(first, second, axes)


@export("experimental.numpy.einsum")
def einsum(subscripts: Any, *operands: Any, **kwargs: Any) -> Tensor:
    """The sums of products that an equation says.

    Args:
      subscripts: the equation.
      *operands: the tensors.
      **kwargs: `casting`: "safe" or "no"; `order`: "C", "K" or "A"; `optimize`: accepted.

    Raises:
      ValueError: for others.
    """
    if kwargs.pop("casting", "safe") not in ("safe", "no"):
        raise ValueError('Expected casting="safe" or casting="no".')
    if str(kwargs.pop("order", "K")).upper() not in ("C", "K", "A"):
        raise ValueError('Expected order="C", "K" or "A": tensors have no other order.')
    return sums.einsum(subscripts, *together(*operands), **kwargs)


@export("experimental.numpy.kron")
def kron(a: Any, b: Any) -> Tensor:
    """Kronecker's product: each element of one with the whole of the other."""
    a, b = together(a, b)
    rank = max(rank_of(a), rank_of(b))
    a, b = with_rank(a, rank), with_rank(b, rank)
    sizes = math.multiply(arrays.shape(a), arrays.shape(b))
    apart = [arrays.reshape(stacking.stack(pair, 1), [-1]) for pair in _with_ones(a, b)]
    return arrays.reshape(multiply(arrays.reshape(a, apart[0]), arrays.reshape(b, apart[1])), sizes)


def _with_ones(a: Any, b: Any) -> list[list[Any]]:
    """The sizes of two tensors, each axis of one beside a 1 for the same of the other."""
    first, second = arrays.shape(a), arrays.shape(b)
    return [[first, arrays.ones_like(first)], [arrays.ones_like(second), second]]


@export("experimental.numpy.cross")
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> Tensor:
    """The vectors that stand upright on two others; of two plane ones the length of that.

    Args:
      a, b: vectors of 2 or 3 numbers along an axis; the others broadcast.
      axisa, axisb, axisc: along which axis they lie in `a`, in `b` and in the result.
      axis: all three.

    Raises:
      ValueError: if there are other than 2 or 3 numbers.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = together(a, b)
    first, second = _along_last(a, axisa), _along_last(b, axisb)
    lengths = len(first), len(second)
    if not set(lengths) <= {2, 3}:
        raise ValueError(f"cross takes vectors of 2 or 3 numbers, got {lengths[0]} and {lengths[1]}")
    upright = math.subtract(math.multiply(first[0], second[1]), math.multiply(first[1], second[0]))
    if lengths == (2, 2):
        return upright
    (x, y, z), (u, v, w) = (
        parts if len(parts) == 3 else [*parts, arrays.zeros_like(parts[0])] for parts in (first, second)
    )
    parts = [
        math.subtract(math.multiply(y, w), math.multiply(z, v)),
        math.subtract(math.multiply(z, u), math.multiply(x, w)),
        upright,
    ]
    return moveaxis(stacking.stack(parts, -1), -1, axisc)


def _along_last(tensor: Any, axis: int) -> list[Any]:
    """The parts of a tensor along an axis whose size is known."""
    at = axis_of(axis, rank_of(tensor))
    if tensor.shape[at] is None:
        raise ValueError(f"The size of the axis {axis} of {tensor!r} must be known here: 2 or 3.")
    return stacking.unstack(tensor, axis=at)  # type: ignore[no-any-return]


# ---------------------------------------------------------------- diagonals


@export("experimental.numpy.diagonal")
def diagonal(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Tensor:
    """The diagonals of the matrices in two axes.

    Args:
      a: the tensor.
      offset: the index of the diagonal; 0 is the main one, positive ones lie above it.
      axis1, axis2: the axes of rows and of columns.

    Raises:
      ValueError: if the tensor has no such axes.
    """
    matrices_last = moveaxis(tensor_of(a), [axis1, axis2], [-2, -1])
    rows, columns = matrices_last.shape[-2:]
    if rows is not None and columns is not None and not -rows < offset < max(columns, 1):
        return arrays.zeros([*arrays.shape(matrices_last)[:-2], 0], matrices_last.dtype)
    return diagonals.diag_part(matrices_last, k=offset)


@export("experimental.numpy.trace")
def trace(a: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1, dtype: Any = None) -> Tensor:
    """The sums of the diagonals of the matrices in two axes: `diagonal`."""
    tensor = tensor_of(a, dtype)
    return sum_(diagonal(tensor, offset, axis1, axis2), -1, tensor.dtype)


@export("experimental.numpy.diag")
def diag(v: Any, k: Any = 0) -> Tensor:
    """A diagonal of a matrix, or the matrix whose diagonal a vector is.

    Raises:
      ValueError: for another rank.
    """
    tensor = tensor_of(v)
    if rank_of(tensor) not in (1, 2):
        raise ValueError(f"diag takes a vector or a matrix, got a tensor of shape {tensor.shape}")
    return diagonal(tensor, k) if rank_of(tensor) == 2 else diagonals.diag(tensor, k=k)


@export("experimental.numpy.diagflat")
def diagflat(v: Any, k: Any = 0) -> Tensor:
    """The matrix whose diagonal the elements of a tensor are."""
    return diag(ravel(v), k)


def _masked(m: Any, k: Any, upper: bool) -> Any:
    tensor = tensor_of(m)
    rows, columns = arrays.shape(tensor)[-2], arrays.shape(tensor)[-1]
    ahead = ranges.range_(columns) - arrays.expand_dims(ranges.range_(rows), 1)
    stays = math.greater_equal(ahead, k) if upper else math.less_equal(ahead, k)
    return arrays.where(stays, tensor, arrays.zeros_like(tensor))


@export("experimental.numpy.tril")
def tril(m: Any, k: Any = 0) -> Tensor:
    """Matrices with zeros above a diagonal."""
    return _masked(m, k, False)


@export("experimental.numpy.triu")
def triu(m: Any, k: Any = 0) -> Tensor:
    """Matrices with zeros below a diagonal."""
    return _masked(m, k, True)
