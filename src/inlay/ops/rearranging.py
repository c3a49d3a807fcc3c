"""Padding, reversing, rolling, sorting, searching: elements in another order or place."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inlay.core.opdef import Shapes, as_first
from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor
from inlay.ops import array, math
from inlay.ops.gathering import added_at
from inlay.ops.reductions import reduce_sum
from inlay.ops.shaping import axes_of
from inlay.types import dtypes
from inlay.types.dtypes import ANY, DENSE, INDEX, NUMBERS, REALS
from inlay.types.shapes import Dims

# ---------------------------------------------------------------- padding


def _pairs(paddings: Any, rank: int) -> list[tuple[int, int]]:
    flat = np.asarray(paddings)
    if flat.shape != (rank, 2) and not (flat.size == 0 and rank == 0):
        raise ValueError(f"paddings must be a matrix with 2 columns and {rank} rows, got shape {list(flat.shape)}")
    if (flat < 0).any():
        raise ValueError(f"Paddings must be non-negative, got {flat.tolist()}")
    return [(int(a), int(b)) for a, b in flat.reshape(-1, 2)]


def _pad_infer(s: Shapes) -> list[Dims]:
    dims, paddings = s.dims[0], s.value(1)
    if dims is None:
        rows = s.dims[1]
        return [None if rows is None or rows[0] is None else (None,) * rows[0]]
    if paddings is None:
        return [(None,) * len(dims)]
    return [
        tuple(None if d is None else a + d + b for d, (a, b) in zip(dims, _pairs(paddings, len(dims)), strict=True))
    ]


def _inside(dy: Any, x: Any, paddings: Any) -> Any:
    from inlay.ops.slicing import slice_

    begin = math.cast(convert_to_tensor(paddings), dtypes.int32)[:, 0]
    return slice_(dy, begin, array.shape(x))


def _padded(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    pairs = _pairs(paddings, np.ndim(x))
    if xp is not np:
        return xp.pad(x, pairs, constant_values=value) if pairs else x
    out = np.empty([a + n + b for n, (a, b) in zip(x.shape, pairs, strict=True)], x.dtype)
    out[...] = value[()] if isinstance(value, np.ndarray) else value
    out[tuple(slice(a, a + n) for n, (a, _) in zip(x.shape, pairs, strict=True))] = x
    return out


@op(
    "Pad",
    "input:T, paddings:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("paddings",),
    infer=_pad_infer,
    vjp=lambda op, dy: (_inside(dy, op.inputs[0], op.inputs[1]), None),
)
def _pad(xp, input, paddings):
    """The tensor with zeros around it."""
    return _padded(xp, input, paddings, b"" if input.dtype == object else np.zeros((), input.dtype))


def _pad_v2_vjp(op, dy):
    inside = _inside(dy, op.inputs[0], op.inputs[1])
    return inside, None, math.subtract(reduce_sum(dy), reduce_sum(inside))


@op(
    "PadV2",
    "input:T, paddings:Index, constant_values:T -> T",
    types={"T": ANY, "Index": INDEX},
    static=("paddings",),
    infer=_pad_infer,
    vjp=_pad_v2_vjp,
)
def _pad_v2(xp, input, paddings, constant_values):
    """The tensor with a value around it."""
    if np.ndim(constant_values):
        raise ValueError(f"constant_values must be a scalar. Found: {list(np.shape(constant_values))}")
    return _padded(xp, input, paddings, constant_values)


def _mirror(n: int, before: int, after: int, mode: str) -> np.ndarray:
    """Which element each place of a mirrored axis shows."""
    limit = n - 1 if mode == "reflect" else n
    if before > limit or after > limit:
        raise ValueError(
            f"paddings must be no greater than the dimension size{' minus 1' if mode == 'reflect' else ''}: "
            f"{before}, {after} greater than {limit}"
        )
    return np.pad(np.arange(n), (before, after), mode=mode)  # type: ignore[call-overload, no-any-return]


@op(
    "MirrorPad",
    "input:T, paddings:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("paddings",),
    infer=_pad_infer,
    vjp=lambda op, dy: (_mirror_grad(array.shape(op.inputs[0]), dy, op.inputs[1], mode=op.attrs["mode"]), None),
)
def _mirror_pad(xp, input, paddings, *, mode):
    """The tensor continued by its mirror image."""
    out = input
    for axis, (a, b) in enumerate(_pairs(paddings, np.ndim(input))):
        if a or b:
            out = xp.take(out, _mirror(np.shape(input)[axis], a, b, mode), axis=axis)
    return out


@op(
    "MirrorPadGrad",
    "shape:int32, dy:T, paddings:Index -> T",
    types={"T": NUMBERS, "Index": INDEX},
    static=("shape", "paddings"),
    infer=lambda s: [s.partial_value(0)],
    vjp=lambda op, ddx: (None, _mirror_pad(ddx, op.inputs[2], mode=op.attrs["mode"]), None),
)
def _mirror_grad(xp, shape, dy, paddings, *, mode):
    """What a mirrored margin gives back to the elements it shows."""
    sizes = np.asarray(shape).tolist()
    for axis, (a, b) in enumerate(_pairs(paddings, np.ndim(dy))):
        if a or b:
            full = (*np.shape(dy)[:axis], sizes[axis], *np.shape(dy)[axis + 1 :])
            dy = added_at(xp, full, (slice(None),) * axis + (_mirror(sizes[axis], a, b, mode),), dy)
    return dy


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None) -> Any:
    """The tensor with a margin.

    Args:
      tensor: the tensor.
      paddings: a matrix: how much before and after, per axis.
      mode: "CONSTANT", "REFLECT" (the edge is not repeated) or "SYMMETRIC" (it is).
      constant_values: the margin's value for "CONSTANT".
      name: the node's name.
    """
    kind = mode.upper()
    if kind == "CONSTANT":
        if isinstance(constant_values, (int, float, bool)) and constant_values == 0:
            return _pad(tensor, paddings, name=name)
        return _pad_v2(tensor, paddings, constant_values, name=name)
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"mode must be CONSTANT, REFLECT or SYMMETRIC, got {mode!r}")
    return _mirror_pad(tensor, paddings, mode=kind.lower(), name=name)


# ---------------------------------------------------------------- order


@op(
    "ReverseV2",
    "tensor:T, axis:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("axis",),
    infer=as_first,
    vjp=lambda op, dy: (reverse(dy, op.inputs[1]), None),
    aliases=True,
)
def reverse(xp, tensor, axis):
    """The tensor with the order of the given axes turned round."""
    axes = axes_of(axis, np.ndim(tensor)) or ()
    if len(set(axes)) != len(axes):
        raise ValueError(f"axis {list(axes)} is specified more than once")
    return xp.flip(tensor, axis=axes) if axes else tensor


def _roll_vjp(op, dy):
    return roll(dy, math.negative(op.inputs[1]), op.inputs[2]), None, None


@op(
    "Roll",
    "input:T, shift:S, axis:Index -> T",
    types={"T": ANY, "S": INDEX, "Index": INDEX},
    static=("shift", "axis"),
    infer=as_first,
    vjp=_roll_vjp,
)
def roll(xp, input, shift, axis):
    """The tensor with its elements moved along axes; what leaves at the end comes back at the start."""
    shifts, axes = np.asarray(shift).reshape(-1).tolist(), axes_of(axis, np.ndim(input)) or ()
    if len(shifts) != len(axes):
        raise ValueError(f"shift and axis must have the same size, got {len(shifts)} and {len(axes)}")
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


@op(
    "ReverseSequence",
    "input:T, seq_lengths:Index -> T",
    types={"T": ANY, "Index": INDEX},
    static=("seq_lengths",),
    infer=as_first,
    vjp=lambda op, dy: (_reverse_sequence(dy, op.inputs[1], **op.attrs), None),
)
def _reverse_sequence(xp, input, seq_lengths, *, seq_axis, batch_axis):
    """The first `seq_lengths[i]` entries of each batch entry turned round."""
    rank = np.ndim(input)
    (seq,), (batch,) = axes_of(seq_axis, rank) or (0,), axes_of(batch_axis, rank) or (0,)
    if seq == batch:
        raise ValueError(f"batch_dim == seq_dim == {seq}")
    if np.size(seq_lengths) != np.shape(input)[batch]:
        raise ValueError(
            f"Length of seq_lengths != input.dims({batch}): {np.size(seq_lengths)}, {np.shape(input)[batch]}"
        )
    index = _sequence_index(seq_lengths, rank, np.shape(input)[seq], seq, batch)
    return xp.take_along_axis(input, np.broadcast_to(index, np.shape(input)), axis=seq)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Any:
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
    batch = batch_axis if batch_axis is not None else batch_dim or 0
    return _reverse_sequence(input, seq_lengths, seq_axis=at, batch_axis=batch, name=name)


# ---------------------------------------------------------------- sorting


@op(
    "TakeAlongAxis",
    "input:T, indices:Index -> T",
    types={"T": ANY, "Index": INDEX},
    infer=lambda s: [s.dims[1]],
    vjp=lambda op, dy: (_put_along_axis(op.inputs[0], op.inputs[1], dy, axis=op.attrs["axis"]), None),
)
def _take_along_axis(xp, input, indices, *, axis):
    """`input[..., indices[..., i, ...], ...]` along one axis."""
    return xp.take_along_axis(input, indices, axis=axis)


@op(
    "PutAlongAxis",
    "like:T, indices:Index, dy:T -> T",
    types={"T": NUMBERS, "Index": INDEX},
    infer=as_first,
    vjp=lambda op, ddx: (None, None, _take_along_axis(ddx, op.inputs[1], axis=op.attrs["axis"])),
)
def _put_along_axis(xp, like, indices, dy, *, axis):
    """Zeros shaped like `like` with `dy` added at `indices` along one axis."""
    where: list[Any] = list(np.indices(np.shape(indices), sparse=True))
    where[axis] = indices
    return added_at(xp, np.shape(like), tuple(where), dy)


def _descending(direction: str) -> bool:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"Argument `direction` should be one of 'ASCENDING' or 'DESCENDING'. Received: {direction}")
    return direction == "DESCENDING"


@op("ArgSort", "values:T -> int32", types={"T": REALS}, infer=as_first, differentiable=False)
def _argsort(xp, values, *, axis=-1, descending=False):
    """The indices that sort a tensor along an axis; equal elements keep their order."""
    if not descending:
        return xp.argsort(values, axis=axis, stable=True).astype(np.int32)
    turned = xp.flip(values, axis=axis)
    order = xp.argsort(turned, axis=axis, stable=True)
    return (np.shape(values)[axis] - 1 - xp.flip(order, axis=axis)).astype(np.int32)


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Any:
    """The indices, int32, that sort a tensor along an axis.

    Args:
      values: numbers.
      axis: the axis.
      direction: "ASCENDING" or "DESCENDING".
      stable: accepted; equal elements always keep their order.
      name: the node's name.
    """
    return _argsort(values, axis=int(axis), descending=_descending(direction), name=name)


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Any:
    """The elements in order along an axis.

    Args:
      values: numbers.
      axis: the axis.
      direction: "ASCENDING" or "DESCENDING".
      name: the node's name.
    """
    values = convert_to_tensor(values)
    order = _argsort(values, axis=int(axis), descending=_descending(direction))
    return _take_along_axis(values, order, axis=int(axis), name=name)


def _search_infer(s: Shapes) -> list[Dims]:
    return [s.dims[1]]


@op(
    "SearchSorted",
    "sorted_sequence:T, values:T -> out_type",
    types={"T": REALS},
    infer=_search_infer,
    differentiable=False,
)
def _searchsorted(xp, sorted_sequence, values, *, side, out_type):
    """Where values would be inserted."""
    if np.shape(sorted_sequence)[:-1] != np.shape(values)[:-1]:
        raise ValueError(
            f"Leading dim_size of both tensors must match: {list(np.shape(sorted_sequence))}, {list(np.shape(values))}"
        )
    if np.ndim(values) == 1:
        return xp.searchsorted(sorted_sequence, values, side=side).astype(out_type.np)
    rows = xp.reshape(sorted_sequence, (-1, np.shape(sorted_sequence)[-1]))
    wanted = xp.reshape(values, (-1, np.shape(values)[-1]))
    found = [xp.searchsorted(r, v, side=side) for r, v in zip(rows, wanted, strict=True)]
    return (
        xp.reshape(xp.stack(found), np.shape(values)).astype(out_type.np)
        if found
        else xp.zeros(np.shape(values), out_type.np)
    )


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None
) -> Any:
    """Where each value would be inserted to keep the last axis in order.

    Args:
      sorted_sequence: numbers in ascending order along the last axis.
      values: numbers; all axes but the last as in `sorted_sequence`.
      side: "left" (before equal elements) or "right".
      out_type: int32 or int64.
      name: the node's name.
    """
    if side not in ("left", "right"):
        raise ValueError(f"side must be 'left' or 'right'. Saw: {side}.")
    sorted_sequence = convert_to_tensor(sorted_sequence)
    kind = dtypes.as_dtype(out_type)
    return _searchsorted(
        sorted_sequence, convert_to_tensor(values, sorted_sequence.dtype), side=side, out_type=kind, name=name
    )


# ---------------------------------------------------------------- unique


def _first_seen(x: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(elements in order of first sight, the number of each element of x, how often each occurs)."""
    x = np.asarray(x)
    if x.ndim != 1:
        raise ValueError(f"unique expects a 1D vector, got shape {list(x.shape)}")
    _, first, inverse, count = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return x[first[order]], place[inverse.reshape(-1)], count[order]


