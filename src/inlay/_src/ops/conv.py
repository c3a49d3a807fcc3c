"""Convolution of images and volumes. The gradients are ops of the same kind, so any order of derivative works.

On NumPy a convolution is a matrix product, or a sum of products of lines where each channel has filters of its own;
under XLA it is one instruction.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.parameters import described
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, channel_windows, patch_windows
from inlay._src.ops.shaping import wide
from inlay._src.ops.windows import (
    LAYOUTS,
    Windows,
    as_format,
    channels_last,
    is_second,
    last_dims,
    of_one_batch,
    phases,
    pixels_of,
    settings,
)


def _convolution(image: Any, window: Any, strides: Any, *how: Any) -> tuple[Windows, int]:
    """(the windows of a convolution, the number of groups of channels); None stands for sizes that are not known."""
    rank = len(strides)
    if len(image) != rank or len(window) != rank:
        raise ValueError(f"Shape must be rank {rank} but is rank {len(image)} (input) and {len(window)} (filter)")
    if 0 in window:
        raise ValueError(
            f"filter must not have zero elements (i.e. all dimensions must be non-zero), got {list(window)}"
        )
    depth, part = image[-1], window[-2]
    if depth is not None and part is not None and depth % max(part, 1):
        raise ValueError(
            f"input depth must be evenly divisible by filter depth: {depth} vs {part} (input shape {list(image)}, "
            f"filter shape {list(window)})"
        )
    if depth == 0:
        raise ValueError("grouped convolution must have at least one group: 0 groups, as the input has no channels")
    groups = (depth or 0) // max(part or 1, 1)
    if groups > 1 and window[-1] is not None and window[-1] % groups:
        raise ValueError(f"output depth must be evenly divisible by number of groups: {window[-1]} vs {groups}")
    return Windows(image, window, strides, *how), groups


def _image_sizes(sizes: Sequence[Any], window: Sequence[Any], out: Sequence[Any], data_format: str) -> tuple[Any, ...]:
    """The sizes of images, of which those of the sides alone may be given.

    Args:
      sizes: of all axes, or of the sides.
      window, out: the shapes of the filters and of what the convolution gives.
      data_format: the layout.

    Raises:
      ValueError: for another number of sizes.
    """
    if len(sizes) not in (len(window), len(window) - 2):
        count = f"{len(window)} values or {len(window) - 2} values, but got: {len(sizes)}"
        raise ValueError(f"input_sizes must contain {count}")
    if len(sizes) == len(window) - 2:
        return (out[0], window[-2], *sizes) if is_second(data_format) else (out[0], *sizes, window[-2])
    return (out[0], *sizes[1:]) if sizes[0] is None else tuple(sizes)


def _compiled(g: Windows, groups: int, x: Any, w: Any) -> Any:
    """The convolution of JAX arrays."""
    if groups == x.shape[-1] > 1 and math.prod(g.window) <= TUNING.channel_compiled_points:
        # XLA fuses these into one loop, which takes a twentieth of the time of its grouped convolution.
        jnp = xla.jnp()
        padded, each = g.padded(jnp, x), w.shape[-1] // groups
        whole = jnp.repeat(padded, each, -1) if each > 1 else padded
        return functools.reduce(operator.add, [whole[view] * w[at][0] for at, view in g.views()])
    sides = "DHW"[-len(g.strides) :]
    return xla.lax().conv_general_dilated(
        x,
        w,
        g.strides,
        g.pads,
        rhs_dilation=g.dilations,
        dimension_numbers=(f"N{sides}C", f"{sides}IO", f"N{sides}C"),
        feature_group_count=groups,
    )


def _correlated(x: np.ndarray, w: np.ndarray, g: Windows, groups: int) -> np.ndarray:
    """The convolution of images, on NumPy."""
    part, each = w.shape[-2], w.shape[-1] // groups
    if groups == 1:
        return patch_windows.correlated(x, w, g)
    if part * each <= TUNING.channel_products:
        sums = (channel_windows.correlated(_repeated(x[..., k::part], each), w[..., k, :], g) for k in range(part))
        return functools.reduce(lambda a, b: np.add(a, b, out=a), sums)
    out = np.empty((len(x), *g.outs, w.shape[-1]), x.dtype)
    for k in range(groups):
        results = slice(k * each, (k + 1) * each)
        out[..., results] = patch_windows.correlated(_channels(x, k, part), w[..., results], g)
    return out


def _filters_gradient(x: np.ndarray, dy: np.ndarray, g: Windows, groups: int) -> np.ndarray:
    """The gradient in the filters of `_correlated`."""
    part, each = x.shape[-1] // groups, dy.shape[-1] // groups
    if groups == 1:
        return patch_windows.filters_gradient(x, dy, g)
    if part * each <= TUNING.channel_products:
        filters = (channel_windows.filters_gradient(_repeated(x[..., k::part], each), dy, g) for k in range(part))
        return np.stack(list(filters), -2)
    parts = (patch_windows.filters_gradient(_channels(x, k, part), _channels(dy, k, each), g) for k in range(groups))
    return np.concatenate(list(parts), -1)


def _images_gradient(w: np.ndarray, dy: np.ndarray, g: Windows, groups: int) -> np.ndarray:
    """The gradient of `_correlated` in the images: of each phase a convolution of output gradients.

    Each pixel is written once, which takes less than to add to it what each point of the window gives.
    """
    turned = w.reshape(*w.shape[:-1], groups, -1).swapaxes(-1, -3).reshape(*w.shape[:-2], w.shape[-1] // groups, -1)
    dx: np.ndarray | None = None
    for phase in phases(g):
        if phase.windows is not None:
            part = _correlated(dy, turned[phase.taps], phase.windows, groups)
            if part.shape == g.image:
                return part
            dx = np.zeros(g.image, dy.dtype) if dx is None else dx
            pixels_of(dx)[phase.pixels] = pixels_of(part)
    return np.zeros(g.image, dy.dtype) if dx is None else dx


def _channels(x: np.ndarray, group: int, size: int) -> np.ndarray:
    """The channels of a group, in one piece."""
    return np.ascontiguousarray(x[..., group * size : (group + 1) * size])


def _repeated(x: np.ndarray, each: int) -> np.ndarray:
    """Images with each channel so many times."""
    if each == 1:
        return x
    whole = np.empty((*x.shape, each), x.dtype)
    for k in range(each):
        whole[..., k] = x
    return whole.reshape(*x.shape[:-1], -1)


def _forward(xp: Any, input: Any, filter: Any, strides: Any, padding: Any, data_format: str, dilations: Any) -> Any:
    x, w = wide(channels_last(xp, input, data_format)), wide(filter)
    g, groups = _convolution(x.shape, w.shape, strides, padding, data_format, dilations)
    if xp is not np:
        return as_format(xp, _compiled(g, groups, x, w).astype(input.dtype), data_format)
    out = _correlated(x, w, g, groups)
    return np.ascontiguousarray(as_format(np, out, data_format)).astype(input.dtype, copy=False)


def _to_input(
    xp: Any, input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str,
    dilations: Any,
) -> Any:  # fmt: skip
    w, dy = wide(filter), wide(channels_last(xp, out_backprop, data_format))
    sizes = _image_sizes(np.asarray(input_sizes).tolist(), w.shape, out_backprop.shape, data_format)
    image = last_dims(sizes, data_format)
    g, groups = _convolution(image, w.shape, strides, padding, data_format, dilations)
    _check_out(dy, (image[0], *g.outs, w.shape[-1]))
    if xp is not np:
        if w.dtype.kind == "i":  # JAX transposes functions of floats
            w, dy = w.astype(np.float64), dy.astype(np.float64)
        grad = xla.transposed(lambda x: _compiled(g, groups, x, w), image, dy)
        return as_format(xp, grad.astype(out_backprop.dtype), data_format)
    dx = _images_gradient(w, dy, g, groups)
    return np.ascontiguousarray(as_format(np, dx, data_format)).astype(out_backprop.dtype, copy=False)


def _to_filter(
    xp: Any, input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str,
    dilations: Any,
) -> Any:  # fmt: skip
    x, dy = (wide(channels_last(xp, t, data_format)) for t in (input, out_backprop))
    sizes = tuple(int(d) for d in np.asarray(filter_sizes))
    g, groups = _convolution(x.shape, sizes, strides, padding, data_format, dilations)
    _check_out(dy, (x.shape[0], *g.outs, sizes[-1]))
    if xp is not np:
        return xla.transposed(lambda w: _compiled(g, groups, x, w), sizes, dy).astype(input.dtype)
    dw = _filters_gradient(x, np.ascontiguousarray(dy), g, groups)
    return dw.astype(input.dtype, copy=False)


def _check_out(dy: Any, expected: Sequence[int]) -> None:
    if tuple(dy.shape) != tuple(expected):
        raise ValueError(f"out_backprop has shape {list(dy.shape)}, but this convolution makes {list(expected)}")


def _declared(convolution: str, to_input: str, to_filter: str, sides: int) -> tuple[Any, Any, Any]:
    """The ops of images with so many sides: the convolution, its gradient to the images, that to the filters."""
    layout, ones, sizes = LAYOUTS[sides][0], (1,) * (sides + 2), "int32" if sides == 2 else "Index"
    types = FLOATS | {dtypes.int32} if sides == 2 else FLOATS
    rank, unknown_sizes = sides + 2, (None,) * (sides + 2)

    def infer(s: Shapes) -> list[Dims]:
        a = s.attrs
        image = unknown_sizes if s.dims[0] is None else last_dims(s.dims[0], a["data_format"])
        window = s.dims[1] or unknown_sizes
        g, _ = _convolution(image, window, a["strides"], a["padding"], a["data_format"], a["dilations"])
        return [g.result_dims(window[-1], a["data_format"])]

    def input_infer(s: Shapes) -> list[Dims]:
        window, out = (dims or unknown_sizes for dims in s.dims[1:])
        return [_image_sizes(s.partial_value(0) or unknown_sizes, window, out, s.attrs["data_format"])]

    def vjp(op, dy):
        x, w = op.inputs
        return input_grad(array.shape(x), w, dy, **op.attrs), filter_grad(x, array.shape(w), dy, **op.attrs)

    def input_vjp(op, ddx):
        _, w, dy = op.inputs
        return None, filter_grad(ddx, array.shape(w), dy, **op.attrs), forward(ddx, w, **op.attrs)

    def filter_vjp(op, ddw):
        x, _, dy = op.inputs
        return input_grad(array.shape(x), ddw, dy, **op.attrs), None, forward(x, ddw, **op.attrs)

    @op(convolution, "input:T, filter:T -> T", types=types, ranks={"input": rank, "filter": rank}, infer=infer, vjp=vjp)
    def forward(xp, input, filter, *, strides, padding, data_format=layout, dilations=ones):
        """The correlation of images with filters."""
        return _forward(xp, input, filter, strides, padding, data_format, dilations)

    @op(
        to_input,
        f"input_sizes:{sizes}, filter:T, out_backprop:T -> T",
        types=types,
        static=("input_sizes",),
        ranks={"input_sizes": 1, "filter": rank, "out_backprop": rank},
        infer=input_infer,
        vjp=input_vjp,
    )
    def input_grad(xp, input_sizes, filter, out_backprop, *, strides, padding, data_format=layout, dilations=ones):
        """The gradient of a convolution to its images, which is a convolution transposed."""
        return _to_input(xp, input_sizes, filter, out_backprop, strides, padding, data_format, dilations)

    @op(
        to_filter,
        "input:T, filter_sizes:int32, out_backprop:T -> T",
        types=FLOATS,
        static=("filter_sizes",),
        ranks={"input": rank, "filter_sizes": 1, "out_backprop": rank},
        infer=lambda s: [s.partial_value(1)],
        vjp=filter_vjp,
    )
    def filter_grad(xp, input, filter_sizes, out_backprop, *, strides, padding, data_format=layout, dilations=ones):
        """The gradient of a convolution to its filters."""
        return _to_filter(xp, input, filter_sizes, out_backprop, strides, padding, data_format, dilations)

    return forward, input_grad, filter_grad


conv2d_op, conv2d_input_grad, conv2d_filter_grad = _declared("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", 2)
conv3d_op, conv3d_input_grad, conv3d_filter_grad = _declared(
    "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", 3
)


def _settings(sides: int, strides: Any, padding: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    if sides == 3:  # of images None is 1
        wholes(strides, "strides")
    return settings(sides, data_format, padding, strides=strides, dilations=1 if dilations is None else dilations)


def _sizes(output_shape: Any) -> Any:
    return convert_to_tensor(output_shape, dtypes.int32) if isinstance(output_shape, (list, tuple)) else output_shape


CONVOLUTION = """Args:
  output_shape: the shape of the result.
  strides: one number, one for each side, or one for each dimension.
  padding: "SAME", "VALID" or, for images, a pair per dimension.
  data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
  dilations: the distance between the filter's points, as for `strides`; 1 by default.
  name: the node's name.
