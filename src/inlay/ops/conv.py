"""Convolution and pooling of images. Their gradients are ops of the same kind, so any order of derivative works.

A kernel walks over the positions of the window: for each it takes one strided view of the padded image. On NumPy that
is a handful of matrix products; under XLA the convolution is one instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay.core.opdef import Shapes
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.interpreter import xla
from inlay.ops import array, joining
from inlay.ops.shaping import wide
from inlay.ops.windows import (
    as_format,
    channels_last,
    check_ranks,
    format_of,
    nhwc_dims,
    out_size,
    padded,
    padding_of,
    pads_of,
    pair_of,
    steps_format,
    stored_dims,
    window_views,
)
from inlay.types import dtypes
from inlay.types.dtypes import FLOATS
from inlay.types.shapes import Dims


class _Geometry:
    """The sizes of one convolution."""

    def __init__(self, image: Sequence[int], window: Sequence[int], strides: Any, padding: Any, dilations: Any) -> None:
        check_ranks(image, window)
        if image[3] % max(window[2], 1):
            raise ValueError(
                f"input depth must be evenly divisible by filter depth: {image[3]} vs {window[2]} (input shape "
                f"{list(image)}, filter shape {list(window)})"
            )
        self.windows, self.strides, self.dilations = window[:2], strides, dilations
        self.pads = pads_of(image[1:3], window[:2], strides, dilations, padding)
        self.outs = tuple(out_size(image[1 + a], window[a], strides[a], dilations[a], padding, a) for a in (0, 1))
        self.groups = image[3] // max(window[2], 1)
        self.padded = tuple(image[1 + a] + sum(self.pads[a]) for a in (0, 1))
        self.image = tuple(image)

    def views(self) -> Iterator[tuple[int, int, tuple[slice, ...]]]:
        return window_views(self.windows, self.strides, self.dilations, self.outs)

    def compiled(self, x: Any, w: Any) -> Any:
        return xla.lax().conv_general_dilated(
            x,
            w,
            self.strides,
            self.pads,
            rhs_dilation=self.dilations,
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
            feature_group_count=self.groups,
        )

    def grouped(self, x: Any) -> Any:
        """The last axis as (group, channel of the group)."""
        return x.reshape(*x.shape[:-1], self.groups, x.shape[-1] // self.groups)


def _conv_infer(s: Shapes) -> list[Dims]:
    if s.dims[0] is None or s.dims[1] is None:
        return [None if s.dims[0] is None and s.dims[1] is None else (None,) * 4]
    a, image, window = s.attrs, nhwc_dims(s.dims[0], s.attrs["data_format"]), s.dims[1]
    check_ranks(image, window)
    sides = tuple(
        None
        if image[1 + k] is None or window[k] is None
        else out_size(image[1 + k], window[k], a["strides"][k], a["dilations"][k], a["padding"], k)  # type: ignore[arg-type]
        for k in (0, 1)
    )
    return [stored_dims((image[0], *sides, window[3]), a["data_format"])]


def _conv_vjp(op, dy):
    x, w = op.inputs
    return (conv2d_input_grad(array.shape(x), w, dy, **op.attrs), conv2d_filter_grad(x, array.shape(w), dy, **op.attrs))


def _settings(attrs: Any) -> dict[str, Any]:
    return {k: attrs[k] for k in ("strides", "padding", "data_format", "dilations")}


@op(
    "Conv2D",
    "input:T, filter:T -> T",
    types=FLOATS,
    infer=_conv_infer,
    vjp=lambda op, dy: _conv_vjp(_Plain(op), dy),
    public="conv2d_op",
)
def conv2d_op(xp, input, filter, *, strides, padding, data_format="NHWC", dilations=(1, 1)):
    """The correlation of images with filters."""
    x, w = wide(channels_last(xp, input, data_format)), wide(filter)
    g = _Geometry(x.shape, w.shape, strides, padding, dilations)
    if xp is not np:
        return as_format(xp, g.compiled(x, w).astype(input.dtype), data_format)
    x = padded(np, x, g.pads)
    out = np.zeros((x.shape[0], *g.outs, w.shape[3]), x.dtype)
    if g.groups == 1:
        for i, j, view in g.views():
            out += x[view] @ w[i, j]
    else:
        apart, kernels = g.grouped(out), w.reshape(*w.shape[:3], g.groups, -1)
        for i, j, view in g.views():
            apart += np.einsum("nhwgi,igo->nhwgo", g.grouped(x[view]), kernels[i, j])
    return np.ascontiguousarray(as_format(np, out, data_format)).astype(input.dtype, copy=False)


class _Plain:
    """A record whose attributes are the op's own, without those a graph adds."""

    def __init__(self, op: Any) -> None:
        self.inputs, self.outputs, self.attrs = op.inputs, op.outputs, _settings(op.attrs)


