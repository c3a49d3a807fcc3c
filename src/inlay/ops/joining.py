"""Concatenation, splitting, repeating."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.graph import constant_of
from inlay.core.opdef import OPS, Shapes
from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor, emit
from inlay.ops import array
from inlay.ops.math import cast
from inlay.ops.reductions import reduce_sum
from inlay.types import dtypes, shapes
from inlay.types.dtypes import ANY
from inlay.types.shapes import Dims


def _concat_infer(s: Shapes) -> list[Dims]:
    axis, known = s.attrs["axis"], [d for d in s.dims if d is not None]
    if not known:
        return [None]
    rank = len(known[0])
    if not -rank <= axis < rank:
        raise ValueError(f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}")
    at = axis % rank
    merged: Dims = None
    for d in known:
        if len(d) != rank:
            raise ValueError(f"Shapes must be equal rank, but are {rank} and {len(d)}")
        merged = shapes.merge(merged, (*d[:at], None, *d[at + 1 :]))
    sizes = [None if d is None else d[at] for d in s.dims]
    total = None if None in sizes else sum(x for x in sizes if x is not None)
    assert merged is not None
    return [(*merged[:at], total, *merged[at + 1 :])]


def _concat_vjp(op, dy):
    at, out, start = op.attrs["axis"], [], 0
    for x in op.inputs:
        size = array.shape(x)[at]
        out.append(slice_axis(dy, start, size, at))
        start = start + size
    return out


@op("ConcatV2", "values:*T -> T", types={"T": ANY}, infer=_concat_infer, vjp=_concat_vjp)
def _concat(xp, values, *, axis=0):
    """Tensors joined along an axis."""
    ranks = {np.ndim(v) for v in values}
    if len(ranks) > 1 or 0 in ranks:
        raise ValueError(
            f"ConcatOp : Ranks of all input tensors should match and be at least 1, got "
            f"{[list(np.shape(v)) for v in values]}"
        )
    return xp.concatenate(values, axis=axis)


def slice_axis(value: Any, start: Any, size: Any, axis: int) -> Any:
    """`size` slices of `value` from `start` on, along one axis."""
    part = slice(start, start + size)
    if axis >= 0:
        return convert_to_tensor(value)[(slice(None),) * axis + (part,)]
    return convert_to_tensor(value)[(Ellipsis, part, *(slice(None),) * (-axis - 1))]


def static_int(value: Any, what: str) -> int:
    """An axis or count that must be known while building.

    Raises:
      ValueError: if it is a symbolic tensor without a known value.
    """
    known = constant_of(value)
    if known is None or known.dtype == object or known.size != 1:
        raise ValueError(f"{what} must be an integer known while the graph is built, got {value!r}")
    return int(known.reshape(-1)[0])


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Tensors joined along an axis.

    Args:
      values: a list of tensors of one type and, but for that axis, one shape.
      axis: the axis.
      name: the node's name.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError("concat needs at least one tensor, got an empty list")
    at = static_int(axis, "The axis of concat")
    if len(values) == 1:
        return array.identity(values[0], name=name)
    return emit(OPS["ConcatV2"], (list(values),), {"axis": at}, name)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """Tensors of one known shape stacked along a new first axis.

    Args:
      values: a list of tensors.
      name: the node's name.
    """
    return array.stack(values, 0, name=name)


# ---------------------------------------------------------------- splitting


def _split_axis(dims: Dims, axis: int) -> tuple[int, Any]:
    assert dims is not None
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"split axis = {axis} must be in the range [{-len(dims)}, {len(dims)})")
    return axis % len(dims), dims[axis]


def _split_infer(s: Shapes) -> list[Dims]:
    dims, num = s.dims[0], s.attrs["num"]
    if dims is None:
        return [None] * num
    at, size = _split_axis(dims, s.attrs["axis"])
    if size is not None and size % num:
        raise ValueError(f"Dimension size must be evenly divisible by {num} but is {size} (axis {at})")
    part = None if size is None else size // num
    return [(*dims[:at], part, *dims[at + 1 :])] * num


def _split_vjp(op, *dys):
    parts = [array.zeros_like(o) if d is None else d for d, o in zip(dys, op.outputs, strict=True)]
    return concat(parts, op.attrs["axis"])


@op("Split", "value:T -> *T", types={"T": ANY}, infer=_split_infer, vjp=_split_vjp, aliases=True)
def _split(xp, value, *, num, axis=0):
    """Equal parts of a tensor along an axis."""
    _, size = _split_axis(np.shape(value), axis)
    if size % num:
        raise ValueError(f"Dimension size must be evenly divisible by {num} but is {size} (axis {axis})")
    return list(xp.split(value, num, axis=axis))


def _split_v_infer(s: Shapes) -> list[Dims]:
    dims, num, sizes = s.dims[0], s.attrs["num"], s.value(1)
    if dims is None:
        return [None] * num
    at, _ = _split_axis(dims, s.attrs["axis"])
    parts = [None] * num if sizes is None else _part_sizes(sizes, dims[at])
    return [(*dims[:at], p, *dims[at + 1 :]) for p in parts]


def _part_sizes(sizes: Any, total: int | None) -> list[int | None]:
    parts: list[int | None] = [int(p) for p in np.asarray(sizes).reshape(-1)]
    known = sum(p for p in parts if p is not None and p >= 0)
    if parts.count(-1) > 1 or any(p is not None and p < -1 for p in parts):
        raise ValueError(f"size_splits may hold one -1 and no other negative size, got {parts}")
    if total is None:
        return [None if p == -1 else p for p in parts]
    if known != total if -1 not in parts else known > total:
        raise ValueError(f"the sizes to split into must add up to {total}, the size of the axis; got {parts}")
    return [total - known if p == -1 else p for p in parts]


@op(
    "SplitV",
    "value:T, size_splits:Index -> *T",
    types={"T": ANY, "Index": dtypes.INDEX},
    static=("size_splits",),
    infer=_split_v_infer,
    vjp=lambda op, *dys: (_split_vjp(op, *dys), None),
    aliases=True,
)
def _split_v(xp, value, size_splits, *, num, axis=0):
    """Parts of given sizes of a tensor along an axis."""
    sizes = _part_sizes(size_splits, _split_axis(np.shape(value), axis)[1])
    if len(sizes) != num:
        raise ValueError(f"size_splits has {len(sizes)} sizes, but the split makes {num} parts")
    return list(xp.split(value, np.cumsum(sizes[:-1], dtype=np.int64).tolist(), axis=axis))


def split(value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split") -> Any:
    """Parts of `value` along an axis, as a list.

    Args:
      value: the tensor.
      num_or_size_splits: the number of equal parts, or a vector of sizes (one may be -1: the rest).
      axis: the axis.
      num: how many parts, if `num_or_size_splits` is a tensor of unknown length.
      name: the node's name.

    Raises:
      ValueError: if the number of parts is not known, or the sizes do not fit.
    """
    at = static_int(axis, "The axis of split")
    known = constant_of(num_or_size_splits)
    if known is not None and known.ndim == 0:
        count = static_int(num_or_size_splits, "The number of splits")
        if count < 1:
            raise ValueError(f"split needs at least one part, got num_or_size_splits={count}")
        return emit(OPS["Split"], (value,), {"num": count, "axis": at}, name)
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.shape.rank == 0:
        raise ValueError(f"The number of splits must be known while the graph is built, got {num_or_size_splits!r}")
    if num is None:
        if sizes.shape.rank is None or sizes.shape[0] is None:
            raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}")
        num = sizes.shape[0]
    return emit(OPS["SplitV"], (value, num_or_size_splits), {"num": num, "axis": at}, name)


# ---------------------------------------------------------------- repeating


def _tile_infer(s: Shapes) -> list[Dims]:
    dims, times = s.dims[0], s.partial_value(1)
    if dims is None:
        return [None if times is None else (None,) * len(times)]
    if times is None:
        return [(None,) * len(dims)]
    if len(times) != len(dims):
        raise ValueError(f"multiples must have one entry per axis: {len(times)} for a tensor of rank {len(dims)}")
    return [tuple(None if d is None or t is None else d * t for d, t in zip(dims, times, strict=True))]


def _tile_vjp(op, dy):
    x, times = op.inputs
    times = cast(convert_to_tensor(times), dtypes.int32)
    sizes = array.reshape(array.stack([times, array.shape(x)], axis=1), [-1])
    rank = convert_to_tensor(x).shape.rank
    axes = array.range_(0, 2 * array.rank(x), 2) if rank is None else np.arange(0, 2 * rank, 2, dtype=np.int32)
    return reduce_sum(array.reshape(dy, sizes), axes), None


@op(
    "Tile",
    "input:T, multiples:Index -> T",
    types={"T": ANY, "Index": dtypes.INDEX},
    static=("multiples",),
    infer=_tile_infer,
    vjp=_tile_vjp,
)
def tile(xp, input, multiples):
    """The tensor repeated `multiples[i]` times along axis i."""
    times = tuple(np.asarray(multiples).reshape(-1).tolist())
    if len(times) != np.ndim(input):
        raise ValueError(
            f"Expected multiples argument to be a vector of length {np.ndim(input)} but got length {len(times)}"
        )
    if any(t < 0 for t in times):
        raise ValueError(f"multiples must not be negative, got {list(times)}")
    return xp.tile(input, times)


def _repeat_infer(s: Shapes) -> list[Dims]:
    times, n = s.value(0), s.value(1)
    if times is None or n is None:
        return [(None,)]
    return [(int(np.sum(np.broadcast_to(times.reshape(-1), (int(n),)))) if times.size in (1, int(n)) else None,)]


@op(
    "RepeatIndices",
    "repeats:Index, size:int32 -> int32",
    types={"Index": dtypes.INDEX},
    static=("repeats", "size"),
    infer=_repeat_infer,
)
def _repeat_indices(xp, repeats, size):
    """0..size-1, each as often as `repeats` says."""
    n, times = int(np.asarray(size)), np.asarray(repeats).reshape(-1)
    if times.size not in (1, n):
        raise ValueError(f"repeats has {times.size} entries for an axis of size {n}: it needs 1 or {n}")
    if (times < 0).any():
        raise ValueError(f"repeats must not be negative, got {times.tolist()}")
    return np.repeat(np.arange(n, dtype=np.int32), times)


def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Any:
    """Each element (or slice along `axis`) of `input` repeated.

    Args:
      input: the tensor; it is flattened if `axis` is None.
      repeats: how often, one number for all or one per element of the axis.
      axis: the axis.
      name: the node's name.
    """
    from inlay.ops.gathering import gather_op

    input = convert_to_tensor(input)
    if axis is None:
        input, axis = array.reshape(input, [-1]), 0
    at = static_int(axis, "The axis of repeat")
    size = None if input.shape.rank is None else input.shape[at]
    indices = _repeat_indices(repeats, array.shape(input)[at] if size is None else size)
    return gather_op(input, indices, axis=at, name=name)


def meshgrid(*args: Any, indexing: str = "xy", name: str | None = None) -> list[Any]:
    """One grid of coordinates per vector.

    Args:
      *args: tensors of rank 0 or 1.
      indexing: "xy" (first two axes swapped, as in plots) or "ij" (as in matrices).
      name: ignored; each grid has its own node.

    Returns:
      As many tensors as `args`, each of the shape of the whole grid.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` must be 'xy' or 'ij', got {indexing!r}")
    vectors = [array.reshape(convert_to_tensor(a), [-1]) for a in args]
    n = len(vectors)
    at = list(range(n))
    if indexing == "xy" and n > 1:
        at[0], at[1] = 1, 0
    sizes: list[Any] = [None] * n
    for k, v in enumerate(vectors):
        sizes[at[k]] = array.size(v)
    full = array.stack(sizes) if sizes else []
    grids = []
    for k, v in enumerate(vectors):
        shape = [1] * n
        shape[at[k]] = -1
        grids.append(array.broadcast_to(array.reshape(v, shape), full))
    return grids
