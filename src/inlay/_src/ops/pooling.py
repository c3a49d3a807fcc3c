"""Pooling: the greatest or the mean of each window."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.parameters import described
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import FLOATS, REALS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes, as_first
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, joining, pool_blocks, reductions
from inlay._src.ops.gathering import added_at
from inlay._src.ops.image_checks import refusal
from inlay._src.ops.mean_pooling import avg_pool3d_op, avg_pool_op
from inlay._src.ops.shaping import wide
from inlay._src.ops.windows import (
    LAYOUTS,
    added_to,
    as_format,
    channels_last,
    gathered,
    numbers,
    of_steps,
    over_steps,
    pool_windows,
    pooled_dims,
    settings,
)


def _lowest(dtype: Any) -> Any:
    dtype = np.dtype(dtype)
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


# ---------------------------------------------------------------- the greatest


def _greatest(xp: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str) -> Any:
    x = wide(channels_last(xp, input, data_format))  # half precision has no fast loops
    pool = pool_windows(x.shape, ksize, strides, padding, data_format)
    if xp is np:
        out = pool_blocks.reduced(x, pool, np.maximum, _lowest(x.dtype)).astype(input.dtype, copy=False)
    else:
        out = gathered(xp, pool, pool.padded(xp, x, _lowest(x.dtype)), "maximum").astype(input.dtype)
    return as_format(xp, out, data_format)


def _max_places(xp: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str) -> Any:
    """Where in the flattened input the greatest number of each window stands; the first of equal ones."""
    x = channels_last(xp, input, data_format)
    places = channels_last(xp, np.arange(np.size(input), dtype=np.int64).reshape(np.shape(input)), data_format)
    pool = pool_windows(x.shape, ksize, strides, padding, data_format)
    x, places = pool.padded(xp, x, _lowest(x.dtype)), pool.padded(xp, xp.asarray(places), 0)
    best = best_places = None
    for _, view in pool.views():
        if best is None:
            best, best_places = x[view], places[view]
        else:
            more = xp.greater(x[view], best)
            best, best_places = xp.where(more, x[view], best), xp.where(more, places[view], best_places)
    return as_format(xp, best_places, data_format)


def _to_every_greatest(xp: Any, input: Any, grad: Any, ksize: Any, strides: Any, padding: Any, data_format: str) -> Any:
    """Each cotangent at all places of its window that hold its greatest number."""
    x, dy = channels_last(xp, input, data_format), channels_last(xp, grad, data_format)
    pool = pool_windows(x.shape, ksize, strides, padding, data_format)
    best = channels_last(xp, _greatest(xp, input, ksize, strides, padding, data_format), data_format)
    padded, dx = pool.padded(xp, x, _lowest(x.dtype)), pool.blank(xp, dy.dtype)
    for _, view in pool.views():
        dx = added_to(xp, dx, view, xp.where(xp.equal(padded[view], best), dy, xp.zeros_like(dy)))
    return as_format(xp, pool.within(dx), data_format)


def _to_first_greatest(
    input: np.ndarray, grad: np.ndarray, ksize: Any, strides: Any, padding: Any, data_format: str
) -> np.ndarray | None:
    """Each cotangent at the first place of its window that holds its greatest number; None if a window holds NaN."""
    x, dy = (wide(channels_last(np, t, data_format)) for t in (input, grad))
    pool = pool_windows(x.shape, ksize, strides, padding, data_format)
    dx = pool_blocks.to_first_greatest(x, dy, pool, _lowest(x.dtype))
    return None if dx is None else np.ascontiguousarray(as_format(np, dx, data_format)).astype(grad.dtype, copy=False)


def _max_ops(pool: str, gradient: str, second: str, sides: int) -> tuple[Any, Any]:
    """Declares the pooling of images with so many sides, its gradient, and the gradient of that."""
    layout = LAYOUTS[sides][0]

    def infer(s: Shapes) -> list[Dims]:
        return [pooled_dims(s, sides)]

    @op(pool, "input:T -> T", types=REALS, infer=infer, vjp=lambda op, dy: grad_op(op.inputs[0], dy, **op.attrs))
    def pool_op(xp, input, *, ksize, strides, padding, data_format=layout):
        """The greatest number of each window."""
        return _greatest(xp, input, ksize, strides, padding, data_format)

    def grad_vjp(op, ddx):
        return array.zeros_like(op.inputs[0]), second_op(op.inputs[0], ddx, **op.attrs)

    def second_vjp(op, dy):
        return array.zeros_like(op.inputs[0]), grad_op(op.inputs[0], dy, **op.attrs)

    @op(gradient, "input:T, grad:T -> T", types=FLOATS, infer=as_first, vjp=grad_vjp)
    def grad_op(xp, input, grad, *, ksize, strides, padding, data_format=layout):
        """The gradient of pooling: each cotangent at the place of its window's greatest number."""
        if sides == 3:  # as TensorFlow does it for volumes
            return _to_every_greatest(xp, input, grad, ksize, strides, padding, data_format)
        if (
            xp is np
            and input.size >= TUNING.top_k_block_elements
            and (dx := _to_first_greatest(input, grad, ksize, strides, padding, data_format)) is not None
        ):
            return dx
        places = _max_places(xp, input, ksize, strides, padding, data_format)
        return xp.reshape(added_at(xp, (np.size(input),), (places,), grad), np.shape(input))

    @op(second, "input:T, grad:T -> T", types=FLOATS, infer=infer, vjp=second_vjp)
    def second_op(xp, input, grad, *, ksize, strides, padding, data_format=layout):
        """Of each window the element of `grad` that is where the input is greatest."""
        return xp.take(xp.reshape(grad, (-1,)), _max_places(xp, input, ksize, strides, padding, data_format))

    return pool_op, grad_op


