"""Pooling: the greatest or the mean of each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, as_first
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import array
from inlay.ops.gathering import added_at
from inlay.ops.shaping import wide
from inlay.ops.windows import Windows, as_format, channels_last, nhwc_dims, of_steps, over_steps, rows_columns, settings
from inlay.types.dtypes import FLOATS, REALS
from inlay.types.shapes import Dims


def _windows(image: Any, ksize: Any, strides: Any, padding: Any, data_format: str) -> Windows:
    return Windows(image, rows_columns(ksize, data_format), strides, padding, data_format)


def _pool_infer(s: Shapes) -> list[Dims]:
    if s.dims[0] is None:
        return [(None,) * 4]
    a, image = s.attrs, nhwc_dims(s.dims[0], s.attrs["data_format"])
    return [_windows(image, **a).made(image[-1], a["data_format"])]


def _lowest(dtype: Any) -> Any:
    dtype = np.dtype(dtype)
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


@op(
    "MaxPool",
    "input:T -> T",
    types=REALS,
    infer=_pool_infer,
    vjp=lambda op, dy: max_pool_grad(op.inputs[0], dy, **op.attrs),
)
def max_pool_op(xp, input, *, ksize, strides, padding, data_format="NHWC"):
    """The greatest number of each window."""
    x = channels_last(xp, input, data_format)
    pool = _windows(x.shape, ksize, strides, padding, data_format)
    x = pool.padded(xp, x, _lowest(x.dtype))
    out = None
    for _, view in pool.views():
        out = x[view] if out is None else xp.maximum(out, x[view])
    assert out is not None
    return as_format(xp, xp.array(out), data_format)


def _max_places(xp: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str) -> Any:
    """Where in the flattened input the greatest number of each window stands; the first of equal ones."""
    x = channels_last(xp, input, data_format)
    places = channels_last(xp, np.arange(np.size(input), dtype=np.int64).reshape(np.shape(input)), data_format)
    pool = _windows(x.shape, ksize, strides, padding, data_format)
    x, places = pool.padded(xp, x, _lowest(x.dtype)), pool.padded(xp, xp.asarray(places), 0)
    best = found = None
    for _, view in pool.views():
        if best is None:
            best, found = x[view], places[view]
        else:
            more = xp.greater(x[view], best)
            best, found = xp.where(more, x[view], best), xp.where(more, places[view], found)
    return as_format(xp, found, data_format)


def _max_pool_grad_vjp(op, ddx):
    return array.zeros_like(op.inputs[0]), max_pool_grad_grad(op.inputs[0], ddx, **op.attrs)


def _max_pool_grad_grad_vjp(op, dy):
    return array.zeros_like(op.inputs[0]), max_pool_grad(op.inputs[0], dy, **op.attrs)


@op("MaxPoolGrad", "input:T, grad:T -> T", types=FLOATS, infer=as_first, vjp=_max_pool_grad_vjp)
def max_pool_grad(xp, input, grad, *, ksize, strides, padding, data_format="NHWC"):
    """The gradient of `MaxPool`: each cotangent at the place of its window's greatest number."""
    places = _max_places(xp, input, ksize, strides, padding, data_format)
    return xp.reshape(added_at(xp, (np.size(input),), (places,), grad), np.shape(input))


@op("MaxPoolGradGrad", "input:T, grad:T -> T", types=FLOATS, infer=_pool_infer, vjp=_max_pool_grad_grad_vjp)
def max_pool_grad_grad(xp, input, grad, *, ksize, strides, padding, data_format="NHWC"):
    """Of each window the element of `grad` that stands where the input is greatest."""
    places = _max_places(xp, input, ksize, strides, padding, data_format)
    return xp.take(xp.reshape(grad, (-1,)), places)


@op(
    "AvgPool",
    "value:T -> T",
    types=FLOATS,
    infer=_pool_infer,
    vjp=lambda op, dy: avg_pool_grad(array.shape(op.inputs[0]), dy, **op.attrs),
)
def avg_pool_op(xp, value, *, ksize, strides, padding, data_format="NHWC"):
    """The mean of each window, of what is inside the image."""
    x = wide(channels_last(xp, value, data_format))
    pool = _windows(x.shape, ksize, strides, padding, data_format)
    image = pool.padded(xp, x)
    total = xp.zeros((x.shape[0], *pool.outs, x.shape[3]), x.dtype)
    for _, view in pool.views():
        total = xp.add(total, image[view])
    mean = xp.divide(total, _inside(pool).astype(x.dtype))
    return as_format(xp, mean, data_format).astype(value.dtype)


def _inside(pool: Windows) -> np.ndarray:
    """How many places of each window are inside the image."""
    ones = pool.padded(np, np.ones((1, *pool.image[1:3], 1)))
    return sum((ones[view] for _, view in pool.views()), np.zeros((1, *pool.outs, 1)))  # type: ignore[no-any-return]


@op(
    "AvgPoolGrad",
    "orig_input_shape:int32, grad:T -> T",
    types=FLOATS,
    static=("orig_input_shape",),
    infer=lambda s: [s.partial_value(0)],
    vjp=lambda op, ddx: (None, avg_pool_op(ddx, **op.attrs)),
)
def avg_pool_grad(xp, orig_input_shape, grad, *, ksize, strides, padding, data_format="NHWC"):
    """The gradient of `AvgPool`: each mean's cotangent spread over its window."""
    image = nhwc_dims([int(d) for d in np.asarray(orig_input_shape)], data_format)
    pool = _windows(image, ksize, strides, padding, data_format)
    dy = wide(channels_last(xp, grad, data_format))
    share = xp.divide(dy, _inside(pool).astype(dy.dtype))
    dx = pool.blank(xp, dy.dtype)
    for _, view in pool.views():
        if xp is np:
            dx[view] += share
        else:
            dx = dx.at[view].add(share)
    return as_format(xp, pool.within(dx), data_format).astype(grad.dtype)


@export("nn.max_pool2d")
def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Any:
    """The greatest number of each window of images.

    Args:
      input: images, [batch, rows, columns, channels].
      ksize: the window: one number, two or four.
      strides: one number, two or four.
      padding: "SAME", "VALID" or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      name: the node's name.
    """
    return max_pool_op(input, **settings(data_format, padding, ksize=ksize, strides=strides), name=name)


@export("nn.avg_pool2d")
def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Any:
    """The mean of each window of images; places outside the image do not count.

    Args:
      input: images, [batch, rows, columns, channels].
      ksize: the window: one number, two or four.
      strides: one number, two or four.
      padding: "SAME", "VALID" or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      name: the node's name.
    """
    return avg_pool_op(input, **settings(data_format, padding, ksize=ksize, strides=strides), name=name)


@export("nn.max_pool")
def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """`max_pool2d` of images, or the same over the steps of sequences [batch, steps, channels]."""
    return _pool(max_pool2d, input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool")
def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """`avg_pool2d` of images, or the same over the steps of sequences [batch, steps, channels]."""
    return _pool(avg_pool2d, input, ksize, strides, padding, data_format, name)


def _pool(function: Any, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, name: Any) -> Any:
    value = convert_to_tensor(value)
    if value.shape.rank != 3:
        return function(value, ksize, strides, padding, data_format, name)
    window, step = of_steps(ksize), of_steps(strides)
    return over_steps(lambda x, layout: function(x, window, step, padding, layout), value, data_format, name)
