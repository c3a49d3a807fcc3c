"""NumPy's functions along axes: reductions, shapes, products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay.eager import promotion
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.numpy_functions.creation import asarray, sizes_of_axes
from inlay.numpy_functions.elementwise import together
from inlay.ops import array as arrays
from inlay.ops import (
    cumulative,
    einsum,
    extremes,
    joining,
    math,
    rearranging,
    reductions,
    shaping,
    tiling,
)
from inlay.types import dtypes


def _whole_sum(a: Any) -> Any:
    """Whole numbers in 64 bits, as sums of them are."""
    if a.dtype.is_bool or (a.dtype.is_integer and a.dtype.size < 8):
        return math.cast(a, dtypes.uint64 if a.dtype.is_unsigned else dtypes.int64)
    return a


def _floating(a: Any) -> Any:
    """Whole numbers in float64, or in float32 in the modes in which integers take that beside it."""
    wide = promotion.mode() in ("off", "legacy")
    return math.cast(a, dtypes.float64 if wide else dtypes.float32) if a.dtype.is_integer or a.dtype.is_bool else a


def _reduction(function: Callable[..., Any], widened: Callable[[Any], Any], says: str) -> Any:
    def reduced(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
        a = widened(asarray(a)) if dtype is None else asarray(a, dtype)
        return function(a, axis, keepdims=bool(keepdims))

    reduced.__doc__ = says
    return reduced


def _choice(function: Callable[..., Any], says: str, kind: Any = None) -> Any:
    def reduced(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
        return function(asarray(a, kind), axis, keepdims=bool(keepdims))

    reduced.__doc__ = says
    return reduced


sum_: Any = export("experimental.numpy.sum")(
    _reduction(reductions.reduce_sum, _whole_sum, "The sum; of whole numbers in 64 bits.")
)
prod: Any = export("experimental.numpy.prod")(
    _reduction(reductions.reduce_prod, _whole_sum, "The product; of whole numbers in 64 bits.")
)
amax: Any = export("experimental.numpy.amax", "experimental.numpy.max")(
    _choice(reductions.reduce_max, "The greatest element.")
)
amin: Any = export("experimental.numpy.amin", "experimental.numpy.min")(
    _choice(reductions.reduce_min, "The least element.")
)
all_: Any = export("experimental.numpy.all")(
    _choice(reductions.reduce_all, "Whether no element is zero.", dtypes.bool_)
)
any_: Any = export("experimental.numpy.any")(
    _choice(reductions.reduce_any, "Whether an element is other than zero.", dtypes.bool_)
)


def _refuse(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported: tensors are not written.")


@export("experimental.numpy.mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """The mean; of whole numbers in float64, or float32 in the modes "all" and "safe". `out` must be None."""
    _refuse(out)
    a = _floating(asarray(a)) if dtype is None else asarray(a, dtype)
    return reductions.reduce_mean(a, axis, keepdims=bool(keepdims))


@export("experimental.numpy.var")
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = None) -> Any:
    """The variance; of whole numbers in float64.

    Args:
      a: numbers.
      axis: over which; all if None.
      dtype: the type in which it is reckoned.
      out: must be None.
      ddof: what the number of elements is lessened by in the divisor.
      keepdims: whether axes stay, with size 1.
    """
    _refuse(out)
    a = _floating(asarray(a)) if dtype is None else asarray(a, dtype)
    variance = reductions.reduce_variance(a, axis, keepdims=bool(keepdims))
    if not ddof:
        return variance
    count = math.cast(arrays.size(a), variance.dtype) / math.cast(arrays.size(variance), variance.dtype)
    return variance * count / (count - ddof)


@export("experimental.numpy.std")
def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """The standard deviation; of whole numbers in float64."""
    return reductions.reduce_std(_floating(asarray(a)), axis, keepdims=bool(keepdims))


def _flat(a: Any, axis: Any) -> tuple[Any, int]:
    """A tensor and an axis of it; all of it as a vector if None."""
    return (arrays.reshape(a, [-1]), 0) if axis is None else (a, axis)


@export("experimental.numpy.argmax")
def argmax(a: Any, axis: Any = None) -> Any:
    """The place of the greatest element along an axis, or among all."""
    return extremes.argmax(*_flat(asarray(a), axis))


@export("experimental.numpy.argmin")
def argmin(a: Any, axis: Any = None) -> Any:
    """The place of the least element along an axis, or among all."""
    return extremes.argmin(*_flat(asarray(a), axis))


@export("experimental.numpy.cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The sums of the elements up to each, along an axis or over all."""
    return cumulative.cumsum(*_flat(_whole_sum(asarray(a)) if dtype is None else asarray(a, dtype), axis))


