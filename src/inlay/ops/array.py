"""Constants, placeholders, shapes, joining, slicing and selecting."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core import context
from inlay.core import graph as graphs
from inlay.core.opdef import OPS, Effect, Role, Shapes, as_first, broadcast, known_size, same, scalar, some_values
from inlay.core.tensor import EagerTensor, SymbolicTensor, constant_eager
from inlay.devices import ondevice
from inlay.eager.declaration import op
from inlay.eager.emit import constant_in, convert_to_tensor, emit
from inlay.eager.opfunction import number_like
from inlay.ops import math
from inlay.ops.shaping import axes_of, sizes_of, sum_like
from inlay.types import dtypes, shapes
from inlay.types.dtypes import ANY, DENSE, INDEX
from inlay.types.shapes import Dims

A = {"T": ANY}


# ---------------------------------------------------------------- sources


@op("Const", " -> dtype", role=Role.CONSTANT)
def _const(xp, *, value, dtype):
    """A constant."""
    return value


@op("Placeholder", " -> dtype", role=Role.PLACEHOLDER)
def _placeholder(xp, *, dtype, shape):
    """A value that every run must feed."""
    raise AssertionError("a placeholder has no kernel: plans refuse to run one that is not fed")


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const", verify_shape: bool = False) -> Any:
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
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if isinstance(value, EagerTensor):
        made = value if wanted in (None, value.dtype) else constant_eager(value._value, wanted)
    elif isinstance(value, SymbolicTensor):
        return convert_to_tensor(value, wanted)
    else:
        made = constant_eager(value, wanted)
    if shape is not None:
        dims: tuple[Any, ...] = tuple(shapes.as_shape(shape).as_list())
        have = made._value.shape
        if have != dims:
            size = int(np.prod(dims, dtype=np.int64))
            if verify_shape or made._value.size not in (1, size):
                raise TypeError(f"Expected Tensor's shape: {dims}, but got {have}.")
            full = np.broadcast_to(
                made._value.reshape(()) if made._value.size == 1 else made._value.reshape(dims), dims
            )
            made = EagerTensor(full.copy(), made.dtype)
    state = context.current()
    if state.graph is not None:
        return constant_in(state.graph, made, name)
    return ondevice.placed(made, state.device) if state.device else made


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Any:
    """A tensor that every run must feed.

    Args:
      dtype: its type.
      shape: its partial shape; None is unknown rank.
      name: the node's name.

    Returns:
      A symbolic tensor; while executing eagerly it is made in the default graph.
    """
    kind, dims = dtypes.as_dtype(dtype), shapes.as_shape(shape)._dims
    graph = graphs.default_graph()
    attrs = {"dtype": kind, "shape": shapes.from_dims(dims)}
    if context.current().graph is graph:
        return graph.add(OPS["Placeholder"], (), attrs, (kind,), (dims,), name).outputs[0]
    with graph.as_default():
        return graph.add(OPS["Placeholder"], (), attrs, (kind,), (dims,), name).outputs[0]


@op(
    "PlaceholderWithDefault",
    "input:T -> T",
    types=A,
    infer=lambda s: [s.attrs["shape"]._dims],
    aliases=True,
    vjp=lambda op, dy: dy,
)
def _placeholder_with_default(xp, input, *, shape):
    """A value that a run may feed."""
    return input


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Any:
    """`input`, unless a run feeds this tensor.

    Args:
      input: the default value.
      shape: the partial shape that a fed value must have.
      name: the node's name.
    """
    return emit(OPS["PlaceholderWithDefault"], (input,), {"shape": shapes.as_shape(shape)}, name)


@op(
    "Identity",
    "input:T -> T",
    types=A,
    infer=same,
    aliases=True,
    vjp=lambda op, dy: dy,
    role=Role.IDENTITY,
)
def identity(xp, input):
    """The input, as a tensor of its own in the graph."""
    return input


@op("StopGradient", "input:T -> T", types=A, infer=same, aliases=True, differentiable=False)
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
    types=A,
    infer=lambda s: [(None if s.dims[0] is None else len(s.dims[0]),)],
    shape_only=True,
    sizes=lambda node, length: node.inputs[0]._dims,
)
def _shape(xp, input, *, out_type=dtypes.int32):
    """The shape as a vector."""
    return np.asarray(np.shape(input), out_type.np)


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The shape of a tensor when it runs, as a vector of `out_type`."""
    tensor = convert_to_tensor(input)
    if isinstance(tensor, SymbolicTensor) and tensor.shape.is_fully_defined() and not _asserted(tensor):
        return constant(list(tensor.shape), out_type, shape=[len(tensor.shape)], name=name or "Shape")
    return emit(OPS["Shape"], (tensor,), {"out_type": dtypes.as_dtype(out_type)}, name)


