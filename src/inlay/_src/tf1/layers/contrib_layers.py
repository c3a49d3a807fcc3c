"""`tf.contrib.layers`: layers with a normaliser and an activation, whose weights are model variables.

They are the layers of `tf.layers` with other names of weights (`weights`, `biases`), made through a custom getter, so
that the scope's own getter still has its say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import activations, convolutions, nn, tiling
from inlay._src.ops.variables.scope import variable_scope
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
    """A layer's output, normalised, activated, and in the collections that it belongs to."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, sc.name, outputs)


def _settings(sc: Any, inputs: Any, reuse: Any, trainable: bool) -> dict[str, Any]:
    """What every layer is told."""
    return {"trainable": trainable, "name": sc.name, "dtype": inputs.dtype, "_scope": sc, "_reuse": reuse}


def _collect(layer: Any, collections: Any, **named: str) -> None:
    """Adds a layer's weights (attribute -> name) to the collections that are told for them."""
    for attribute, name in named.items():
        if getattr(layer, attribute) is not None:
            add_to_collections_of(getattr(layer, attribute), collections, name)


@export("contrib.layers.fully_connected")
@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
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
) -> Any:
    """`activation_fn(inputs @ weights + biases)`, over the last axis.

    Args:
      inputs: a tensor of rank 2 or more whose last size is known.
      num_outputs: how many results.
      activation_fn: a function of the result; None for none.
      normalizer_fn, normalizer_params: a function in place of the bias, such as `batch_norm`, and its arguments.
      weights_initializer, biases_initializer: what the weights start from; None for no bias.
      weights_regularizer, biases_regularizer: functions of the weights that make losses.
      reuse: True shares the weights of an earlier call of this scope.
      variables_collections: graph collections of the variables, or name -> collections.
      outputs_collections: graph collections that the result joins under the scope's name.
      trainable: whether the weights are.
      scope: the variable scope; None takes "fully_connected", made unique.

    Returns:
      A tensor whose last size is `num_outputs`.

    Raises:
      ValueError: if `num_outputs` is no integer.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of [<class 'int'>], got {type(num_outputs)}.")
    getter = model_variable_getter(_NAMES)
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            num_outputs, None, not normalizer_fn and biases_initializer is not None, weights_initializer,
            biases_initializer, weights_regularizer, biases_regularizer, **_settings(sc, inputs, reuse, trainable),
        )  # fmt: skip
        outputs = layer(inputs)
        _collect(layer, variables_collections, kernel="weights", bias="biases")
        return finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


def _layout(data_format: str | None, known: tuple[str | None, ...] = _LAYOUTS) -> str:
    if data_format not in known:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


@export("contrib.layers.convolution")
@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    conv_dims: int | None = None,
) -> Any:
    """A convolution of sequences, images or volumes by the rank of the inputs, a bias and an activation.

    Args:
      inputs: a tensor of rank 3, 4 or 5.
      num_outputs: how many results for each position.
      kernel_size, stride, rate: one number, or one for each side: the window, its steps, the distance of its points.
      padding: "SAME" or "VALID".
      data_format: such as "NHWC" or "NCHW".
      activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer, biases_initializer,
        biases_regularizer, reuse, variables_collections, outputs_collections, trainable: as for `fully_connected`.
      scope: the variable scope; None takes "Conv", made unique.
      conv_dims: how many sides the inputs must have.

    Returns:
      A tensor.

    Raises:
      ValueError: for another layout or rank.
    """
    layout = _layout(data_format)
    getter = model_variable_getter(_NAMES)
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        made: Any = {3: Conv1D, 4: Conv2D, 5: Conv3D}.get(rank)
        if made is None:
            raise ValueError(f"Convolution not supported for input with rank {rank}")
        layer = made(
            num_outputs, kernel_size, stride, padding, layout, rate, None,
            not normalizer_fn and biases_initializer is not None, weights_initializer, biases_initializer,
            weights_regularizer, biases_regularizer, **_settings(sc, inputs, reuse, trainable),
        )  # fmt: skip
        outputs = layer(inputs)
        _collect(layer, variables_collections, kernel="weights", bias="biases")
        return finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


_PARAMETERS = (
    "inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None, rate=1, activation_fn=RELU, "
    "normalizer_fn=None, normalizer_params=None, weights_initializer=XAVIER, weights_regularizer=None, "
    "biases_initializer=ZEROS, biases_regularizer=None, reuse=None, variables_collections=None, "
    "outputs_collections=None, trainable=True, scope=None"
)
RELU = activations.relu


def _of_sides(sides: int, name: str) -> Any:
    """`convolution` of inputs with so many sides."""

    def of_sides(*args: Any, **kwargs: Any) -> Any:
        kwargs["conv_dims"] = sides
        return convolution(*args, **kwargs)

    of_sides.__doc__ = convolution.__doc__
    return add_arg_scope(another_form(of_sides, _PARAMETERS, name))


convolution1d: Any = export("contrib.layers.convolution1d", "contrib.layers.conv1d")(_of_sides(1, "convolution1d"))
convolution2d: Any = export("contrib.layers.convolution2d", "contrib.layers.conv2d")(_of_sides(2, "convolution2d"))
convolution3d: Any = export("contrib.layers.convolution3d", "contrib.layers.conv3d")(_of_sides(3, "convolution3d"))


def _transposing(made: Any, sides: int, name: str) -> Any:
    """The transposed convolution of a layer's class."""

    def transposed(
        inputs: Any, num_outputs: int, kernel_size: Any, stride: Any, padding: str, data_format: str,
        activation_fn: Any, normalizer_fn: Any, normalizer_params: Any, weights_initializer: Any,
        weights_regularizer: Any, biases_initializer: Any, biases_regularizer: Any, reuse: Any,
        variables_collections: Any, outputs_collections: Any, trainable: bool, scope: Any,
    ) -> Any:  # fmt: skip
        layout = _layout(data_format, tuple(known[sides] for known in FORMATS.values()))
        getter = model_variable_getter(_NAMES)
        with variable_scope(scope, f"Conv{sides}d_transpose", [inputs], reuse=reuse, custom_getter=getter) as sc:
            inputs = convert_to_tensor(inputs)
            layer = made(
                num_outputs, kernel_size, stride, padding, layout, None,
                not normalizer_fn and biases_initializer is not None, weights_initializer, biases_initializer,
                weights_regularizer, biases_regularizer, **_settings(sc, inputs, reuse, trainable),
            )  # fmt: skip
            outputs = layer(inputs)
            _collect(layer, variables_collections, kernel="weights", bias="biases")
            return finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)

    transposed.__doc__ = (
        "A transposed convolution, a bias and an activation.\n\n"
        "Args:\n"
        "  inputs: images or volumes.\n"
        "  num_outputs: how many results for each position.\n"
        "  kernel_size, stride: one number, or one for each side: the window, how many times larger the result is.\n"
        '  padding: "SAME" or "VALID".\n'
        "  data_format: the layout, channels first or last.\n"
        "  activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,\n"
        "    biases_initializer, biases_regularizer, reuse, variables_collections, outputs_collections, trainable: as\n"
        "    for `fully_connected`.\n"
        f'  scope: the variable scope; None takes "Conv{sides}d_transpose", made unique.\n\n'
        "Returns:\n"
        "  A tensor."
    )
    parameters = _PARAMETERS.replace("=None, rate=1", f"='{FORMATS['channels_last'][sides]}'")
    return add_arg_scope(another_form(transposed, parameters, name))


