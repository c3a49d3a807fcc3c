"""Layers whose units see every input: dense ones, and what is between them (dropout, flattening)."""

from __future__ import annotations

import math
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import constructor
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, einsum, matmul, nn, rearranging, stacking
from inlay._src.ops.variables import initializers
from inlay._src.tf1.layers.choosing import activation_of, initializer_of, regularizer_of, smart_cond
from inlay._src.tf1.layers.layer import InputSpec, Layer, as_tensor, dims_of, functional

ZEROS = initializers.Zeros()


class Weighted(Layer):
    """A layer with a kernel, a bias and an activation.

    Args:
      activation: a function of the result, or the name of one; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: the initializer of the weights; None takes the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions of the weights and of the result that make
        losses of the layer.
      kernel_constraint, bias_constraint: functions of the weights that optimizers apply after an update.
      trainable: whether the weights are.
      name: the name of the layer and of its variable scope.
    """

    use_bias: bool
    kernel_constraint: Any
    bias_constraint: Any

    def __init__(
        self,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.activation: Any = activation_of(activation)
        self.use_bias, self.kernel_constraint, self.bias_constraint = use_bias, kernel_constraint, bias_constraint
        self.kernel_initializer: Any = initializer_of(kernel_initializer)
        self.bias_initializer: Any = initializer_of(bias_initializer)
        self.kernel_regularizer: Any = regularizer_of(kernel_regularizer)
        self.bias_regularizer: Any = bias_regularizer
        self.kernel: Any = None
        self.bias: Any = None


@export("compat.v1.layers.Dense")
@constructor()
class Dense(Weighted):
    """`activation(inputs @ kernel + bias)`, over the last axis.

    Args:
      units: the number of results.

    Attributes:
      kernel: the matrix, [last size of the inputs, units].
      bias: the vector of `units`, or None.

    Raises:
      ValueError: for a negative number of units.
    """

    def __init__(self, units: int, **weights: Any) -> None:
        super().__init__(**weights)
        self.units: int = int(units)
        if self.units < 0:
            raise ValueError(f"Received an invalid value for `units`, expected a positive integer. Got {units}")
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        kind = self.dtype or dtypes.float32
        if not (kind.is_floating or kind.is_complex):
            raise TypeError(f"A Dense layer can only be built with a floating-point dtype. Received: dtype={kind!r}")
        shape = shapes.as_shape(input_shape)
        last = dims_of(shape, 1)[-1]
        if last is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
                f"received: {shape}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight(
            "kernel", [last, self.units], initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint, trainable=True,
        )  # fmt: skip
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", [self.units], initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                constraint=self.bias_constraint, trainable=True,
            )  # fmt: skip
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """The product, the bias, the activation."""
        inputs = as_tensor(inputs)
        rank = inputs.shape.rank
        if rank in (2, None):
            outputs = matmul.matmul(inputs, self.kernel)
        else:
            outputs = einsum.tensordot(inputs, self.kernel, [[rank - 1], [0]])
        if self.use_bias:
            outputs = nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the inputs with `units` at its end."""
        return TensorShape([*dims_of(input_shape, 1)[:-1], self.units])


dense: Any = export("compat.v1.layers.dense")(functional(Dense, "dense"))


@export("compat.v1.layers.Dropout")
class Dropout(Layer):
    """While training, each element 0 with probability `rate`, else divided by `1 - rate`.

    Args:
      rate: the probability.
      noise_shape: the shape of the random choices, which are broadcast.
      seed: makes the choices repeatable.
      name: the name.
    """

    rate: Any
    noise_shape: Any
    seed: Any

    def __init__(
        self, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None, name: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError(f"Invalid value {rate} received for `rate`, expected a value between 0 and 1.")
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """The inputs as they are, unless `training` (a bool or a scalar tensor) holds."""
        noise = self.noise_shape
        if isinstance(noise, (list, tuple)):  # None stands for the size of the inputs
            sizes = array.shape(inputs)
            noise = stacking.stack([sizes[i] if size is None else size for i, size in enumerate(noise)])
        return smart_cond(
            training,
            lambda: nn.dropout(inputs, self.rate, noise, self.seed),
            lambda: array.identity(inputs),
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the inputs."""
        return shapes.as_shape(input_shape)


dropout: Any = export("compat.v1.layers.dropout")(functional(Dropout, "dropout", shares=False, last="training name"))


@export("compat.v1.layers.Flatten")
class Flatten(Layer):
    """All axes but the first as one.

    Args:
      data_format: "channels_last", or "channels_first", whose channels go last before.
      **kwargs: `name`, `trainable`, `dtype` as for `Layer`.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format: str = layout_of(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Tensor:
        """The inputs as a matrix."""
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = rearranging.transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return array.expand_dims(inputs, 1)
        rest = inputs.shape.as_list()[1:]
        if None not in rest:
            return array.reshape(inputs, [-1, math.prod(rest)])
        flat = array.reshape(inputs, [array.shape(inputs)[0], -1])
        flat.set_shape(self.compute_output_shape(inputs.shape))
        return flat

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[first size, product of the others]."""
        first, *rest = dims_of(input_shape, 1)
        return TensorShape([first, None if None in rest else math.prod(rest)])


@export("compat.v1.layers.flatten")
def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """All axes but the first as one.

    Args:
      inputs: a tensor.
      name: names the operations.
      data_format: "channels_last", or "channels_first", whose channels go last before.

    Returns:
      A matrix.
    """
    return Flatten(data_format, name=name)(inputs)


def layout_of(data_format: str | None) -> str:
    """A layout as layers call it: "channels_last" by default.

    Raises:
      ValueError: for another one.
    """
    layout = "channels_last" if data_format is None else data_format
    layout = layout.lower() if isinstance(layout, str) else layout
    if not isinstance(layout, str) or layout not in ("channels_last", "channels_first"):
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {data_format}'
        )
    return layout