def _asserted(tensor: SymbolicTensor) -> bool:
    """Whether the static shape is the program's promise, to be checked when the value arrives."""
    return tensor._asserted is not None


@op("Size", "input:T -> out_type", types=A, infer=scalar, shape_only=True)
def _size(xp, input, *, out_type=dtypes.int32):
    """The number of elements."""
    return out_type.np.type(np.size(input))


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The number of elements of a tensor."""
    return emit(OPS["Size"], (input,), {"out_type": dtypes.as_dtype(out_type)}, name)


@op("Rank", "input:T -> int32", types=A, infer=scalar, shape_only=True)
def rank(xp, input):
    """The number of dimensions of a tensor."""
    return np.int32(np.ndim(input))


def _reshape_infer(s: Shapes) -> list[Dims]:
    want = s.value(1)
    if want is None:
        return [s.partial_value(1)]
    sizes = list(sizes_of(want))
    known: Any = s.dims[0]
    total = None if known is None or None in known else int(np.prod(known, dtype=np.int64))
    if total is not None:
        rest = int(np.prod([d for d in sizes if d >= 0], dtype=np.int64))
        if (-1 not in sizes and rest != total) or (-1 in sizes and (rest == 0 and total or rest and total % rest)):
            raise ValueError(f"Cannot reshape a tensor with {total} elements to shape {sizes}")
        sizes = [d if d >= 0 else (total // rest if rest else 0) for d in sizes]
    return [tuple(None if d < 0 else d for d in sizes)]


@op(
    "Reshape",
    "tensor:T, shape:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("shape",),
    aliases=True,
    infer=_reshape_infer,
    vjp=lambda op, dy: (reshape(dy, shape(op.inputs[0])), None),
)
def reshape(xp, tensor, shape):
    """The same elements in another shape; one size may be -1, which is computed.

    Args:
      tensor: the tensor.
      shape: the new sizes.
    """
    sizes = sizes_of(shape)
    try:
        return xp.reshape(tensor, sizes)
    except (ValueError, TypeError):
        raise ValueError(
            f"Input to reshape is a tensor with {np.size(tensor)} values, but the requested shape "
            f"{list(sizes)} has {np.prod(sizes, dtype=np.int64)}"
        ) from None


def _expand_infer(s: Shapes) -> list[Dims]:
    axis, dims = s.value(1), s.dims[0]
    if axis is None or dims is None:
        return [None]
    out = list(dims)
    out.insert(_expanded(axis, len(dims)), 1)
    return [tuple(out)]


def _expanded(axis: Any, rank: int) -> int:
    at = axis if axis.__class__ is int else int(np.asarray(axis).reshape(-1)[0])
    if not -rank - 1 <= at <= rank:
        raise ValueError(f"Tried to expand dim index {at} for tensor with {rank} dimensions.")
    return at if at >= 0 else at + rank + 1


@op(
    "ExpandDims",
    "input:T, axis:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("axis",),
    aliases=True,
    infer=_expand_infer,
    vjp=lambda op, dy: (reshape(dy, shape(op.inputs[0])), None),
)
def expand_dims(xp, input, axis):
    """The tensor with a dimension of size 1 inserted at `axis`."""
    return xp.expand_dims(input, _expanded(axis, np.ndim(input)))


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
    types=A,
    infer=_squeeze_infer,
    aliases=True,
    public="_squeeze",
    vjp=lambda op, dy: reshape(dy, shape(op.inputs[0])),
)
def _squeeze(xp, input, *, axis=()):
    """The tensor without dimensions of size 1."""
    drop = axes_of(axis, np.ndim(input)) if axis else None
    for a in drop or ():
        if np.shape(input)[a] != 1:
            raise ValueError(f"Can not squeeze dim[{a}], expected a dimension of 1, got {np.shape(input)[a]}")
    return xp.squeeze(input, axis=drop)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Any:
    """The tensor without its dimensions of size 1, or without those of `axis` (which must be 1)."""
    axis = squeeze_dims if axis is None else axis
    axes = () if axis is None else tuple(np.asarray(axis).reshape(-1).tolist())
    return emit(OPS["Squeeze"], (input,), {"axis": axes}, name)


def _transpose_infer(s: Shapes) -> list[Dims]:
    perm, dims = s.value(1), s.dims[0]
    if dims is None:
        return [None if perm is None else (None,) * perm.size]
    if perm is None:
        return [(None,) * len(dims)]
    if sorted(perm.tolist()) != list(range(len(dims))):
        raise _no_permutation(perm, len(dims))
    return [tuple(dims[i] for i in perm.tolist())]


def _transpose_vjp(op, dy):
    perm = op.inputs[1]
    return transpose_op(dy, _invert(perm)), None


def _invert(perm: Any) -> Any:
    if isinstance(perm, SymbolicTensor):
        value = graphs.constant_of(perm)
        return np.argsort(value).astype(np.int32) if value is not None else emit(OPS["InvertPermutation"], (perm,))
    return np.argsort(np.asarray(perm)).astype(np.int32)


@op("InvertPermutation", "x:T -> T", types={"T": INDEX}, infer=as_first, refuses=some_values)
def invert_permutation(xp, x):
    """The inverse of a permutation of 0..n-1."""
    order = xp.argsort(x)
    if xp is np and not np.array_equal(x[order], np.arange(x.size)):
        raise ValueError(f"{x.tolist()} is not a permutation of 0..{x.size - 1}")
    return order.astype(x.dtype)


@op(
    "Transpose",
    "x:T, perm:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("perm",),
    aliases=True,
    infer=_transpose_infer,
    vjp=_transpose_vjp,
)
def transpose_op(xp, x, perm):
    """The tensor with its axes in another order."""
    try:
        return xp.transpose(x, tuple(np.asarray(perm).tolist()))
    except ValueError:
        raise _no_permutation(perm, np.ndim(x)) from None


def _no_permutation(perm: Any, rank: int) -> ValueError:
    return ValueError(f"perm {np.asarray(perm).tolist()} is not a permutation of the {rank} axes")


def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Any:
    """The tensor with its axes in the order `perm`; reversed if `perm` is None.

    Args:
      a: the tensor.
      perm: a permutation of the axes.
      conjugate: whether to take complex conjugates too.
      name: the node's name.
    """
    a = convert_to_tensor(a)
    if perm is None:
        if a.shape.rank is None:
            perm = range_(math.subtract(rank(a), 1), -1, -1)
        else:
            perm = np.arange(a.shape.rank - 1, -1, -1, dtype=np.int32)
    out = transpose_op(a, perm, name=name)
    if conjugate:
        return math.conj(out)
    return out


def _range_infer(s: Shapes) -> list[Dims]:
    ends = [s.value(i) for i in range(3)]
    if any(e is None for e in ends):
        return [(None,)]
    start, limit, delta = (e.item() for e in ends)
    return [(max(0, int(np.ceil((limit - start) / delta))),)] if delta else [(None,)]


@op(
    "Range",
    "start:T, limit:T, delta:T -> T",
    types={"T": dtypes.REALS},
    infer=_range_infer,
    static=("start", "limit", "delta"),
)
def _range(xp, start, limit, delta):
    """Evenly spaced numbers from start (included) to limit (excluded)."""
    if not np.asarray(delta).any():
        raise ValueError("Requires delta != 0")
    kind = np.result_type(*(getattr(v, "dtype", np.int32) for v in (start, limit, delta)))
    n = int(np.ceil((float(limit) - float(start)) / float(delta)))
    return (np.asarray(start, kind) + np.arange(max(n, 0)).astype(kind) * np.asarray(delta, kind)).astype(kind)


def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """Numbers from `start` (0 if only one bound is given) up to but not including `limit`, `delta` apart.

    Args:
      start: the first number, or the limit if `limit` is None.
      limit: the bound.
      delta: the step.
      dtype: the type; None takes the widest of the arguments'.
      name: the node's name.
    """
    if limit is None:
        start, limit = 0, start
    ends = [convert_to_tensor(v, dtype_hint=dtype) for v in (start, limit, delta)]
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
    wanted = (
        dtypes.as_dtype(dtype)
        if dtype is not None
        else max((e.dtype for e in ends), key=lambda d: order.index(d) if d in order else 0)
    )
    return emit(OPS["Range"], tuple(math.cast(e, wanted) for e in ends), {}, name)


# ---------------------------------------------------------------- filling


def _fill_infer(s: Shapes) -> list[Dims]:
    return [s.partial_value(0)]


def _fill_vjp(op, dy):
    from inlay.ops.reductions import reduce_sum

    return None, reduce_sum(dy)


@op(
    "Fill",
    "dims:Index, value:T -> T",
    types={"T": ANY, "Index": INDEX},
    static=("dims",),
    infer=_fill_infer,
    vjp=_fill_vjp,
)
def fill(xp, dims, value):
    """A tensor of shape `dims` whose elements are all `value`."""
    if xp is np and value.dtype == object:
        out = np.empty(sizes_of(dims), object)
        out[...] = value[()]
        return out
    return xp.full(sizes_of(dims), value, dtype=value.dtype)


@op("ZerosLike", "x:T -> T", types=A, infer=same, differentiable=False)
def _zeros_like(xp, x):
    """Zeros of the shape and type of `x`."""
    if xp is np and x.dtype == object:
        out = np.empty(np.shape(x), object)
        out[...] = b""
        return out
    return xp.zeros(np.shape(x), x.dtype)


@op("OnesLike", "x:T -> T", types={"T": dtypes.NUMBERS | {dtypes.bool_}}, infer=same, differentiable=False)
def _ones_like(xp, x):
    """Ones of the shape and type of `x`."""
    if xp is not np:
        return xp.ones(np.shape(x), x.dtype)
    if not x.ndim:
        return x.dtype.type(1)
    out = np.empty(x.shape, x.dtype)
    out.fill(1)  # half the time of np.ones for a small array
    return out


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros of the shape of `input`, and of its type unless `dtype` is given."""
    if dtype is None:
        return _zeros_like(input, name=name)
    return _filled(shape(input), 0, dtype, name or "zeros_like")


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones of the shape of `input`, and of its type unless `dtype` is given."""
    if dtype is None:
        return _ones_like(input, name=name)
    return _filled(shape(input), 1, dtype, name or "ones_like")


def _filled(shape: Any, value: int, dtype: Any, name: str) -> Any:
    kind = dtypes.as_dtype(dtype)
    number: Any = b"" if kind is dtypes.string else bool(value) if kind.is_bool else value
    if isinstance(shape, shapes.TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (list, tuple)) and not shape:
        return constant(number, kind, name=name)
    return fill(convert_to_tensor(shape, dtype_hint=dtypes.int32), constant(number, kind), name=name)


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str = "zeros") -> Any:
    """A tensor of zeros (empty strings, False) of the given shape."""
    return _filled(shape, 0, dtype, name)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str = "ones") -> Any:
    """A tensor of ones (True) of the given shape."""
    return _filled(shape, 1, dtype, name)


# ---------------------------------------------------------------- joining


def _pack_infer(s: Shapes) -> list[Dims]:
    merged: Dims = None
    for dims in s.dims:
        merged = shapes.merge(merged, dims)
    if merged is None:
        return [None]
    axis = s.attrs["axis"]
    _check_new_axis(axis, len(merged))
    out = list(merged)
    out.insert(axis if axis >= 0 else axis + len(merged) + 1, len(s.dims))
    return [tuple(out)]


def _check_new_axis(axis: int, rank: int) -> None:
    if not -rank - 1 <= axis <= rank:
        raise ValueError(f"axis = {axis} not in [{-rank - 1}, {rank + 1})")


def _pack_vjp(op, dy):
    return unstack(dy, num=len(op.inputs), axis=op.attrs["axis"])


@op(
    "Pack",
    "values:*T -> T",
    types=A,
    infer=_pack_infer,
    vjp=_pack_vjp,
    sizes=lambda node, length: tuple(known_size(t) for t in node.inputs),
)
def _pack(xp, values, *, axis=0):
    """Tensors of one shape stacked along a new axis."""
    try:
        return xp.stack(values, axis=axis)
    except ValueError:
        first = np.shape(values[0])
        other = next((k for k, v in enumerate(values) if np.shape(v) != first), None)
        if other is None:
            _check_new_axis(axis, len(first))
            raise
        raise ValueError(
            f"Shapes of all inputs must match: values[0].shape = {list(first)} != values[{other}].shape = "
            f"{list(np.shape(values[other]))}"
        ) from None


def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Tensors of one shape stacked along a new axis.

    Args:
      values: a list of tensors, or a tensor whose rows are stacked.
      axis: where the new axis goes.
      name: the node's name.
    """
    if not isinstance(values, (list, tuple)):
        values = list(values)
    if not values:
        raise ValueError("stack needs at least one tensor")
    return emit(OPS["Pack"], (values,), {"axis": axis}, name)


