"""Gradients of convolutions as functions, and convolutions with holes through blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.ops import array
from inlay._src.ops.blocks import batch_to_space, required_space_to_batch_paddings, space_to_batch
from inlay._src.ops.conv import conv2d_filter_grad, conv2d_input_grad
from inlay._src.ops.joining import concat, stack
from inlay._src.ops.windows import settings


def _of_channels(filter_sizes: Any) -> Any:
    """The sizes of the filters of a grouped convolution that has a group for each channel."""
    sizes = convert_to_tensor(filter_sizes, dtypes.int32)
    return stack([sizes[0], sizes[1], 1, sizes[2] * sizes[3]])


@export(
    "nn.depthwise_conv2d_backprop_input",
    "compat.v1.nn.depthwise_conv2d_native_backprop_input",
)
def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Any:
    """The gradient of `depthwise_conv2d` with respect to its images.

    Args:
      input_sizes: the shape of the images, four int32 numbers.
      filter: [rows, columns, channels, results per channel].
      out_backprop: the gradient of the result, four-dimensional.
      strides: four numbers.
      padding: "SAME", "VALID", or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      dilations: four numbers.
      name: the node's name.

    Returns:
      A tensor of the shape `input_sizes`.
    """
    filter = convert_to_tensor(filter)
    alone = array.reshape(filter, _of_channels(array.shape(filter)))
    attrs = settings(2, data_format, padding, strides=wholes(strides, "strides"), dilations=dilations)
    return conv2d_input_grad(convert_to_tensor(input_sizes, dtypes.int32), alone, out_backprop, name=name, **attrs)


@export(
    "nn.depthwise_conv2d_backprop_filter",
    "compat.v1.nn.depthwise_conv2d_native_backprop_filter",
)
def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Any:
    """The gradient of `depthwise_conv2d` with respect to its filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filter_sizes: the shape of the filters, four int32 numbers.
      out_backprop: the gradient of the result, four-dimensional.
      strides: four numbers.
      padding: "SAME", "VALID", or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      dilations: four numbers.
      name: the node's name.

    Returns:
      A tensor of the shape `filter_sizes`.
    """
    attrs = settings(2, data_format, padding, strides=wholes(strides, "strides"), dilations=dilations)
    gradient = conv2d_filter_grad(input, _of_channels(filter_sizes), out_backprop, name=name, **attrs)
    return array.reshape(gradient, filter_sizes)


@export("nn.with_space_to_batch")
def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: str,
    op: Callable[[Any, int, str], Any],
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Any:
    """Makes an operation on windows one on windows with holes: it sees every so many points as an image of their own.

    Args:
      input: a tensor whose sides are those of `spatial_dims`.
      dilation_rate: int32 of known shape [sides]: the distance between the points of a window.
      padding: "SAME" or "VALID".
      op: takes the tensor of images, the number of sides and a padding, and gives a tensor.
      filter_shape: the sizes of the window, required for "SAME".
      spatial_dims: the dimensions of the sides in rising order; those after the batch if None.
      data_format: "NC..." for channels first.

    Returns:
      The result of `op`, put together again.

    Raises:
      ValueError: for another padding, a rate below 1, other dimensions and a missing `filter_shape`.
    """
    input = convert_to_tensor(input)
    rate = convert_to_tensor(dilation_rate, dtypes.int32)
    if rate.shape.rank != 1 or rate.shape[0] is None:
        raise ValueError(f"`dilation_rate.shape` must be fully defined, of rank 1. Received: {rate.shape}")
    sides = rate.shape[0]
    first = 2 if (data_format or "").startswith("NC") else 1
    dims = list(range(first, first + sides) if spatial_dims is None else spatial_dims)
    if dims != sorted(set(dims)) or dims[0] < 1:
        raise ValueError(
            f"`spatial_dims` must be a monotonically increasing sequence of positive integers. Received: {dims}"
        )
    least = dims[-1] + (first == 1)
    if input.shape.rank is not None and input.shape.rank < least:
        raise ValueError(f"`input.shape.rank` must be at least {least}. Received: input.shape={input.shape}")
    known = constant_of(rate)
    if known is not None and (known < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={known}")
    if known is not None and (known == 1).all():
        return op(input, sides, padding)
    sizes = [input.shape[dim] for dim in dims] if input.shape.rank is not None else [None]
    whole = stack([array.shape(input)[dim] for dim in dims]) if None in sizes else sizes
    pads, crops = required_space_to_batch_paddings(whole, rate, _least_padding(padding, filter_shape, rate, sides))
    blocks, pads, crops = _for_all(rate, 1, dims), _for_all(pads, 0, dims), _for_all(crops, 0, dims)
    return batch_to_space(op(space_to_batch(input, blocks, pads), sides, "VALID"), blocks, crops)


def _least_padding(padding: str, filter_shape: Any, rate: Any, sides: int) -> Any:
    """The padding before and after each side that makes a result of the same size, as a matrix."""
    if padding == "VALID":
        return np.zeros([sides, 2], np.int32)
    if padding != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            f"`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape=None and padding={padding}"
        )
    more = (convert_to_tensor(filter_shape, dtypes.int32)[:sides] - 1) * rate
    before = more // 2
    return stack([before, more - before], 1)


def _for_all(rows: Any, other: int, dims: Sequence[int]) -> Any:
    """Rows of some dimensions as rows of all dimensions from 1 on, the missing ones filled with a number."""
    rows = convert_to_tensor(rows)
    filled = array.fill(array.shape(rows[:1]), other)
    return concat(
        [rows[dims.index(dim) : dims.index(dim) + 1] if dim in dims else filled for dim in range(1, dims[-1] + 1)], 0
    )
