"""Constants and placeholders, shapes, filling and selecting."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DENSE
from inlay._src.base.types.shapes import Dims, reshape_refusal
from inlay._src.core import context
from inlay._src.core.devices import kernels
from inlay._src.core.eager.attributes import Wholes, truth
from inlay._src.core.eager.convert import constant_in, convert_to_tensor, number, number_like
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, emit, operand
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import (
    OPS,
    Effect,
    Inference,
    Role,
    Shapes,
    broadcast,
    no_gradient,
    partial_shape_value,
    same,
    scalar,
)
from inlay._src.core.signature import INDEX_DTYPE
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor, constant_eager
from inlay._src.core.values import check_rank
from inlay._src.ops.selection import selected
from inlay._src.ops.shaping import axes_of, check_fill, numbers_of, sizes_of, sum_like

# ---------------------------------------------------------------- sources


@op("Const", " -> dtype", role=Role.CONSTANT)
def _const(xp, *, value, dtype):
    """A constant."""
    return value


@export("constant")
@boundary
def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False
) -> Tensor:
    """A tensor with a fixed value, which is copied.

    Args:
      value: a number, string, nested list, array or eager tensor.
      dtype: the type; None takes the default for the value.
      shape: if given, the result's shape; a single number is repeated to fill it.
      name: the node's name in a graph.
      verify_shape: a 1.x argument: require `value` to have exactly `shape`.

    Returns:
      A tensor.
    """
    try:
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        if value.__class__ is list:
            tensor = constant_eager(value, wanted)
        elif isinstance(value, EagerTensor):
            tensor = value if wanted in (None, value.dtype) else constant_eager(value._value, wanted)
        elif isinstance(value, SymbolicTensor):
            raise TypeError("Expected any non-tensor type, but got a tensor instead.")
        else:
            tensor = constant_eager(value, wanted)
        state = context.current()
        if shape is not None:
            dims: tuple[Any, ...] = tuple(shapes.as_shape(shape).as_list())
            if None in dims:
                refusal = ValueError if state.graph is None else TypeError  # as in TensorFlow
                raise refusal(f"the shape of a constant must be known, got {shapes.as_shape(shape)}")
            have = tensor._value.shape
            if have != dims:
                if truth(verify_shape, "verify_shape") or tensor._value.size not in (1, prod(dims)):
                    raise TypeError(f"Expected Tensor's shape: {dims}, but got {have}.")
                full = np.broadcast_to(tensor._value.reshape(() if tensor._value.size == 1 else dims), dims)
                tensor = EagerTensor(full.copy(), tensor.dtype)
        if state.graph is not None:
            return constant_in(state.graph, tensor, name)
        return kernels.in_scope(tensor, state.device) if state.device else tensor
    except Exception as error:
        leave(error)
        raise


@op(
    "Identity", "input:T -> T", infer=same, lower=LoweringHints(aliases=True), vjp=lambda op, dy: dy, role=Role.IDENTITY
)
@export("identity")
def identity(xp, input):
    """The input, as a tensor of its own in the graph."""
    return input


@op("StopGradient", "input:T -> T", infer=same, lower=LoweringHints(aliases=True), vjp=no_gradient)
@export("stop_gradient")
def stop_gradient(xp, input):
    """The input; no gradient flows back through it."""
    return input


@op("NoOp", " -> ", effect=Effect.STATEFUL, role=Role.NOTHING)
def _no_op(xp):
    """Nothing; a place to hang control inputs on."""
    return ()


# ---------------------------------------------------------------- shapes


@op(
    "Shape",
    "input:T -> out_type",
    infer=Inference(
        lambda s: [(None if s.dims[0] is None else len(s.dims[0]),)], lambda node, length: node.inputs[0]._dims
    ),
    attrs={"out_type": INDEX_DTYPE},
    lower=LoweringHints(shape_only=True),
)
def _shape(xp, input, *, out_type=dtypes.int32):
    """The shape as a vector."""
    return np.asarray(input.shape, out_type.np)


@export("shape")
@boundary
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The shape of a tensor when it runs, as a vector of `out_type`, int32 if None; ragged, a `DynamicRaggedShape`."""
    try:
        out_type = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
        tensor = operand(input)
        # A promised shape is checked when the value arrives.
        if isinstance(tensor, SymbolicTensor) and tensor._asserted is None and tensor.shape.is_fully_defined():
            return constant(
                list(tensor.shape), out_type, shape=[len(tensor.shape)], name="Shape" if name is None else name
            )
        return _shape(tensor, out_type, name=name)
    except Exception as error:
        leave(error)
        raise


