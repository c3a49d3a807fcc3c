"""Products of matrices, transposed matrices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.misuse import explained
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.core import context
from inlay._src.core.eager.attributes import truth
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers
from inlay._src.core.hints import InlineKernel, LoweringHints, Name
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.ops import array, joining, math, ranges, rearranging, shaping


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


def turned(xp: Any, x: Any, transpose: bool, adjoint: bool) -> Any:
    if adjoint:
        x = xp.conjugate(x)
    return x.swapaxes(-1, -2) if transpose or adjoint else x


def _matmul_vjp(op, dy):
    a, b = op.inputs
    ta, tb = op.attrs["transpose_a"], op.attrs["transpose_b"]
    aa, ab = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    # With A' = op_a(A) and B' = op_b(B): dA' = dy B'^H, dB' = A'^H dy; then each is turned back.
    ca, cb = (a if aa else math.conjugate(a)), (b if ab else math.conjugate(b))
    flip_a, flip_b = ta or aa, tb or ab
    da = db = None
    product = op.opdef.dispatch.function
    if op.needs(0):
        if flip_a:
            da = product(cb, dy, transpose_a=flip_b, transpose_b=True)
        else:
            da = product(dy, cb, transpose_b=not flip_b)
        da = shaping.sum_like(math.conjugate(da) if aa else da, a)
    if op.needs(1):
        if flip_b:
            db = product(dy, ca, transpose_a=True, transpose_b=flip_a)
        else:
            db = product(ca, dy, transpose_a=not flip_a)
        db = shaping.sum_like(math.conjugate(db) if ab else db, b)
    return da, db


def _matmul(xp, a, b, *, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False):
    """The matrix product of the last two axes; the leading ones broadcast."""
    if xp is np and a.ndim == b.ndim == 2 and a.dtype.char in "fd":
        # Of floating matrices `dot` calls the same routine with less ado; of whole numbers it is slower.
        try:
            return np.dot(a.T if transpose_a or adjoint_a else a, b.T if transpose_b or adjoint_b else b)
        except ValueError:
            pass  # sizes that do not fit; told below
    if a.ndim < 2 or b.ndim < 2:
        raise ValueError(f"In[0] and In[1] must have rank 2 or more, got {a.ndim} and {b.ndim}")
    if transpose_a or adjoint_a:
        a = turned(xp, a, transpose_a, adjoint_a)
    if transpose_b or adjoint_b:
        b = turned(xp, b, transpose_b, adjoint_b)
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(
            f"Matrix size-incompatible: In[0]: {shapes.bracketed(a.shape)}, In[1]: {shapes.bracketed(b.shape)}"
        )
    if xp is np and a.dtype.kind in "iu" and _is_exact_as_float(a, b):
        return np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(np.int64).astype(a.dtype)
    x = shaping.wide(a)
    if x is not a:
        return xp.matmul(x, shaping.wide(b)).astype(a.dtype)
    return xp.matmul(a, b)


def _is_exact_as_float(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether BLAS, which knows no whole numbers, may multiply matrices of them: no sum leaves those of float64."""
    if not a.size or not b.size or a.size * b.shape[-1] < TUNING.whole_products:
        return False
    most = [max(int(x.max()), -int(x.min())) for x in (a, b)]
    return most[0] * most[1] * a.shape[-1] < 1 << 53


def _matmul_written(
    values: Sequence[str], kinds: Sequence[DType], attrs: Mapping[str, Any], name: Name, sole: str
) -> InlineKernel | None:
    """The source of a product of two floating matrices, which are not conjugated."""
    if kinds[0] not in (dtypes.float32, dtypes.float64):
        return None
    a, b = values
    first, second = (
        f"{x}.T" if attrs.get(f"transpose_{side}") or attrs.get(f"adjoint_{side}") else x
        for x, side in ((a, "a"), (b, "b"))
    )
    return InlineKernel(f"{a}.ndim == 2 == {b}.ndim", f"{name('u', np.dot)}({first}, {second})")


_FACTORS = dtypes.NUMBERS - {dtypes.int8}
_product = functools.partial(
    op, signature="a:T, b:T -> T", infer=_matmul_infer, vjp=_matmul_vjp,
    lower=LoweringHints(expression=_matmul_written, fresh=True), label="MatMul",
)  # fmt: skip
_matmul.__name__ = "matmul_op"  # as the public function is called
matmul_op: Callable[..., Any] = _product("BatchMatMulV2", types=_FACTORS)(_matmul)
_product_of_matrices = _product("MatMul", types=_FACTORS - {dtypes.int16})(_matmul)
"""Type of a node with inputs known to be matrices: TensorFlow registers gradients under this name."""


def _are_matrices(a: Any, b: Any) -> bool:
    """Whether a node for these inputs would be one of matrices."""
    first, second = a.__class__, b.__class__
    if first is EagerTensor is second:
        return False
    if first is not SymbolicTensor is not second and (context.get() or context.base()).graph is None:
        return False
    shapes = [getattr(x, "shape", None) for x in (a, b)]
    ranks = [s.rank if isinstance(s, TensorShape) else _depth(x) for s, x in zip(shapes, (a, b), strict=True)]
    return ranks == [2, 2]


