"""Repeating: `tile`, `repeat`, `meshgrid`."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims, dimension_value
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, ranges, shaping, stacking
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.joining import concat, static_int
from inlay._src.ops.math import cast, maximum
from inlay._src.ops.reductions import reduce_sum
from inlay._src.ops.shaping import numbers_of


def _tile_infer(s: Shapes) -> list[Dims]:
    dims, times = s.dims[0], s.partial_value(1)
    if s.dims[1] is not None and len(s.dims[1]) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(s.dims[1])}: multiples is a vector")
    if dims is None:
        return [None if times is None else tuple(0 if t == 0 else None for t in times)]
    if times is None:
        return [(None,) * len(dims)]
    if len(times) != len(dims):
        raise ValueError(f"multiples must have one entry per axis: {len(times)} for a tensor of rank {len(dims)}")
    return [tuple(0 if t == 0 else None if d is None or t is None else d * t for d, t in zip(dims, times, strict=True))]


def _tile_vjp(op, dy):
    x, times = op.inputs
    times = cast(convert_to_tensor(times), dtypes.int32)
    sizes = array.reshape(stacking.stack([times, array.shape(x)], axis=1), [-1])
    rank = convert_to_tensor(x).shape.rank
    axes = ranges.range_(0, 2 * array.rank(x), 2) if rank is None else np.arange(0, 2 * rank, 2, dtype=np.int32)
    return reduce_sum(array.reshape(dy, sizes), axes), None


@op(
    "Tile",
    "input:T, multiples:Index -> T",
    static=("multiples",),
    ranks={"multiples": 1},
    infer=_tile_infer,
    vjp=_tile_vjp,
)
@export("tile", "compat.v1.manip.tile")
def tile(xp, input, multiples):
    """The tensor repeated `multiples[i]` times along axis i."""
    times, shape = numbers_of(multiples)
    if len(shape) != 1:
        raise ValueError(f"Expected multiples to be 1-D, but got shape {list(shape)}")
    sizes = input.shape
    if len(times) != len(sizes):
        raise ValueError(
            f"Expected multiples argument to be a vector of length {len(sizes)} but got length {len(times)}"
        )
    if min(times, default=0) < 0:
        raise ValueError(f"multiples must not be negative, got {list(times)}")
    if prod(times) * prod(sizes) >= 1 << 63:
        raise ValueError(f"Encountered overflow when multiplying the sizes {list(sizes)} with {list(times)}")
    if xp is not np or not input.size or all(t == 1 for t in times):
        return xp.tile(input, tuple(times))
    out, inner = input, input.size  # as `np.tile` does it, which takes twice as long again to come to it
    for n, t in zip(sizes, times, strict=True):
        if t != 1:
            out = out.reshape(-1, inner).repeat(t, 0)
        inner //= n
    return out.reshape([n * t for n, t in zip(sizes, times, strict=True)])


def _repeat_infer(s: Shapes) -> list[Dims]:
    times, n = s.value(0), s.value(1)
    if times is not None and not times.any():
        return [(0,)]
    if times is None or n is None:
        return [(None,)]
    return [(int(np.sum(np.broadcast_to(times.reshape(-1), (int(n),)))) if times.size in (1, int(n)) else None,)]


@op("RepeatIndices", "repeats:Index, size:int32 -> int32", static=("repeats", "size"), infer=_repeat_infer)
def _repeat_indices(xp, repeats, size):
    """0..size-1, each as often as `repeats` says."""
    n, times = int(np.asarray(size)), np.asarray(repeats).reshape(-1)
    if times.size not in (1, n):
        raise ValueError(f"repeats has {times.size} entries for an axis of size {n}: it needs 1 or {n}")
    if (times < 0).any():
        raise ValueError(f"repeats must not be negative, got {times.tolist()}")
    return np.repeat(np.arange(n, dtype=np.int32), times)


@export("repeat")
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Each element (or slice along `axis`) of `input` repeated.

    Args:
      input: the tensor; it is flattened if `axis` is None, and a scalar counts as a vector.
      repeats: number of repetitions, one for all elements or one per element of the axis.
      axis: the axis.
      name: the node's name.

    Raises:
      TypeError: if the axis is no integer.
      ValueError: if there is no such axis, or `repeats` does not fit.
    """
    input = convert_to_tensor(array.reshape(input, [-1]) if axis is None and answers(input) else input)
    repeats = convert_to_tensor(repeats, dtype_hint=dtypes.int32)
    if repeats.dtype.is_integer and repeats.dtype not in dtypes.INDEX:
        repeats = cast(repeats, dtypes.int32 if repeats.dtype.size < 4 else dtypes.int64)
    if axis is None or input.shape.rank == 0:
        input, axis = array.reshape(input, [-1]), axis or 0
    elif input.shape.rank is None:  # it may be a scalar
        sizes = array.shape(input)
        input = array.reshape(input, concat([sizes, array.ones(maximum(1 - array.shape(sizes), 0), dtypes.int32)], 0))
    if isinstance(axis, (str, bytes, float)):
        raise TypeError(f"`axis` must be an int; got {axis!r}")
    at, rank, size = static_int(axis, "The axis of repeat"), input.shape.rank, None
    if rank is not None:
        if not -rank <= at < rank:
            raise ValueError(f"axis={at} out of bounds: expected {-rank}<=axis<{rank}")
        size = dimension_value(input.shape[at])
    if repeats.shape.rank is not None and repeats.shape.rank > 1:
        raise ValueError(f"Shape {repeats.shape} must have rank at most 1")
    count = repeats.shape.num_elements()
    if size is not None and count not in (None, 1, size):
        raise ValueError(
            f"Dimensions {size} and {count} are not compatible: repeats has {count} entries for an axis of {size}"
        )
    if count == 0:
        repeats = cast(repeats, dtypes.int32)
    indices = _repeat_indices(repeats, array.shape(input)[at] if size is None else size)
    if at == 0:  # behind a reshape the gradient is a tensor, never IndexedSlices
        input = array.reshape(input, array.shape(input))
    return gather_op(input, indices, axis=at, name=name)


@export("meshgrid")
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
    kinds = {v.dtype.name for v in vectors}
    if len(kinds) > 1 or "string" in kinds:
        raise TypeError(f"meshgrid takes numbers of one type, got {' and '.join(sorted(kinds))}")
    at = list(range(n))
    if indexing == "xy" and n > 1:
        at[0], at[1] = 1, 0
    sizes: list[Any] = [None] * n
    for k, v in enumerate(vectors):
        length = dimension_value(v.shape[0])
        sizes[at[k]] = array.size(v) if length is None else length
    full: Any = stacking.stack(sizes) if sizes else []
    grids = []
    for k, v in enumerate(vectors):
        shape = [1] * n
        shape[at[k]] = -1
        grids.append(shaping.broadcast_to(array.reshape(v, shape), full))
    return grids
