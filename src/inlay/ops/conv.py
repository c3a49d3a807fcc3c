"""Convolution and pooling of images. Their gradients are ops of the same kind, so any order of derivative works.

A kernel walks over the positions of the window: for each it takes one strided view of the padded image. On NumPy that
is a handful of matrix products; under XLA the convolution is one instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay.core.opdef import Shapes
from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor
from inlay.interpreter import xla
from inlay.ops import array
from inlay.ops.segments import unsorted_segment_sum
from inlay.ops.shaping import wide
from inlay.types import dtypes
from inlay.types.dtypes import FLOATS, REALS
from inlay.types.shapes import Dims

Pads = tuple[tuple[int, int], tuple[int, int]]


def _out_size(size: int, window: int, stride: int, dilation: int, padding: Any, axis: int) -> int:
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    before, after = (0, 0) if padding == "VALID" else padding[axis]
    out = (size + before + after - reach) // stride + 1
    if out < 0 or (out == 0 and size):
        raise ValueError(f"Computed output size would be negative: a window of {reach} in an image side of {size}")
    return out


def _pads(sizes: Sequence[int], windows: Any, strides: Any, dilations: Any, padding: Any) -> Pads:
    """Rows and columns to add on each side."""
    if padding == "VALID":
        return (0, 0), (0, 0)
    if padding != "SAME":
        return padding
    pairs = []
    for size, window, stride, dilation in zip(sizes, windows, strides, dilations, strict=True):
        total = max((-(-size // stride) - 1) * stride + (window - 1) * dilation + 1 - size, 0)
        pairs.append((total // 2, total - total // 2))
    return pairs[0], pairs[1]


def _padded(xp: Any, x: Any, pads: Pads, value: Any = 0) -> Any:
    if not any(map(any, pads)):
        return x
    return xp.pad(x, ((0, 0), *pads, (0, 0)), constant_values=np.asarray(value, x.dtype))


def _views(windows: Any, strides: Any, dilations: Any, outs: Any) -> Iterator[tuple[int, int, tuple[slice, ...]]]:
    """For each window position (i, j): the index of the strided view of the padded image it sees."""
    for i in range(windows[0]):
        for j in range(windows[1]):
            rows = slice(i * dilations[0], i * dilations[0] + strides[0] * (outs[0] - 1) + 1, strides[0])
            columns = slice(j * dilations[1], j * dilations[1] + strides[1] * (outs[1] - 1) + 1, strides[1])
            yield i, j, (slice(None), rows, columns)


def _channels_last(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, 1, -1) if data_format == "NCHW" else x


def _as_format(xp: Any, x: Any, data_format: str) -> Any:
    return xp.moveaxis(x, -1, 1) if data_format == "NCHW" else x


def _nhwc(dims: Any, data_format: str) -> Any:
    return (dims[0], *dims[2:], dims[1]) if data_format == "NCHW" else tuple(dims)


def _stored(dims: Any, data_format: str) -> tuple[Any, ...]:
    return (dims[0], dims[-1], *dims[1:-1]) if data_format == "NCHW" else tuple(dims)


def _check_ranks(image: Sequence[Any], window: Sequence[Any] | None = None) -> None:
    if len(image) != 4 or (window is not None and len(window) != 4):
        filters = "" if window is None else f" (input) and {len(window)} (filter)"
        raise ValueError(f"Shape must be rank 4 but is rank {len(image)}{filters}")


# ---------------------------------------------------------------- convolution


class _Geometry:
    """The sizes of one convolution."""

    def __init__(self, image: Sequence[int], window: Sequence[int], strides: Any, padding: Any, dilations: Any) -> None:
        _check_ranks(image, window)
        if image[3] % max(window[2], 1):
            raise ValueError(
                f"input depth must be evenly divisible by filter depth: {image[3]} vs {window[2]} (input shape "
                f"{list(image)}, filter shape {list(window)})"
            )
        self.windows, self.strides, self.dilations = window[:2], strides, dilations
        self.pads = _pads(image[1:3], window[:2], strides, dilations, padding)
        self.outs = tuple(_out_size(image[1 + a], window[a], strides[a], dilations[a], padding, a) for a in (0, 1))
        self.groups = image[3] // max(window[2], 1)
        self.padded = tuple(image[1 + a] + sum(self.pads[a]) for a in (0, 1))
        self.image = tuple(image)

    def views(self) -> Iterator[tuple[int, int, tuple[slice, ...]]]:
        return _views(self.windows, self.strides, self.dilations, self.outs)

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
    a, image, window = s.attrs, _nhwc(s.dims[0], s.attrs["data_format"]), s.dims[1]
    _check_ranks(image, window)
    sides = tuple(
        None
        if image[1 + k] is None or window[k] is None
        else _out_size(image[1 + k], window[k], a["strides"][k], a["dilations"][k], a["padding"], k)  # type: ignore[arg-type]
        for k in (0, 1)
    )
    return [_stored((image[0], *sides, window[3]), a["data_format"])]


def _conv_vjp(op, dy):
    x, w = op.inputs
    return (
        conv2d_input_grad(array.shape(x), w, dy, **op.attrs),
        conv2d_filter_grad(x, array.shape(w), dy, **op.attrs),
    )


def _settings(attrs: Any) -> dict[str, Any]:
    return {k: attrs[k] for k in ("strides", "padding", "data_format", "dilations")}


@op(
    "Conv2D",
    "input:T, filter:T -> T",
    types={"T": FLOATS},
    infer=_conv_infer,
    vjp=lambda op, dy: _conv_vjp(_Plain(op), dy),
    public="conv2d_op",
)
def conv2d_op(xp, input, filter, *, strides, padding, data_format="NHWC", dilations=(1, 1)):
    """The correlation of images with filters."""
    x, w = wide(_channels_last(xp, input, data_format)), wide(filter)
    g = _Geometry(x.shape, w.shape, strides, padding, dilations)
    if xp is not np:
        return _as_format(xp, g.compiled(x, w).astype(input.dtype), data_format)
    x = _padded(np, x, g.pads)
    out = np.zeros((x.shape[0], *g.outs, w.shape[3]), x.dtype)
    if g.groups == 1:
        for i, j, view in g.views():
            out += x[view] @ w[i, j]
    else:
        apart, kernels = g.grouped(out), w.reshape(*w.shape[:3], g.groups, -1)
        for i, j, view in g.views():
            apart += np.einsum("nhwgi,igo->nhwgo", g.grouped(x[view]), kernels[i, j])
    return np.ascontiguousarray(_as_format(np, out, data_format)).astype(input.dtype, copy=False)


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
    types={"T": FLOATS},
    static=("input_sizes",),
    infer=lambda s: [s.partial_value(0)],
    vjp=_input_grad_vjp,
)
def conv2d_input_grad(xp, input_sizes, filter, out_backprop, *, strides, padding, data_format="NHWC", dilations=(1, 1)):
    """The gradient of `Conv2D` to its images, which is a convolution transposed."""
    w, dy = wide(filter), wide(_channels_last(xp, out_backprop, data_format))
    image = _nhwc([int(d) for d in np.asarray(input_sizes)], data_format)
    g = _Geometry(image, w.shape, strides, padding, dilations)
    _check_out(dy, (image[0], *g.outs, w.shape[3]))
    if xp is not np:
        grad = xla.transposed(lambda x: g.compiled(x, w), image, dy)
        return _as_format(xp, grad.astype(out_backprop.dtype), data_format)
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
    return np.ascontiguousarray(_as_format(np, dx, data_format)).astype(out_backprop.dtype, copy=False)


def _filter_grad_vjp(op, ddw):
    op = _Plain(op)
    x, _, dy = op.inputs
    return conv2d_input_grad(array.shape(x), ddw, dy, **op.attrs), None, conv2d_op(x, ddw, **op.attrs)


@op(
    "Conv2DBackpropFilter",
    "input:T, filter_sizes:int32, out_backprop:T -> T",
    types={"T": FLOATS},
    static=("filter_sizes",),
    infer=lambda s: [s.partial_value(1)],
    vjp=_filter_grad_vjp,
)
def conv2d_filter_grad(
    xp, input, filter_sizes, out_backprop, *, strides, padding, data_format="NHWC", dilations=(1, 1)
):
    """The gradient of `Conv2D` to its filters."""
    x, dy = (wide(_channels_last(xp, t, data_format)) for t in (input, out_backprop))
    sizes = tuple(int(d) for d in np.asarray(filter_sizes))
    g = _Geometry(x.shape, sizes, strides, padding, dilations)
    _check_out(dy, (x.shape[0], *g.outs, sizes[3]))
    if xp is not np:
        return xla.transposed(lambda w: g.compiled(x, w), sizes, dy).astype(input.dtype)
    x = _padded(np, x, g.pads)
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


def _pair(value: Any, data_format: str, name: str) -> tuple[int, int]:
    """A stride, window or dilation (one number, two or four) as the pair for rows and columns."""
    flat = [int(v) for v in np.asarray(value).reshape(-1)]
    if len(flat) == 1:
        return flat[0], flat[0]
    if len(flat) == 2:
        return flat[0], flat[1]
    if len(flat) != 4:
        raise ValueError(f"{name} should be of length 1, 2 or 4 but was {len(flat)}")
    batch, rows, columns, depth = _nhwc(flat, data_format)
    if batch != 1 or depth != 1:
        raise ValueError(f"{name} in the batch and depth dimensions must be 1, got {flat}")
    return rows, columns


def _padding(value: Any, data_format: str) -> Any:
    """`"SAME"`, `"VALID"`, or pairs for rows and columns."""
    if isinstance(value, str):
        if value.upper() not in ("SAME", "VALID"):
            raise ValueError(f"padding must be 'SAME', 'VALID' or a list of pairs, got {value!r}")
        return value.upper()
    pairs = [(int(a), int(b)) for a, b in value]
    if len(pairs) != 4:
        raise ValueError(f"explicit padding needs one pair per dimension, got {value!r}")
    return tuple(_nhwc(pairs, data_format)[1:3])


def _format(data_format: Any) -> str:
    found = "NHWC" if data_format is None else str(data_format)
    if found not in ("NHWC", "NCHW"):
        raise ValueError(f"data_format must be 'NHWC' or 'NCHW', got {data_format!r}")
    return found


def _steps_format(data_format: Any) -> tuple[str, int]:
    """(the format of images, where their rows go) for sequences, which become images of one row."""
    if data_format not in ("NWC", "NCW", None):
        raise ValueError(f"data_format of sequences must be 'NWC' or 'NCW', got {data_format!r}")
    return ("NCHW", 2) if data_format == "NCW" else ("NHWC", 1)


def _attrs(strides: Any, padding: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    layout = _format(data_format)
    return {
        "strides": _pair(strides, layout, "strides"),
        "padding": _padding(padding, layout),
        "data_format": layout,
        "dilations": _pair(1 if dilations is None else dilations, layout, "dilations"),
    }


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
    alone = array.reshape(filter, array.stack([sizes[0], sizes[1], 1, -1]))
    return conv2d_op(input, alone, **_attrs(strides, padding, data_format, dilations), name=name)


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
    layout, axis = _steps_format(data_format)
    steps = int(np.asarray(stride).reshape(-1).max())
    apart = 1 if dilations is None else int(np.asarray(dilations).reshape(-1).max())
    wide = array.expand_dims(input, axis)
    out = conv2d(wide, array.expand_dims(filters, 0), (1, steps), padding, layout, (1, apart))
    return array.squeeze(out, [axis], name=name)


# ---------------------------------------------------------------- pooling


def _pool_infer(s: Shapes) -> list[Dims]:
    if s.dims[0] is None:
        return [(None,) * 4]
    a, image = s.attrs, _nhwc(s.dims[0], s.attrs["data_format"])
    _check_ranks(image)
    sides = tuple(
        None if image[1 + k] is None else _out_size(image[1 + k], a["ksize"][k], a["strides"][k], 1, a["padding"], k)
        for k in (0, 1)
    )
    return [_stored((image[0], *sides, image[3]), a["data_format"])]


class _Pool:
    """The sizes of one pooling."""

    def __init__(self, image: Sequence[int], ksize: Any, strides: Any, padding: Any) -> None:
        _check_ranks(image)
        self.ksize, self.strides = ksize, strides
        self.pads = _pads(image[1:3], ksize, strides, (1, 1), padding)
        self.outs = tuple(_out_size(image[1 + a], ksize[a], strides[a], 1, padding, a) for a in (0, 1))

    def views(self) -> Iterator[tuple[int, int, tuple[slice, ...]]]:
        return _views(self.ksize, self.strides, (1, 1), self.outs)


def _lowest(dtype: Any) -> Any:
    dtype = np.dtype(dtype)
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _pool_settings(op: Any) -> dict[str, Any]:
    return {k: op.attrs[k] for k in ("ksize", "strides", "padding", "data_format")}


def _max_pool_vjp(op, dy):
    x = op.inputs[0]
    places = array.reshape(max_pool_places(x, **_pool_settings(op)), [-1])
    flat = unsorted_segment_sum(array.reshape(dy, [-1]), places, array.size(x))
    return array.reshape(flat, array.shape(x))


@op("MaxPool", "input:T -> T", types={"T": REALS}, infer=_pool_infer, vjp=_max_pool_vjp)
def max_pool_op(xp, input, *, ksize, strides, padding, data_format="NHWC"):
    """The greatest number of each window."""
    x = _channels_last(xp, input, data_format)
    pool = _Pool(x.shape, ksize, strides, padding)
    x = _padded(xp, x, pool.pads, _lowest(x.dtype))
    out = None
    for _, _, view in pool.views():
        out = x[view] if out is None else xp.maximum(out, x[view])
    assert out is not None
    return _as_format(xp, xp.array(out), data_format)


@op(
    "MaxPoolPlaces",
    "input:T -> int64",
    types={"T": REALS},
    infer=_pool_infer,
    differentiable=False,
)
def max_pool_places(xp, input, *, ksize, strides, padding, data_format="NHWC"):
    """Where in the flattened input the greatest number of each window stands; the first of equal ones."""
    x = _channels_last(xp, input, data_format)
    places = _channels_last(xp, np.arange(np.size(input), dtype=np.int64).reshape(np.shape(input)), data_format)
    pool = _Pool(x.shape, ksize, strides, padding)
    x, places = _padded(xp, x, pool.pads, _lowest(x.dtype)), _padded(xp, xp.asarray(places), pool.pads)
    best = found = None
    for _, _, view in pool.views():
        if best is None:
            best, found = x[view], places[view]
        else:
            more = xp.greater(x[view], best)
            best, found = xp.where(more, x[view], best), xp.where(more, places[view], found)
    return _as_format(xp, found, data_format)


@op(
    "AvgPool",
    "value:T -> T",
    types={"T": FLOATS},
    infer=_pool_infer,
    vjp=lambda op, dy: avg_pool_grad(array.shape(op.inputs[0]), dy, **_pool_settings(op)),
)
def avg_pool_op(xp, value, *, ksize, strides, padding, data_format="NHWC"):
    """The mean of each window, of what is inside the image."""
    x = wide(_channels_last(xp, value, data_format))
    pool = _Pool(x.shape, ksize, strides, padding)
    padded = _padded(xp, x, pool.pads)
    total = xp.zeros((x.shape[0], *pool.outs, x.shape[3]), x.dtype)
    for _, _, view in pool.views():
        total = xp.add(total, padded[view])
    mean = xp.divide(total, _inside(x.shape, pool).astype(x.dtype))
    return _as_format(xp, mean, data_format).astype(value.dtype)


def _inside(image: Any, pool: _Pool) -> np.ndarray:
    """How many places of each window are inside the image."""
    ones = _padded(np, np.ones((1, image[1], image[2], 1)), pool.pads)
    return sum((ones[view] for _, _, view in pool.views()), np.zeros((1, *pool.outs, 1)))  # type: ignore[no-any-return]


@op(
    "AvgPoolGrad",
    "orig_input_shape:int32, grad:T -> T",
    types={"T": FLOATS},
    static=("orig_input_shape",),
    infer=lambda s: [s.partial_value(0)],
    vjp=lambda op, ddx: (None, avg_pool_op(ddx, **_pool_settings(op))),
)
def avg_pool_grad(xp, orig_input_shape, grad, *, ksize, strides, padding, data_format="NHWC"):
    """The gradient of `AvgPool`: each mean's cotangent spread over its window."""
    image = _nhwc([int(d) for d in np.asarray(orig_input_shape)], data_format)
    pool = _Pool(image, ksize, strides, padding)
    dy = wide(_channels_last(xp, grad, data_format))
    share = xp.divide(dy, _inside(image, pool).astype(dy.dtype))
    sides = tuple(image[1 + a] + sum(pool.pads[a]) for a in (0, 1))
    dx = xp.zeros((image[0], *sides, image[3]), dy.dtype)
    for _, _, view in pool.views():
        if xp is np:
            dx[view] += share
        else:
            dx = dx.at[view].add(share)
    (top, _), (left, _) = pool.pads
    return _as_format(xp, dx[:, top : top + image[1], left : left + image[2]], data_format).astype(grad.dtype)