def _unique_infer(s: Shapes) -> list[Dims]:
    return [(None,), s.dims[0]]


@op("Unique", "x:T -> T, out_idx", types={"T": DENSE}, infer=_unique_infer, differentiable=False)
def _unique(xp, x, *, out_idx):
    """The distinct elements and where each came from."""
    y, index, _ = _first_seen(x)
    return y, index.astype(out_idx.np)


@op(
    "UniqueWithCounts",
    "x:T -> T, out_idx, out_idx",
    types={"T": DENSE},
    infer=lambda s: [(None,), s.dims[0], (None,)],
    differentiable=False,
)
def _unique_with_counts(xp, x, *, out_idx):
    """The distinct elements, where each came from, and how often."""
    y, index, count = _first_seen(x)
    return y, index.astype(out_idx.np), count.astype(out_idx.np)


class Unique(NamedTuple):
    """The distinct elements in order of first sight, and for each element the index of its equal among them."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """As `Unique`, and how often each distinct element occurs."""

    y: Any
    idx: Any
    count: Any


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Unique:
    """The distinct elements of a vector in order of first sight.

    Args:
      x: a vector.
      out_idx: the type of the indices.
      name: the node's name.

    Returns:
      `(y, idx)`, with `x[i] == y[idx[i]]`.
    """
    return Unique(*_unique(x, out_idx=dtypes.as_dtype(out_idx), name=name))


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> UniqueWithCounts:
    """The distinct elements of a vector, and how often each occurs.

    Args:
      x: a vector.
      out_idx: the type of indices and counts.
      name: the node's name.

    Returns:
      `(y, idx, count)`.
    """
    return UniqueWithCounts(*_unique_with_counts(x, out_idx=dtypes.as_dtype(out_idx), name=name))


# ---------------------------------------------------------------- space and depth


def _blocks(dims: Any, size: int) -> Any:
    """The sizes of [batch, height, width, channels], to be cut into blocks of size by size."""
    if len(dims) != 4:
        raise ValueError(f"input must have 4 dimensions [batch, height, width, channels], got shape {list(dims)}")
    if size < 2:
        raise ValueError(f"block_size must be at least 2, got {size}")
    return dims


def _depth_infer(s: Shapes) -> list[Dims]:
    dims, n = s.dims[0], s.attrs["block_size"]
    if dims is None:
        return [(None,) * 4]
    b, h, w, c = _blocks(dims, n)
    return [(b, None if h is None else h * n, None if w is None else w * n, None if c is None else c // (n * n))]


def _space_infer(s: Shapes) -> list[Dims]:
    dims, n = s.dims[0], s.attrs["block_size"]
    if dims is None:
        return [(None,) * 4]
    b, h, w, c = _blocks(dims, n)
    return [(b, None if h is None else h // n, None if w is None else w // n, None if c is None else c * n * n)]


@op(
    "DepthToSpace",
    "input:T -> T",
    types={"T": ANY},
    infer=_depth_infer,
    vjp=lambda op, dy: space_to_depth(dy, op.attrs["block_size"]),
)
def depth_to_space(xp, input, *, block_size):
    """Blocks of channels of [batch, height, width, channels] spread over space."""
    n = block_size
    b, h, w, c = _blocks(np.shape(input), n)
    if c % (n * n):
        raise ValueError(f"Input depth dimension {c} should be divisible by {n * n}, the square of block_size")
    x = xp.reshape(input, (b, h, w, n, n, c // (n * n)))
    return xp.reshape(xp.transpose(x, (0, 1, 3, 2, 4, 5)), (b, h * n, w * n, c // (n * n)))


@op(
    "SpaceToDepth",
    "input:T -> T",
    types={"T": ANY},
    infer=_space_infer,
    vjp=lambda op, dy: depth_to_space(dy, op.attrs["block_size"]),
)
def space_to_depth(xp, input, *, block_size):
    """Blocks of space of [batch, height, width, channels] put into the channels."""
    n = block_size
    b, h, w, c = _blocks(np.shape(input), n)
    if h % n or w % n:
        raise ValueError(f"Image size {h}x{w} should be divisible by block_size {n}")
    x = xp.reshape(input, (b, h // n, n, w // n, n, c))
    return xp.reshape(xp.transpose(x, (0, 1, 3, 2, 4, 5)), (b, h // n, w // n, n * n * c))