convolution2d_transpose: Any = export("contrib.layers.convolution2d_transpose", "contrib.layers.conv2d_transpose")(
    _transposing(Conv2DTranspose, 2, "convolution2d_transpose")
)
convolution3d_transpose: Any = export("contrib.layers.convolution3d_transpose", "contrib.layers.conv3d_transpose")(
    _transposing(Conv3DTranspose, 3, "convolution3d_transpose")
)


@export("contrib.layers.separable_convolution2d", "contrib.layers.separable_conv2d")
@add_arg_scope
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
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """A convolution of images, each channel by itself, then one that mixes the channels of a position.

    Args:
      inputs: images.
      num_outputs: how many results for each position; None leaves the second step out.
      kernel_size, stride, rate: one number or two: the window, its steps, the distance of its points.
      depth_multiplier: how many results the first step makes of a channel.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      pointwise_initializer: what the second step's weights start from; None takes `weights_initializer`.
      activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer, biases_initializer,
        biases_regularizer, reuse, variables_collections, outputs_collections, trainable: as for `fully_connected`.
      scope: the variable scope; None takes "SeparableConv2d", made unique.

    Returns:
      A tensor.

    Raises:
      ValueError: for another layout.
    """
    layout = _layout(data_format, ("NHWC", "NCHW"))
    names = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}
    getter = model_variable_getter(names)
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        if num_outputs is None:
            outputs = _depthwise(
                inputs, two_element_tuple(kernel_size), depth_multiplier, two_element_tuple(stride), padding,
                data_format, two_element_tuple(rate), weights_initializer, weights_regularizer,
                None if normalizer_fn else biases_initializer, biases_regularizer, variables_collections, trainable,
            )  # fmt: skip
            return finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)
        layer = SeparableConv2D(
            num_outputs, kernel_size, stride, padding, layout, two_element_tuple(rate), depth_multiplier, None,
            not normalizer_fn and biases_initializer is not None, weights_initializer,
            weights_initializer if pointwise_initializer is None else pointwise_initializer, biases_initializer,
            weights_regularizer, weights_regularizer, biases_regularizer, **_settings(sc, inputs, reuse, trainable),
        )  # fmt: skip
        outputs = layer(inputs)
        _collect(layer, variables_collections, depthwise_kernel="weights", pointwise_kernel="weights", bias="biases")
        return finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


