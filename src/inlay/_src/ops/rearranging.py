"""The same elements in another order: transposing, reversing, rolling; and the places of elements."""

from __future__ import annotations

import math as pymath
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import explained
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import EXACT_INDEX, INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core import graph as graphs
from inlay._src.core.eager.attributes import truth
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.hints import REFUSES_VALUES, LoweringHints
from inlay._src.core.opdef import MOST_SIZES, OPS, Shapes, no_gradient
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops import math
from inlay._src.ops.array import rank
from inlay._src.ops.ranges import range_
from inlay._src.ops.shaping import axes_of, numbers_of

# ---------------------------------------------------------------- shapes


def _transpose_infer(s: Shapes) -> list[Dims]:
    perm, dims, length = s.value(1), s.dims[0], s.dims[1]
    if dims is None:
        if not length or length[0] is None or length[0] > MOST_SIZES:
            return [None]
        dims = (None,) * length[0]
    if perm is None:
        return [(None,) * len(dims)]
    order = [i + len(dims) if i < 0 else i for i in perm.tolist()]
    if sorted(order) != list(range(len(dims))):
        raise _no_permutation(perm, len(dims))
    return [tuple(dims[i] for i in order)]


def _transpose_vjp(op, dy):
    perm = op.inputs[1]
    return transpose_op(dy, _invert(perm)), None


def _invert(perm: Any) -> Any:
    if isinstance(perm, SymbolicTensor):
        value = graphs.constant_of(perm)
        if value is None:
            return emit(OPS["InvertPermutation"], (perm,))
        perm = value
    order = np.asarray(perm)
    return np.argsort(np.where(order < 0, order + order.size, order)).astype(np.int32)


@op(
    "InvertPermutation",
    "x:T -> T",
    types=INDEX,
    ranks={"x": 1},
    infer=lambda s: [s.dims[0] or (None,)],
    lower=REFUSES_VALUES,
)
@export("math.invert_permutation", "compat.v1.invert_permutation")
def invert_permutation(xp, x):
    """The inverse of a permutation of 0..n-1."""
    order = xp.argsort(x)
    if xp is np and not np.array_equal(x[order], np.arange(x.size)):
        raise ValueError(f"{x.tolist()} is not a permutation of 0..{x.size - 1}")
    return order.astype(x.dtype)


@op(
    "Transpose",
    "x:T, perm:Index -> T",
    static=("perm",),
    ranks={"perm": 1},
    lower=LoweringHints(aliases=True),
    infer=_transpose_infer,
    vjp=_transpose_vjp,
)
def transpose_op(xp, x, perm):
    """The tensor with its axes in another order."""
    try:
        return xp.transpose(x, tuple(numbers_of(perm)[0]))
    except ValueError:
        raise _no_permutation(perm, np.ndim(x)) from None


def _no_permutation(perm: Any, rank: int) -> ValueError:
    return ValueError(f"perm {np.asarray(perm).tolist()} is not a permutation of the {rank} axes")


@export("transpose")
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Tensor:
    """The tensor with its axes in the order `perm`; reversed if `perm` is None.

    Args:
      a: the tensor.
      perm: a permutation of the axes.
      conjugate: whether to take complex conjugates too.
      name: the node's name.
    """
    a = convert_to_tensor(a)
    if perm is None:
        dims = a.shape._dims
        if dims is None:
            perm = range_(math.subtract(rank(a), 1), -1, -1)
        else:
            perm = np.arange(len(dims) - 1, -1, -1, dtype=np.int32)
    out = transpose_op(a, perm, name=name)
    if conjugate is not False and truth(conjugate, "conjugate") and a.dtype.is_complex:
        return math.conj(out)
    return out


# ---------------------------------------------------------------- order


def _along_axes(s: Shapes) -> list[Dims]:
    """The first input's shape, which has the axes that the last input names."""
    dims, axes = s.dims[0], s.value(len(s.dims) - 1)
    if dims is not None and axes is not None:
        axes_of(axes, len(dims))
    return [dims]


