"""`tf.contrib.layers`: layers with a normalizer and an activation, whose weights are model variables.

They are the layers of `tf.layers` with other names of weights (`weights`, `biases`), made through a custom getter, so
that the scope's own getter still has its say.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import extended
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import activations, convolutions, nn, tiling
from inlay._src.ops.variables.scope import VariableScope, variable_scope
from inlay._src.tf1.layers.arg_scope import add_arg_scope
from inlay._src.tf1.layers.contrib_initializers import xavier_initializer
from inlay._src.tf1.layers.convolution import FORMATS, Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
from inlay._src.tf1.layers.dense import ZEROS, Dense
from inlay._src.tf1.layers.model_variables import model_variable
from inlay._src.tf1.layers.named_outputs import (
    add_to_collections_of,
    channel_dimension,
    collect_named_outputs,
    get_variable_collections,
    last_dimension,
    two_element_tuple,
)
from inlay._src.tf1.layers.separable import SeparableConv2D

_LAYOUTS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")
_NAMES = {"bias": "biases", "kernel": "weights"}
XAVIER = xavier_initializer()


def model_variable_getter(rename: dict[str, str] | None = None) -> Callable[..., Any]:
    """A custom getter that makes model variables, under other names."""

    def getter(make: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        scope, slash, last = name.rpartition("/")
        kwargs = {key: kwargs[key] for key in _TAKEN if key in kwargs}
        kwargs["custom_getter"] = make
        return model_variable(f"{scope}{slash}{(rename or {}).get(last, last)}", *args, **kwargs)

    return getter


_TAKEN = (
    "shape", "dtype", "initializer", "regularizer", "trainable", "collections", "caching_device", "partitioner",
    "use_resource", "synchronization", "aggregation",
)  # fmt: skip


def finished(
    outputs: Any, sc: Any, normalizer_fn: Any, normalizer_params: Any, activation_fn: Any, outputs_collections: Any
) -> Any:
    """A layer's output, normalized, activated, and in the collections that it belongs to."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, sc.name, outputs)


@dataclass(frozen=True)
class Weights:
    """The creation of a layer's weights, from the arguments of its function."""

    scope: VariableScope
    initializer: Any
    regularizer: Any
    biases_initializer: Any
    """None if there is no bias: none is wanted, or a normalizer follows."""
    biases_regularizer: Any
    reuse: Any
    collections: Any
    trainable: bool

    def variable(self, name: str, shape: Any, dtype: Any) -> Any:
        """A model variable; of biases if it is called so."""
        bias = name == "biases"
        return model_variable(
            name, shape, dtype, self.biases_initializer if bias else self.initializer,
            self.biases_regularizer if bias else self.regularizer, self.trainable,
            get_variable_collections(self.collections, "biases" if bias else "weights"),
        )  # fmt: skip

    def biased(self, outputs: Any, channels: int, dtype: Any, data_format: str | None = None) -> Any:
        """Outputs and the bias, if there is one."""
        if self.biases_initializer is None:
            return outputs
        return nn.bias_add(outputs, self.variable("biases", [channels], dtype), data_format)

    def applied(
        self, layer_class: Any, inputs: Any, *args: Any, kernels: Sequence[str] = ("kernel",), **kwargs: Any
    ) -> Any:
        """Outputs of a layer of `tf.layers`, whose weights join the collections.

        Args:
          layer_class: the class.
          inputs: the arguments of the call.
          *args, **kwargs: its arguments but for those of weights.
          kernels: the attributes of the layer's weights.
        """
        prefixes = [kernel.removesuffix("kernel") for kernel in kernels]
        of_kernels = {f"{prefix or 'kernel_'}initializer": self.initializer for prefix in prefixes}
        of_kernels |= {f"{prefix or 'kernel_'}regularizer": self.regularizer for prefix in prefixes}
        layer = layer_class(
            *args, use_bias=self.biases_initializer is not None, bias_initializer=self.biases_initializer,
            bias_regularizer=self.biases_regularizer, trainable=self.trainable, name=self.scope.name,
            dtype=inputs.dtype, _scope=self.scope, _reuse=self.reuse, **(of_kernels | kwargs),
        )  # fmt: skip
        outputs = layer(inputs)
        for kernel in kernels:
            add_to_collections_of(getattr(layer, kernel), self.collections, "weights")
        if layer.bias is not None:
            add_to_collections_of(layer.bias, self.collections, "biases")
        return outputs


