"""Convolutions in two steps: each channel by itself, then all channels of a point together."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, convolutions
from inlay._src.ops.windows import over_steps
from inlay._src.tf1.layers.choosing import initializer_of
from inlay._src.tf1.layers.convolution import Convolution
from inlay._src.tf1.layers.dense import ZEROS
from inlay._src.tf1.layers.layer import functional


class _Separable(Convolution):
    """A convolution of each channel by itself, then one that mixes the channels of a position, and an activation.

    Args:
      depth_multiplier: the number of results of the first step per channel.
      depthwise_initializer, pointwise_initializer, depthwise_regularizer, pointwise_regularizer, depthwise_constraint,
        pointwise_constraint: of the kernels of the two steps.

    Attributes:
      depthwise_kernel, pointwise_kernel, bias: the weights.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters, kernel_size, strides, padding, data_format, dilation_rate, activation=activation,
            use_bias=use_bias, bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, bias_constraint=bias_constraint, trainable=trainable, name=name,
            **kwargs,
        )  # fmt: skip
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializer_of(depthwise_initializer)
        self.pointwise_initializer = initializer_of(pointwise_initializer)
        self.depthwise_regularizer, self.pointwise_regularizer = depthwise_regularizer, pointwise_regularizer
        self.depthwise_constraint, self.pointwise_constraint = depthwise_constraint, pointwise_constraint
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        channels = self.channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel", [*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint, trainable=True,
        )  # fmt: skip
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel", [1] * self.rank + [channels * self.depth_multiplier, self.filters],
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint, trainable=True,
        )  # fmt: skip
        self.make_bias()

    def _convolved(self, images: Any, depthwise: Any, pointwise: Any, padding: str, layout: str) -> Any:
        """Images, or sequences as images of one row, after both steps."""
        steps, rates = self.strides, self.dilation_rate
        if self.rank == 1:  # the rule for strides of images is that both are equal
            steps, rates = steps * 2, (1, *rates)
        strides = [1, 1, *steps] if layout == "NCHW" else [1, *steps, 1]
        return convolutions.separable_conv2d(images, depthwise, pointwise, strides, padding, layout, list(rates))


@export("compat.v1.layers.SeparableConv1D")
@constructor()
class SeparableConv1D(_Separable):
    """A convolution of sequences, each channel by itself, then one that mixes the channels of a step.

    Args:
      padding: "valid", "same" or "causal".
    """

    rank = 1
    _causal = True

    def call(self, inputs: Any) -> Tensor:
        """Both steps, the bias, the activation."""
        depthwise = array.expand_dims(self.depthwise_kernel, 0)
        pointwise = array.expand_dims(self.pointwise_kernel, 0)

        def of_images(images: Any, layout: str, padding: Any) -> Any:
            return self._convolved(images, depthwise, pointwise, padding, layout)

        return self.finished(over_steps(of_images, self.past_padded(inputs), self.layout, self.op_padding, None))


@export("compat.v1.layers.SeparableConv2D")
@constructor(strides=(1, 1), dilation_rate=(1, 1))
class SeparableConv2D(_Separable):
    """A convolution of images, each channel by itself, then one that mixes the channels of a position."""

    rank = 2

    def call(self, inputs: Any) -> Tensor:
        """Both steps, the bias, the activation."""
        kernels = self.depthwise_kernel, self.pointwise_kernel
        return self.finished(self._convolved(inputs, *kernels, self.op_padding, self.layout))


separable_conv1d: Any = export("compat.v1.layers.separable_conv1d")(functional(SeparableConv1D, "separable_conv1d"))
separable_conv2d: Any = export("compat.v1.layers.separable_conv2d")(functional(SeparableConv2D, "separable_conv2d"))
