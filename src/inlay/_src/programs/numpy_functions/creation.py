"""Tensors made as NumPy makes arrays, and its constants."""

from __future__ import annotations

import math as numbers
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array as arrays
from inlay._src.ops import math, powers, ranges, rearranging, sequences, shaping, stacking
from inlay._src.ops import tiling as grids
from inlay._src.programs.numpy_functions.conversion import (
    dtype_of,
    rank_of,
    result,
    tensor_of,
    together,
)

ndarray: Any = export("experimental.numpy.ndarray")(Tensor)
newaxis: None = export("experimental.numpy.newaxis")(None)
pi: float = export("experimental.numpy.pi")(numbers.pi)
e: float = export("experimental.numpy.e")(numbers.e)
inf: float = export("experimental.numpy.inf")(numbers.inf)


@export("experimental.numpy.asarray", "experimental.numpy.asanyarray")
def asarray(a: Any, dtype: Any = None) -> Tensor:
    """A value as a tensor, itself if it is one.

    Args:
      a: a tensor, array, number or nested lists of them; Python's numbers have NumPy's dtypes.
      dtype: its dtype; None keeps that of the value.
    """
    return tensor_of(a, dtype)


@export("experimental.numpy.array")
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A value as a new tensor.

    Args:
      val: as for `asarray`.
      dtype: its dtype; None keeps that of the value.
      copy: whether a tensor becomes another one.
      ndmin: the least rank; axes of size 1 come first.
    """
    tensor = tensor_of(val, dtype)
    return with_rank(arrays.identity(tensor) if copy else tensor, ndmin)


def with_rank(tensor: Any, least: int) -> Any:
    """A tensor with axes of size 1 in front until it has a rank."""
    while rank_of(tensor) < least:
        tensor = arrays.expand_dims(tensor, 0)
    return tensor


@export("experimental.numpy.ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None) -> Tensor:
    """A value as a new tensor of rank 1 or more: `array`."""
    return array(a, dtype, ndmin=1)


@export("experimental.numpy.copy")
def copy(a: Any) -> Tensor:
    """A value as a new tensor: `array`."""
    return array(a)


def sizes_of_axes(shape: Any) -> Any:
    """A shape as a list: a number is that of one axis."""
    return [shape] if isinstance(shape, (int, np.integer)) or getattr(shape, "shape", None) == () else shape


@export("experimental.numpy.zeros", "experimental.numpy.empty")
def zeros(shape: Any, dtype: Any = float) -> Tensor:
    """Zeros.

    Args:
      shape: a number or a list of them.
      dtype: their dtype.
    """
    return arrays.zeros(sizes_of_axes(shape), dtype_of(dtype))


@export("experimental.numpy.ones")
def ones(shape: Any, dtype: Any = float) -> Tensor:
    """Ones.

    Args:
      shape: a number or a list of them.
      dtype: their dtype.
    """
    return arrays.ones(sizes_of_axes(shape), dtype_of(dtype))


@export("experimental.numpy.full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """A value everywhere.

    Args:
      shape: a number or a list of them.
      fill_value: a value that can be broadcast to the shape.
      dtype: its dtype; None keeps that of the value.
    """
    return shaping.broadcast_to(tensor_of(fill_value, dtype), sizes_of_axes(shape))


@export("experimental.numpy.broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Tensor:
    """A tensor repeated to a shape."""
    return full(shape, array)


@export("experimental.numpy.zeros_like", "experimental.numpy.empty_like")
def zeros_like(a: Any, dtype: Any = None) -> Tensor:
    """Zeros of the shape of a tensor, and of its dtype if None is said."""
    return arrays.zeros_like(tensor_of(a, dtype))


@export("experimental.numpy.ones_like")
def ones_like(a: Any, dtype: Any = None) -> Tensor:
    """Ones of the shape of a tensor, and of its dtype if None is said."""
    return arrays.ones_like(tensor_of(a, dtype))


@export("experimental.numpy.full_like")
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Tensor:
    """A value everywhere in the shape of a tensor.

    Args:
      a: the tensor.
      fill_value: a value that can be broadcast to the shape.
      dtype: its dtype; None is that of the tensor.
      order: "K".
      subok: True.
      shape: None.

    Raises:
      ValueError: for another order, or if `subok` is False or a shape is given.
    """
    if order != "K":
        raise ValueError(f"order must be 'K', got {order!r}: tensors have no order in memory.")
    if not subok or shape is not None:
        raise ValueError("subok must be True and shape None: call `full` for another shape.")
    like = tensor_of(a)
    return shaping.broadcast_to(tensor_of(fill_value, dtype or like.dtype), arrays.shape(like))


@export("experimental.numpy.tri")
def tri(N: Any, M: Any = None, k: int = 0, dtype: Any = None) -> Tensor:
    """Ones on a diagonal and below it, zeros above.

    Args:
      N, M: the numbers of rows and columns; as many columns as rows if None.
      k: the index of the diagonal; 0 is the main one, positive ones lie above it.
      dtype: the dtype; None is that of Python's floating numbers.
    """
    return math.cast(math.less_equal(_above_main(N, M), k), dtype_of(dtype or float))


@export("experimental.numpy.eye")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Tensor:
    """Ones on a diagonal, zeros elsewhere.

    Args:
      N, M: the numbers of rows and columns; as many columns as rows if None.
      k: the index of the diagonal; 0 is the main one, positive ones lie above it.
      dtype: the dtype.
    """
    return math.cast(math.equal(_above_main(N, M), k), dtype_of(dtype))


def _above_main(rows: Any, columns: Any) -> Any:
    """The distance of each place of a matrix above the main diagonal."""
    return ranges.range_(rows if columns is None else columns) - arrays.expand_dims(ranges.range_(rows), 1)


@export("experimental.numpy.identity")
def identity(n: Any, dtype: Any = float) -> Tensor:
    """The identity matrix of a size."""
    return eye(n, dtype=dtype)


@export("experimental.numpy.arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Numbers from one to below another by steps.

    Args:
      start: the first; 0 if there is no `stop`, which it is then.
      stop: where to end.
      step: the difference of neighbors.
      dtype: their dtype; None is that of the arguments together.

    Raises:
      ValueError: if the step is zero.
    """
    if isinstance(step, (int, float)) and not step:
        raise ValueError("step must be non-zero.")
    bounds = (0, start, step) if stop is None else (start, stop, step)
    kind = result(*bounds) if dtype is None else dtype_of(dtype)
    return ranges.range_(*(tensor_of(bound, kind) for bound in bounds))


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
    """Numbers at equal distances between two.

    Args:
      start, stop: the first and the last; arrays give several rows.
      num: the number of samples.
      endpoint: whether the last one is among them.
      retstep: whether `(numbers, step)` is returned.
      dtype: their dtype; `float` and None are that of the ends.
      axis: along which they lie.

    Raises:
      ValueError: for a negative `num`.
    """
    if num < 0:
        raise ValueError(f"num must be a non-negative integer. Received: num={num}")
    first, last, _ = together(start, stop, 1.0)
    distances = num - 1 if endpoint else num
    step = math.subtract(last, first) / distances if distances > 0 else math.multiply(last, np.nan)
    numbers = sequences.linspace(first, last if endpoint else math.subtract(last, step), num, axis=axis)
    numbers = numbers if dtype in (None, float) else math.cast(numbers, dtype_of(dtype))
    return (numbers, step) if retstep else numbers