@op(
    "ReverseV2",
    "tensor:T, axis:Index -> T",
    static=("axis",),
    ranks={"axis": 1},
    infer=_along_axes,
    vjp=lambda op, dy: (reverse(dy, op.inputs[1]), None),
    lower=LoweringHints(aliases=True),
)
@export("reverse", "compat.v1.reverse_v2", "compat.v1.manip.reverse")
def reverse(xp, tensor, axis):
    """The tensor with the order of the given axes turned round."""
    axes = axes_of(axis, np.ndim(tensor)) or ()
    if len(set(axes)) != len(axes):
        raise ValueError(f"axis {list(axes)} is specified more than once")
    return xp.flip(tensor, axis=axes) if axes else tensor


def _roll_vjp(op, dy):
    return roll(dy, math.negative(op.inputs[1]), op.inputs[2]), None, None


def _roll_infer(s: Shapes) -> list[Dims]:
    """The first input's shape. The axes are checked at run time, as in TensorFlow."""
    input_dims, shift, axis = s.dims
    if input_dims is not None and not input_dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0: input of roll")
    for dims, what in ((shift, "shift"), (axis, "axis")):
        if dims is not None and len(dims) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(dims)}: {what} of roll")
    shapes.merge(shift, axis)
    return [input_dims]


@op(
    "Roll",
    "input:T, shift:S, axis:Index -> T",
    types={"S": EXACT_INDEX, "Index": EXACT_INDEX},
    static=("shift", "axis"),
    infer=_roll_infer,
    vjp=_roll_vjp,
)
@export("roll", "compat.v1.manip.roll")
def roll(xp, input, shift, axis):
    """The tensor with its elements moved along axes; elements shifted past the end re-enter at the start."""
    if not np.ndim(input):
        raise ValueError("input must be 1-D or higher")
    for vector, what in ((shift, "shift"), (axis, "axis")):
        if np.ndim(vector) > 1:
            raise ValueError(f"{what} must be a scalar or a 1-D vector. Found: {list(np.shape(vector))}")
    if np.shape(shift) != np.shape(axis):
        shapes_given = f"{list(np.shape(shift))} and {list(np.shape(axis))}"
        raise ValueError(f"shift and axis must have the same size, got shapes {shapes_given}")
    shifts, axes = np.asarray(shift).reshape(-1).tolist(), axes_of(axis, np.ndim(input)) or ()
    return xp.roll(input, tuple(shifts), axis=axes)


def _sequence_index(lengths: Any, rank: int, size: int, seq_axis: int, batch_axis: int) -> np.ndarray:
    t = np.arange(size)
    n = np.asarray(lengths).reshape(-1, 1)
    if (n < 0).any() or (n > size).any():
        raise ValueError(f"seq_lens must be in [0, {size}], got {n.reshape(-1).tolist()}")
    index = np.where(t < n, n - 1 - t, t)  # batch, time
    shape = [1] * rank
    shape[seq_axis], shape[batch_axis] = size, n.size
    return index.reshape(shape) if batch_axis < seq_axis else index.T.reshape(shape)


def _check_sequence_axes(seq: int, batch: int, rank: int) -> None:
    """Refuses axes of time and batch that a tensor of a rank does not have."""
    for axis, what in ((seq, "seq_dim"), (batch, "batch_dim")):
        if axis < 0:
            raise ValueError(f"{what} must be >= 0, got {axis}")
        if axis >= rank:
            raise ValueError(f"{what} must be < input rank ({axis} vs. {rank})")


def _reverse_sequence_infer(s: Shapes) -> list[Dims]:
    dims, lengths = s.dims
    if dims is None:
        return [None]
    batch = s.attrs["batch_axis"]
    _check_sequence_axes(s.attrs["seq_axis"], batch, len(dims))
    size = shapes.merge(dims[batch : batch + 1], lengths) or (None,)
    return [(*dims[:batch], *size, *dims[batch + 1 :])]


