"""Whole numbers as bits: and, or, shifts, counts; `bitcast`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, broadcast, same
from inlay.eager.declaration import op
from inlay.export import export
from inlay.types import dtypes
from inlay.types.shapes import Dims

_BITS = {"T": dtypes.INTS}


@op("BitwiseAnd", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
@export("bitwise.bitwise_and")
def bitwise_and(xp, x, y):
    """`x & y` of integers, elementwise."""
    return xp.bitwise_and(x, y)


@op("BitwiseOr", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
@export("bitwise.bitwise_or")
def bitwise_or(xp, x, y):
    """`x | y` of integers, elementwise."""
    return xp.bitwise_or(x, y)


@op("BitwiseXor", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
@export("bitwise.bitwise_xor")
def bitwise_xor(xp, x, y):
    """`x ^ y` of integers, elementwise."""
    return xp.bitwise_xor(x, y)


@op("Invert", "x:T -> T", types=_BITS, infer=same, differentiable=False)
@export("bitwise.invert")
def invert(xp, x):
    """`~x` of integers, elementwise."""
    return xp.invert(x)


@op("LeftShift", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
@export("bitwise.left_shift")
def left_shift(xp, x, y):
    """`x << y` of integers, elementwise."""
    return xp.left_shift(x, y)


@op("RightShift", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
@export("bitwise.right_shift")
def right_shift(xp, x, y):
    """`x >> y` of integers, elementwise; the sign is kept."""
    return xp.right_shift(x, y)


@op("PopulationCount", "x:T -> uint8", types=_BITS, infer=same, differentiable=False)
@export("bitwise.population_count")
def population_count(xp, x):
    """The number of bits set in each integer, in two's complement."""
    unsigned = np.dtype(f"u{np.dtype(x.dtype).itemsize}")
    return xp.bitwise_count(x.view(unsigned)).astype(np.uint8)


def _bitcast_infer(s: Shapes) -> list[Dims]:
    dims, old, new = s.dims[0], s.inputs[0].dtype.size, s.attrs["type"].size
    if dims is None or old == new:
        return [dims]
    if old > new:
        return [(*dims, old // new)]
    if not dims or dims[-1] not in (None, new // old):
        raise ValueError(f"bitcast to a wider type needs a last axis of size {new // old}, got {list(dims)}")
    return [dims[:-1]]


@op("Bitcast", "input:T -> type", types={"T": dtypes.NUMBERS}, infer=_bitcast_infer, differentiable=False)
def _bitcast(xp, input, *, type):
    """The same bytes read as another type."""
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
def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """The same bytes as another type; a last axis appears or goes where the sizes of the types differ.

    Args:
      input: a tensor of numbers.
      type: the other type.
      name: the node's name.
    """
    return _bitcast(input, dtypes.as_dtype(type), name=name)