@export("experimental.numpy.logspace")
def logspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Powers of a base whose exponents lie at equal distances.

    Args:
      start, stop: the first and the last exponent.
      num: the number of samples.
      endpoint: whether the last one is among them.
      base: the base.
      dtype: their dtype; None is that of the exponents.
      axis: along which they lie.
    """
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    values = powers.pow(tensor_of(base, exponents.dtype), exponents)
    return values if dtype is None else math.cast(values, dtype_of(dtype))


@export("experimental.numpy.geomspace")
def geomspace(start: Any, stop: Any, num: Any = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0) -> Tensor:
    """Numbers between two of one sign whose quotients are equal.

    Args:
      start, stop: the first and the last.
      num: the number of samples.
      endpoint: whether the last one is among them.
      dtype: their dtype; None is that of the ends.
      axis: along which they lie.
    """
    first, last, _ = together(start, stop, 1.0)
    negative = math.cast(math.less(first, 0), first.dtype)
    turned = math.subtract(tensor_of(1, first.dtype), math.multiply(tensor_of(2, first.dtype), negative))
    least, most = (powers.log(math.multiply(end, turned)) for end in (first, last))
    signs = turned if rank_of(turned) == 0 else arrays.expand_dims(turned, axis)
    values = math.multiply(powers.exp(linspace(least, most, num, endpoint, axis=axis)), signs)
    return values if dtype is None else math.cast(values, dtype_of(dtype))


@export("experimental.numpy.vander")
def vander(x: Any, N: Any = None, increasing: bool = False) -> Tensor:
    """The powers of the elements of a vector as rows of a matrix.

    Args:
      x: the vector.
      N: the number of powers; as many as elements if None.
      increasing: whether the exponents grow to the right.

    Raises:
      ValueError: if `x` has another rank.
    """
    vector = tensor_of(x)
    if rank_of(vector) != 1:
        raise ValueError("x must be a one-dimensional array")
    count = arrays.shape(vector)[0] if N is None else N
    exponents = math.cast(ranges.range_(count), vector.dtype)
    exponents = exponents if increasing else rearranging.reverse(exponents, [0])
    return powers.pow(arrays.expand_dims(vector, 1), exponents)


@export("experimental.numpy.meshgrid")
def meshgrid(*xi: Any, **kwargs: Any) -> list[Tensor]:
    """The coordinates of the points of a grid.

    Args:
      *xi: vectors of coordinates, one per axis.
      **kwargs: `indexing`: "xy" or "ij": the order of the axes; `copy`: True; `sparse`: False.

    Raises:
      ValueError: for other values of these.
    """
    if not kwargs.pop("copy", True) or kwargs.pop("sparse", False):
        raise ValueError("meshgrid only supports copy=True and sparse=False.")
    axes = [tensor_of(x) for x in xi]
    kinds = [axis.dtype for axis in axes]
    widest = together(*axes) if axes else []  # a grid has one dtype
    return [math.cast(grid, kind) for grid, kind in zip(grids.meshgrid(*widest, **kwargs), kinds, strict=True)]


@export("experimental.numpy.ix_")
def ix_(*args: Any) -> list[Tensor]:
    """Vectors of indices, or of truths, as those of a grid: each along an axis of its own.

    Args:
      *args: the vectors.

    Raises:
      ValueError: if one has another rank.
    """
    vectors = [tensor_of(a) for a in args]
    for place, vector in enumerate(vectors):
        if rank_of(vector) != 1:
            raise ValueError(f"Arguments must be 1-d, got arg {place} of rank {rank_of(vector)}")
    vectors = [arrays.where(v)[:, 0] if v.dtype.is_bool else v for v in vectors]
    return [arrays.reshape(v, [1] * place + [-1] + [1] * (len(vectors) - place - 1)) for place, v in enumerate(vectors)]


@export("experimental.numpy.diag_indices")
def diag_indices(n: Any, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the main diagonal of an array of a number of axes of one size."""
    return (ranges.range_(n),) * ndim


@export("experimental.numpy.broadcast_arrays")
def broadcast_arrays(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Tensors repeated to one shape.

    Args:
      *args: the tensors.
      **kwargs: `subok`: False.

    Raises:
      ValueError: if `subok` is True.
    """
    if kwargs.pop("subok", False) or kwargs:
        raise ValueError(f"broadcast_arrays only supports subok=False. Received: {kwargs or 'subok=True'}")
    tensors = [tensor_of(a) for a in args]
    shape = arrays.shape(tensors[0]) if tensors else None
    for tensor in tensors[1:]:
        shape = shaping.broadcast_dynamic_shape(shape, arrays.shape(tensor))
    return [shaping.broadcast_to(tensor, shape) for tensor in tensors]


def rows_of(tup: Any, least: int) -> list[Any]:
    """Tensors of one dtype, with a rank at least.

    Args:
      tup: the tensors, a list or one tensor along whose first axis they lie.
      least: the rank.
    """
    values = tup if isinstance(tup, (list, tuple)) else stacking.unstack(tensor_of(tup))
    return [with_rank(v, least) for v in together(*values)] if values else []