@op(
    "Size",
    "input:T -> out_type",
    infer=scalar,
    attrs={"out_type": INDEX_DTYPE},
    lower=LoweringHints(shape_only=True),
)
def _size(xp, input, *, out_type=dtypes.int32):
    """The number of elements."""
    return out_type.np.type(input.size)


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
    """The number of elements as `out_type`: int32 if None, or int64; any number if the shape is known, or ragged."""
    out_type = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    if out_type in dtypes.INDEX:
        return _size(input, out_type=out_type, name=name)
    tensor = operand(input)
    if answers(tensor) and out_type in dtypes.NUMBERS:
        return emit(OPS["Cast"], (_size(tensor, out_type=dtypes.int64),), {"dtype": out_type}, name)
    if not answers(tensor) and tensor.shape.is_fully_defined():
        return constant(tensor.shape.num_elements(), out_type, name="Size" if name is None else name)
    return _size(tensor, out_type=out_type, name=name)


def _rank_size(node: Any, length: int) -> Dims:
    dims = node.inputs[0]._dims
    return (None if dims is None else len(dims),)


@op("Rank", "input:T -> int32", infer=Inference(scalar, _rank_size), lower=LoweringHints(shape_only=True))
@export("rank")
def rank(xp, input):
    """The number of dimensions of a tensor."""
    return np.int32(input.ndim)


def same_sizes(node: Any, length: int) -> Dims:
    """The sizes of an op that leaves its first input's numbers as they are, in their order."""
    return partial_shape_value(node.inputs[0], length)


def _resolved(dims: Sequence[Any], sizes: list[int]) -> list[int]:
    """Sizes with -1 computed. Where another one is 0, it counts the elements that there are apart from empty axes."""
    skips_empty = 0 in sizes
    total = prod(d for d in dims if d or not skips_empty)
    rest = prod(d for d in sizes if d > 0)
    if min(sizes) < -1 or sizes.count(-1) > 1 or total % rest or (skips_empty and 0 not in dims):
        raise ValueError(f"Cannot reshape a tensor of shape {shapes.bracketed(tuple(dims))} to shape {sizes}")
    return [total // rest if d == -1 else d for d in sizes]


def _reshape_infer(s: Shapes) -> list[Dims]:
    want, dims, rank = s.value(1), s.dims[0], s.dims[1]
    if rank is not None and len(rank) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(rank)}")
    if want is None:
        partly = s.partial_value(1)
        if partly is None or partly.count(None) != 1 or dims is None or None in dims:
            return [partly]
        return [tuple(_resolved(dims, [-1 if d is None else d for d in partly]))]
    sizes = list(sizes_of(want))
    if dims is not None and None not in dims:
        sizes = _resolved(dims, sizes) if min(sizes, default=0) < 0 else sizes
        if prod(sizes) != prod(dims):  # type: ignore[arg-type]
            raise ValueError(f"Cannot reshape a tensor of shape {shapes.bracketed(dims)} to shape {sizes}")
    return [tuple(None if d < 0 else d for d in sizes)]


@op(
    "Reshape", "tensor:T, shape:Index -> T", static=("shape",), infer=Inference(_reshape_infer, same_sizes),
    vjp=lambda op, dy: (reshape(dy, shape(op.inputs[0])), None), lower=LoweringHints(aliases=True, fuses=True),
)  # fmt: skip
@export("reshape", "compat.v1.manip.reshape")
def reshape(xp, tensor, shape):
    """The same elements in another shape; one size may be -1, which is computed.

    Args:
      tensor: the tensor.
      shape: the new sizes.
    """
    sizes = sizes_of(shape)
    try:
        if xp is np and 0 not in sizes and min(sizes, default=0) >= -1:  # NumPy computes the same size
            return tensor.reshape(sizes)
        return xp.reshape(tensor, _resolved(np.shape(tensor), list(sizes)) if sizes and min(sizes) < 0 else sizes)
    except (ValueError, TypeError):
        check_rank(len(sizes))
        raise reshape_refusal(np.size(tensor), sizes) from None