def _unpack_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None] * s.attrs["num"]
    axis = s.attrs["axis"] % len(dims)
    return [dims[:axis] + dims[axis + 1 :]] * s.attrs["num"]


@op(
    "Unpack",
    "value:T -> *T",
    types=A,
    infer=_unpack_infer,
    aliases=True,
    vjp=lambda op, *dys: stack(
        [zeros_like(o) if d is None else d for d, o in zip(dys, op.outputs, strict=True)], axis=op.attrs["axis"]
    ),
)
def _unpack(xp, value, *, num, axis=0):
    """The slices of a tensor along an axis."""
    if np.shape(value)[axis] != num:
        raise ValueError(f"Input shape axis {axis} must equal {num}, got shape {list(np.shape(value))}")
    moved = xp.moveaxis(value, axis, 0)
    return [
        moved[i] if moved.dtype != object else np.asarray(moved[i : i + 1]).reshape(moved.shape[1:]) for i in range(num)
    ]


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> Any:
    """The slices of `value` along `axis`, as a list of `num` tensors (the axis's size if None)."""
    value = convert_to_tensor(value)
    if value.shape.rank is not None and not -value.shape.rank <= axis < value.shape.rank:
        raise ValueError(f"axis = {axis} not in [{-value.shape.rank}, {value.shape.rank})")
    if num is None:
        if value.shape.rank is None or value.shape[axis] is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        num = value.shape[axis]
    return emit(OPS["Unpack"], (value,), {"num": num, "axis": axis}, name)


