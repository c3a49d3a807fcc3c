"""Batch normalization as a layer, with statistics that follow the batches."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.context import name_scope
from inlay._src.core.eager.attributes import wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math, nn, normalizing
from inlay._src.ops.normalizing import fused_batch_norm
from inlay._src.ops.variables import initializers
from inlay._src.ops.variables.variable import Variable
from inlay._src.tf1.layers.choosing import initializer_of, smart_cond, smart_constant_value
from inlay._src.tf1.layers.dense import ZEROS
from inlay._src.tf1.layers.layer import InputSpec, Layer, as_tensor, dims_of, functional

ONES = initializers.Ones()
_REFUSED = {
    "renorm": "normalize by batches, or by `batch_weights` of tf.contrib.layers.batch_norm",
    "virtual_batch_size": "reshape the batch before the layer and back after it",
    "adjustment": "multiply and add before the layer",
}
"""Arguments that are not here -> what to do instead."""


def refuse(**arguments: Any) -> None:
    """Raises NotImplementedError for arguments that are not here."""
    for name, value in arguments.items():
        if value:
            raise NotImplementedError(
                f"batch normalization with {name}={value!r} is not supported; instead {_REFUSED[name]}"
            )


@export("compat.v1.layers.BatchNormalization")
class BatchNormalization(Layer):
    """`gamma * (x - mean) / sqrt(variance + epsilon) + beta` for each channel.

    While training by the mean and variance of the batch, which moves the averages that are used otherwise. Those are
    moved by the operations in `updates`, which in a graph join `GraphKeys.UPDATE_OPS`: the training step depends on
    them, or they do not run.

    Args:
      axis: the axis of channels, or several.
      momentum: the weight of the past averages per batch.
      epsilon: a small number that keeps the root from 0.
      center, scale: whether there are `beta` and `gamma`.
      beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: initializers of the
        weights.
      beta_regularizer, gamma_regularizer: functions of the weights that make losses of the layer.
      beta_constraint, gamma_constraint: functions of the weights that optimizers apply after an update.
      renorm, renorm_clipping, renorm_momentum, virtual_batch_size, adjustment: not supported.
      fused: False takes the variance of the batch itself for the average; None and True, for images and volumes with
        channels first or last, that of the whole of which the batch is a sample.
      trainable: whether the weights are; else the averages stay, too.
      name: the name of the layer and of its variable scope.

    Attributes:
      gamma, beta, moving_mean, moving_variance: the weights; None for those that are not there.

    Raises:
      NotImplementedError: for what is not supported.
    """

    momentum: float
    epsilon: float
    center: bool
    scale: bool
    beta_initializer: Any
    gamma_initializer: Any
    beta_regularizer: Any
    gamma_regularizer: Any
    beta_constraint: Any
    gamma_constraint: Any

    def __init__(
        self,
        axis: Any = -1,
        momentum: Any = 0.99,
        epsilon: Any = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = ZEROS,
        gamma_initializer: Any = ONES,
        moving_mean_initializer: Any = ZEROS,
        moving_variance_initializer: Any = ONES,
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: Any = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        refuse(renorm=renorm, virtual_batch_size=virtual_batch_size, adjustment=adjustment)
        super().__init__(trainable, name, **kwargs)
        self.axis: list[int] = wholes(axis, "axis")
        self.momentum, self.epsilon, self.center, self.scale, self.fused = momentum, epsilon, center, scale, fused
        self.beta_initializer, self.gamma_initializer = (
            initializer_of(beta_initializer),
            initializer_of(gamma_initializer),
        )
        self.moving_mean_initializer: Any = initializer_of(moving_mean_initializer)
        self.moving_variance_initializer: Any = initializer_of(moving_variance_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.gamma: Any = None
        self.beta: Any = None
        self.moving_mean: Any = None
        self.moving_variance: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the weights.

        Raises:
          ValueError: if there is no such axis, or its size is not known.
        """
        shape = shapes.as_shape(input_shape)
        if shape.rank is None:
            raise ValueError(f"Input has undefined rank. Received: input_shape={shape}.")
        dims = shape.as_list()
        if not all(-len(dims) <= axis < len(dims) for axis in self.axis):
            raise ValueError(f"Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank; got {self.axis}")
        self.axis = [axis % len(dims) for axis in self.axis]
        sizes = {axis: dims[axis] for axis in self.axis}
        if None in sizes.values():
            raise ValueError(
                f"Input has undefined `axis` dimension. Received input with shape {shape} and axis={tuple(self.axis)}"
            )
        if self.fused is not False:
            self.fused = len(dims) in (4, 5) and self.axis in ([1], [len(dims) - 1])
        self.input_spec = InputSpec(ndim=len(dims), axes=sizes)
        one = len(sizes) == 1
        param = [sizes[self.axis[0]]] if one else [sizes.get(axis, 1) for axis in range(len(dims))]
        kind = self._param_dtype()
        if self.scale:
            self.gamma = self.add_weight(
                "gamma", param, kind, self.gamma_initializer, self.gamma_regularizer, True, self.gamma_constraint
            )
        if self.center:
            self.beta = self.add_weight(
                "beta", param, kind, self.beta_initializer, self.beta_regularizer, True, self.beta_constraint
            )
        self._find_scope()
        assert self._scope is not None  # that made it
        cut, self._scope.partitioner = self._scope.partitioner, None  # averages are moved as wholes
        try:
            self.moving_mean = self.add_weight(
                "moving_mean", param, kind, self.moving_mean_initializer, trainable=False
            )
            self.moving_variance = self.add_weight(
                "moving_variance", param, kind, self.moving_variance_initializer, trainable=False
            )
        finally:
            self._scope.partitioner = cut
        self.built = True

    def _param_dtype(self) -> Any:
        kind = self.dtype or dtypes.float32
        return dtypes.float32 if kind.size == 2 else kind

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """Inputs normalized by their own statistics if `training` (a bool or a scalar tensor) holds.

        Raises:
          ValueError: if the layer is not built, or the rank of the inputs is not known.
        """
        if self.moving_mean is None:
            raise ValueError(f"Layer {self.name} has no averages yet: call the layer, which builds it for its inputs")
        inputs = as_tensor(inputs)
        rank = len(dims_of(inputs.shape, 1))
        if self.fused:
            return self._fused(inputs, training)
        wide = math.cast(inputs, self._param_dtype())
        axes = [axis for axis in range(rank) if axis not in self.axis]
        by_batch = smart_constant_value(training)
        if by_batch is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            mean, variance = nn.moments(wide, axes, keepdims=len(self.axis) > 1)
            if by_batch is None:
                mean, variance = smart_cond(training, lambda: (mean, variance), self._averages)
            self._move(mean, variance, training)

        def wide_along(values: Any) -> Any:
            if values is None or len(self.axis) > 1 or self.axis[0] == rank - 1:
                return values
            sizes = [1] * rank
            sizes[self.axis[0]] = -1
            return array.reshape(values, sizes)

        mean, variance, beta, gamma = (wide_along(v) for v in (mean, variance, self.beta, self.gamma))
        outputs = math.cast(
            normalizing.batch_normalization(wide, mean, variance, beta, gamma, self.epsilon), inputs.dtype
        )
        if isinstance(outputs, Tensor):
            outputs.set_shape(inputs.shape)
        return outputs

    def _averages(self) -> Any:
        return array.identity(self.moving_mean), array.identity(self.moving_variance)

    def _fused(self, inputs: Any, training: Any) -> Any:
        layout = {(4, 1): "NCHW", (4, 3): "NHWC", (5, 1): "NCDHW", (5, 4): "NDHWC"}[inputs.shape.rank, self.axis[0]]
        size = self.moving_mean.shape.as_list()
        kind = self._param_dtype()
        scale = self.gamma if self.scale else array.constant(1.0, kind, size)
        offset = self.beta if self.center else array.constant(0.0, kind, size)

        def normalized(by_batch: bool) -> Any:
            return fused_batch_norm(
                inputs, scale, offset, self.moving_mean, self.moving_variance, self.epsilon, layout, by_batch
            )

        outputs, mean, variance = smart_cond(training, lambda: normalized(True), lambda: normalized(False))
        if smart_constant_value(training) is not False:
            self._move(mean, variance, training)
        return outputs

    def _move(self, mean: Any, variance: Any, training: Any) -> None:
        """Adds the operations that move the averages; they stay where `training` does not hold."""
        momentum = self.momentum
        if smart_constant_value(training) is None:
            momentum = smart_cond(
                training, lambda: convert_to_tensor(self.momentum, dtypes.float32), lambda: array.constant(1.0)
            )
        for average, now in ((self.moving_mean, mean), (self.moving_variance, variance)):
            self.add_update(_moved(average, now, momentum))

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of the inputs."""
        return shapes.as_shape(input_shape)


def _moved(average: Variable, now: Any, momentum: Any) -> Any:
    """The operation that moves an average towards a value."""
    with name_scope("AssignMovingAvg") as scope:
        left = math.cast(1.0 - momentum, average.dtype)
        step = (average.read_value() - math.cast(now, average.dtype)) * left
        return average.assign_sub(step, name=scope or None, read_value=False)


batch_normalization: Any = export("compat.v1.layers.batch_normalization")(
    functional(
        BatchNormalization,
        "batch_normalization",
        last="training trainable name reuse renorm renorm_clipping renorm_momentum fused virtual_batch_size adjustment",
    )
)
