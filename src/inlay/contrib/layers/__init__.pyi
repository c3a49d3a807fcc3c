"""`tf.contrib.layers`: layers with a normalizer and an activation, regularizers, initializers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.tf1.layers.contrib_initializers import (
    variance_scaling_initializer, xavier_initializer, xavier_initializer as xavier_initializer_conv2d
)
from inlay._src.tf1.layers.contrib_layers import bias_add
from inlay._src.tf1.layers.contrib_normalization import batch_norm, layer_norm
from inlay._src.tf1.layers.contrib_pooling import (
    dropout, flatten, one_hot_encoding, repeat, scale_gradient, softmax, stack, unit_norm
)
from inlay._src.tf1.layers.contrib_summaries import (
    summarize_activation, summarize_activations, summarize_biases, summarize_collection, summarize_tensor,
    summarize_tensors, summarize_variables, summarize_weights
)
from inlay._src.tf1.layers.regularizers import (
    apply_regularization, l1_l2_regularizer, l1_regularizer, l2_regularizer, sum_regularizer
)
from inlay.contrib.layers import (
    convolution1d as conv1d, convolution2d as conv2d, convolution2d_in_plane as conv2d_in_plane,
    convolution2d_transpose as conv2d_transpose, convolution3d as conv3d, convolution3d_transpose as conv3d_transpose,
    separable_convolution2d as separable_conv2d, utils
)
from typing import Any as _Any
__all__ = [
    "apply_regularization", "avg_pool2d", "avg_pool3d", "batch_norm", "bias_add", "conv1d", "conv2d",
    "conv2d_in_plane", "conv2d_transpose", "conv3d", "conv3d_transpose", "convolution", "convolution1d",
    "convolution2d", "convolution2d_in_plane", "convolution2d_transpose", "convolution3d", "convolution3d_transpose",
    "dropout", "flatten", "fully_connected", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "layer_norm",
    "max_pool2d", "max_pool3d", "one_hot_encoding", "repeat", "scale_gradient", "separable_conv2d",
    "separable_convolution2d", "softmax", "stack", "sum_regularizer", "summarize_activation", "summarize_activations",
    "summarize_biases", "summarize_collection", "summarize_tensor", "summarize_tensors", "summarize_variables",
    "summarize_weights", "unit_norm", "utils", "variance_scaling_initializer", "xavier_initializer",
    "xavier_initializer_conv2d"
]
def avg_pool2d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: str = "VALID", data_format: str = "NHWC", outputs_collections: _Any = None, scope: str | None = None) -> _Tensor:
    """The mean of each window of images.

    Args:
      inputs: images.
      kernel_size, stride: one number, or one for each side: the window and its steps.
      padding: "VALID" or "SAME".
      data_format: "NHWC", or "NCHW" for channels first.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: names the operations.

    Returns:
      A tensor."""
def avg_pool3d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: str = "VALID", data_format: str = "NDHWC", outputs_collections: _Any = None, scope: str | None = None) -> _Tensor:
    """The mean of each window of volumes.

    Args:
      inputs: volumes.
      kernel_size, stride: one number, or one for each side: the window and its steps.
      padding: "VALID" or "SAME".
      data_format: "NDHWC", or "NCDHW" for channels first.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: names the operations.

    Returns:
      A tensor."""
def convolution(inputs: _Any, num_outputs: int, kernel_size: _Any, stride: _Any = 1, padding: str = "SAME", data_format: str | None = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None, conv_dims: int | None = None) -> _Tensor:
    """A convolution of sequences, images or volumes by the rank of the inputs, a bias and an activation.

    Args:
      inputs: a tensor of rank 3, 4 or 5.
      num_outputs: the number of results per position.
      kernel_size, stride, rate: one number, or one for each side: the window, its steps, the distance of its points.
      padding: "SAME" or "VALID".
      data_format: such as "NHWC" or "NCHW".
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
      conv_dims: the required number of sides of the inputs.

    Returns:
      A tensor.

    Raises:
      ValueError: for another layout or rank."""
def convolution1d(inputs: _Any, num_outputs: int, kernel_size: _Any, stride: _Any = 1, padding: str = "SAME", data_format: str | None = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """A convolution of sequences, images or volumes by the rank of the inputs, a bias and an activation.

    Args:
      inputs: a tensor of rank 3, 4 or 5.
      num_outputs: the number of results per position.
      kernel_size, stride, rate: one number, or one for each side: the window, its steps, the distance of its points.
      padding: "SAME" or "VALID".
      data_format: such as "NHWC" or "NCHW".
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

    Raises:
      ValueError: for another layout or rank."""
def convolution2d(inputs: _Any, num_outputs: int, kernel_size: _Any, stride: _Any = 1, padding: str = "SAME", data_format: str | None = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """A convolution of sequences, images or volumes by the rank of the inputs, a bias and an activation.

    Args:
      inputs: a tensor of rank 3, 4 or 5.
      num_outputs: the number of results per position.
      kernel_size, stride, rate: one number, or one for each side: the window, its steps, the distance of its points.
      padding: "SAME" or "VALID".
      data_format: such as "NHWC" or "NCHW".
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

    Raises:
      ValueError: for another layout or rank."""
def convolution2d_in_plane(inputs: _Any, kernel_size: _Any, stride: _Any = 1, padding: str = "SAME", activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """The same convolution of each channel of images by itself, a bias and an activation.

    Args:
      inputs: images, channels last.
      kernel_size, stride: one number or two: the window and its steps.
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
      A tensor."""
def convolution2d_transpose(inputs: _Any, num_outputs: int, kernel_size: _Any, stride: _Any = 1, padding: str = "SAME", data_format: str = "NHWC", activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """A transposed convolution, a bias and an activation.

    Args:
      inputs: images or volumes.
      num_outputs: the number of results per position.
      kernel_size, stride: one number, or one for each side: the window, how many times larger the result is.
      padding: "SAME" or "VALID".
      data_format: the layout, channels first or last.
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
      A tensor."""
def convolution3d(inputs: _Any, num_outputs: int, kernel_size: _Any, stride: _Any = 1, padding: str = "SAME", data_format: str | None = None, rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """A convolution of sequences, images or volumes by the rank of the inputs, a bias and an activation.

    Args:
      inputs: a tensor of rank 3, 4 or 5.
      num_outputs: the number of results per position.
      kernel_size, stride, rate: one number, or one for each side: the window, its steps, the distance of its points.
      padding: "SAME" or "VALID".
      data_format: such as "NHWC" or "NCHW".
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

    Raises:
      ValueError: for another layout or rank."""
def convolution3d_transpose(inputs: _Any, num_outputs: int, kernel_size: _Any, stride: _Any = 1, padding: str = "SAME", data_format: str = "NDHWC", activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """A transposed convolution, a bias and an activation.

    Args:
      inputs: images or volumes.
      num_outputs: the number of results per position.
      kernel_size, stride: one number, or one for each side: the window, how many times larger the result is.
      padding: "SAME" or "VALID".
      data_format: the layout, channels first or last.
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
      A tensor."""
def fully_connected(inputs: _Any, num_outputs: int, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """`activation_fn(inputs @ weights + biases)`, over the last axis.

    Args:
      inputs: a tensor of rank 2 or more whose last size is known.
      num_outputs: the number of results.
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

    Raises:
      ValueError: if `num_outputs` is no integer."""
def max_pool2d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: str = "VALID", data_format: str = "NHWC", outputs_collections: _Any = None, scope: str | None = None) -> _Tensor:
    """The greatest number of each window of images.

    Args:
      inputs: images.
      kernel_size, stride: one number, or one for each side: the window and its steps.
      padding: "VALID" or "SAME".
      data_format: "NHWC", or "NCHW" for channels first.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: names the operations.

    Returns:
      A tensor."""
def max_pool3d(inputs: _Any, kernel_size: _Any, stride: _Any = 2, padding: str = "VALID", data_format: str = "NDHWC", outputs_collections: _Any = None, scope: str | None = None) -> _Tensor:
    """The greatest number of each window of volumes.

    Args:
      inputs: volumes.
      kernel_size, stride: one number, or one for each side: the window and its steps.
      padding: "VALID" or "SAME".
      data_format: "NDHWC", or "NCDHW" for channels first.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: names the operations.

    Returns:
      A tensor."""
def separable_convolution2d(inputs: _Any, num_outputs: int | None, kernel_size: _Any, depth_multiplier: int = 1, stride: _Any = 1, padding: str = "SAME", data_format: str = "NHWC", rate: _Any = 1, activation_fn: _Any = ..., normalizer_fn: _Any = None, normalizer_params: _Any = None, weights_initializer: _Any = ..., pointwise_initializer: _Any = None, weights_regularizer: _Any = None, biases_initializer: _Any = ..., biases_regularizer: _Any = None, reuse: _Any = None, variables_collections: _Any = None, outputs_collections: _Any = None, trainable: builtins.bool = True, scope: _Any = None) -> _Tensor:
    """A convolution of images, each channel by itself, then one that mixes the channels of a position.

    Args:
      inputs: images.
      num_outputs: the number of results per position; None leaves the second step out.
      kernel_size, stride, rate: one number or two: the window, its steps, the distance of its points.
      depth_multiplier: the number of results of the first step per channel.
      padding: "SAME" or "VALID".
      data_format: "NHWC" or "NCHW".
      activation_fn: a function of the result; None for none.
      normalizer_fn, normalizer_params: a function in place of the bias, such as `batch_norm`, and its
        arguments.
      weights_initializer, biases_initializer: the initializer of the weights; None for no bias.
      pointwise_initializer: the initializer of the second step's weights; None takes `weights_initializer`.
      weights_regularizer, biases_regularizer: functions of the weights that make losses.
      reuse: True shares the weights of an earlier call of this scope.
      variables_collections: graph collections of the variables, or name -> collections.
      outputs_collections: graph collections that the result joins under the scope's name.
      trainable: whether the weights are.
      scope: the variable scope; None takes the layer's name, made unique.

    Returns:
      A tensor.

    Raises:
      ValueError: for another layout."""