# ---------------------------------------------------------------- selecting


def _select_vjp(op, dy):
    condition, x, y = op.inputs
    zero = number_like(0, dy)  # `dy` has the result's shape, whatever was broadcast
    return (
        None,
        sum_like(where(condition, dy, zero), x) if op.needs(1) else None,
        sum_like(where(condition, zero, dy), y) if op.needs(2) else None,
    )


@op("SelectV2", "condition:bool, x:T, y:T -> T", types=A, infer=broadcast, vjp=_select_vjp)
def _select(xp, condition, x, y):
    """`x` where the condition holds, else `y`."""
    return xp.where(condition, x, y)


@op(
    "Where",
    "condition:T -> int64",
    types={"T": DENSE},
    infer=lambda s: [(None, None if s.dims[0] is None else len(s.dims[0]))],
)
def _where(xp, condition):
    """The indices of the true elements."""
    return np.argwhere(np.asarray(condition)).astype(np.int64)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`x` where `condition` holds, else `y`; without both, the indices of the true elements.

    Args:
      condition: a bool tensor.
      x, y: tensors that broadcast with it.
      name: the node's name.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        return emit(OPS["Where"], (condition,), {}, name)
    return emit(OPS["SelectV2"], (condition, x, y), {}, name)


def _ensure_infer(s: Shapes) -> list[Dims]:
    return [shapes.merge(s.dims[0], s.attrs["shape"]._dims)]