def _expand_infer(s: Shapes) -> list[Dims]:
    axis, dims = s.value(1), s.dims[0]
    if axis is None or dims is None:
        return [None]
    out = list(dims)
    out.insert(_expanded(axis, len(dims)), 1)
    return [tuple(out)]


def _expanded(axis: Any, rank: int) -> int:
    if axis.__class__ is not int:
        if (axis := np.asarray(axis)).size != 1:
            raise ValueError(f"'dim' must be a tensor with a single value, got {axis.tolist()}")
        axis = axis.item()
    if not -rank - 1 <= axis <= rank:
        raise ValueError(f"Tried to expand dim index {axis} for tensor with {rank} dimensions.")
    return axis if axis >= 0 else axis + rank + 1  # type: ignore[no-any-return]


@op(
    "ExpandDims", "input:T, axis:Index -> T", static=("axis",), infer=Inference(_expand_infer, same_sizes),
    vjp=lambda op, dy: (reshape(dy, shape(op.inputs[0])), None), lower=LoweringHints(aliases=True, fuses=True),
)  # fmt: skip
@export("expand_dims")
def expand_dims(xp, input, axis):
    """The tensor with a dimension of size 1 inserted at `axis`."""
    at = _expanded(axis, len(dims := np.shape(input)))
    return xp.reshape(input, (*dims[:at], 1, *dims[at:])) if xp is np else xp.expand_dims(input, at)


def _squeeze_infer(s: Shapes) -> list[Dims]:
    dims, axis = s.dims[0], s.attrs["axis"]
    if dims is None:
        return [None]
    if axis:
        drop = axes_of(axis, len(dims)) or ()
        for a in drop:
            if dims[a] not in (1, None):
                raise ValueError(f"Can not squeeze dim[{a}], expected a dimension of 1, got {dims[a]}")
        return [tuple(d for i, d in enumerate(dims) if i not in drop)]
    return [None if None in dims else tuple(d for d in dims if d != 1)]


@op(
    "Squeeze",
    "input:T -> T",
    infer=Inference(_squeeze_infer, same_sizes),
    lower=LoweringHints(aliases=True, fuses=True),
    vjp=lambda op, dy: reshape(dy, shape(op.inputs[0])),
)
def _squeeze(xp, input, *, axis: Wholes = ()):
    """The tensor without dimensions of size 1."""
    drop = axes_of(axis, np.ndim(input)) if axis else None
    for a in drop or ():
        if np.shape(input)[a] != 1:
            raise ValueError(f"Can not squeeze dim[{a}], expected a dimension of 1, got {np.shape(input)[a]}")
    return xp.squeeze(input, axis=None if drop is None else tuple(set(drop)))


@export("squeeze")
def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """The tensor without its dimensions of size 1, or without those of `axis` (which must be 1)."""
    axis = squeeze_dims if axis is None else axis
    return _squeeze(input, () if axis is None else [axis] if np.isscalar(axis) else axis, name=name)


# ---------------------------------------------------------------- filling


def _fill_vjp(op, dy):
    return None, sum_like(dy, op.inputs[1])


def _fill_infer(s: Shapes) -> list[Dims]:
    sizes = s.value(0)
    check_fill(s.dims[0], s.dims[1], None if sizes is None else sizes_of(sizes))
    return [s.partial_value(0)]


@op("Fill", "dims:Index, value:T -> T", static=("dims",), ranks={"dims": 1}, infer=_fill_infer, vjp=_fill_vjp)
@export("fill")
def fill(xp, dims, value):
    """A tensor of shape `dims` whose elements are all `value`."""
    (sizes, length), shape = numbers_of(dims), value.shape
    check_fill(length, () if shape == (1,) else shape, sizes)  # a vector of one element is taken too, as in 1.x
    if xp is not np or value.dtype == object:
        return xp.full(tuple(sizes), value, dtype=value.dtype)
    if not sizes:
        return value if not shape else value[0]
    out = np.empty(sizes, value.dtype)
    out.fill(value if not shape else value[0])
    return out


