"""Axes, sizes and broadcasting: `broadcast_to`, and what gradients need to undo it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import ownership
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.misuse import explained, repr_of
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, emit
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import OPS, Shapes
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.core.values import check_rank


def axes_of(axis: Any, rank: int) -> tuple[int, ...] | None:
    """`axis` (None, int, list or integer array) as non-negative axes; None means all.

    Raises:
      ValueError: if an axis is outside [-rank, rank).
    """
    if axis is None:
        return None
    if axis.__class__ is int and -rank <= axis < rank:
        return (axis % rank,)
    flat = numbers_of(axis)[0]
    for a in flat:
        if not -rank <= a < rank:
            raise ValueError(
                f"Invalid reduction dimension {a} for input with {rank} dimensions: must be in [-{rank}, {rank})"
            )
    return tuple(int(a) % rank for a in flat)


def _whole_axis(axis: Any) -> int:
    array = np.asarray(axis)
    if array.size != 1 or array.dtype.kind not in "iub":
        raise ValueError(f"axis must be one whole number, got {repr_of(axis)}")
    return int(array.item())


def axis_of(axis: Any, rank: int) -> int:
    """One axis, an int or an array of one, as a non-negative axis.

    Raises:
      ValueError: if it is outside [-rank, rank).
    """
    at = axis if axis.__class__ is int else _whole_axis(axis)
    if not -rank <= at < rank:
        raise ValueError(f"axis {at} is out of bounds for a tensor of rank {rank}: must be in [-{rank}, {rank})")
    return at % rank


def along_axis(shape: Shapes) -> Sequence[Dims]:
    """Shape inference for ops with an output shaped as the input and with an attribute `axis` that names one of its
    axes.
    """
    if shape.dims[0] is not None:
        axis_of(shape.attrs.get("axis", -1), len(shape.dims[0]))
    return shape.dims


def wide(x: Any) -> Any:
    """16-bit floats as float32, in which sums and products lose less; other numbers as they are."""
    dtype = x.dtype
    return x.astype(np.float32) if dtype.itemsize == 2 and dtype.kind not in "iu" else x


_INTEGERS = frozenset({int})


def all_whole(items: Iterable[Any]) -> bool:
    """Whether items are Python's whole numbers."""
    return _INTEGERS.issuperset(map(type, items))


def numbers_of(sizes: Any) -> tuple[Sequence[Any], tuple[int, ...]]:
    """(the numbers of a static input in their order, its shape): of a list of whole numbers, an array, a number."""
    if (sizes.__class__ is list or sizes.__class__ is tuple) and all_whole(sizes):
        return sizes, (len(sizes),)
    array = np.asarray(sizes)
    return array.reshape(-1).tolist(), array.shape


def sizes_of(shape: Any) -> tuple[int, ...]:
    """A shape input (list, array, scalar) as a tuple of ints.

    Raises:
      ValueError: if it has more axes than one.
    """
    numbers, dims = numbers_of(shape)
    if len(dims) > 1:
        raise ValueError(f"sizes input must be 1-D, not {list(dims)}")
    return tuple(map(int, numbers))


ADDED: Any = np.add.reduce
GREATEST: Any = np.maximum.reduce
"""NumPy's reductions: of an array, over axes, in a type, into an array, with axes kept."""


_NARROW, _ROWS = 32, 24
"""The longest rows, and the fewest of them, whose greatest are found sooner column by column."""


def greatest_of_rows(x: np.ndarray) -> np.ndarray:
    """The greatest of each row of a matrix, as a column.

    NumPy begins anew with each row. Of many short ones the columns are laid side by side and compared as wholes.
    """
    rows, width = x.shape
    if width <= _NARROW and rows >= max(_ROWS, 2 * width):
        return GREATEST(x.T.copy(), 0)[:, None]  # type: ignore[no-any-return]
    return GREATEST(x, 1, None, None, True)  # type: ignore[no-any-return]


def sum_over(xp: Any, x: Any, axes: Any, keepdims: bool) -> Any:
    """The sum over axes, all of them if None, in the type of `x`."""
    if xp is np:  # `np.sum` does this, and takes as long again to come to it
        if x.size >= TUNING.blocked_elements and (total := _sum_of_short_rows(x, axes, keepdims)) is not None:
            return total
        return ADDED(x, axes, x.dtype, None, keepdims)
    return xp.sum(x, axis=axes, keepdims=keepdims, dtype=x.dtype)