@op("EnsureShape", "input:T -> T", types=A, infer=_ensure_infer, aliases=True, vjp=lambda op, dy: dy)
def _ensure_shape(xp, input, *, shape):
    """The input, whose shape must satisfy a partial shape."""
    if not shapes.compatible(np.shape(input), shape._dims):
        raise ValueError(
            f"Shape of tensor input {shapes.bracketed(np.shape(input))} is not compatible with expected shape "
            f"{shapes.bracketed(shape._dims)}."
        )
    return input


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """`x`, refusing when it runs a value whose shape does not satisfy `shape`; adds to the static shape."""
    return emit(OPS["EnsureShape"], (x,), {"shape": shapes.as_shape(shape)}, name)


# ---------------------------------------------------------------- shapes, continued


def _broadcast_to_infer(s: Shapes) -> list[Dims]:
    want = s.partial_value(1)
    if want is None or s.dims[0] is None:
        return [want]
    if shapes.broadcast(s.dims[0], want) is not None and len(s.dims[0]) > len(want):
        raise ValueError(f"a tensor of shape {shapes.bracketed(s.dims[0])} cannot be broadcast to rank {len(want)}")
    return [want]


def _broadcast_to_vjp(op, dy):
    return sum_like(dy, op.inputs[0]), None


@op(
    "BroadcastTo",
    "input:T, shape:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("shape",),
    infer=_broadcast_to_infer,
    vjp=_broadcast_to_vjp,
    aliases=True,
)
def broadcast_to(xp, input, shape):
    """The tensor repeated to `shape`, as arithmetic would repeat it."""
    try:
        return xp.broadcast_to(input, sizes_of(shape))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes: {list(np.shape(input))} cannot be broadcast to {list(sizes_of(shape))}"
        ) from None


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> shapes.TensorShape:
    """The static shape that two shapes broadcast to.

    Args:
      shape_x, shape_y: anything `TensorShape` accepts.

    Raises:
      ValueError: if they do not broadcast.
    """
    return shapes.from_dims(shapes.broadcast(shapes.as_shape(shape_x)._dims, shapes.as_shape(shape_y)._dims))


