"""`tf.layers`: layers of 1.x, as functions and as classes."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.tf1.layers.convolution import (
    Conv1D as _Conv1D, Conv2D as _Conv2D, Conv2DTranspose as _Conv2DTranspose, Conv3D as _Conv3D, Conv3DTranspose as
    _Conv3DTranspose
)
from inlay._src.tf1.layers.dense import Dropout, Flatten, Dense as _Dense, flatten
from inlay._src.tf1.layers.layer import InputSpec, Layer
from inlay._src.tf1.layers.normalization import BatchNormalization
from inlay._src.tf1.layers.pooling import (
    AveragePooling1D as _AveragePooling1D, AveragePooling2D as _AveragePooling2D, AveragePooling3D as
    _AveragePooling3D, MaxPooling1D as _MaxPooling1D, MaxPooling2D as _MaxPooling2D, MaxPooling3D as _MaxPooling3D
)
from inlay._src.tf1.layers.separable import SeparableConv1D as _SeparableConv1D, SeparableConv2D as _SeparableConv2D
from typing import Any as _Any
__all__ = [
    "AveragePooling1D", "AveragePooling2D", "AveragePooling3D", "BatchNormalization", "Conv1D", "Conv2D",
    "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense", "Dropout", "Flatten", "InputSpec", "Layer",
    "MaxPooling1D", "MaxPooling2D", "MaxPooling3D", "SeparableConv1D", "SeparableConv2D", "average_pooling1d",
    "average_pooling2d", "average_pooling3d", "batch_normalization", "conv1d", "conv2d", "conv2d_transpose", "conv3d",
    "conv3d_transpose", "dense", "dropout", "flatten", "max_pooling1d", "max_pooling2d", "max_pooling3d",
    "separable_conv1d", "separable_conv2d"
]
class AveragePooling1D(_AveragePooling1D):
    def __init__(self, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None, **kwargs: _Any) -> None: ...
class AveragePooling2D(_AveragePooling2D):
    def __init__(self, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None, **kwargs: _Any) -> None: ...
class AveragePooling3D(_AveragePooling3D):
    def __init__(self, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None, **kwargs: _Any) -> None: ...
class Conv1D(_Conv1D):
    def __init__(self, filters: int, kernel_size: _Any, strides: _Any = 1, padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = 1, activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
class Conv2D(_Conv2D):
    def __init__(self, filters: int, kernel_size: _Any, strides: _Any = (1, 1), padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = (1, 1), activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
class Conv2DTranspose(_Conv2DTranspose):
    def __init__(self, filters: int, kernel_size: _Any, strides: _Any = (1, 1), padding: str = "valid", data_format: str = "channels_last", activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
class Conv3D(_Conv3D):
    def __init__(self, filters: int, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = (1, 1, 1), activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
class Conv3DTranspose(_Conv3DTranspose):
    def __init__(self, filters: int, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: str = "valid", data_format: str = "channels_last", activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
class Dense(_Dense):
    def __init__(self, units: int, activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
class MaxPooling1D(_MaxPooling1D):
    def __init__(self, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None, **kwargs: _Any) -> None: ...
class MaxPooling2D(_MaxPooling2D):
    def __init__(self, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None, **kwargs: _Any) -> None: ...
class MaxPooling3D(_MaxPooling3D):
    def __init__(self, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None, **kwargs: _Any) -> None: ...
class SeparableConv1D(_SeparableConv1D):
    def __init__(self, filters: int, kernel_size: _Any, strides: _Any = 1, padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = 1, depth_multiplier: int = 1, activation: _Any = None, use_bias: builtins.bool = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
class SeparableConv2D(_SeparableConv2D):
    def __init__(self, filters: int, kernel_size: _Any, strides: _Any = (1, 1), padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = (1, 1), depth_multiplier: int = 1, activation: _Any = None, use_bias: builtins.bool = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, **kwargs: _Any) -> None: ...
def average_pooling1d(inputs: _Any, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None) -> _Tensor:
    """The mean of each window of sequences; places outside do not count.

    Args:
      inputs: a tensor.
      pool_size, strides: one number, or one for each side: the window and its steps.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: the name.

    Returns:
      A tensor."""
def average_pooling2d(inputs: _Any, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None) -> _Tensor:
    """The mean of each window of images; places outside do not count.

    Args:
      inputs: a tensor.
      pool_size, strides: one number, or one for each side: the window and its steps.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: the name.

    Returns:
      A tensor."""
def average_pooling3d(inputs: _Any, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None) -> _Tensor:
    """The mean of each window of volumes; places outside do not count.

    Args:
      inputs: a tensor.
      pool_size, strides: one number, or one for each side: the window and its steps.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: the name.

    Returns:
      A tensor."""
def batch_normalization(inputs: _Any, axis: _Any = -1, momentum: _Any = 0.99, epsilon: _Any = 0.001, center: builtins.bool = True, scale: builtins.bool = True, beta_initializer: _Any = ..., gamma_initializer: _Any = ..., moving_mean_initializer: _Any = ..., moving_variance_initializer: _Any = ..., beta_regularizer: _Any = None, gamma_regularizer: _Any = None, beta_constraint: _Any = None, gamma_constraint: _Any = None, training: _Any = False, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None, renorm: builtins.bool = False, renorm_clipping: _Any = None, renorm_momentum: _Any = 0.99, fused: builtins.bool | None = None, virtual_batch_size: int | None = None, adjustment: _Any = None) -> _Tensor:
    """`gamma * (x - mean) / sqrt(variance + epsilon) + beta` for each channel.

    While training by the mean and variance of the batch, which moves the averages that are used otherwise. Those are
    moved by the operations in `updates`, which in a graph join `GraphKeys.UPDATE_OPS`: the training step depends on
    them, or they do not run.

    Args:
      inputs: a tensor.
      axis: the axis of channels, or several.
      momentum: the weight of the past averages per batch.
      epsilon: a small number that keeps the root from 0.
      center, scale: whether there are `beta` and `gamma`.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: initializers of the
        weights.
      beta_regularizer, gamma_regularizer: functions of the weights that make losses of the layer.
      beta_constraint, gamma_constraint: functions of the weights that optimizers apply after an update.
      training: a bool or a scalar tensor.
      trainable: whether the weights are; else the averages stay, too.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.
      renorm, renorm_clipping, renorm_momentum, virtual_batch_size, adjustment: not supported.
      fused: False takes the variance of the batch itself for the average; None and True, for images and volumes with
        channels first or last, that of the whole of which the batch is a sample.

    Returns:
      A tensor."""
def conv1d(inputs: _Any, filters: int, kernel_size: _Any, strides: _Any = 1, padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = 1, activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """A convolution of sequences, a bias and an activation.

    Args:
      inputs: a tensor.
      filters: the number of results per position.
      kernel_size, strides, dilation_rate: one number, or one for each side: the window, its steps, the distance of its
        points.
      padding: "valid", "same" or "causal".
      data_format: "channels_last" or "channels_first".
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      kernel_constraint, bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
def conv2d(inputs: _Any, filters: int, kernel_size: _Any, strides: _Any = (1, 1), padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = (1, 1), activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """A convolution of images, a bias and an activation.

    Args:
      inputs: a tensor.
      filters: the number of results per position.
      kernel_size, strides, dilation_rate: one number, or one for each side: the window, its steps, the distance of its
        points.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      kernel_constraint, bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
def conv2d_transpose(inputs: _Any, filters: int, kernel_size: _Any, strides: _Any = (1, 1), padding: str = "valid", data_format: str = "channels_last", activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """A transposed convolution of images, a bias and an activation.

    Args:
      inputs: a tensor.
      filters: the number of results per position.
      kernel_size, strides: one number, or one for each side: the window, and how many times larger the result is.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      kernel_constraint, bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
def conv3d(inputs: _Any, filters: int, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = (1, 1, 1), activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """A convolution of volumes, a bias and an activation.

    Args:
      inputs: a tensor.
      filters: the number of results per position.
      kernel_size, strides, dilation_rate: one number, or one for each side: the window, its steps, the distance of its
        points.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      kernel_constraint, bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
def conv3d_transpose(inputs: _Any, filters: int, kernel_size: _Any, strides: _Any = (1, 1, 1), padding: str = "valid", data_format: str = "channels_last", activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """A transposed convolution of volumes, a bias and an activation.

    Args:
      inputs: a tensor.
      filters: the number of results per position.
      kernel_size, strides: one number, or one for each side: the window, and how many times larger the result is.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      kernel_constraint, bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
def dense(inputs: _Any, units: int, activation: _Any = None, use_bias: builtins.bool = True, kernel_initializer: _Any = None, bias_initializer: _Any = ..., kernel_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, kernel_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """`activation(inputs @ kernel + bias)`, over the last axis.

    Args:
      inputs: a tensor.
      units: the number of results.
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      kernel_constraint, bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
def dropout(inputs: _Any, rate: _Any = 0.5, noise_shape: _Any = None, seed: int | None = None, training: _Any = False, name: str | None = None) -> _Tensor:
    """While training, each element 0 with probability `rate`, else divided by `1 - rate`.

    Args:
      inputs: a tensor.
      rate: the probability.
      noise_shape: the shape of the random choices, which are broadcast.
      seed: makes the choices repeatable.
      training: a bool or a scalar tensor.
      name: the name.

    Returns:
      A tensor."""
def max_pooling1d(inputs: _Any, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None) -> _Tensor:
    """The greatest number of each window of sequences.

    Args:
      inputs: a tensor.
      pool_size, strides: one number, or one for each side: the window and its steps.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: the name.

    Returns:
      A tensor."""
def max_pooling2d(inputs: _Any, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None) -> _Tensor:
    """The greatest number of each window of images.

    Args:
      inputs: a tensor.
      pool_size, strides: one number, or one for each side: the window and its steps.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: the name.

    Returns:
      A tensor."""
def max_pooling3d(inputs: _Any, pool_size: _Any, strides: _Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None) -> _Tensor:
    """The greatest number of each window of volumes.

    Args:
      inputs: a tensor.
      pool_size, strides: one number, or one for each side: the window and its steps.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      name: the name.

    Returns:
      A tensor."""
def separable_conv1d(inputs: _Any, filters: int, kernel_size: _Any, strides: _Any = 1, padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = 1, depth_multiplier: int = 1, activation: _Any = None, use_bias: builtins.bool = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """A convolution of sequences, each channel by itself, then one that mixes the channels of a step.

    Args:
      inputs: a tensor.
      filters: the number of results per position.
      kernel_size, strides, dilation_rate: one number, or one for each side: the window, its steps, the distance of its
        points.
      padding: "valid", "same" or "causal".
      data_format: "channels_last" or "channels_first".
      depth_multiplier: the number of results of the first step per channel.
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      depthwise_initializer, pointwise_initializer, depthwise_regularizer, pointwise_regularizer, depthwise_constraint,
        pointwise_constraint: of the kernels of the two steps.
      bias_initializer: the initializer of the weights; None takes the scope's.
      bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
def separable_conv2d(inputs: _Any, filters: int, kernel_size: _Any, strides: _Any = (1, 1), padding: str = "valid", data_format: str = "channels_last", dilation_rate: _Any = (1, 1), depth_multiplier: int = 1, activation: _Any = None, use_bias: builtins.bool = True, depthwise_initializer: _Any = None, pointwise_initializer: _Any = None, bias_initializer: _Any = ..., depthwise_regularizer: _Any = None, pointwise_regularizer: _Any = None, bias_regularizer: _Any = None, activity_regularizer: _Any = None, depthwise_constraint: _Any = None, pointwise_constraint: _Any = None, bias_constraint: _Any = None, trainable: builtins.bool = True, name: str | None = None, reuse: _Any = None) -> _Tensor:
    """A convolution of images, each channel by itself, then one that mixes the channels of a position.

    Args:
      inputs: a tensor.
      filters: the number of results per position.
      kernel_size, strides, dilation_rate: one number, or one for each side: the window, its steps, the distance of its
        points.
      padding: "valid" or "same".
      data_format: "channels_last" or "channels_first".
      depth_multiplier: the number of results of the first step per channel.
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      depthwise_initializer, pointwise_initializer, depthwise_regularizer, pointwise_regularizer, depthwise_constraint,
        pointwise_constraint: of the kernels of the two steps.
      bias_initializer: the initializer of the weights; None takes the scope's.
      bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
      reuse: True shares the weights of an earlier call of this name.

    Returns:
      A tensor."""