def _sum_of_short_rows(x: np.ndarray, axes: Any, keepdims: bool) -> np.ndarray | None:
    """The sum over the first axes, where what follows them is a short row; None for other axes and arrays.

    NumPy begins anew with each row. Several rows side by side are one long row, and rounding errors are smaller.
    """
    if not axes or tuple(axes) != tuple(range(len(axes))) or not x.flags.c_contiguous:
        return None
    shape = x.shape[len(axes) :]
    width = math.prod(shape)
    if not 1 < width <= TUNING.sum_short_row:
        return None
    rows = x.reshape(-1, width)
    each = TUNING.sum_long_row // width
    whole = len(rows) // each * each
    long_rows: np.ndarray = ADDED(rows[:whole].reshape(-1, each * width), 0, x.dtype)
    total = ADDED(long_rows.reshape(each, width), 0, x.dtype)
    if whole < len(rows):
        total = np.add(total, ADDED(rows[whole:], 0, x.dtype))
    return total.reshape((1,) * len(axes) * keepdims + shape)


def lowered(x: np.ndarray, out: np.ndarray | None, axis: int) -> np.ndarray:
    """`x` less the greatest along an axis, written into `out` or a new array."""
    of_rows = x.ndim == 2 and axis in (1, -1)
    greatest = greatest_of_rows(x) if of_rows else GREATEST(x, axis, None, None, True)
    if out is None:  # NumPy subtracts arrays of one shape sooner than it repeats a number for each row
        out = greatest = greatest.repeat(x.shape[axis], axis)
    return np.subtract(x, greatest, out)


_NUMBER_ARRAYS: BoundedCache[tuple[int, Any], np.ndarray] = BoundedCache(
    "numbers as arrays of rank 0", 64, lambda key: ownership.read_only(np.array(*key))
)


def number_array(number: int, dtype: Any) -> np.ndarray:
    """A number as a read-only array of rank 0, which NumPy puts beside another array sooner than a scalar."""
    return _NUMBER_ARRAYS[number, dtype]


def picked(xp: Any, values: Any, places: Any) -> Any:
    """The elements of the last axis of `values` at `places`, several for each row."""
    if xp is not np:
        return xp.take_along_axis(values, places, axis=-1)
    if values.ndim == 1:
        return values.take(places)
    width, outer = values.shape[-1], values.shape[:-1]
    rows = (np.arange(math.prod(outer)) * width).reshape(*outer, 1)
    return values.reshape(-1)[rows + places]


def check_fill(dims: Dims, value: Dims, sizes: tuple[int, ...] | None) -> None:
    """Refuses what `fill` cannot make: `dims` and `value` are the shapes of its inputs, `sizes` what is known of it."""
    if dims is not None and len(dims) > 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}: dims must represent a vector")
    if value:
        raise ValueError(f"Shape must be rank 0 but is rank {len(value)}: value must represent a scalar")
    if sizes and min(sizes) < 0:
        raise ValueError(f"Dimension {min(sizes)} must be >= 0")


def put(xp: Any, base: Any, index: Any, values: Any) -> Any:
    """`base`, which is ours, with `values` written at `index`."""
    if xp is np:
        base[index] = values
        return base
    return base.at[index].set(values)


def _like(shape: Shapes) -> list[Dims]:
    return [shape.dims[1]]


def _sum_like_vjp(op: Any, dy: Any) -> Any:
    return broadcast_like(dy, op.inputs[0]), None


@op(
    "SumLike",
    "value:T, like:L -> T",
    types={"T": dtypes.NUMBERS, "L": dtypes.ANY},
    infer=_like,
    vjp=_sum_like_vjp,
    lower=LoweringHints(aliases=True, to_shape=True),
)
def _sum_like_op(xp, value, like):
    """Sums `value` over the axes along which `like` was broadcast to reach its shape."""
    if value.shape == like.shape:
        return value
    shape, target = np.shape(value), np.shape(like)
    extra = len(shape) - len(target)
    axes = tuple(range(extra)) + tuple(i + extra for i, d in enumerate(target) if d == 1 and shape[i + extra] != 1)
    if axes:
        summed = wide(value)
        value = sum_over(xp, summed, axes, True).astype(value.dtype, copy=False)
    return xp.reshape(value, target)


def _broadcast_like_vjp(op: Any, dy: Any) -> Any:
    return sum_like(dy, op.inputs[0]), None


@op(
    "BroadcastLike",
    "value:T, like:L -> T",
    types={"T": dtypes.NUMBERS, "L": dtypes.ANY},
    infer=_like,
    vjp=_broadcast_like_vjp,
    lower=LoweringHints(aliases=True, to_shape=True),
)
def _broadcast_like_op(xp, value, like):
    """`value` repeated to the shape of `like`."""
    if value.shape == like.shape:
        return value
    return xp.broadcast_to(value, np.shape(like))


def _same_shape(a: Any, b: Any) -> bool:
    if a.__class__ is EagerTensor and b.__class__ is EagerTensor:
        return a._value.shape == b._value.shape  # type: ignore[no-any-return]
    one, two = a.shape, b.shape
    return one.is_fully_defined() and one == two


def sum_like(value: Any, like: Any) -> Any:
    """`value` summed down to the shape of `like`; the gradient of a broadcast."""
    return value if _same_shape(value, like) else _sum_like_op(value, like)