@export("experimental.numpy.cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    """The products of the elements up to each, along an axis or over all."""
    return cumulative.cumprod(*_flat(_whole_sum(asarray(a)) if dtype is None else asarray(a, dtype), axis))


# ---------------------------------------------------------------- shapes


@export("experimental.numpy.reshape")
def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """The elements in another shape, read and written in an order: "C", or "F" with the first index fastest."""
    if order not in ("C", "F"):
        raise ValueError(f"order must be 'C' or 'F', got {order!r}")
    a, sizes = asarray(a), sizes_of_axes(newshape)
    if order == "C":
        return arrays.reshape(a, sizes)
    return rearranging.transpose(arrays.reshape(rearranging.transpose(a), list(sizes)[::-1]))


@export("experimental.numpy.ravel")
def ravel(a: Any) -> Any:
    """The elements as a vector."""
    return arrays.reshape(asarray(a), [-1])


@export("experimental.numpy.transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    """The axes in another order, turned round if None."""
    return rearranging.transpose(asarray(a), axes)


@export("experimental.numpy.swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    a = asarray(a)
    order = list(range(a.shape.rank))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return rearranging.transpose(a, order)


@export("experimental.numpy.expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    """One axis of size 1 more."""
    return arrays.expand_dims(asarray(a), axis)


@export("experimental.numpy.squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """Axes of size 1 taken off."""
    return arrays.squeeze(asarray(a), axis)


@export("experimental.numpy.concatenate")
def concatenate(arys: Any, axis: int = 0) -> Any:
    """Tensors joined along an axis, in one dtype."""
    return joining.concat(together(*arys), axis)


@export("experimental.numpy.stack")
def stack(arrays: Any, axis: int = 0) -> Any:
    """Tensors of one shape along a new axis, in one dtype."""
    return joining.stack(together(*arrays), axis)


@export("experimental.numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Any:
    """A tensor in a shape that its own is broadcast to."""
    return shaping.broadcast_to(asarray(array), convert_to_tensor(sizes_of_axes(shape), dtypes.int32))


@export("experimental.numpy.tile")
def tile(a: Any, reps: Any) -> Any:
    """A tensor repeated along its axes; it gets axes of size 1 in front if there are more numbers than axes."""
    a, times = asarray(a), list(sizes_of_axes(reps))
    times = [1] * (a.shape.rank - len(times)) + times
    while a.shape.rank < len(times):
        a = arrays.expand_dims(a, 0)
    return tiling.tile(a, times)


@export("experimental.numpy.shape")
def shape(a: Any) -> tuple[Any, ...]:
    """The sizes of the axes."""
    return tuple(asarray(a).shape.as_list())


@export("experimental.numpy.size")
def size(x: Any, axis: Any = None) -> Any:
    """How many elements there are, or how many along an axis."""
    x = asarray(x)
    count = x.shape.num_elements() if axis is None else x.shape[axis]
    if count is not None:
        return np.int64(count)
    return arrays.size(x) if axis is None else arrays.shape(x)[axis]


@export("experimental.numpy.moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Axes moved to other places; the others keep their order."""
    a = asarray(a)
    rank = a.shape.rank
    moved, places = ([axis % rank for axis in np.atleast_1d(axes).tolist()] for axes in (source, destination))
    order = [axis for axis in range(rank) if axis not in moved]
    for place, axis in sorted(zip(places, moved, strict=True)):
        order.insert(place, axis)
    return rearranging.transpose(a, order)


@export("experimental.numpy.ndim")
def ndim(a: Any) -> Any:
    """How many axes there are."""
    return asarray(a).shape.rank


# ---------------------------------------------------------------- products


@export("experimental.numpy.dot")
def dot(a: Any, b: Any) -> Any:
    """The sums of products over the last axis of one and the last but one of the other; of scalars the product."""
    a, b = together(a, b)
    if 0 in (a.shape.rank, b.shape.rank):
        return math.multiply(a, b)
    return einsum.tensordot(a, b, [[-1], [0 if b.shape.rank == 1 else -2]])


@export("experimental.numpy.tensordot")
def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """The sums of products over axes of both."""
    first, second = together(a, b)
    return einsum.tensordot(first, second, axes)


@export("experimental.numpy.outer")
def outer(a: Any, b: Any) -> Any:
    """The product of each element of one with each of the other."""
    a, b = together(a, b)
    return math.multiply(arrays.reshape(a, [-1, 1]), arrays.reshape(b, [1, -1]))