def _input_grad_vjp(op, ddx):
    op = _Plain(op)
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
def conv2d_input_grad(xp, input_sizes, filter, out_backprop, *, strides, padding, data_format="NHWC", dilations=(1, 1)):
    """The gradient of `Conv2D` to its images, which is a convolution transposed."""
    w, dy = wide(filter), wide(channels_last(xp, out_backprop, data_format))
    image = nhwc_dims([int(d) for d in np.asarray(input_sizes)], data_format)
    g = _Geometry(image, w.shape, strides, padding, dilations)
    _check_out(dy, (image[0], *g.outs, w.shape[3]))
    if xp is not np:
        grad = xla.transposed(lambda x: g.compiled(x, w), image, dy)
        return as_format(xp, grad.astype(out_backprop.dtype), data_format)
    dx = np.zeros((image[0], *g.padded, image[3]), dy.dtype)
    if g.groups == 1:
        for i, j, view in g.views():
            dx[view] += dy @ w[i, j].T
    else:
        apart, kernels, grads = g.grouped(dx), w.reshape(*w.shape[:3], g.groups, -1), g.grouped(dy)
        for i, j, view in g.views():
            apart[view] += np.einsum("nhwgo,igo->nhwgi", grads, kernels[i, j])
    (top, _), (left, _) = g.pads
    dx = dx[:, top : top + image[1], left : left + image[2]]
    return np.ascontiguousarray(as_format(np, dx, data_format)).astype(out_backprop.dtype, copy=False)


def _filter_grad_vjp(op, ddw):
    op = _Plain(op)
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
    xp, input, filter_sizes, out_backprop, *, strides, padding, data_format="NHWC", dilations=(1, 1)
):
    """The gradient of `Conv2D` to its filters."""
    x, dy = (wide(channels_last(xp, t, data_format)) for t in (input, out_backprop))
    sizes = tuple(int(d) for d in np.asarray(filter_sizes))
    g = _Geometry(x.shape, sizes, strides, padding, dilations)
    _check_out(dy, (x.shape[0], *g.outs, sizes[3]))
    if xp is not np:
        return xla.transposed(lambda w: g.compiled(x, w), sizes, dy).astype(input.dtype)
    x = padded(np, x, g.pads)
    dw = np.zeros(sizes, dy.dtype)
    for i, j, view in g.views():
        if g.groups == 1:
            dw[i, j] = np.tensordot(x[view], dy, axes=((0, 1, 2), (0, 1, 2)))
        else:
            dw[i, j] = np.einsum("nhwgi,nhwgo->igo", g.grouped(x[view]), g.grouped(dy)).reshape(sizes[2:])
    return dw.astype(input.dtype, copy=False)


def _check_out(dy: Any, expected: Sequence[int]) -> None:
    if tuple(dy.shape) != tuple(expected):
        raise ValueError(f"out_backprop has shape {list(dy.shape)}, but this convolution makes {list(expected)}")


def _attrs(strides: Any, padding: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    layout = format_of(data_format)
    return {
        "strides": pair_of(strides, layout, "strides"),
        "padding": padding_of(padding, layout),
        "data_format": layout,
        "dilations": pair_of(1 if dilations is None else dilations, layout, "dilations"),
    }


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
    return conv2d_op(input, filters, **_attrs(strides, padding, data_format, dilations), name=name)


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
    return conv2d_input_grad(sizes, filters, input, **_attrs(strides, padding, data_format, dilations), name=name)


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
    sizes = array.shape(filter)
    alone = array.reshape(filter, joining.stack([sizes[0], sizes[1], 1, -1]))
    return conv2d_op(input, alone, **_attrs(strides, padding, data_format, dilations), name=name)


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
    layout, axis = steps_format(data_format)
    steps = int(np.asarray(stride).reshape(-1).max())
    apart = 1 if dilations is None else int(np.asarray(dilations).reshape(-1).max())
    wide = array.expand_dims(input, axis)
    out = conv2d(wide, array.expand_dims(filters, 0), (1, steps), padding, layout, (1, apart))
    return array.squeeze(out, [axis], name=name)