max_pool_op, max_pool_grad = _max_ops("MaxPool", "MaxPoolGrad", "MaxPoolGradGrad", 2)
max_pool3d_op, _ = _max_ops("MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad", 3)


def _argmax_vjp(op, dy, _):
    attrs = {name: op.attrs[name] for name in ("ksize", "strides", "padding", "data_format")}
    return max_pool_grad(op.inputs[0], dy, **attrs)


@op(
    "MaxPoolWithArgmax",
    "input:T -> T, output_dtype",
    types=REALS,
    infer=lambda s: [pooled_dims(s, 2)] * 2,
    vjp=_argmax_vjp,
)
def _max_pool_with_argmax(
    xp, input, *, ksize, strides, padding, data_format, output_dtype, include_batch_in_index=False
):
    """The greatest number of each window, and where it is in the flattened images, or in its own image."""
    places = _max_places(xp, input, ksize, strides, padding, data_format)
    greatest = xp.take(xp.reshape(input, (-1,)), places)
    if not include_batch_in_index:
        places = xp.mod(places, max(int(np.prod(np.shape(input)[1:])), 1))
    return greatest, places.astype(output_dtype.np)


# ---------------------------------------------------------------- public


def _settings(sides: int, data_format: Any, padding: Any, ksize: Any, strides: Any) -> dict[str, Any]:
    steps = numbers(strides, "strides")
    if not all(0 < k < 2**31 for k in numbers(ksize, "ksize")):
        raise refusal(f"ksize must be a positive int32 value, got {ksize!r}")
    if len(steps) == sides + 2 and steps[0] != 1:
        raise errors.UnimplementedError(None, None, "Pooling is not yet supported on the batch dimension.")
    return settings(sides, data_format, padding, ksize=ksize, strides=strides)