def weighted(
    label: str, names: dict[str, str] | None = _NAMES, last: Sequence[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a function from inputs and `Weights` to outputs: it adds the parameters of every such layer.

    Args:
      label: the default name of the variable scope.
      names: names of weights of `tf.layers` -> theirs here; None if the function makes its own variables.
      last: parameters of the function that come after the shared ones.
    """

    def declared(formula: Callable[..., Any]) -> Callable[..., Any]:
        def layer(
            outputs_of: functools.partial[Any],
            activation_fn: Any = activations.relu,
            normalizer_fn: Any = None,
            normalizer_params: Any = None,
            weights_initializer: Any = XAVIER,
            weights_regularizer: Any = None,
            biases_initializer: Any = ZEROS,
            biases_regularizer: Any = None,
            reuse: Any = None,
            variables_collections: Any = None,
            outputs_collections: Any = None,
            trainable: bool = True,
            scope: Any = None,
        ) -> Tensor:
            """
            Args:
              num_outputs: the number of results per position.
              padding: "SAME" or "VALID".
              activation_fn: a function of the result; None for none.
              normalizer_fn, normalizer_params: a function in place of the bias, such as `batch_norm`, and its
                arguments.
              weights_initializer, biases_initializer: the initializer of the weights; None for no bias.
              weights_regularizer, biases_regularizer: functions of the weights that make losses.
              reuse: True shares the weights of an earlier call of this scope.
              variables_collections: graph collections of the variables, or name -> collections.
              outputs_collections: graph collections that the result joins under the scope's name.
              trainable: whether the weights are.
              scope: the variable scope; None takes the layer's name, made unique.

            Returns:
              A tensor.
            """
            getter = None if names is None else model_variable_getter(names)
            inputs = outputs_of.keywords["inputs"]
            with variable_scope(scope, label, [inputs], reuse=reuse, custom_getter=getter) as sc:
                weights = Weights(
                    sc, weights_initializer, weights_regularizer, None if normalizer_fn else biases_initializer,
                    biases_regularizer, reuse, variables_collections, trainable,
                )  # fmt: skip
                outputs = outputs_of(inputs=convert_to_tensor(inputs), weights=weights)
                return finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)

        return add_arg_scope(extended(formula, layer, last=last))

    return declared


@export("contrib.layers.fully_connected")
@weighted("fully_connected")
def fully_connected(inputs: Any, num_outputs: int, *, weights: Weights) -> Tensor:
    """`activation_fn(inputs @ weights + biases)`, over the last axis.

    Args:
      inputs: a tensor of rank 2 or more whose last size is known.
      num_outputs: the number of results.

    Raises:
      ValueError: if `num_outputs` is no integer.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of [<class 'int'>], got {type(num_outputs)}.")
    return weights.applied(Dense, inputs, num_outputs)


def _layout(data_format: str | None, layouts: tuple[str | None, ...] = _LAYOUTS) -> str:
    if data_format not in layouts:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


@export("contrib.layers.convolution")
@weighted("Conv", last=("conv_dims",))
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    conv_dims: int | None = None,
    *,
    weights: Weights,
) -> Tensor:
    """A convolution of sequences, images or volumes by the rank of the inputs, a bias and an activation.

    Args:
      inputs: a tensor of rank 3, 4 or 5.
      kernel_size, stride, rate: one number, or one for each side: the window, its steps, the distance of its points.
      data_format: such as "NHWC" or "NCHW".
      conv_dims: the required number of sides of the inputs.

    Raises:
      ValueError: for another layout or rank.
    """
    return _convolved(weights, inputs, conv_dims, num_outputs, kernel_size, stride, padding, data_format, rate)


def _convolved(
    weights: Weights, inputs: Any, sides: int | None, num_outputs: int, kernel_size: Any, stride: Any, padding: str,
    data_format: str | None, rate: Any,
) -> Tensor:  # fmt: skip
    layout, rank = _layout(data_format), inputs.shape.rank
    if sides is not None and sides + 2 != rank:
        raise ValueError(f"Convolution expects input with rank {sides + 2}, got {rank}")
    layer_class: Any = {3: Conv1D, 4: Conv2D, 5: Conv3D}.get(rank)
    if layer_class is None:
        raise ValueError(f"Convolution not supported for input with rank {rank}")
    return weights.applied(layer_class, inputs, num_outputs, kernel_size, stride, padding, layout, rate)


def _of_sides(sides: int, name: str) -> Any:
    """`convolution` of inputs with so many sides."""

    def of_sides(
        inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME",
        data_format: str | None = None, rate: Any = 1, *, weights: Weights,
    ) -> Tensor:  # fmt: skip
        return _convolved(weights, inputs, sides, num_outputs, kernel_size, stride, padding, data_format, rate)

    of_sides.__name__ = of_sides.__qualname__ = name
    of_sides.__doc__ = convolution.__doc__
    return weighted("Conv")(of_sides)


convolution1d: Any = export("contrib.layers.convolution1d", "contrib.layers.conv1d")(_of_sides(1, "convolution1d"))
convolution2d: Any = export("contrib.layers.convolution2d", "contrib.layers.conv2d")(_of_sides(2, "convolution2d"))
convolution3d: Any = export("contrib.layers.convolution3d", "contrib.layers.conv3d")(_of_sides(3, "convolution3d"))


def _transposing(layer_class: Any, sides: int, name: str) -> Any:
    """The transposed convolution of a layer's class."""
    layouts = tuple(layout[sides] for layout in FORMATS.values())

    def transposed(
        inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME",
        data_format: str = layouts[0], *, weights: Weights,
    ) -> Tensor:  # fmt: skip
        """A transposed convolution, a bias and an activation.

        Args:
          inputs: images or volumes.
          kernel_size, stride: one number, or one for each side: the window, how many times larger the result is.
          data_format: the layout, channels first or last.
        """
        layout = _layout(data_format, layouts)
        return weights.applied(layer_class, inputs, num_outputs, kernel_size, stride, padding, layout)

    transposed.__name__ = transposed.__qualname__ = name
    return weighted(f"Conv{sides}d_transpose")(transposed)


convolution2d_transpose: Any = export("contrib.layers.convolution2d_transpose", "contrib.layers.conv2d_transpose")(
    _transposing(Conv2DTranspose, 2, "convolution2d_transpose")
)
convolution3d_transpose: Any = export("contrib.layers.convolution3d_transpose", "contrib.layers.conv3d_transpose")(
    _transposing(Conv3DTranspose, 3, "convolution3d_transpose")
)


@export("contrib.layers.separable_convolution2d", "contrib.layers.separable_conv2d")
@weighted(
    "SeparableConv2d",
    {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"},
)
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = activations.relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    *,
    weights: Weights,
) -> Tensor:
    """A convolution of images, each channel by itself, then one that mixes the channels of a position.

    Args:
      inputs: images.
      num_outputs: the number of results per position; None leaves the second step out.
      kernel_size, stride, rate: one number or two: the window, its steps, the distance of its points.
      depth_multiplier: the number of results of the first step per channel.
      data_format: "NHWC" or "NCHW".
      pointwise_initializer: the initializer of the second step's weights; None takes `weights_initializer`.

    Raises:
      ValueError: for another layout.
    """
    layout = _layout(data_format, ("NHWC", "NCHW"))
    if num_outputs is not None:
        return weights.applied(
            SeparableConv2D, inputs, num_outputs, kernel_size, stride, padding, layout, two_element_tuple(rate),
            depth_multiplier, kernels=("depthwise_kernel", "pointwise_kernel"),
            pointwise_initializer=weights_initializer if pointwise_initializer is None else pointwise_initializer,
        )  # fmt: skip
    channels, steps = channel_dimension(inputs.shape, layout, 4), two_element_tuple(stride)
    window = [*two_element_tuple(kernel_size), channels, depth_multiplier]
    kernel = weights.variable("depthwise_weights", window, inputs.dtype)
    strides = [1, 1, *steps] if data_format == "NCHW" else [1, *steps, 1]
    outputs = convolutions.depthwise_conv2d(
        inputs, kernel, strides, padding, data_format, list(two_element_tuple(rate))
    )
    return weights.biased(outputs, channels * depth_multiplier, inputs.dtype, data_format)


@export("contrib.layers.convolution2d_in_plane", "contrib.layers.conv2d_in_plane")
@weighted("ConvInPlane", None)
def convolution2d_in_plane(
    inputs: Any, kernel_size: Any, stride: Any = 1, padding: str = "SAME", *, weights: Weights
) -> Tensor:
    """The same convolution of each channel of images by itself, a bias and an activation.

    Args:
      inputs: images, channels last.
      kernel_size, stride: one number or two: the window and its steps.
    """
    channels = last_dimension(inputs.shape, 4)
    kernel = weights.variable("weights", [*two_element_tuple(kernel_size), 1, 1], inputs.dtype)
    outputs = convolutions.depthwise_conv2d(
        inputs, tiling.tile(kernel, [1, 1, channels, 1]), [1, *two_element_tuple(stride), 1], padding
    )
    return weights.biased(outputs, channels, inputs.dtype)


@export("contrib.layers.bias_add")
@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Tensor:
    """A bias for each channel, and an activation.

    Args:
      inputs: a tensor.
      activation_fn, reuse, variables_collections, outputs_collections, trainable: as for `fully_connected`.
      initializer: the initializer of the bias.
      regularizer: a function of the bias that makes a loss.
      data_format: "NHWC", for any rank, or "NCHW".
      scope: the variable scope; None takes "BiasAdd", made unique.

    Returns:
      A tensor of the shape of `inputs`.
    """
    layout = _layout(data_format, ("NHWC", "NCHW"))
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        biases = model_variable(
            "biases", [channel_dimension(inputs.shape, layout)], inputs.dtype, initializer, regularizer, trainable,
            get_variable_collections(variables_collections, "biases"),
        )  # fmt: skip
        outputs = nn.bias_add(inputs, biases, data_format)
        return finished(outputs, sc, None, None, activation_fn, outputs_collections)
