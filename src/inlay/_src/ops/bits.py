"""Whole numbers as bits: and, or, shifts, counts; `bitcast`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, broadcast, no_gradient, same
from inlay._src.core.tensor import Tensor

_BITS = dtypes.Exact(dtypes.INTS)


def _bitwise(op_name: str, name: str, says: str) -> Any:
    def kernel(xp, x, y):
        return getattr(xp, name)(x, y)

    kernel.__name__, kernel.__doc__ = name, f"{says}."
    return op(op_name, "x:T, y:T -> T", types=_BITS, infer=broadcast, vjp=no_gradient)(kernel)


def _shift(op_name: str, name: str, says: str) -> Any:
    def kernel(xp, x, y):
        most = 8 * x.dtype.itemsize - 1
        if xp is not np or _exceeds(y, most):  # C leaves such distances open: they are clipped, as TensorFlow does
            y = xp.minimum(xp.maximum(y, 0), most)
        return getattr(xp, name)(x, y)

    kernel.__name__, kernel.__doc__ = name, f"{says}: by 0 to the width of the type less one, to which `y` is clipped."
    return op(op_name, "x:T, y:T -> T", types=_BITS, infer=broadcast, vjp=no_gradient)(kernel)


def _exceeds(distances: np.ndarray, most: int) -> bool:
    """Whether a distance is negative or above `most`, in one pass: a negative one is a large unsigned one."""
    return bool(distances.size and distances.view(f"u{distances.dtype.itemsize}").max() > most)


bitwise_and: Any = export("bitwise.bitwise_and")(
    _bitwise("BitwiseAnd", "bitwise_and", "`x & y` of integers, elementwise")
)
bitwise_or: Any = export("bitwise.bitwise_or")(_bitwise("BitwiseOr", "bitwise_or", "`x | y` of integers, elementwise"))
bitwise_xor: Any = export("bitwise.bitwise_xor")(
    _bitwise("BitwiseXor", "bitwise_xor", "`x ^ y` of integers, elementwise")
)
left_shift: Any = export("bitwise.left_shift")(_shift("LeftShift", "left_shift", "`x << y` of integers, elementwise"))
right_shift: Any = export("bitwise.right_shift")(
    _shift("RightShift", "right_shift", "`x >> y` of integers, elementwise; the sign is kept")
)


@op("Invert", "x:T -> T", types=_BITS, infer=same, vjp=no_gradient)
@export("bitwise.invert")
def invert(xp, x):
    """`~x` of integers, elementwise."""
    return xp.invert(x)


@op("PopulationCount", "x:T -> uint8", types=_BITS, infer=same, vjp=no_gradient)
@export("bitwise.population_count")
def population_count(xp, x):
    """The number of bits set in each integer, in two's complement."""
    unsigned = np.dtype(f"u{np.dtype(x.dtype).itemsize}")
    return xp.bitwise_count(x.view(unsigned)).astype(np.uint8)


_CAST = dtypes.NUMBERS | dtypes.QUANTIZED_DTYPES
"""The types whose bytes may be read as another's."""


def _bitcast_infer(s: Shapes) -> list[Dims]:
    if text := _refusal(s.attrs["type"]):
        raise ValueError(text)
    dims, old, new = s.dims[0], s.inputs[0].dtype.size, s.attrs["type"].size
    if dims is None or old == new:
        return [dims]
    if old > new:
        return [(*dims, old // new)]
    if not dims or dims[-1] not in (None, new // old):
        raise ValueError(f"bitcast to a wider type needs a last axis of size {new // old}, got {list(dims)}")
    return [dims[:-1]]


def _refusal(dtype: dtypes.DType) -> str:
    """The message for a type that no number has, such as bool or string; "" for others."""
    names = ", ".join(sorted(d.c_name for d in _CAST))
    text = f"Value for attr 'type' of {dtype.c_name} is not in the list of allowed values: {names}"
    return "" if dtype in _CAST else text


@op("Bitcast", "input:T -> type", types=_CAST, infer=_bitcast_infer, vjp=no_gradient)
def _bitcast(xp, input, *, type):
    """The same bytes read as another type."""
    if text := _refusal(type):
        raise errors.InvalidArgumentError(None, None, text)
    old, new, shape = input.dtype.itemsize, type.size, np.shape(input)
    if old < new and (not shape or shape[-1] != new // old):
        raise ValueError(
            f"Cannot bitcast from {input.dtype} to {type.name}: shape {list(shape)} must end in {new // old}"
        )
    x = np.ascontiguousarray(input).reshape(shape) if xp is np else input
    if old > new:
        return xp.reshape(x, (*shape, 1)).view(type.np)
    return x.view(type.np) if old == new else xp.reshape(x.view(type.np), shape[:-1])


@export("bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bytes as another type; a last axis appears or goes where the sizes of the types differ.

    Args:
      input: a tensor of numbers.
      type: the other type.
      name: the node's name.

    Raises:
      InvalidArgumentError: if the other type is not made of numbers; TypeError in a graph.
    """
    dtype = dtypes.as_dtype(type)
    if not context.executing_eagerly() and (text := _refusal(dtype)):
        raise TypeError(text)
    return _bitcast(input, dtype, name=name)