def _across_depth(input: Any, ksize: Any, strides: Any, name: str | None) -> Any:
    """The greatest of each group of channels, where the window is only along them; None for other windows.

    Raises:
      UnimplementedError: for a window along sides too, or groups that do not part the channels.
    """
    window, steps = numbers(ksize, "ksize"), numbers(strides, "strides")
    if len(window) != 4 or len(steps) != 4 or window[3] == 1:
        return None
    input = convert_to_tensor(input)
    depth = input.shape.as_list()[3] if input.shape.rank == 4 else None
    wrong = (
        "exactly one of pooling across depth or pooling across width/height"
        if window[1:3] != [1, 1]
        else "the depth window to equal the depth stride"
        if steps[3] != window[3]
        else "the depth window to evenly divide the input depth"
        if depth is None or depth % window[3]
        else ""
    )
    if wrong:
        raise errors.UnimplementedError(None, None, f"MaxPooling supports {wrong}.")
    assert depth is not None
    x = input[:, :: steps[1], :: steps[2], :]
    groups = array.reshape(x, joining.concat([array.shape(x)[:3], [depth // window[3], window[3]]], 0))
    return reductions.reduce_max(groups, [-1], name=name)


_POOLING = """Args:
  input: sequences, images or volumes, [batch, sides..., channels].
  ksize: the window: one number, one for each side, or one for each dimension.
  strides: the steps of the window, likewise.
  padding: "SAME", "VALID" or, except of volumes, a pair per dimension.
  data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
  name: the node's name.
"""


@export("nn.max_pool2d")
@described(_POOLING)
def max_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Tensor:
    """The greatest number of each window of images."""
    if data_format in ("NHWC", None):
        of_channels = _across_depth(input, ksize, strides, name)
        if of_channels is not None:
            return of_channels
    return max_pool_op(input, **settings(2, data_format, padding, ksize=ksize, strides=strides), name=name)


@export("nn.avg_pool2d")
@described(_POOLING)
def avg_pool2d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NHWC", name: str | None = None
) -> Tensor:
    """The mean of each window of images; places outside the image do not count."""
    return avg_pool_op(input, **_settings(2, data_format, padding, ksize, strides), name=name)


@export("nn.max_pool3d")
@described(_POOLING)
def max_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Tensor:
    """The greatest number of each window of volumes."""
    return max_pool3d_op(input, **_settings(3, data_format, padding, ksize, strides), name=name)


@export("nn.avg_pool3d")
@described(_POOLING)
def avg_pool3d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NDHWC", name: str | None = None
) -> Tensor:
    """The mean of each window of volumes; places outside do not count."""
    return avg_pool3d_op(input, **_settings(3, data_format, padding, ksize, strides), name=name)


@export("nn.max_pool1d")
@described(_POOLING)
def max_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Tensor:
    """The greatest number of each window of sequences."""
    return _over_steps(max_pool2d, input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool1d")
@described(_POOLING)
def avg_pool1d(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = "NWC", name: str | None = None
) -> Tensor:
    """The mean of each window of sequences; places outside do not count."""
    return _over_steps(avg_pool2d, input, ksize, strides, padding, data_format, name)


def _over_steps(function: Any, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, name: Any) -> Any:
    window, step = of_steps(ksize), of_steps(strides)
    return over_steps(
        lambda x, layout, pads: function(x, window, step, pads, layout), value, data_format, padding, name
    )


@export("nn.max_pool", "compat.v1.nn.max_pool_v2")
@described(_POOLING)
def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """`max_pool1d`, `max_pool2d` or `max_pool3d`, by the rank of the input; that of images if it is not known.

    Raises:
      ValueError: for explicit padding of volumes.
    """
    return _pool((max_pool1d, max_pool2d, max_pool3d), input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool", "compat.v1.nn.avg_pool_v2")
@described(_POOLING)
def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Tensor:
    """`avg_pool1d`, `avg_pool2d` or `avg_pool3d`, by the rank of the input; that of images if it is not known."""
    return _pool((avg_pool1d, avg_pool2d, avg_pool3d), input, ksize, strides, padding, data_format, name)


def _pool(functions: Any, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, name: Any) -> Any:
    value = convert_to_tensor(value)
    if value.shape.rank not in (None, 3, 4, 5):
        raise ValueError(
            f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={value.shape} of rank {value.shape.rank}."
        )
    sides = {3: 1, 5: 3}.get(value.shape.rank, 2)
    if sides == 3 and not isinstance(padding, str):
        raise ValueError("Explicit padding is not supported with an input tensor of rank 5")
    return functions[sides - 1](value, ksize, strides, padding, data_format, name)


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    output_dtype: Any = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The greatest number of each window of images, and where it stands.

    Args:
      input: images, [batch, rows, columns, channels].
      ksize: the window: one number, two or four.
      strides: one number, two or four.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      output_dtype: int32 or int64, for the places.
      include_batch_in_index: whether places count through the whole batch, or begin at 0 for every image.
      name: the node's name.

    Returns:
      (the greatest numbers, their places in the flattened images).

    Raises:
      ValueError: for another layout.
    """
    if data_format != "NHWC":
        raise ValueError(f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}")
    return tuple(
        _max_pool_with_argmax(
            input,
            **_settings(2, data_format, padding, ksize, strides),
            output_dtype=dtypes.as_dtype(output_dtype),
            include_batch_in_index=include_batch_in_index,
            name=name,
        )
    )