@op(
    "ReverseSequence",
    "input:T, seq_lengths:Index -> T",
    static=("seq_lengths",),
    ranks={"seq_lengths": 1},
    infer=_reverse_sequence_infer,
    vjp=lambda op, dy: (_reverse_sequence(dy, op.inputs[1], **op.attrs), None),
)
def _reverse_sequence(xp, input, seq_lengths, *, seq_axis: int, batch_axis: int):
    """The first `seq_lengths[i]` entries of each batch entry turned round."""
    rank, seq, batch = np.ndim(input), seq_axis, batch_axis
    if np.ndim(seq_lengths) != 1:
        raise ValueError(f"seq_lengths must be 1-dim, not {np.ndim(seq_lengths)}")
    _check_sequence_axes(seq, batch, rank)
    if seq == batch:
        raise ValueError(f"batch_dim == seq_dim == {seq}")
    if np.size(seq_lengths) != np.shape(input)[batch]:
        raise ValueError(
            f"Length of seq_lengths != input.dims({batch}): {np.size(seq_lengths)}, {np.shape(input)[batch]}"
        )
    index = _sequence_index(seq_lengths, rank, np.shape(input)[seq], seq, batch)
    return xp.take_along_axis(input, np.broadcast_to(index, np.shape(input)), axis=seq)


@export("reverse_sequence")
@explained
def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """The first `seq_lengths[i]` entries of batch entry i in reverse; the rest stays.

    Args:
      input: the tensor.
      seq_lengths: one length per batch entry.
      seq_axis: the axis to reverse.
      batch_axis: the axis of batch entries; 0 if None.
      name: the node's name.
      seq_dim, batch_dim: the 1.x names of the axes.
    """
    at = seq_axis if seq_axis is not None else seq_dim
    if at is None:
        raise ValueError("reverse_sequence needs seq_axis")
    batch = batch_axis if batch_axis is not None else batch_dim
    return _reverse_sequence(input, seq_lengths, seq_axis=at, batch_axis=0 if batch is None else batch, name=name)


def _unravel_infer(s: Shapes) -> list[Dims]:
    indices, dims = s.dims
    if indices is not None and len(indices) > 1:
        raise ValueError("The indices can only be scalar or vector.")
    count = None if dims is None or len(dims) != 1 else dims[0]
    return [None if indices is None else (count, *indices)]


@op(
    "UnravelIndex",
    "indices:Tidx, dims:Tidx -> Tidx",
    types={"Tidx": INDEX},
    static=("dims",),
    ranks={"dims": 1},
    infer=_unravel_infer,
    vjp=no_gradient,
    lower=REFUSES_VALUES,
)
@export("unravel_index")
def unravel_index(xp, indices, dims):
    """The coordinates of elements in a tensor, from their flat indices in row-major order.

    Args:
      indices: places, int32 or int64, a scalar or [n].
      dims: the shape of the tensor.

    Returns:
      One row for each axis: [axes], or [axes, n].

    Raises:
      InvalidArgumentError: for an index beyond the last element, and for more elements than the type of `dims` counts.
    """
    if np.ndim(indices) > 1:
        raise ValueError("The indices can only be scalar or vector.")
    sizes = np.asarray(dims)
    if pymath.prod(sizes.tolist()) > np.iinfo(sizes.dtype).max:
        raise ValueError(f"Input dims product is causing integer overflow: {sizes.tolist()}")
    if xp is np and np.size(indices) and not np.max(indices) < sizes.prod():
        raise ValueError(f"index is out of bound as with dims: {np.ravel(indices).tolist()} in {sizes.tolist()}")
    kind = xp.asarray(indices).dtype
    if not sizes.size:
        return xp.zeros((0, *np.shape(indices)), kind)
    strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1)
    size_of, sign = xp.abs(indices), xp.sign(indices)  # a negative place counts as in C, towards 0
    places = [
        sign * (size_of // kind.type(stride) % kind.type(size)) for stride, size in zip(strides, sizes, strict=True)
    ]
    return xp.stack(places).astype(kind)