@op("BroadcastArgs", "s0:T, s1:T -> T", types={"T": INDEX}, static=("s0", "s1"), infer=lambda s: [(_longer(s.dims),)])
def _broadcast_args(xp, s0, s1):
    """The shape that two shape vectors broadcast to."""
    try:
        return np.asarray(np.broadcast_shapes(sizes_of(s0), sizes_of(s1)), getattr(s0, "dtype", np.int32))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {list(sizes_of(s0))} and {list(sizes_of(s1))}"
        ) from None


def _longer(dims: Any) -> int | None:
    sizes = [None if d is None or len(d) != 1 else d[0] for d in dims]
    return max((n for n in sizes if n is not None), default=None) if None not in sizes else None


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape, as a vector, that two shape vectors broadcast to.

    Args:
      shape_x, shape_y: vectors of int32 or int64.
    """
    return _broadcast_args(convert_to_tensor(shape_x), convert_to_tensor(shape_y))


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Any]:
    """The shapes of several tensors, one vector each."""
    return [shape(x, out_type, name=name) for x in input]


def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """The inputs, each as a tensor of its own in the graph."""
    return [identity(x, name=name) for x in input]


def _bitcast_infer(s: Shapes) -> list[Dims]:
    dims, old, new = s.dims[0], s.inputs[0].dtype.size, s.attrs["type"].size
    if dims is None or old == new:
        return [dims]
    if old > new:
        return [(*dims, old // new)]
    if not dims or dims[-1] not in (None, new // old):
        raise ValueError(f"bitcast to a wider type needs a last axis of size {new // old}, got {list(dims)}")
    return [dims[:-1]]


@op("Bitcast", "input:T -> type", types={"T": dtypes.NUMBERS}, infer=_bitcast_infer, differentiable=False)
def _bitcast(xp, input, *, type):
    """The same bytes read as another type."""
    old, new, shape = input.dtype.itemsize, type.size, np.shape(input)
    if old < new and (not shape or shape[-1] != new // old):
        raise ValueError(
            f"Cannot bitcast from {input.dtype} to {type.name}: shape {list(shape)} must end in {new // old}"
        )
    x = np.ascontiguousarray(input).reshape(shape) if xp is np else input
    if old > new:
        return xp.reshape(x, (*shape, 1)).view(type.np)
    return x.view(type.np) if old == new else xp.reshape(x.view(type.np), shape[:-1])


def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """The same bytes as another type; a last axis appears or goes where the sizes of the types differ.

    Args:
      input: a tensor of numbers.
      type: the other type.
      name: the node's name.
    """
    return _bitcast(input, dtypes.as_dtype(type), name=name)


# ---------------------------------------------------------------- making


def _linspace_infer(s: Shapes) -> list[Dims]:
    dims, num, axis = s.dims[0], s.value(2), s.attrs["axis"]
    if dims is None:
        return [None]
    at = axis if axis >= 0 else axis + len(dims) + 1
    if num is not None and int(num) < 1:
        raise ValueError(f"Requires num > 0: {int(num)}")
    return [(*dims[:at], None if num is None else int(num), *dims[at:])]


def _linspace_vjp(op, dy):
    from inlay.ops.reductions import reduce_sum

    start, stop, num = op.inputs
    axis = op.attrs["axis"]
    zero, one = constant(0, dy.dtype), constant(1, dy.dtype)
    t = emit(OPS["LinSpace"], (zero, one, num), {"axis": 0})
    at = axis if axis >= 0 else math.add(rank(start), axis + 1)
    t = reshape(t, column_shape(-axis - 1 if axis < 0 else math.subtract(rank(start), axis)))
    return reduce_sum(math.multiply(dy, math.subtract(one, t)), at), reduce_sum(math.multiply(dy, t), at), None


@op(
    "LinSpace",
    "start:T, stop:T, num:Index -> T",
    types={"T": dtypes.FLOATS, "Index": INDEX},
    static=("num",),
    infer=_linspace_infer,
    vjp=_linspace_vjp,
)
def _linspace(xp, start, stop, num, *, axis=0):
    """Evenly spaced numbers, both ends included."""
    n = int(np.asarray(num).reshape(-1)[0])
    if n < 1:
        raise ValueError(f"Requires num > 0: {n}")
    if np.shape(start) != np.shape(stop):
        raise ValueError(f"start and stop must have one shape, got {np.shape(start)} and {np.shape(stop)}")
    kind = start.dtype
    t = np.arange(n).reshape([-1] + [1] * np.ndim(start))
    out = (start + xp.asarray(t, kind) * ((stop - start) / np.asarray(max(n - 1, 1), kind))).astype(kind)
    out = xp.where(t == n - 1, stop, out) if n > 1 else out
    return xp.moveaxis(out, 0, axis)


def column_shape(ones: Any) -> Any:
    """The shape that makes a vector a column: -1, then `ones` ones (a number or a symbolic scalar)."""
    known = graphs.constant_of(ones)
    if known is not None:
        return [-1] + [1] * int(known)
    from inlay.ops.joining import concat

    return concat([constant([-1]), fill(reshape(ones, [1]), constant(1))], 0)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Any:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start, stop: the ends, tensors of one floating type and shape.
      num: how many.
      name: the node's name.
      axis: where the new axis goes.
    """
    start = convert_to_tensor(start)
    if start.dtype.is_integer:
        start = math.cast(start, dtypes.float32)
        stop = math.cast(convert_to_tensor(stop), dtypes.float32)
    return _linspace(start, stop, num, axis=axis, name=name)


