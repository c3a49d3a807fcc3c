"""Convolutions made of others: of sequences, of each channel by itself, with holes."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import described
from inlay._src.base.types import dtypes
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, joining, shaping, stacking
from inlay._src.ops.conv import CONVOLUTION, conv2d, conv2d_transpose, conv3d, conv3d_transpose
from inlay._src.ops.image_checks import refusal
from inlay._src.ops.windows import of_one_batch, of_steps, over_steps


@export("nn.depthwise_conv2d")
@described(CONVOLUTION)
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The correlation of each channel with its own filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filter: [rows, columns, channels, results per channel].
      strides: four numbers.
    """
    input, filter = _of_rank_four(input, "input"), _of_rank_four(filter, "filter")
    if not isinstance(strides, (list, tuple)):
        raise TypeError(f"Expected list for 'strides' argument to 'depthwise_conv2d_native' Op, not {strides!r}.")
    if len(strides) != 4:
        raise refusal(f"DepthwiseConv2D requires the stride attribute to contain 4 values, but got: {len(strides)}")
    sizes = filter.shape.as_list() if filter.shape.is_fully_defined() else array.shape(filter)
    alone = array.reshape(filter, stacking.stack([sizes[0], sizes[1], 1, -1]))
    return conv2d(input, alone, strides, padding, data_format, dilations, name)


def _of_rank_four(value: Any, name: str) -> Any:
    """A tensor of four dimensions; an unknown rank is checked when it runs."""
    value = convert_to_tensor(value)
    if value.shape.rank not in (4, None):
        raise refusal(f"{name} must be 4-dimensional: {value.shape}")
    return shaping.ensure_shape(value, [None] * 4) if value.shape.rank is None else value


depthwise_conv2d_native: Any = export("compat.v1.nn.depthwise_conv2d_native")(
    another_form(
        depthwise_conv2d,
        "input, filter, strides, padding, data_format='NHWC', dilations=[1, 1, 1, 1], name=None",
        "depthwise_conv2d_native",
    )
)


@export("nn.separable_conv2d")
@described(CONVOLUTION)
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`depthwise_conv2d`, then a convolution by one point that mixes the channels.

    Args:
      input: images, [batch, rows, columns, channels].
      depthwise_filter: [rows, columns, channels, results per channel].
      pointwise_filter: [1, 1, channels times results per channel, results].
      strides: four numbers, for the first step.
    """
    pointwise_filter = convert_to_tensor(pointwise_filter)
    if not pointwise_filter.shape[:2].is_compatible_with([1, 1]):
        raise ValueError(f"pointwise_filter must have one row and one column, got shape {pointwise_filter.shape}")
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(between, pointwise_filter, 1, "VALID", data_format, name=name)


@export("nn.atrous_conv2d")
@described(CONVOLUTION)
def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: str | None = None) -> Tensor:
    """`conv2d` with a distance of `rate` between the filters' points.

    Args:
      value: images, [batch, rows, columns, channels].
      filters: [rows, columns, channels, results].
      rate: the distance.
    """
    return conv2d(value, filters, 1, padding, "NHWC", rate, name)


@export("nn.atrous_conv2d_transpose")
@described(CONVOLUTION)
def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: str | None = None
) -> Tensor:
    """The gradient of `atrous_conv2d` to its images, used as an operation of its own.

    Args:
      value: the output of `atrous_conv2d`.
      filters: [rows, columns, results, channels of `value`].
      rate: the distance between the filters' points.
    """
    return conv2d_transpose(value, filters, output_shape, 1, padding, "NHWC", rate, name)


@export("nn.conv1d")
@described(CONVOLUTION)
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: Any = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The correlation of sequences with filters.

    Args:
      input: sequences, [batch, steps, channels].
      filters: [steps, channels, results].
      stride: one number.
    """
    pairs = of_steps(stride), of_steps(1 if dilations is None else dilations)

    def of_images(x: Any, layout: str, padding: Any) -> Any:
        return conv2d(x, array.expand_dims(filters, 0), pairs[0], padding, layout, pairs[1])

    return of_one_batch(lambda x: over_steps(of_images, x, data_format, padding, name), input, 2)


@export("nn.conv1d_transpose")
@described(CONVOLUTION)
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv1d` to its sequences, used as an operation of its own.

    Args:
      input: the output of `conv1d`.
      filters: [steps, results, channels of `input`].
      strides: one number.
    """
    pairs = of_steps(strides), of_steps(1 if dilations is None else dilations)
    sizes = convert_to_tensor(output_shape, dtypes.int32)

    def of_images(x: Any, layout: str, padding: Any) -> Any:
        at = 2 if layout == "NCHW" else 1
        image = joining.concat([sizes[:at], [1], sizes[at:]], 0)
        return conv2d_transpose(x, array.expand_dims(filters, 0), image, pairs[0], padding, layout, pairs[1])

    return over_steps(of_images, input, data_format, padding, name)


_OF_SIDES = {1: (conv1d, conv1d_transpose), 2: (conv2d, conv2d_transpose), 3: (conv3d, conv3d_transpose)}


def _by_sides(filters: Any) -> tuple[Any, Any, Any]:
    """(filters as a tensor, the convolution of images with so many sides, the transposed one)."""
    filters = convert_to_tensor(filters)
    functions = _OF_SIDES.get(-1 if filters.shape.rank is None else filters.shape.rank - 2)
    if functions is None:
        raise ValueError(f"filters must have rank 3, 4 or 5, got shape {filters.shape}")
    return filters, *functions


@export("nn.convolution")
@described(CONVOLUTION)
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d`, `conv2d` or `conv3d`, by the rank of the filters.

    Args:
      input: [batch, sides..., channels].
      filters: [sides..., channels, results].
      strides: one number, or one for each side; 1 by default.
    """
    filters, forward, _ = _by_sides(filters)
    return forward(input, filters, 1 if strides is None else strides, padding, data_format, dilations, name)


@export("nn.conv_transpose")
@described(CONVOLUTION)
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d_transpose`, `conv2d_transpose` or `conv3d_transpose`, by the rank of the filters.

    Args:
      input: the output of the convolution.
      filters: [sides..., results, channels of `input`].
      strides: one number, or one for each side.
    """
    filters, _, transposed = _by_sides(filters)
    return transposed(input, filters, output_shape, strides, padding, data_format, dilations, name)