"""


@export("nn.conv2d")
@described(CONVOLUTION)
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The correlation of images with filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filters: [rows, columns, channels (or a divisor of them: groups), results].
    """
    attrs = _settings(2, strides, padding, data_format, dilations)
    return of_one_batch(lambda x: conv2d_op(x, filters, **attrs, name=name), input, 3)


@export("nn.conv2d_transpose")
@described(CONVOLUTION)
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` to its images, used as an operation of its own.

    Args:
      input: the output of `conv2d`.
      filters: [rows, columns, results, channels of `input`].
    """
    attrs = _settings(2, strides, padding, data_format, dilations)
    return conv2d_input_grad(_sizes(output_shape), filters, input, **attrs, name=name)


@export("nn.conv3d")
@described(CONVOLUTION)
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The correlation of volumes with filters.

    Args:
      input: volumes, [batch, depth, rows, columns, channels].
      filters: [depth, rows, columns, channels (or a divisor of them: groups), results].
    """
    attrs = _settings(3, strides, padding, data_format, dilations)
    return of_one_batch(lambda x: conv3d_op(x, filters, **attrs, name=name), input, 4)


@export("nn.conv3d_transpose")
@described(CONVOLUTION)
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` to its volumes, used as an operation of its own.

    Args:
      input: the output of `conv3d`.
      filters: [depth, rows, columns, results, channels of `input`].
    """
    attrs = _settings(3, strides, padding, data_format, dilations)
    return conv3d_input_grad(_sizes(output_shape), filters, input, **attrs, name=name)