@op("ZerosLike", "x:T -> T", infer=same, vjp=no_gradient, label="zeros_like")
def _zeros_like(xp, x):
    """Zeros of the shape and type of `x`."""
    if x.dtype == object:
        return np.full(np.shape(x), b"", object)
    return x.zeros() if x.dtype is dtypes.variant else xp.zeros(np.shape(x), x.dtype)


@op(
    "OnesLike",
    "x:T -> T",
    types=dtypes.NUMBERS | {dtypes.bool_},
    infer=same,
    vjp=no_gradient,
    label="ones_like",
)
def _ones_like(xp, x):
    """Ones of the shape and type of `x`."""
    if xp is not np:
        return xp.ones(np.shape(x), x.dtype)
    if not x.ndim:
        return x.dtype.type(1)
    out = np.empty(x.shape, x.dtype)
    out.fill(1)  # half the time of np.ones for a small array
    return out


@export("zeros_like")
def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros of the shape of `input`, and of its type unless `dtype` is given."""
    if dtype is None:
        return _zeros_like(input, name=name)
    return _filled(shape(input), 0, dtype, "zeros_like" if name is None else name)


@export("ones_like")
def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones of the shape of `input`, and of its type unless `dtype` is given."""
    if dtype is None:
        return _ones_like(input, name=name)
    return _filled(shape(input), 1, dtype, "ones_like" if name is None else name)


@boundary
def _filled(shape: Any, value: int, dtype: Any, name: str) -> Any:
    try:
        kind = dtypes.as_dtype(dtype)
        scalar: Any = b"" if kind is dtypes.string else bool(value) if kind.is_bool else value
        if isinstance(shape, shapes.TensorShape):
            shape = shape.as_list()
        if isinstance(shape, (list, tuple)) and not shape:
            return constant(scalar, kind, name=name)
        eager = context.executing_eagerly()
        if not (shape.__class__ is list and eager) and not answers(shape):  # there a list is taken as it is
            shape = convert_to_tensor(shape, dtype_hint=dtypes.int32)
            if shape.shape.rank == 0:  # one number, as 1.x has it too
                shape = reshape(shape, [1])
        element = number(scalar, kind) if eager else None
        return fill(shape, constant(scalar, kind) if element is None else element, name=name)
    except Exception as error:
        leave(error)
        raise


@export("zeros")
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of zeros (empty strings, False) of the given shape."""
    return _filled(shape, 0, dtype, "zeros" if name is None else name)


@export("ones")
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of ones (True) of the given shape."""
    return _filled(shape, 1, dtype, "ones" if name is None else name)


# ---------------------------------------------------------------- selecting


def _select_vjp(op, dy):
    condition, x, y = op.inputs
    zero = number_like(0, dy)  # `dy` has the result's shape, whatever was broadcast
    return (
        None,
        sum_like(where(condition, dy, zero), x) if op.needs(1) else None,
        sum_like(where(condition, zero, dy), y) if op.needs(2) else None,
    )


@op("SelectV2", "condition:bool, x:T, y:T -> T", infer=broadcast, vjp=_select_vjp)
def _select(xp, condition, x, y):
    """`x` where the condition holds, else `y`."""
    return selected(xp, condition, x, y)


@op(
    "Where",
    "condition:T -> int64",
    types=DENSE,
    infer=lambda s: [(None, None if s.dims[0] is None else len(s.dims[0]))],
)
def _where(xp, condition):
    """The indices of the true elements."""
    chosen = np.asarray(condition)
    if not chosen.ndim:
        raise ValueError("a scalar has no places: the condition must have at least one axis")
    if chosen.ndim == 1:
        return chosen.nonzero()[0].astype(np.int64, copy=False).reshape(-1, 1)
    return np.argwhere(chosen).astype(np.int64)


@export("where", "compat.v1.where_v2")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`x` where `condition` holds, else `y`; without both, the indices of the true elements.

    Args:
      condition: a bool tensor.
      x, y: tensors that broadcast with it.
      name: the node's name.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        return _where(condition, name=name)
    return _select(condition, x, y, name=name)