def broadcast_like(value: Any, like: Any) -> Any:
    """`value` broadcast to the shape of `like`; the gradient of a sum."""
    return value if _same_shape(value, like) else _broadcast_like_op(value, like)


def with_zeros(cotangents: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """The cotangents of several outputs, zeros for those that have none."""
    return [emit(OPS["ZerosLike"], (o,)) if d is None else d for d, o in zip(cotangents, outputs, strict=True)]


def _broadcast_to_infer(s: Shapes) -> list[Dims]:
    want, have = s.partial_value(1), s.dims[0]
    if want is None or have is None:
        return [want]
    if shapes.broadcast(have, want) is not None and len(have) > len(want):
        raise ValueError(f"a tensor of shape {shapes.bracketed(have)} cannot be broadcast to rank {len(want)}")
    lead = len(want) - len(have)
    target = [None] * lead + [None if d == 1 else d for d in have]
    return [tuple(k if w is None else w for w, k in zip(want, target, strict=True))]


def _broadcast_to_vjp(op, dy):
    return sum_like(dy, op.inputs[0]), None


@op(
    "BroadcastTo",
    "input:T, shape:Index -> T",
    static=("shape",),
    ranks={"shape": 1},
    infer=_broadcast_to_infer,
    vjp=_broadcast_to_vjp,
    lower=LoweringHints(aliases=True, fuses=True),
)
@export("broadcast_to")
def broadcast_to(xp, input, shape):
    """The tensor repeated to `shape`, as arithmetic would repeat it."""
    if np.ndim(shape) != 1:
        raise ValueError(f"shape must be a vector of whole numbers, got shape {list(np.shape(shape))}")
    try:
        return xp.broadcast_to(input, sizes_of(shape))
    except ValueError:
        check_rank(len(sizes_of(shape)))
        raise ValueError(
            f"Incompatible shapes: {list(np.shape(input))} cannot be broadcast to {list(sizes_of(shape))}"
        ) from None


@export("broadcast_static_shape")
@explained
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> shapes.TensorShape:
    """The static shape that two shapes broadcast to.

    Args:
      shape_x, shape_y: anything `TensorShape` accepts.

    Raises:
      ValueError: if they do not broadcast.
    """
    one, two = shapes.as_shape(shape_x), shapes.as_shape(shape_y)
    try:
        return shapes.from_dims(shapes.broadcast(one._dims, two._dims))
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting: {one} and {two}") from None


@op(
    "BroadcastArgs",
    "s0:T, s1:T -> T",
    types=dtypes.INDEX,
    static=("s0", "s1"),
    ranks={"s0": 1, "s1": 1},
    infer=lambda s: [(_longer(s.dims),)],
)
def _broadcast_args(xp, s0, s1):
    """The shape that two shape vectors broadcast to."""
    for k, shape in enumerate((s0, s1)):
        if np.ndim(shape) != 1:
            raise ValueError(f"In[{k}] must be a vector, got shape {list(np.shape(shape))}")
    try:
        return np.asarray(np.broadcast_shapes(sizes_of(s0), sizes_of(s1)), getattr(s0, "dtype", np.int32))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {list(sizes_of(s0))} and {list(sizes_of(s1))}"
        ) from None


def _longer(dims: Any) -> int | None:
    sizes = [None if d is None or len(d) != 1 else d[0] for d in dims]
    return max((n for n in sizes if n is not None), default=None) if None not in sizes else None


@export("broadcast_dynamic_shape")
@explained
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape, as a vector, that two shape vectors broadcast to.

    Args:
      shape_x, shape_y: vectors of int32 or int64; or shapes of ragged tensors, one of them at least, for such a one.
    """
    if answers(shape_x) or answers(shape_y):
        return _broadcast_args(shape_x, shape_y)
    return _broadcast_args(
        convert_to_tensor(shape_x, dtype_hint=dtypes.int32), convert_to_tensor(shape_y, dtype_hint=dtypes.int32)
    )


def _ensure_infer(s: Shapes) -> list[Dims]:
    return [shapes.merge(s.dims[0], s.attrs["shape"]._dims)]


@op("EnsureShape", "input:T -> T", infer=_ensure_infer, lower=LoweringHints(aliases=True), vjp=lambda op, dy: dy)
def _ensure_shape(xp, input, *, shape):
    """The input, whose shape must satisfy a partial shape."""
    if not shapes.compatible(np.shape(input), shape._dims):
        raise ValueError(
            f"Shape of tensor input {shapes.bracketed(np.shape(input))} is not compatible with expected shape "
            f"{shapes.bracketed(shape._dims)}."
        )
    return input


@export("ensure_shape")
@explained
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, refusing when it runs a value whose shape does not satisfy `shape`; adds to the static shape."""
    return _ensure_shape(x, shapes.as_shape(shape), name=name)