def _depth(value: Any) -> int | None:
    """The rank of an array or of nested lists, counted along their first elements: uneven ones are refused later.

    None if it is not known; a rank above that of matrices may come out too low.
    """
    depth = 0
    while isinstance(value, (list, tuple)) and depth < 3:
        if not value:
            return depth + 1
        depth, value = depth + 1, value[0]
    rank = _rank(value) if not isinstance(value, (list, tuple)) else 0
    return None if rank is None else depth + rank


_WIDTHS = {dtypes.bfloat16, dtypes.float32}


def _of_both_widths(a: Any, b: Any) -> bool:
    """Whether one matrix is bfloat16 and the other float32, which TensorFlow multiplies as float32."""
    kinds = getattr(a, "dtype", None), getattr(b, "dtype", None)
    if kinds[0] is kinds[1] or not _WIDTHS.issuperset(kinds):
        return False
    return a.shape.rank == b.shape.rank == 2


@export("matmul", "linalg.matmul")
@boundary
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
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product `a @ b` of the last two axes; leading axes broadcast.

    Args:
      a, b: tensors of rank 2 or more and one type; a matrix of bfloat16 and one of float32 are both taken as float32.
      transpose_a, transpose_b: whether to swap the last two axes first.
      adjoint_a, adjoint_b: whether to conjugate them too.
      a_is_sparse, b_is_sparse: accepted and ignored.
      output_type: the type of the result; the product is computed in it.
      grad_a, grad_b: accepted and ignored.
      name: the node's name.
    """
    try:
        if output_type is not None:
            a, b = (math.cast(x, output_type) for x in (a, b))
        elif _of_both_widths(a, b):
            a, b = (math.cast(x, dtypes.float32) for x in (a, b))
        product = _product_of_matrices if _are_matrices(a, b) else matmul_op
        flags: Any = transpose_a, transpose_b, adjoint_a, adjoint_b
        if not all([f.__class__ is bool for f in flags]) and 2 not in map(_rank, (a, b)):
            # TensorFlow asks batches of matrices for the truth of the transposes, and for bools elsewhere.
            flags = [f if isinstance(f, SymbolicTensor) else truth(f, "transpose") for f in flags[:2]] + list(flags[2:])
        return product(a, b, *flags, name)
    except Exception as error:
        leave(error)
        raise


def _rank(value: Any) -> int | None:
    """The rank of a tensor or of what becomes one, None if it is not known."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, TensorShape):
        return shape.rank
    if isinstance(value, (list, tuple)):
        return _depth(value)
    rank = getattr(value, "ndim", 0)
    return rank if isinstance(rank, int) else None


@export("matrix_transpose", "linalg.matrix_transpose", "compat.v1.linalg.transpose")
@explained
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a` with its last two axes swapped, and conjugated if asked for.

    Args:
      a: a tensor of rank 2 or more.
      name: the node's name.
      conjugate: whether to take complex conjugates too.
    """
    a = convert_to_tensor(a)
    rank = a.shape.rank
    if rank is None:
        count = array.rank(a)
        perm: Any = joining.concat([ranges.range_(count - 2), [count - 1, count - 2]], 0)
    else:
        if rank < 2:
            raise ValueError(f"Argument `a` should be a (batch) matrix with rank >= 2. Received shape {a.shape}")
        perm = [*range(rank - 2), rank - 1, rank - 2]
    return rearranging.transpose(a, perm, conjugate, name=name)


@export("linalg.adjoint")
@explained
def adjoint(matrix: Any, name: str | None = None) -> Any:
    """The conjugate transpose of the last two axes, of a linear operator too."""
    if answers(matrix) and hasattr(matrix, "adjoint"):
        return matrix.adjoint()
    return matrix_transpose(matrix, "adjoint" if name is None else name, conjugate=True)


@export("linalg.matvec")
@explained
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
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


@export("compat.v1.sparse_matmul")
@explained
def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices many of whose elements may be zero: that of `matmul`.

    Args:
      a, b: matrices of float32 or bfloat16.
      transpose_a, transpose_b: whether they are transposed before.
      a_is_sparse, b_is_sparse: accepted and ignored.
      name: the node's name.

    Returns:
      A float32 matrix.

    Raises:
      InvalidArgumentError: for other types.
    """
    factors = [convert_to_tensor(x, preferred_dtype=dtypes.float32) for x in (a, b)]
    for letter, factor in zip(("Ta", "Tb"), factors, strict=True):
        if factor.dtype not in _WIDTHS:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Value for attr '{letter}' of {factor.dtype.name} is not in the list of allowed values: float, "
                "bfloat16",
            )
    left, right = (math.cast(factor, dtypes.float32) for factor in factors)
    return matmul(left, right, transpose_a=transpose_a, transpose_b=transpose_b, name=name)
