"""NumPy's reductions of tensors, and sums along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array as arrays
from inlay._src.ops import cumulative, division, extremes, math, reductions, shaping
from inlay._src.programs.numpy_functions.conversion import (
    described,
    inexact,
    refuse_out,
    tensor_of,
    together,
    truths,
    wide,
)
from inlay._src.programs.numpy_functions.elementwise import isnan


def _sums(name: str, function: Callable[..., Any]) -> Any:
    def reduced(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
        tensor = wide(tensor_of(a)) if dtype is None else tensor_of(a, dtype)
        return function(tensor, axis, keepdims=bool(keepdims))

    return described(name, reduced, f"NumPy's `{name}` of the tensor `a` along `axis`, or of all its elements if None.")


def _choice(name: str, function: Callable[..., Any], prepared: Callable[[Any], Any] = lambda x: x) -> Any:
    def reduced(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
        return function(prepared(tensor_of(a)), axis, keepdims=bool(keepdims))

    return described(name, reduced, f"NumPy's `{name}` of the tensor `a` along `axis`, or of all its elements if None.")


def _extreme(name: str, of_numbers: Callable[..., Any], of_truths: Callable[..., Any]) -> Any:
    def reduced(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Tensor:
        refuse_out(out)
        tensor = tensor_of(a)
        function = of_truths if tensor.dtype.is_bool else of_numbers
        return function(tensor, axis, keepdims=bool(keepdims))

    return described(name, reduced, f"NumPy's `{name}` of the tensor `a` along `axis`, or of all its elements if None.")


def _spread(tensor: Any, axis: Any, keepdims: bool) -> Any:
    greatest = reductions.reduce_max(tensor, axis, keepdims=keepdims)
    return math.subtract(greatest, reductions.reduce_min(tensor, axis, keepdims=keepdims))


sum_: Any = export("experimental.numpy.sum")(_sums("sum", reductions.reduce_sum))
prod: Any = export("experimental.numpy.prod")(_sums("prod", reductions.reduce_prod))
amax: Any = export("experimental.numpy.amax")(_extreme("amax", reductions.reduce_max, reductions.reduce_any))
amin: Any = export("experimental.numpy.amin")(_extreme("amin", reductions.reduce_min, reductions.reduce_all))
any_: Any = export("experimental.numpy.any")(_choice("any", reductions.reduce_any, truths))
all_: Any = export("experimental.numpy.all")(_choice("all", reductions.reduce_all, truths))
ptp: Any = export("experimental.numpy.ptp")(_choice("ptp", _spread))
std: Any = export("experimental.numpy.std")(_choice("std", reductions.reduce_std, inexact))


@export("experimental.numpy.max")
def max_(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """NumPy's `max` of the tensor `a` along `axis`, or of all its elements if None."""
    return amax(a, axis, keepdims=keepdims)


@export("experimental.numpy.min")
def min_(a: Any, axis: Any = None, keepdims: Any = None) -> Tensor:
    """NumPy's `min` of the tensor `a` along `axis`, or of all its elements if None."""
    return amin(a, axis, keepdims=keepdims)


@export("experimental.numpy.mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Tensor:
    """The mean.

    Args:
      a: the tensor.
      axis: along which axes; None is all.
      dtype: the dtype in which it is computed; None is that of the tensor, for whole numbers the default.
      out: None.
      keepdims: whether the axes stay, of size 1.
    """
    refuse_out(out)
    tensor = inexact(tensor_of(a)) if dtype is None else tensor_of(a, dtype)
    return reductions.reduce_mean(tensor, axis, keepdims=bool(keepdims))


@export("experimental.numpy.var")
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: int = 0, keepdims: Any = None) -> Tensor:
    """The variance.

    Args:
      a: the tensor.
      axis: along which axes; None is all.
      dtype: the dtype in which it is computed; None is that of the tensor, for whole numbers the default.
      out: None.
      ddof: a number that is taken from the number of elements to divide by.
      keepdims: whether the axes stay, of size 1.
    """
    refuse_out(out)
    tensor = inexact(tensor_of(a)) if dtype is None else tensor_of(a, dtype)
    variance = reductions.reduce_variance(tensor, axis, keepdims=bool(keepdims))
    if not ddof:
        return variance
    count = math.cast(arrays.size(tensor), variance.dtype) / math.cast(arrays.size(variance), variance.dtype)
    return variance * count / (count - ddof)


