"""`tf.contrib.layers`: normalization by the batch and by the example."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, control, math, nn, normalizing
from inlay._src.ops.normalizing import fused_batch_norm, weighted_moments
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.scope import get_variable_scope, variable_scope
from inlay._src.tf1.layers.arg_scope import add_arg_scope
from inlay._src.tf1.layers.choosing import smart_cond, smart_constant_value
from inlay._src.tf1.layers.contrib_layers import finished, model_variable_getter
from inlay._src.tf1.layers.dense import ZEROS
from inlay._src.tf1.layers.model_variables import model_variable
from inlay._src.tf1.layers.named_outputs import add_to_collections_of, get_variable_collections
from inlay._src.tf1.layers.normalization import ONES, BatchNormalization, refuse
from inlay._src.training.moving_averages import assign_moving_average


@export("contrib.layers.batch_norm")
@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: Any = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: Any = 0.001,
    activation_fn: Any = None,
    param_initializers: Any = None,
    param_regularizers: Any = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: Any = 0.99,
    adjustment: Any = None,
) -> Tensor:
    """`gamma * (x - mean) / sqrt(variance + epsilon) + beta` for each channel.

    While training by the mean and variance of the batch, which moves the averages that are used otherwise.

    Args:
      inputs: a tensor.
      decay: the weight of the past averages per batch.
      center, scale: whether there are `beta` and `gamma`.
      epsilon: a small number that keeps the root from 0.
      activation_fn, reuse, variables_collections, outputs_collections, trainable: as for `fully_connected`.
      param_initializers, param_regularizers: name of a variable (beta, gamma, moving_mean, moving_variance) -> what it
        starts from, or what it costs.
      updates_collections: graph collections that the operations join which move the averages; None has every call move
        them.
      is_training: whether to normalize by the batch: a bool or a scalar tensor.
      batch_weights: the weight of each example of the batch.
      fused: False takes the variance of the batch itself for the average, None and True that of the whole of which the
        batch is a sample.
      data_format: "NHWC", for any rank, or "NCHW".
      zero_debias_moving_mean: whether the average of means, which begins at 0, is divided by the weights so far.
      scope: the variable scope; None takes "BatchNorm", made unique.
      renorm, renorm_clipping, renorm_decay, adjustment: not supported.

    Returns:
      A tensor of the shape of `inputs`.

    Raises:
      ValueError: for another layout, or an unknown rank.
      NotImplementedError: for what is not supported.
    """
    refuse(renorm=renorm, adjustment=adjustment)
    if data_format not in ("NHWC", "NCHW"):
        raise ValueError("data_format has to be either NCHW or NHWC.")
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.rank
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank")
    initial, costs = param_initializers or {}, param_regularizers or {}
    own_way = zero_debias_moving_mean or updates_collections is not GraphKeys.UPDATE_OPS
    as_one = fused is not False and batch_weights is None and rank in (2, 4) and (own_way or rank == 2)
    getter = None if as_one else model_variable_getter()
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=getter) as sc:
        if not as_one and not own_way and batch_weights is None:
            outputs = _as_layer(
                inputs, 1 if data_format == "NCHW" else -1, decay, epsilon, center, scale, initial, costs, fused,
                is_training, reuse, variables_collections, trainable, sc,
            )  # fmt: skip
            return finished(outputs, sc, None, None, activation_fn, outputs_collections)
        kind = dtypes.float32 if as_one else inputs.dtype
        weights = _weights(inputs, data_format, kind, center, scale, initial, costs, variables_collections, trainable)

        def move(mean: Any, variance: Any) -> tuple[Any, Any]:
            return (
                assign_moving_average(weights["moving_mean"], mean, decay, zero_debias_moving_mean),
                assign_moving_average(weights["moving_variance"], variance, decay, False),
            )

        normalize = _at_once if as_one else _in_steps
        outputs = normalize(
            inputs, weights, epsilon, data_format, is_training, batch_weights, _Moves(move, updates_collections)
        )
        outputs.set_shape(inputs.shape)
        return finished(outputs, sc, None, None, activation_fn, outputs_collections)


def _as_layer(
    inputs: Any, axis: int, decay: Any, epsilon: Any, center: bool, scale: bool, initial: Any, costs: Any,
    fused: bool | None, is_training: Any, reuse: Any, collections: Any, trainable: bool, sc: Any,
) -> Any:  # fmt: skip
    """Normalized by the layer of `tf.layers`."""
    layer = BatchNormalization(
        axis, decay, epsilon, center, scale, initial.get("beta", ZEROS), initial.get("gamma", ONES),
        initial.get("moving_mean", ZEROS), initial.get("moving_variance", ONES), costs.get("beta"), costs.get("gamma"),
        trainable=trainable, name=sc.name, _scope=sc, _reuse=reuse, fused=fused,
    )  # fmt: skip
    outputs = layer(inputs, training=is_training)
    for name in ("moving_mean", "moving_variance", "beta", "gamma"):
        if getattr(layer, name) is not None:
            add_to_collections_of(getattr(layer, name), collections, name)
    return outputs


def _weights(
    inputs: Any, data_format: str, kind: Any, center: bool, scale: bool, initial: Any, costs: Any, collections: Any,
    trainable: bool,
) -> dict[str, Any]:  # fmt: skip
    """The variables of a normalization by name; None for those that it has not."""
    channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
    if channels is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension: {inputs.shape}")

    def weight(name: str, start: Any, trains: bool) -> Any:
        return model_variable(
            name, [channels], kind, initial.get(name, start), costs.get(name), trains,
            get_variable_collections(collections, name),
        )  # fmt: skip

    weights = {"beta": weight("beta", ZEROS, trainable) if center else None}
    weights["gamma"] = weight("gamma", ONES, trainable) if scale else None
    with variable_scope(get_variable_scope()) as whole:  # averages are moved as wholes
        whole.set_partitioner(None)
        weights["moving_mean"] = weight("moving_mean", ZEROS, False)
        weights["moving_variance"] = weight("moving_variance", ONES, False)
    return weights


class _Moves:
    """The update of the averages by the statistics of a batch: at once, or by operations in collections."""

    def __init__(self, move: Callable[[Any, Any], tuple[Any, Any]], collections: Any) -> None:
        self._move, self._collections = move, collections

    def forced(self, mean: Any, variance: Any, is_training: Any, result: Callable[[], Any]) -> Any:
        """The value of `result`, after the averages were updated if they are updated with every call."""
        if self._collections is not None:
            unmoved = lambda: (mean, variance)  # noqa: E731
            for update in smart_cond(is_training, lambda: self._move(mean, variance), unmoved):
                default_graph().add_to_collections(self._collections, update)
            return result()

        def moved() -> Any:
            with control.control_dependencies(list(self._move(mean, variance))):
                return nest.map_structure(array.identity, result())

        return smart_cond(is_training, moved, result)


def _at_once(
    inputs: Any, weights: dict[str, Any], epsilon: Any, data_format: str, is_training: Any, _: Any, moves: _Moves
) -> Any:
    """Normalized as images, whose variance for the averages is that of the whole."""
    channels = weights["moving_mean"].shape.as_list()
    images = inputs
    if inputs.shape.rank == 2:
        images = array.reshape(inputs, [-1, *channels, 1, 1] if data_format == "NCHW" else [-1, 1, 1, *channels])
    scale = array.constant(1.0, shape=channels) if weights["gamma"] is None else weights["gamma"]
    offset = array.constant(0.0, shape=channels) if weights["beta"] is None else weights["beta"]

    def by_batch() -> Any:
        return fused_batch_norm(images, scale, offset, epsilon=epsilon, data_format=data_format)

    def by_averages() -> Any:
        averages = weights["moving_mean"], weights["moving_variance"]
        return fused_batch_norm(images, scale, offset, *averages, epsilon, data_format, False)

    outputs, mean, variance = smart_cond(is_training, by_batch, by_averages)
    if smart_constant_value(is_training) is not False:
        outputs = moves.forced(mean, variance, is_training, lambda: outputs)
    return array.reshape(outputs, array.shape(inputs)) if inputs.shape.rank == 2 else outputs


def _in_steps(
    inputs: Any, weights: dict[str, Any], epsilon: Any, data_format: str, is_training: Any, batch_weights: Any,
    moves: _Moves,
) -> Any:  # fmt: skip
    """Normalized by the moments, which examples may count differently for."""
    rank = inputs.shape.rank
    axes = [0, *range(2, rank)] if data_format == "NCHW" else list(range(rank - 1))
    averages = weights["moving_mean"], weights["moving_variance"]
    if smart_constant_value(is_training) is False:
        mean, variance = averages
    else:
        if batch_weights is None:
            own = nn.moments(inputs, axes)
        else:
            counts = array.reshape(math.cast(batch_weights, inputs.dtype), [-1] + [1] * (rank - 1))
            own = weighted_moments(inputs, axes, counts)
        mean, variance = moves.forced(
            *own, is_training,
            lambda: smart_cond(is_training, lambda: own, lambda: tuple(map(array.identity, averages))),
        )  # fmt: skip
    moments = [mean, variance, weights["beta"], weights["gamma"]]
    if data_format == "NCHW":
        moments = [None if v is None else array.reshape(v, [1, -1] + [1] * (rank - 2)) for v in moments]
    mean, variance, beta, gamma = moments
    return normalizing.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)


@export("contrib.layers.layer_norm")
@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Tensor:
    """`gamma * (x - mean) / sqrt(variance) + beta` by the statistics of each example.

    Args:
      inputs: a tensor.
      center, scale: whether there are `beta` and `gamma`.
      activation_fn, reuse, variables_collections, outputs_collections, trainable: as for `fully_connected`.
      begin_norm_axis: the first axis that statistics are over.
      begin_params_axis: the first axis of `beta` and `gamma`.
      scope: the variable scope; None takes "LayerNorm", made unique.

    Returns:
      A tensor of the shape of `inputs`.

    Raises:
      ValueError: if a rank or size is not known, or there is no such axis.
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.rank
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        first = begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis
        if begin_params_axis >= rank or first >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({first}) must be < rank(inputs) ({rank})"
            )
        sizes = inputs.shape[begin_params_axis:]
        if not sizes.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {inputs.shape}"
            )
        beta, gamma = [
            model_variable(
                name, sizes, inputs.dtype, start, trainable=trainable,
                collections=get_variable_collections(variables_collections, name),
            )
            if wanted
            else None
            for name, start, wanted in (("beta", ZEROS, center), ("gamma", ONES, scale))
        ]  # fmt: skip
        mean, variance = nn.moments(inputs, list(range(first, rank)), keepdims=True)
        least = 1e-3 if inputs.dtype is dtypes.float16 else 1e-12  # as small as the type can tell apart from 0
        outputs = normalizing.batch_normalization(inputs, mean, variance, beta, gamma, least)
        outputs.set_shape(inputs.shape)
        return finished(outputs, sc, None, None, activation_fn, outputs_collections)