def _one_hot_infer(s: Shapes) -> list[Dims]:
    dims, depth, axis = s.dims[0], s.value(1), s.attrs["axis"]
    if dims is None:
        return [None]
    at = _one_hot_place(axis, len(dims))
    return [(*dims[:at], None if depth is None else int(depth), *dims[at:])]


def _one_hot_place(axis: int, rank: int) -> int:
    """Where the new axis goes."""
    if not -1 <= axis <= rank:
        raise ValueError(f"Expected axis to be -1 or between [0, {rank}], but received: {axis}")
    return rank if axis == -1 else axis


@op(
    "OneHot",
    "indices:I, depth:int32, on_value:T, off_value:T -> T",
    types={"I": frozenset({dtypes.uint8, dtypes.int8, dtypes.int32, dtypes.int64}), "T": ANY},
    static=("depth",),
    infer=_one_hot_infer,
    differentiable=False,
)
def _one_hot(xp, indices, depth, on_value, off_value, *, axis=-1):
    """Vectors with one value set."""
    n = int(np.asarray(depth))
    if n < 0:
        raise ValueError(f"depth must be non-negative, got: {n}")
    at = _one_hot_place(axis, np.ndim(indices))
    shape = [1] * (np.ndim(indices) + 1)
    shape[at] = n
    return xp.where(xp.expand_dims(indices, at) == np.arange(n).reshape(shape), on_value, off_value)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Any:
    """Vectors of length `depth` with `on_value` at each index, `off_value` elsewhere.

    Args:
      indices: integers; those outside [0, depth) give vectors without `on_value`.
      depth: the length.
      on_value, off_value: the two values; 1 and 0 if None.
      axis: where the new axis goes; the last by default.
      dtype: the type; None takes that of the values, or float32.
      name: the node's name.
    """
    if dtype is not None:
        kind = dtypes.as_dtype(dtype)
    else:
        kind = next((convert_to_tensor(v).dtype for v in (on_value, off_value) if v is not None), dtypes.float32)
    given = [convert_to_tensor(v, kind) for v in (_or(on_value, 1, kind), _or(off_value, 0, kind))]
    return _one_hot(indices, depth, *given, axis=-1 if axis is None else axis, name=name)


def _or(value: Any, default: int, kind: Any) -> Any:
    return (bool(default) if kind.is_bool else default) if value is None else value


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None) -> Any:
    """Rows whose first `lengths[i]` entries are True.

    Args:
      lengths: integers of any shape.
      maxlen: the length of a row; the largest of `lengths` if None.
      dtype: the result's type.
      name: the node's name.
    """
    from inlay.ops.reductions import reduce_max

    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        maxlen = math.maximum(reduce_max(lengths), constant(0, lengths.dtype))
    maxlen = math.cast(maxlen, lengths.dtype)
    row = range_(constant(0, lengths.dtype), maxlen, constant(1, lengths.dtype))
    return math.cast(math.less(row, expand_dims(lengths, -1)), dtype, name=name)
