"""Convolution and pooling of images. Their gradients are ops of the same kind, so any order of derivative works.

A kernel walks over the positions of the window: for each it takes one strided view of the padded image. On NumPy that
is a handful of matrix products; under XLA the convolution is one instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay.core.opdef import Shapes
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.interpreter import xla
from inlay.ops import array, joining
from inlay.ops.shaping import wide
from inlay.ops.windows import Windows, as_format, channels_last, nhwc_dims, of_steps, over_steps, settings
from inlay.types import dtypes
from inlay.types.dtypes import FLOATS
from inlay.types.shapes import Dims


def _convolution(image: Any, window: Any, *how: Any) -> tuple[Windows, int]:
    """(the windows of a convolution, the number of groups of channels); None stands for sizes that are not known."""
    if len(image) != 4 or len(window) != 4:
        raise ValueError(f"Shape must be rank 4 but is rank {len(image)} (input) and {len(window)} (filter)")
    depth, part = image[3], window[2]
    if depth is not None and part is not None and depth % max(part, 1):
        raise ValueError(
            f"input depth must be evenly divisible by filter depth: {depth} vs {part} (input shape {list(image)}, "
            f"filter shape {list(window)})"
        )
    return Windows(image, window, *how), (depth or 0) // max(part or 1, 1)


def _compiled(g: Windows, groups: int, x: Any, w: Any) -> Any:
    return xla.lax().conv_general_dilated(
        x,
        w,
        g.strides,
        g.pads,
        rhs_dilation=g.dilations,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def _grouped(x: Any, groups: int) -> Any:
    """The last axis as (group, channel of the group)."""
    return x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups)


def _conv_infer(s: Shapes) -> list[Dims]:
    image, window, a = *s.dims, s.attrs
    layout = a["data_format"]
    image = (None,) * 4 if image is None else nhwc_dims(image, layout)
    window = (None,) * 4 if window is None else window
    g, _ = _convolution(image, window, a["strides"], a["padding"], layout, a["dilations"])
    return [g.made(window[3], layout)]


def _conv_vjp(op, dy):
    x, w = op.inputs
    return (
        conv2d_input_grad(array.shape(x), w, dy, **op.attrs),
        conv2d_filter_grad(x, array.shape(w), dy, **op.attrs),
    )


@op("Conv2D", "input:T, filter:T -> T", types=FLOATS, infer=_conv_infer, vjp=_conv_vjp)
def conv2d_op(xp, input, filter, *, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1)):
    """The correlation of images with filters."""
    x, w = wide(channels_last(xp, input, data_format)), wide(filter)
    g, groups = _convolution(x.shape, w.shape, strides, padding, data_format, dilations)
    if xp is not np:
        return as_format(xp, _compiled(g, groups, x, w).astype(input.dtype), data_format)
    x = g.padded(np, x)
    out = np.zeros((x.shape[0], *g.outs, w.shape[3]), x.dtype)
    if groups == 1:
        for at, view in g.views():
            out += x[view] @ w[at]
    else:
        apart, kernels = _grouped(out, groups), w.reshape(*w.shape[:3], groups, -1)
        for at, view in g.views():
            apart += np.einsum("nhwgi,igo->nhwgo", _grouped(x[view], groups), kernels[at])
    return np.ascontiguousarray(as_format(np, out, data_format)).astype(input.dtype, copy=False)


def _input_grad_vjp(op, ddx):
    _, w, dy = op.inputs
    return None, conv2d_filter_grad(ddx, array.shape(w), dy, **op.attrs), conv2d_op(ddx, w, **op.attrs)


@op(
    "Conv2DBackpropInput",
    "input_sizes:int32, filter:T, out_backprop:T -> T",
    types=FLOATS,
    static=("input_sizes",),
    infer=lambda s: [s.partial_value(0)],
    vjp=_input_grad_vjp,
)
def conv2d_input_grad(
    xp, input_sizes, filter, out_backprop, *, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1)
):
    """The gradient of `Conv2D` to its images, which is a convolution transposed."""
    w, dy = wide(filter), wide(channels_last(xp, out_backprop, data_format))
    image = nhwc_dims([int(d) for d in np.asarray(input_sizes)], data_format)
    g, groups = _convolution(image, w.shape, strides, padding, data_format, dilations)
    _check_out(dy, (image[0], *g.outs, w.shape[3]))
    if xp is not np:
        grad = xla.transposed(lambda x: _compiled(g, groups, x, w), image, dy)
        return as_format(xp, grad.astype(out_backprop.dtype), data_format)
    dx = g.blank(np, dy.dtype)
    if groups == 1:
        for at, view in g.views():
            dx[view] += dy @ w[at].T
    else:
        apart, kernels, grads = _grouped(dx, groups), w.reshape(*w.shape[:3], groups, -1), _grouped(dy, groups)
        for at, view in g.views():
            apart[view] += np.einsum("nhwgo,igo->nhwgi", grads, kernels[at])
    return np.ascontiguousarray(as_format(np, g.within(dx), data_format)).astype(out_backprop.dtype, copy=False)


def _filter_grad_vjp(op, ddw):
    x, _, dy = op.inputs
    return conv2d_input_grad(array.shape(x), ddw, dy, **op.attrs), None, conv2d_op(x, ddw, **op.attrs)


@op(
    "Conv2DBackpropFilter",
    "input:T, filter_sizes:int32, out_backprop:T -> T",
    types=FLOATS,
    static=("filter_sizes",),
    infer=lambda s: [s.partial_value(1)],
    vjp=_filter_grad_vjp,
)
def conv2d_filter_grad(
    xp, input, filter_sizes, out_backprop, *, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1)
):
    """The gradient of `Conv2D` to its filters."""
    x, dy = (wide(channels_last(xp, t, data_format)) for t in (input, out_backprop))
    sizes = tuple(int(d) for d in np.asarray(filter_sizes))
    g, groups = _convolution(x.shape, sizes, strides, padding, data_format, dilations)
    _check_out(dy, (x.shape[0], *g.outs, sizes[3]))
    if xp is not np:
        return xla.transposed(lambda w: _compiled(g, groups, x, w), sizes, dy).astype(input.dtype)
    x = g.padded(np, x)
    dw = np.zeros(sizes, dy.dtype)
    for at, view in g.views():
        if groups == 1:
            dw[at] = np.tensordot(x[view], dy, axes=((0, 1, 2), (0, 1, 2)))
        else:
            dw[at] = np.einsum("nhwgi,nhwgo->igo", _grouped(x[view], groups), _grouped(dy, groups)).reshape(sizes[2:])
    return dw.astype(input.dtype, copy=False)


def _check_out(dy: Any, expected: Sequence[int]) -> None:
    if tuple(dy.shape) != tuple(expected):
        raise ValueError(f"out_backprop has shape {list(dy.shape)}, but this convolution makes {list(expected)}")


def _settings(strides: Any, padding: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    return settings(data_format, padding, strides=strides, dilations=1 if dilations is None else dilations)


@export("nn.conv2d")
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The correlation of images with filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filters: [rows, columns, channels (or a divisor of them: groups), results].
      strides: one number, two or four.
      padding: "SAME", "VALID" or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      dilations: the distance between the filter's points: one number, two or four.
      name: the node's name.
    """
    return conv2d_op(input, filters, **_settings(strides, padding, data_format, dilations), name=name)