def _pool(function: Any, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, name: Any) -> Any:
    layout = _format(data_format)
    return function(
        value,
        ksize=_pair(ksize, layout, "ksize"),
        strides=_pair(strides, layout, "strides"),
        padding=_padding(padding, layout),
        data_format=layout,
        name=name,
    )


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
    return _pool(max_pool_op, input, ksize, strides, padding, data_format, name)


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
    return _pool(avg_pool_op, input, ksize, strides, padding, data_format, name)


def max_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """`max_pool2d` of images, or the same over the steps of sequences [batch, steps, channels]."""
    return _pool_any(max_pool_op, input, ksize, strides, padding, data_format, name)


def avg_pool(
    input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """`avg_pool2d` of images, or the same over the steps of sequences [batch, steps, channels]."""
    return _pool_any(avg_pool_op, input, ksize, strides, padding, data_format, name)


def _pool_any(function: Any, value: Any, ksize: Any, strides: Any, padding: Any, data_format: Any, name: Any) -> Any:
    value = convert_to_tensor(value)
    if value.shape.rank != 3:
        return _pool(function, value, ksize, strides, padding, data_format, name)
    layout, axis = _steps_format(data_format)
    window, step = ((1, int(np.asarray(v).reshape(-1).max())) for v in (ksize, strides))
    return array.squeeze(
        _pool(function, array.expand_dims(value, axis), window, step, padding, layout, None), [axis], name=name
    )
