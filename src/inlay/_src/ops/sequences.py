"""Tensors made from a few numbers: `linspace`, `one_hot`, `sequence_mask`."""

from __future__ import annotations

from math import copysign
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import ANY, DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core import graph as graphs
from inlay._src.core.eager.convert import convert_to_tensor, number
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, Shapes, no_gradient, of_ranks
from inlay._src.core.tensor import Tensor
from inlay._src.core.values import check_rank
from inlay._src.ops import math
from inlay._src.ops.array import constant, expand_dims, fill, rank, reshape, zeros_like
from inlay._src.ops.joining import concat
from inlay._src.ops.ranges import range_
from inlay._src.ops.reductions import reduce_max, reduce_sum


def _linspace_infer(s: Shapes) -> list[Dims]:
    dims, num, axis = s.dims[0], s.value(2), s.attrs["axis"]
    if dims is None:
        return [None]
    at = axis if axis >= 0 else axis + len(dims) + 1
    if num is not None and int(num) < 0:
        raise ValueError(f"Requires num >= 0: {int(num)}")
    return [(*dims[:at], None if num is None else int(num), *dims[at:])]


def _linspace_vjp(op, dy):
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
    types=dtypes.FLOATS,
    static=("num",),
    infer=of_ranks(_linspace_infer, None, None, 0),
    vjp=_linspace_vjp,
)
def _linspace(xp, start, stop, num, *, axis=0):
    """Evenly spaced numbers, both ends included."""
    n = int(np.asarray(num).item())
    if n < 0:
        raise ValueError(f"Requires num >= 0: {n}")
    if np.shape(start) != np.shape(stop):
        raise ValueError(f"start and stop must have one shape, got {np.shape(start)} and {np.shape(stop)}")
    kind = start.dtype
    t = np.arange(n).reshape([-1] + [1] * np.ndim(start))
    out = (start + xp.asarray(t, kind) * ((stop - start) / np.asarray(max(n - 1, 1), kind))).astype(kind)
    if n:  # the ends are these, also where the step between them is no number
        out = xp.where(t == 0, start, xp.where(t == n - 1, stop, out))
    return xp.moveaxis(out, 0, axis)


def column_shape(ones: Any) -> Any:
    """The shape that makes a vector a column: -1, then `ones` ones (a number or a symbolic scalar)."""
    rank = graphs.constant_of(ones)
    if rank is not None:
        return [-1] + [1] * int(rank)
    return concat([constant([-1]), fill(reshape(ones, [1]), constant(1))], 0)