def _depthwise(
    inputs: Any, window: Any, depth_multiplier: int, steps: Any, padding: str, data_format: str, rate: Any,
    initializer: Any, regularizer: Any, biases_initializer: Any, biases_regularizer: Any, collections: Any,
    trainable: bool,
) -> Any:  # fmt: skip
    """The first step of a separable convolution alone, with the bias."""
    first = data_format == "NCHW"
    channels = channel_dimension(inputs.shape, "channels_first" if first else "channels_last", 4)
    weights = model_variable(
        "depthwise_weights", [*window, channels, depth_multiplier], inputs.dtype, initializer, regularizer, trainable,
        get_variable_collections(collections, "weights"),
    )  # fmt: skip
    strides = [1, 1, *steps] if first else [1, *steps, 1]
    outputs = convolutions.depthwise_conv2d(inputs, weights, strides, padding, data_format, list(rate))
    if biases_initializer is None:
        return outputs
    biases = model_variable(
        "biases", [channels * depth_multiplier], inputs.dtype, biases_initializer, biases_regularizer, trainable,
        get_variable_collections(collections, "biases"),
    )  # fmt: skip
    return nn.bias_add(outputs, biases, data_format)


@export("contrib.layers.convolution2d_in_plane", "contrib.layers.conv2d_in_plane")
@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
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
) -> Any:
    """The same convolution of each channel of images by itself, a bias and an activation.

    Args:
      inputs: images, channels last.
      kernel_size, stride: one number or two: the window and its steps.
      padding: "SAME" or "VALID".
      activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer, biases_initializer,
        biases_regularizer, reuse, variables_collections, outputs_collections, trainable: as for `fully_connected`.
      scope: the variable scope; None takes "ConvInPlane", made unique.

    Returns:
      A tensor.
    """
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
        channels = last_dimension(inputs.shape, 4)
        weights = model_variable(
            "weights", [*two_element_tuple(kernel_size), 1, 1], inputs.dtype, weights_initializer,
            weights_regularizer, trainable, get_variable_collections(variables_collections, "weights"),
        )  # fmt: skip
        outputs = convolutions.depthwise_conv2d(
            inputs, tiling.tile(weights, [1, 1, channels, 1]), [1, *two_element_tuple(stride), 1], padding
        )
        if normalizer_fn is None and biases_initializer is not None:
            biases = model_variable(
                "biases", [channels], inputs.dtype, biases_initializer, biases_regularizer, trainable,
                get_variable_collections(variables_collections, "biases"),
            )  # fmt: skip
            outputs = nn.bias_add(outputs, biases)
        return finished(outputs, sc, normalizer_fn, normalizer_params, activation_fn, outputs_collections)


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
) -> Any:
    """A bias for each channel, and an activation.

    Args:
      inputs: a tensor.
      activation_fn, reuse, variables_collections, outputs_collections, trainable: as for `fully_connected`.
      initializer: what the bias starts from.
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
