"""Repeating a tensor along axes of size 1: `broadcast_to`, and the shapes that come out."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops.shaping import sizes_of, sum_like
from inlay.types import shapes
from inlay.types.dtypes import INDEX
from inlay.types.shapes import Dims


def _broadcast_to_infer(s: Shapes) -> list[Dims]:
    want = s.partial_value(1)
    if want is None or s.dims[0] is None:
        return [want]
    if shapes.broadcast(s.dims[0], want) is not None and len(s.dims[0]) > len(want):
        raise ValueError(f"a tensor of shape {shapes.bracketed(s.dims[0])} cannot be broadcast to rank {len(want)}")
    return [want]


def _broadcast_to_vjp(op, dy):
    return sum_like(dy, op.inputs[0]), None


@op(
    "BroadcastTo",
    "input:T, shape:Index -> T",
    static=("shape",),
    infer=_broadcast_to_infer,
    vjp=_broadcast_to_vjp,
    aliases=True,
)
@export("broadcast_to")
def broadcast_to(xp, input, shape):
    """The tensor repeated to `shape`, as arithmetic would repeat it."""
    try:
        return xp.broadcast_to(input, sizes_of(shape))
    except ValueError:
        raise ValueError(
            f"Incompatible shapes: {list(np.shape(input))} cannot be broadcast to {list(sizes_of(shape))}"
        ) from None


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> shapes.TensorShape:
    """The static shape that two shapes broadcast to.

    Args:
      shape_x, shape_y: anything `TensorShape` accepts.

    Raises:
      ValueError: if they do not broadcast.
    """
    return shapes.from_dims(shapes.broadcast(shapes.as_shape(shape_x)._dims, shapes.as_shape(shape_y)._dims))


@op("BroadcastArgs", "s0:T, s1:T -> T", types=INDEX, static=("s0", "s1"), infer=lambda s: [(_longer(s.dims),)])
def _broadcast_args(xp, s0, s1):
    """The shape that two shape vectors broadcast to."""
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
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape, as a vector, that two shape vectors broadcast to.

    Args:
      shape_x, shape_y: vectors of int32 or int64.
    """
    return _broadcast_args(convert_to_tensor(shape_x), convert_to_tensor(shape_y))