def _without_nan(a: Any, instead: int) -> Any:
    tensor = tensor_of(a)
    return arrays.where(isnan(tensor), tensor_of(instead, tensor.dtype), tensor)


@export("experimental.numpy.nansum")
def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The sum of the elements that are not NaN: `sum`."""
    return sum_(_without_nan(a, 0), axis, dtype, keepdims)


@export("experimental.numpy.nanprod")
def nanprod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Tensor:
    """The product of the elements that are not NaN: `prod`."""
    return prod(_without_nan(a, 1), axis, dtype, keepdims)


@export("experimental.numpy.nanmean")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Tensor:
    """The mean of the elements that are not NaN: `mean`."""
    tensor = inexact(tensor_of(a)) if dtype is None else tensor_of(a, dtype)
    counted = math.cast(math.logical_not(isnan(tensor)), tensor.dtype)
    total = nansum(tensor, axis, keepdims=keepdims)
    return division.divide(total, reductions.reduce_sum(counted, axis, keepdims=bool(keepdims)))


@export("experimental.numpy.average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean, each element with a weight.

    Args:
      a: the tensor.
      axis: along which axis; None is all.
      weights: of the shape of the tensor, or a vector along the axis; None are equal ones.
      returned: whether `(average, sum of the weights)` is returned.

    Raises:
      ValueError: if the axis is no integer.
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})")
    tensor = inexact(tensor_of(a))
    if weights is None:
        averaged = reductions.reduce_mean(tensor, axis)
        count = math.cast(arrays.size(tensor), averaged.dtype) / math.cast(arrays.size(averaged), averaged.dtype)
        return (averaged, shaping.broadcast_to(count, arrays.shape(averaged))) if returned else averaged
    tensor, shares = map(inexact, together(tensor, weights))
    if axis is not None and shares.shape.rank == 1 and tensor.shape.rank != 1:
        at = shaping.axis_of(axis, tensor.shape.rank)
        shares = arrays.reshape(shares, [1] * at + [-1] + [1] * (tensor.shape.rank - at - 1))
        shares = shaping.broadcast_to(shares, arrays.shape(tensor))
    total = reductions.reduce_sum(shares, axis)
    averaged = division.divide(reductions.reduce_sum(math.multiply(tensor, shares), axis), total)
    return (averaged, total) if returned else averaged


def flat(tensor: Any, axis: Any) -> tuple[Any, Any]:
    """A tensor and an axis of it; all of it as a vector if None."""
    return (arrays.reshape(tensor, [-1]), 0) if axis is None or tensor.shape.rank == 0 else (tensor, axis)


def _place(name: str, function: Callable[..., Any]) -> Any:
    def place(a: Any, axis: Any = None) -> Tensor:
        tensor = tensor_of(a)
        tensor = math.cast(tensor, dtypes.int8) if tensor.dtype.is_bool else tensor
        return function(*flat(tensor, axis))

    return described(name, place, f"NumPy's `{name}` of the tensor `a` along `axis`, or of it as a vector if None.")


def _running(name: str, function: Callable[..., Any]) -> Any:
    def running(a: Any, axis: Any = None, dtype: Any = None) -> Tensor:
        return function(*flat(wide(tensor_of(a)) if dtype is None else tensor_of(a, dtype), axis))

    return described(name, running, f"NumPy's `{name}` of the tensor `a` along `axis`, or of it as a vector if None.")


argmax: Any = export("experimental.numpy.argmax")(_place("argmax", extremes.argmax))
argmin: Any = export("experimental.numpy.argmin")(_place("argmin", extremes.argmin))
cumsum: Any = export("experimental.numpy.cumsum")(_running("cumsum", cumulative.cumsum))
cumprod: Any = export("experimental.numpy.cumprod")(_running("cumprod", cumulative.cumprod))


@export("experimental.numpy.count_nonzero")
def count_nonzero(a: Any, axis: Any = None) -> Tensor:
    """The number of nonzero elements.

    Args:
      a: the tensor.
      axis: along which axes; None is all.
    """
    return reductions.reduce_sum(math.cast(truths(tensor_of(a)), dtypes.int64), axis)
