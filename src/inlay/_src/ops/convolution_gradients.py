"""Gradients of depthwise convolutions as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array
from inlay._src.ops.conv import conv2d_filter_grad, conv2d_input_grad
from inlay._src.ops.stacking import stack
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
) -> Tensor:
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
) -> Tensor:
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