@export("linspace", "compat.v1.lin_space")
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Args:
      start, stop: the ends, tensors of one type that broadcast; integers become float64, those of 8 and 16 bits
        float32.
      num: number of values.
      name: the node's name.
      axis: where the new axis goes.
    """
    if isinstance(num, float):
        raise TypeError(f"num must be of type integer, got {num!r}")
    start = convert_to_tensor(start)
    stop = convert_to_tensor(stop, start.dtype)
    if start.dtype.is_integer:
        kind = dtypes.float32 if start.dtype.size < 4 else dtypes.float64
        start, stop = math.cast(start, kind), math.cast(stop, kind)
    if not (start.shape.is_fully_defined() and start.shape == stop.shape):
        start, stop = math.add(start, zeros_like(stop)), math.add(stop, zeros_like(start))
    return _linspace(start, stop, num, axis=axis, name=name)


def _one_hot_infer(s: Shapes) -> list[Dims]:
    dims, depth, axis = s.dims[0], s.value(1), s.attrs["axis"]
    if dims is None:
        return [None]
    at = _one_hot_place(axis, len(dims))
    if depth is not None and depth < 0:
        raise ValueError(f"Dimension size, given by a scalar input, must be non-negative but is {int(depth)}")
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
    label="one_hot",
    static=("depth",),
    ranks={"depth": 0, "on_value": 0, "off_value": 0},
    infer=_one_hot_infer,
    vjp=no_gradient,
)
def _one_hot(xp, indices, depth, on_value, off_value, *, axis=-1):
    """Vectors with one value set."""
    n = depth if depth.__class__ is int else int(np.asarray(depth))
    if n < 0:
        raise ValueError(f"depth must be non-negative, got: {n}")
    at = _one_hot_place(axis, indices.ndim)
    if (
        xp is np
        and at == indices.ndim
        and 0 < n <= TUNING.one_hot_table_depth
        and _are_one_and_zero(on_value, off_value)
    ):
        return _rows_of_ones(indices, n, on_value.dtype)
    apart = (*indices.shape[:at], 1, *indices.shape[at:])
    kind = indices.dtype if indices.dtype.itemsize >= 4 else None  # of the same type they are compared sooner
    places = np.arange(n, dtype=kind)
    if at < indices.ndim:
        places = places.reshape(-1, *[1] * (indices.ndim - at))
    chosen = indices.reshape(apart) == places
    if xp is np and _are_one_and_zero(on_value, off_value):
        return chosen.astype(on_value.dtype)
    return xp.where(chosen, on_value, off_value)


_ROWS: BoundedCache[tuple[int, Any], np.ndarray] = BoundedCache(
    "rows of one_hot", 64, lambda key: np.eye(key[0] + 1, key[0], dtype=key[1])
)


def _rows_of_ones(indices: Any, depth: int, dtype: Any) -> Any:
    """A row for each index, with a one there; the last row that there is to choose, for all other indices, has none."""
    check_rank(indices.ndim + 1)
    unsigned = indices.view(_UNSIGNED[indices.dtype.itemsize])  # negative ones are great then
    places = np.minimum(unsigned, depth).view(np.int64) if unsigned.itemsize == 8 else unsigned
    return _ROWS[depth, dtype].take(places, 0, None, "clip")


_UNSIGNED = {1: np.uint8, 4: np.uint32, 8: np.uint64}


def _are_one_and_zero(on: Any, off: Any) -> bool:
    """Whether two numbers are what True and False become; a negative zero is not."""
    if on.ndim or off.ndim or on.dtype.kind not in "fiub":
        return False
    return bool(on == 1 and off == 0 and copysign(1, off) > 0)


@export("one_hot")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Vectors of length `depth` with `on_value` at each index, `off_value` elsewhere.

    Args:
      indices: integers; those outside [0, depth) give vectors without `on_value`.
      depth: the length.
      on_value, off_value: the two values; 1 and 0 if None.
      axis: where the new axis goes; the last by default.
      dtype: the type; None takes that of the values, or float32.
      name: the node's name.
    """
    kind = _values_dtype(on_value, off_value, dtype)
    eager = context.executing_eagerly()
    on, off = _value_of(on_value, 1, kind, eager), _value_of(off_value, 0, kind, eager)
    return _one_hot(indices, depth, on, off, -1 if axis is None else axis, name)


def _values_dtype(on: Any, off: Any, dtype: Any) -> DType:
    """The type of the two values of `one_hot`: the one asked for, theirs, or float32.

    Raises:
      TypeError: if a value has another one.
    """
    kind = None if dtype is None else dtypes.as_dtype(dtype)
    for value, name in ((on, "on_value"), (off, "off_value")):
        if value is not None:
            own = convert_to_tensor(value, dtype_hint=dtype).dtype
            if kind is not None and own is not kind:
                raise TypeError(f"dtype {own.name} of {name} does not match dtype {kind.name} of one_hot")
            kind = own
    return dtypes.float32 if kind is None else kind


def _value_of(value: Any, default: int, kind: Any, eager: bool) -> Any:
    """A value as a tensor, the default if it is None."""
    if value is None:
        value = bool(default) if kind is dtypes.bool_ else default
    constant = number(value, kind) if eager else None
    return convert_to_tensor(value, kind) if constant is None else constant


@export("sequence_mask")
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool_, name: str | None = None) -> Tensor:
    """Rows whose first `lengths[i]` entries are True.

    Args:
      lengths: integers of any shape.
      maxlen: the length of a row; the largest of `lengths` if None.
      dtype: the result's type; None is bool.
      name: the node's name.
    """
    lengths = convert_to_tensor(lengths)
    if maxlen is None:
        numbers = graphs.constant_of(lengths) if lengths.dtype.is_integer or lengths.dtype.is_floating else None
        maxlen = math.maximum(reduce_max(lengths), 0) if numbers is None else numbers.max(initial=0).item()
    else:
        maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.rank not in (0, None):
            raise ValueError(f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen}")
        lengths = math.cast(lengths, maxlen.dtype)
    row = range_(constant(0, lengths.dtype), maxlen, constant(1, lengths.dtype))
    mask = math.less(row, expand_dims(lengths, -1))
    return math.cast(mask, dtypes.bool_ if dtype is None else dtype, name=name)
