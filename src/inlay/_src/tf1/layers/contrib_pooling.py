"""`tf.contrib.layers`: pooling, and layers without weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.misuse import shown
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import activations, array, math, pooling, powers, reductions, sequences
from inlay._src.ops.variables.scope import variable_scope
from inlay._src.programs.control.custom_gradient import custom_gradient
from inlay._src.tf1.layers import dense
from inlay._src.tf1.layers.arg_scope import add_arg_scope
from inlay._src.tf1.layers.contrib_layers import model_variable_getter
from inlay._src.tf1.layers.named_outputs import collect_named_outputs, last_dimension, n_positive_integers


def _pooling(pool: Callable[..., Any], name: str, label: str, layout: str, summary: str) -> Any:
    """A pooling layer.

    Args:
      pool: the function of `tf.nn`.
      name: the layer's name.
      label: the default name of its scope.
      layout: the default data format.
      summary: the first line of its docstring.
    """

    def pooled(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = "VALID",
        data_format: str = layout,
        outputs_collections: Any = None,
        scope: str | None = None,
    ) -> Tensor:
        if data_format not in ("NHWC", "NCHW", "NDHWC", "NCDHW"):
            raise ValueError("data_format has to be either NCHW or NHWC.")
        with name_scope(scope, label) as sc:
            window, step = (n_positive_integers(len(data_format) - 2, v) for v in (kernel_size, stride))
            outputs = pool(convert_to_tensor(inputs), list(window), list(step), padding.upper(), data_format)
            return collect_named_outputs(outputs_collections, sc, outputs)

    pooled.__name__ = pooled.__qualname__ = name
    pooled.__doc__ = f"""{summary}

    Args:
      inputs: {"images" if len(layout) == 4 else "volumes"}.
      kernel_size, stride: one number, or one for each side: the window and its steps.
      padding: "VALID" or "SAME".
      data_format: "{layout}", or "{layout[0]}C{layout[1:-1]}" for channels first.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: names the operations.

    Returns:
      A tensor.
    """
    return add_arg_scope(pooled)


max_pool2d: Any = export("contrib.layers.max_pool2d")(
    _pooling(pooling.max_pool2d, "max_pool2d", "MaxPool2D", "NHWC", "The greatest number of each window of images.")
)
avg_pool2d: Any = export("contrib.layers.avg_pool2d")(
    _pooling(pooling.avg_pool2d, "avg_pool2d", "AvgPool2D", "NHWC", "The mean of each window of images.")
)
max_pool3d: Any = export("contrib.layers.max_pool3d")(
    _pooling(pooling.max_pool3d, "max_pool3d", "MaxPool3D", "NDHWC", "The greatest number of each window of volumes.")
)
avg_pool3d: Any = export("contrib.layers.avg_pool3d")(
    _pooling(pooling.avg_pool3d, "avg_pool3d", "AvgPool3D", "NDHWC", "The mean of each window of volumes.")
)


# ---------------------------------------------------------------- layers without weights


@export("contrib.layers.dropout")
@add_arg_scope
def dropout(
    inputs: Any,
    keep_prob: Any = 0.5,
    noise_shape: Any = None,
    is_training: Any = True,
    outputs_collections: Any = None,
    scope: Any = None,
    seed: int | None = None,
) -> Tensor:
    """While training, each element kept with probability `keep_prob` and divided by it, else 0.

    Args:
      inputs: floating numbers.
      keep_prob: the probability of keeping.
      noise_shape: the shape of the random choices, which are broadcast.
      is_training: whether to drop: a bool or a scalar tensor.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: the variable scope; None takes "Dropout", made unique.
      seed: makes the choices repeatable.

    Returns:
      A tensor of the shape of `inputs`.
    """
    with variable_scope(scope, "Dropout", [inputs], custom_getter=model_variable_getter()) as sc:
        layer = dense.Dropout(1 - keep_prob, noise_shape, seed, sc.name, _scope=sc)
        outputs = layer(convert_to_tensor(inputs), training=is_training)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@export("contrib.layers.flatten")
@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> Tensor:
    """All axes but the first as one.

    Args:
      inputs: a tensor.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: names the operations.

    Returns:
      A matrix.
    """
    with name_scope(scope, "Flatten") as sc:
        return collect_named_outputs(outputs_collections, sc, dense.flatten(convert_to_tensor(inputs)))


@export("contrib.layers.one_hot_encoding")
@add_arg_scope
def one_hot_encoding(
    labels: Any,
    num_classes: int,
    on_value: Any = 1.0,
    off_value: Any = 0.0,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:
    """Rows with `on_value` where the label says, `off_value` elsewhere.

    Args:
      labels: class numbers.
      num_classes: the number of classes.
      on_value, off_value: the two numbers.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: names the operations.

    Returns:
      A tensor with an axis of `num_classes` more.
    """
    with name_scope(scope, "OneHotEncoding") as sc:
        labels = convert_to_tensor(labels)
        if labels.dtype is dtypes.int32:
            labels = math.cast(labels, dtypes.int64)
        outputs = sequences.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_named_outputs(outputs_collections, sc, outputs)


@export("contrib.layers.softmax")
@add_arg_scope
def softmax(logits: Any, scope: Any = None) -> Tensor:
    """Probabilities over the last axis.

    Args:
      logits: a tensor of rank 2 or more whose last size is known.
      scope: the variable scope; None takes "softmax", made unique.

    Returns:
      A tensor of the shape of `logits`.
    """
    with variable_scope(scope, "softmax", [logits]):
        last_dimension(logits.shape, 2)
        return activations.softmax(logits)


@export("contrib.layers.unit_norm")
@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Tensor:
    """Inputs divided by their length along an axis.

    Args:
      inputs: a tensor of known rank.
      dim: the axis; not negative.
      epsilon: added to squared lengths.
      scope: the variable scope; None takes "UnitNorm", made unique.

    Returns:
      A tensor of the shape of `inputs`.

    Raises:
      ValueError: if there is no such axis.
    """
    with variable_scope(scope, "UnitNorm", [inputs]):
        inputs = convert_to_tensor(inputs)
        if not 0 <= dim < (inputs.shape.rank or 0):
            raise ValueError("dim must be positive but smaller than the input rank.")
        return inputs / powers.sqrt(epsilon + reductions.reduce_sum(powers.square(inputs), dim, True))


# ---------------------------------------------------------------- several layers


def _label(layer: Any, default: str) -> str:
    """The name of a function, or of the one that `functools.partial` calls."""
    return str(getattr(layer, "__name__", getattr(getattr(layer, "func", None), "__name__", default)))


@export("contrib.layers.repeat")
def repeat(inputs: Any, repetitions: int, layer: Callable[..., Any], *args: Any, **kwargs: Any) -> Tensor:
    """The same layer several times in a row, each with weights of its own: `scope/scope_1`, `scope/scope_2` and so on.

    Args:
      inputs: a tensor.
      repetitions: the number of times.
      layer: a function that takes `scope`.
      *args, **kwargs: its other arguments; `scope` is the variable scope around all.

    Returns:
      The output of the last layer.

    Raises:
      ValueError: for 2**31 repetitions and more.
    """
    if repetitions > dtypes.int32.max:
        raise ValueError(f"repetitions must be at most {dtypes.int32.max}, got {shown(repetitions)}")
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        outputs = convert_to_tensor(inputs)
        label = _label(layer, "repeat") if scope is None else scope
        for i in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{label}_{i + 1}"})
        return outputs


@export("contrib.layers.stack")
def stack(inputs: Any, layer: Callable[..., Any], stack_args: Any, **kwargs: Any) -> Tensor:
    """Layers of one kind in a row, each with arguments of its own: `scope/scope_1`, `scope/scope_2` and so on.

    Args:
      inputs: a tensor.
      layer: a function that takes `scope`.
      stack_args: for each layer its argument, or a list of them.
      **kwargs: arguments for all; `scope` is the variable scope around all.

    Returns:
      The output of the last layer.

    Raises:
      ValueError: if `stack_args` is no list or tuple.
    """
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise ValueError("stack_args need to be a list or tuple")
    with variable_scope(scope, "Stack", [inputs]):
        outputs = convert_to_tensor(inputs)
        label = _label(layer, "stack") if scope is None else scope
        for i, arguments in enumerate(stack_args):
            own = arguments if isinstance(arguments, (list, tuple)) else [arguments]
            outputs = layer(outputs, *own, **{**kwargs, "scope": f"{label}_{i + 1}"})
        return outputs


@export("contrib.layers.scale_gradient")
def scale_gradient(inputs: Any, gradient_multiplier: Any) -> Tensor:
    """Inputs as they are, whose gradient is multiplied by a number.

    Args:
      inputs: a tensor.
      gradient_multiplier: the number.

    Returns:
      A tensor.
    """

    @custom_gradient
    def scaled(x: Any) -> Any:
        return array.identity(x), lambda dy: dy * gradient_multiplier

    return scaled(inputs)
