"""Pooling: the mean of each window."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.core.eager.declaration import op
from inlay._src.ops import array, pool_blocks
from inlay._src.ops.shaping import wide
from inlay._src.ops.windows import (
    LAYOUTS,
    Windows,
    added_to,
    as_format,
    channels_last,
    gathered,
    last_dims,
    pixels_of,
    pool_windows,
    pooled_dims,
)


def _mean(xp: Any, value: Any, ksize: Any, strides: Any, padding: Any, data_format: str) -> Any:
    x = wide(channels_last(xp, value, data_format))
    pool = pool_windows(x.shape, ksize, strides, padding, data_format)
    inside = _inside(pool).astype(x.dtype)
    if xp is np:
        mean = pool_blocks.reduced(x, pool, np.add, 0, inside)
    else:
        mean = xp.divide(gathered(xp, pool, pool.padded(xp, x), "add"), inside)
    return as_format(xp, mean, data_format).astype(value.dtype, copy=False)


def _inside(pool: Windows) -> np.ndarray:
    """The number of places of each window inside the image: [1, places..., 1], or one number for all."""
    if not any(map(any, pool.pads)):
        return np.full((1,) * len(pool.image), math.prod(pool.window), np.float64)
    ones = pool.padded(np, np.ones((1, *pool.image[1:-1], 1)))
    return sum((ones[view] for _, view in pool.views()), np.zeros((1, *pool.outs, 1)))  # type: ignore[no-any-return]


def _mean_grad(
    xp: Any, orig_input_shape: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: str
) -> Any:
    image = last_dims([int(d) for d in np.asarray(orig_input_shape)], data_format)
    pool = pool_windows(image, ksize, strides, padding, data_format)
    dy = wide(channels_last(xp, grad, data_format))
    inside = _inside(pool).astype(dy.dtype)
    if xp is np and pool.lie_apart:
        dx = pool.within(_spread_over(pool, dy, inside, grad.dtype))
    elif xp is np:
        dx = pool_blocks.spread_over(dy, pool, inside, grad.dtype)
    else:
        share, dx = xp.divide(dy, inside), pool.blank(xp, dy.dtype)
        for _, view in pool.views():
            dx = added_to(xp, dx, view, share)
        dx = pool.within(dx)
    return as_format(xp, dx, data_format).astype(grad.dtype, copy=False)


_SHARES = ThreadChoice()


def _spread_over(pool: Windows, dy: np.ndarray, inside: np.ndarray, dtype: Any) -> np.ndarray:
    """Padded images of `dtype` with each cotangent's share at all points of its window; windows lie apart."""
    dx = pool.unfilled(dtype)
    places, views = pixels_of(dx), [view for _, view in pool.views()]
    each = max(TUNING.windows_block_bytes // max(dx[:1].nbytes, 1), 1)
    turns = -(-len(dx) // each)

    def work(turn: int) -> None:
        some = slice(turn * each, (turn + 1) * each)
        share = pixels_of(np.divide(dy[some], inside, order="C").astype(dtype, copy=False))
        for view in views:
            places[some][view] = share

    with _SHARES.over(0.1 * dx.nbytes, turns * (len(views) + 1)) as threads:
        spread(work, turns, threads)
    return dx


def _avg_ops(pool: str, gradient: str, sides: int) -> Any:
    """Declares the pooling of images with so many sides, and its gradient."""
    layout = LAYOUTS[sides][0]

    def vjp(op, dy):
        return grad_op(array.shape(op.inputs[0]), dy, **op.attrs)

    @op(pool, "value:T -> T", types=FLOATS, infer=lambda s: [pooled_dims(s, sides)], vjp=vjp)
    def pool_op(xp, value, *, ksize, strides, padding, data_format=layout):
        """The mean of each window, of what is inside the image."""
        return _mean(xp, value, ksize, strides, padding, data_format)

    @op(
        gradient,
        "orig_input_shape:int32, grad:T -> T",
        types=FLOATS,
        static=("orig_input_shape",),
        infer=lambda s: [s.partial_value(0)],
        vjp=lambda op, ddx: (None, pool_op(ddx, **op.attrs)),
    )
    def grad_op(xp, orig_input_shape, grad, *, ksize, strides, padding, data_format=layout):
        """The gradient of pooling: each mean's cotangent spread over its window."""
        return _mean_grad(xp, orig_input_shape, grad, ksize, strides, padding, data_format)

    return pool_op


avg_pool_op: Any = _avg_ops("AvgPool", "AvgPoolGrad", 2)
avg_pool3d_op: Any = _avg_ops("AvgPool3D", "AvgPool3DGrad", 3)
