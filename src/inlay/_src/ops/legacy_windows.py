"""1.x forms of convolutions and pooling: other names and orders of arguments."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import conv, convolutions, fractional, morphology, pooling
from inlay._src.ops.windows import settings

conv2d: Any = export("compat.v1.nn.conv2d")(
    another_form(
        conv.conv2d,
        "input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format='NHWC', "
        "dilations=[1, 1, 1, 1], name=None, filters=None",
        filter="filters",
        use_cudnn_on_gpu=None,
    )
)
conv1d: Any = export("compat.v1.nn.conv1d")(
    another_form(
        convolutions.conv1d,
        "value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format=None, name=None, "
        "input=None, dilations=None",
        value="input",
        use_cudnn_on_gpu=None,
    )
)
conv2d_transpose: Any = export("compat.v1.nn.conv2d_transpose")(
    another_form(
        conv.conv2d_transpose,
        "value=None, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NHWC', name=None, "
        "input=None, filters=None, dilations=None",
        value="input",
        filter="filters",
    )
)
depthwise_conv2d: Any = export("compat.v1.nn.depthwise_conv2d")(
    another_form(
        convolutions.depthwise_conv2d,
        "input, filter, strides, padding, rate=None, name=None, data_format=None, dilations=None",
        rate="dilations",
    )
)
avg_pool2d: Any = export("compat.v1.nn.avg_pool2d")(
    another_form(
        pooling.avg_pool2d, "value, ksize, strides, padding, data_format='NHWC', name=None, input=None", value="input"
    )
)
max_pool: Any = export("compat.v1.nn.max_pool")(
    another_form(
        pooling.max_pool2d,
        "value, ksize, strides, padding, data_format='NHWC', name=None, input=None",
        "max_pool",
        value="input",
    )
)
avg_pool: Any = export("compat.v1.nn.avg_pool")(
    another_form(
        pooling.avg_pool2d,
        "value, ksize, strides, padding, data_format='NHWC', name=None, input=None",
        "avg_pool",
        value="input",
    )
)
conv3d: Any = export("compat.v1.nn.conv3d")(
    another_form(
        conv.conv3d,
        "input, filter=None, strides=None, padding=None, data_format='NDHWC', dilations=[1, 1, 1, 1, 1], name=None, "
        "filters=None",
        filter="filters",
    )
)
conv3d_transpose: Any = export("compat.v1.nn.conv3d_transpose")(
    another_form(
        conv.conv3d_transpose,
        "value, filter=None, output_shape=None, strides=None, padding='SAME', data_format='NDHWC', name=None, "
        "input=None, filters=None, dilations=None",
        value="input",
        filter="filters",
    )
)
separable_conv2d: Any = export("compat.v1.nn.separable_conv2d")(
    another_form(
        convolutions.separable_conv2d,
        "input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None, data_format=None, "
        "dilations=None",
        rate="dilations",
    )
)
convolution: Any = export("compat.v1.nn.convolution")(
    another_form(
        convolutions.convolution,
        "input, filter, padding, strides=None, dilation_rate=None, name=None, data_format=None, filters=None, "
        "dilations=None",
        filter="filters",
        dilation_rate="dilations",
    )
)
max_pool_with_argmax: Any = export("compat.v1.nn.max_pool_with_argmax")(
    another_form(
        pooling.max_pool_with_argmax,
        "input, ksize, strides, padding, data_format='NHWC', Targmax=None, name=None, output_dtype=None, "
        "include_batch_in_index=False",
        Targmax="output_dtype",
    )
)
dilation2d: Any = export("compat.v1.nn.dilation2d")(
    another_form(
        morphology.dilation2d_op,
        "input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None, dilations=None",
        "dilation2d",
        filters="filter",
        dilations="rates",
    )
)
_FRACTIONAL = (
    "value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None"
)
fractional_avg_pool: Any = export("compat.v1.nn.fractional_avg_pool")(
    another_form(fractional.fractional_avg_pool, _FRACTIONAL, deterministic=None, seed2=None)
)
fractional_max_pool: Any = export("compat.v1.nn.fractional_max_pool")(
    another_form(fractional.fractional_max_pool, _FRACTIONAL, deterministic=None, seed2=None)
)


@export("compat.v1.nn.erosion2d")
def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """`nn.erosion2d` with its arguments as in 1.x: `kernel` for `filters`, `rates` for `dilations`."""
    return morphology.erosion2d(value, kernel, strides, padding, "NHWC", rates, name)


# ---------------------------------------------------------------- gradients as functions


def _gradient(rank: int, strides: Any, padding: Any, data_format: Any, dilations: Any) -> dict[str, Any]:
    return settings(rank, data_format, padding, strides=strides, dilations=dilations)


@export("compat.v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: Any = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006 - TensorFlow's default
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` to its filters.

    Args:
      input: the images.
      filter_sizes: the shape of the filters.
      out_backprop: the cotangent of the result.
      strides, padding, data_format, dilations: as for `conv2d`.
      use_cudnn_on_gpu: accepted and ignored.
      name: the node's name.
    """
    attrs = _gradient(2, strides, padding, data_format, dilations)
    return conv.conv2d_filter_grad(
        input, convert_to_tensor(filter_sizes, dtypes.int32), out_backprop, **attrs, name=name
    )


@export("compat.v1.nn.conv2d_backprop_input")
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: Any = "NHWC",
    dilations: Any = [1, 1, 1, 1],  # noqa: B006 - TensorFlow's default
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` to its images.

    Args:
      input_sizes: the shape of the images.
      filter, filters: the filters.
      out_backprop: the cotangent of the result.
      strides, padding, data_format, dilations: as for `conv2d`.
      use_cudnn_on_gpu: accepted and ignored.
      name: the node's name.
    """
    attrs = _gradient(2, strides, padding, data_format, dilations)
    sizes, filters = convert_to_tensor(input_sizes, dtypes.int32), filter if filters is None else filters
    return conv.conv2d_input_grad(sizes, filters, out_backprop, **attrs, name=name)


@export("compat.v1.nn.conv3d_backprop_filter", "compat.v1.nn.conv3d_backprop_filter_v2")
def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NDHWC",
    dilations: Any = [1, 1, 1, 1, 1],  # noqa: B006 - TensorFlow's default
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` to its filters.

    Args:
      input: the volumes.
      filter_sizes: the shape of the filters.
      out_backprop: the cotangent of the result.
      strides, padding, data_format, dilations: as for `conv3d`.
      name: the node's name.
    """
    attrs = _gradient(3, strides, padding, data_format, dilations)
    return conv.conv3d_filter_grad(
        input, convert_to_tensor(filter_sizes, dtypes.int32), out_backprop, **attrs, name=name
    )