@export("nn.conv2d_transpose")
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The gradient of `conv2d` to its images, used as an operation of its own.

    Args:
      input: what `conv2d` would have made.
      filters: [rows, columns, results, channels of `input`].
      output_shape: the shape of the result.
      strides: one number, two or four.
      padding: "SAME", "VALID" or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      dilations: the distance between the filter's points.
      name: the node's name.
    """
    sizes = convert_to_tensor(output_shape, dtypes.int32) if isinstance(output_shape, (list, tuple)) else output_shape
    return conv2d_input_grad(sizes, filters, input, **_settings(strides, padding, data_format, dilations), name=name)


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The correlation of each channel with its own filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filter: [rows, columns, channels, results per channel].
      strides: four numbers.
      padding: "SAME", "VALID" or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      dilations: the distance between the filter's points.
      name: the node's name.
    """
    filter = convert_to_tensor(filter)
    sizes = filter.shape.as_list() if filter.shape.is_fully_defined() else array.shape(filter)
    alone = array.reshape(filter, joining.stack([sizes[0], sizes[1], 1, -1]))
    return conv2d_op(input, alone, **_settings(strides, padding, data_format, dilations), name=name)


@export("nn.conv1d")
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: Any = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """The correlation of sequences with filters.

    Args:
      input: sequences, [batch, steps, channels].
      filters: [steps, channels, results].
      stride: one number.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW".
      dilations: the distance between the filter's points.
      name: the node's name.
    """
    pairs = of_steps(stride), of_steps(1 if dilations is None else dilations)

    def of_images(x: Any, layout: str) -> Any:
        return conv2d(x, array.expand_dims(filters, 0), pairs[0], padding, layout, pairs[1])

    return over_steps(of_images, input, data_format, name)
