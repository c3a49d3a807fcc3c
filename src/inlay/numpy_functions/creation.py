"""Tensors made as NumPy makes arrays, and its constants and dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay.core.tensor import Tensor
from inlay.eager import promotion
from inlay.eager.convert import convert_to_tensor, holds_tensors, known_dtype
from inlay.export import export
from inlay.ops import array as arrays
from inlay.ops import (
    diagonals,
    math,
    ranges,
    sequences,
    shaping,
)
from inlay.types import dtypes

ndarray: Any = export("experimental.numpy.ndarray")(Tensor)
pi: float = export("experimental.numpy.pi")(np.pi)
e: float = export("experimental.numpy.e")(np.e)
inf: float = export("experimental.numpy.inf")(np.inf)
newaxis: None = export("experimental.numpy.newaxis")(None)
int8: Any = export("experimental.numpy.int8")(np.int8)
int16: Any = export("experimental.numpy.int16")(np.int16)
int32: Any = export("experimental.numpy.int32")(np.int32)
int64: Any = export("experimental.numpy.int64")(np.int64)
uint8: Any = export("experimental.numpy.uint8")(np.uint8)
uint16: Any = export("experimental.numpy.uint16")(np.uint16)
uint32: Any = export("experimental.numpy.uint32")(np.uint32)
uint64: Any = export("experimental.numpy.uint64")(np.uint64)
float16: Any = export("experimental.numpy.float16")(np.float16)
float32: Any = export("experimental.numpy.float32")(np.float32)
float64: Any = export("experimental.numpy.float64")(np.float64)
complex64: Any = export("experimental.numpy.complex64")(np.complex64)
complex128: Any = export("experimental.numpy.complex128")(np.complex128)
bool_: Any = export("experimental.numpy.bool_")(np.bool_)


@export("experimental.numpy.array")
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """A value as a tensor.

    Args:
      val: a tensor, array, number or nested list.
      dtype: its type; that which NumPy gives the value, or its own, if None.
      copy: accepted; the values of tensors do not change.
      ndmin: the least number of axes, added before its own.
    """
    found = asarray(val, dtype)
    while found.shape.rank < ndmin:
        found = arrays.expand_dims(found, 0)
    return found


@export("experimental.numpy.asarray", "experimental.numpy.asanyarray", "experimental.numpy.ascontiguousarray")
def asarray(a: Any, dtype: Any = None) -> Any:
    """A value as a tensor.

    Args:
      a: a tensor, array, number or nested list.
      dtype: its type; that which NumPy gives the value, or its own, if None.
    """
    known = known_dtype(a) is not None or (isinstance(a, (list, tuple)) and holds_tensors(a))
    found = convert_to_tensor(a if known else np.asarray(a))
    return found if dtype is None else math.cast(found, _dtype(dtype))


def _dtype(dtype: Any) -> Any:
    """A dtype, also by the class of Python's numbers."""
    return dtypes.as_dtype(np.dtype(dtype) if isinstance(dtype, type) else dtype)


def result(operands: Sequence[Any]) -> Any:
    """The dtype of operands; Python's numbers are weak beside tensors and arrays, and arrays among themselves."""
    if not any(known_dtype(x) is not None or isinstance(x, (np.ndarray, np.generic)) for x in operands):
        operands = [asarray(x) for x in operands]
    return promotion.numpy_dtype(*(asarray(x) if isinstance(x, bool) else x for x in operands))


def sizes_of_axes(shape: Any) -> Any:
    """A shape as a list: a number is that of one axis."""
    return [shape] if isinstance(shape, (int, np.integer)) else shape


@export("experimental.numpy.zeros")
def zeros(shape: Any, dtype: Any = float) -> Any:
    """A tensor of zeros of a shape."""
    return arrays.zeros(sizes_of_axes(shape), _dtype(dtype))


@export("experimental.numpy.ones")
def ones(shape: Any, dtype: Any = float) -> Any:
    """A tensor of ones of a shape."""
    return arrays.ones(sizes_of_axes(shape), _dtype(dtype))


@export("experimental.numpy.full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor of one value, of a shape."""
    return shaping.broadcast_to(asarray(fill_value, dtype), convert_to_tensor(sizes_of_axes(shape), dtypes.int32))


@export("experimental.numpy.zeros_like")
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """A tensor of zeros of the shape, and unless it is said the dtype, of another."""
    return arrays.zeros_like(asarray(a, dtype))


@export("experimental.numpy.ones_like")
def ones_like(a: Any, dtype: Any = None) -> Any:
    """A tensor of ones of the shape, and unless it is said the dtype, of another."""
    return arrays.ones_like(asarray(a, dtype))


@export("experimental.numpy.full_like")
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Any:
    """A tensor of one value, of the shape, and unless it is said the dtype, of another.

    Args:
      a: the other.
      fill_value: the value.
      dtype: its type.
      order, subok: accepted.
      shape: its shape.
    """
    like = asarray(a)
    kind = like.dtype if dtype is None else dtype
    return full(arrays.shape(like) if shape is None else shape, fill_value, kind)


@export("experimental.numpy.eye")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """A matrix with ones on a diagonal.

    Args:
      N, M: how many rows and columns; as many columns as rows if None.
      k: how far the diagonal is above the main one.
      dtype: its type.
    """
    columns = N if M is None else M
    if not k:
        return diagonals.eye(N, columns, dtype=_dtype(dtype))
    ahead = ranges.range_(columns) - arrays.expand_dims(ranges.range_(N), 1)
    return math.cast(math.equal(ahead, k), _dtype(dtype))


@export("experimental.numpy.identity")
def identity(n: Any, dtype: Any = float) -> Any:
    """A square matrix with ones on its diagonal."""
    return eye(n, dtype=dtype)


@export("experimental.numpy.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """The numbers from one, or 0, up to another, a step apart."""
    start, stop = (0, start) if stop is None else (start, stop)
    kind = result((start, stop, step)) if dtype is None else _dtype(dtype)
    return ranges.range_(*(math.cast(asarray(x), kind) for x in (start, stop, step)))


@export("experimental.numpy.linspace")
def linspace(
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Numbers from one to another, evenly apart.

    Args:
      start, stop: the first and the last.
      num: how many.
      endpoint: whether the last one belongs to them.
      retstep: whether `(numbers, step)` is given.
      dtype: their type.
      axis: along which they lie.
    """
    first, last = (asarray(x, dtypes.float64) for x in (start, stop))
    count = num - 1 if endpoint else num
    step = (last - first) / count if count else last * np.nan
    found = sequences.linspace(first, last if endpoint else last - step, num, axis=axis)
    found = math.cast(found, _dtype(dtype)) if dtype else found
    return (found, step) if retstep else found
