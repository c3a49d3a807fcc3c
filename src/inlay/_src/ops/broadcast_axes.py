"""Reduction axes of gradients of broadcast values, as TensorFlow's gradient functions ask for them."""

from __future__ import annotations

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import no_gradient
from inlay._src.ops.shaping import sizes_of


@op(
    "BroadcastGradientArgs",
    "s0:T, s1:T -> T, T",
    types=dtypes.INDEX,
    static=("s0", "s1"),
    infer=lambda s: [(None,), (None,)],
    vjp=no_gradient,
)
def broadcast_gradient_args(xp, s0, s1):
    """For each of two shapes the axes of their common shape along which it is repeated, or has size 1 as the other."""
    kind, sizes = getattr(s0, "dtype", np.int32), [list(sizes_of(s)) for s in (s0, s1)]
    rank = max(map(len, sizes))
    first, second = ([None] * (rank - len(size)) + size for size in sizes)
    if first == second:
        return np.zeros(0, kind), np.zeros(0, kind)
    pairs = list(zip(first, second, strict=True))
    if any(a != b and 1 not in (a, b) and None not in (a, b) for a, b in pairs):
        raise ValueError(f"Incompatible shapes for broadcasting: {sizes[0]} vs. {sizes[1]}")
    return tuple(np.array([i for i, d in enumerate(own) if d in (1, None)], kind) for own in (first, second))
