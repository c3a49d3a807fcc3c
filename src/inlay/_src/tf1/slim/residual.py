"""Residual networks (He et al., https://arxiv.org/abs/1512.03385 and https://arxiv.org/abs/1603.05027)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from inlay._src.base.export import export
from inlay._src.base.parameters import parameters_of
from inlay._src.core.eager.attributes import whole
from inlay._src.core.tensor import Tensor
from inlay._src.ops import activations, reductions, slicing
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.scope import variable_scope
from inlay._src.tf1.layers.arg_scope import Scope, add_arg_scope, arg_scope
from inlay._src.tf1.layers.contrib_initializers import variance_scaling_initializer
from inlay._src.tf1.layers.contrib_layers import convolution2d
from inlay._src.tf1.layers.contrib_normalization import batch_norm
from inlay._src.tf1.layers.contrib_pooling import max_pool2d, softmax
from inlay._src.tf1.layers.named_outputs import collect_named_outputs, convert_collection_to_dict, last_dimension
from inlay._src.tf1.layers.regularizers import l2_regularizer

IMAGE_SIZE = 224
_DEPTHS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}
"""The number of units of each of the four blocks, by the number of layers."""


@export("contrib.slim.nets.resnet_utils.Block")
class Block(NamedTuple):
    """A block of residual units.

    Attributes:
      scope: the variable scope.
      unit_fn: a function of a tensor, `rate` and the unit's arguments that builds a unit.
      args: for each unit a dict of arguments.
    """

    scope: str
    unit_fn: Callable[..., Any]
    args: Sequence[dict[str, Any]]


@export("contrib.slim.nets.resnet_utils.subsample")
def subsample(inputs: Any, factor: int, scope: str | None = None) -> Tensor:
    """Every so manieth row and column of images.

    Args:
      inputs: images.
      factor: 1 for all.
      scope: names the operations.
    """
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


@export("contrib.slim.nets.resnet_utils.conv2d_same")
def conv2d_same(
    inputs: Any, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: str | None = None
) -> Tensor:
    """A convolution padded so that with any stride it sees the same places.

    Args:
      inputs: images.
      num_outputs: the number of results per position.
      kernel_size, stride, rate: the window, its steps, the distance of its points.
      scope: the variable scope.

    Returns:
      A tensor.
    """
    if stride == 1:
        return convolution2d(inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope)
    total = (kernel_size - 1) * rate
    sides = [total // 2, total - total // 2]
    padded = slicing.pad(inputs, [[0, 0], sides, sides, [0, 0]])
    return convolution2d(padded, num_outputs, kernel_size, stride=stride, rate=rate, padding="VALID", scope=scope)


@export("contrib.slim.nets.resnet_utils.stack_blocks_dense")
@add_arg_scope
def stack_blocks_dense(
    net: Any, blocks: Sequence[Block], output_stride: int | None = None, outputs_collections: Any = None
) -> Tensor:
    """Blocks of residual units in a row.

    Args:
      net: images.
      blocks: the blocks.
      output_stride: the ratio of the images' side to the result's: from there on units look at points further
        apart instead of taking steps.
      outputs_collections: graph collections that the results of blocks join under their scopes' names.

    Returns:
      A tensor.

    Raises:
      ValueError: if the units' strides do not come to `output_stride`.
    """
    stride, rate = 1, 1
    for block in blocks:
        if not isinstance(block, Block):
            raise TypeError(f"Expected blocks of residual units, not {block!r}")
        with variable_scope(block.scope, "block", [net]) as sc:
            for i, unit in enumerate(block.args):
                if output_stride is not None and stride > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{i + 1}"):
                    if stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= unit.get("stride", 1)
            net = collect_named_outputs(outputs_collections, sc.name, net)
    if output_stride is not None and stride != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


@export(
    "contrib.slim.nets.resnet_utils.resnet_arg_scope",
    "contrib.slim.nets.resnet_v1.resnet_arg_scope",
    "contrib.slim.nets.resnet_v2.resnet_arg_scope",
)
def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Scope:
    """The arguments that layers of residual networks have by default.

    Args:
      weight_decay: the weight of the L2 penalty.
      batch_norm_decay, batch_norm_epsilon, batch_norm_scale: of `batch_norm`.

    Returns:
      An argument scope.
    """
    norm = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    convolutions = {
        "weights_regularizer": l2_regularizer(weight_decay),
        "weights_initializer": variance_scaling_initializer(),
        "activation_fn": activations.relu,
        "normalizer_fn": batch_norm,
        "normalizer_params": norm,
    }
    with (
        arg_scope([convolution2d], **convolutions),
        arg_scope([batch_norm], **norm),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope


# ---------------------------------------------------------------- units


@export("contrib.slim.nets.resnet_v1.bottleneck")
@add_arg_scope
def bottleneck_v1(
    inputs: Any, depth: int, depth_bottleneck: int, stride: int, rate: int = 1, outputs_collections: Any = None,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """A residual unit that normalizes after each convolution.

    Args:
      inputs: images.
      depth: the number of output channels.
      depth_bottleneck: the number inside.
      stride, rate: of the middle convolution.
      outputs_collections: graph collections that the result joins under the scope's name.
      scope: the variable scope.

    Returns:
      A tensor.
    """
    with variable_scope(scope, "bottleneck_v1", [inputs]) as sc:
        if depth == last_dimension(inputs.shape, 4):
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = convolution2d(inputs, depth, [1, 1], stride=stride, activation_fn=None, scope="shortcut")
        residual = convolution2d(inputs, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate, "conv2")
        residual = convolution2d(residual, depth, [1, 1], stride=1, activation_fn=None, scope="conv3")
        return collect_named_outputs(outputs_collections, sc.name, activations.relu(shortcut + residual))


@export("contrib.slim.nets.resnet_v2.bottleneck")
@add_arg_scope
def bottleneck_v2(
    inputs: Any, depth: int, depth_bottleneck: int, stride: int, rate: int = 1, outputs_collections: Any = None,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    """A residual unit that normalizes before each convolution; its arguments are those of the first version."""
    with variable_scope(scope, "bottleneck_v2", [inputs]) as sc:
        first = batch_norm(inputs, activation_fn=activations.relu, scope="preact")
        bare = {"normalizer_fn": None, "activation_fn": None}
        if depth == last_dimension(inputs.shape, 4):
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = convolution2d(first, depth, [1, 1], stride=stride, scope="shortcut", **bare)
        residual = convolution2d(first, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate, "conv2")
        residual = convolution2d(residual, depth, [1, 1], stride=1, scope="conv3", **bare)
        return collect_named_outputs(outputs_collections, sc.name, shortcut + residual)


def _block(unit: Callable[..., Any], scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    inner = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    return Block(scope, unit, [{**inner, "stride": 1}] * (num_units - 1) + [{**inner, "stride": stride}])


@export("contrib.slim.nets.resnet_v1.resnet_v1_block")
def resnet_v1_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """Units of which the last one takes the steps.

    Args:
      scope: the variable scope.
      base_depth: the number of channels inside units; four times as many come out.
      num_units: the number of units.
      stride: of the last one.
    """
    return _block(bottleneck_v1, scope, base_depth, num_units, stride)


@export("contrib.slim.nets.resnet_v2.resnet_v2_block")
def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """Units of which the last one takes the steps; the arguments are those of `resnet_v1_block`."""
    return _block(bottleneck_v2, scope, base_depth, num_units, stride)


# ---------------------------------------------------------------- networks


@export("contrib.slim.nets.resnet_v1.resnet_v1")
def resnet_v1(
    inputs: Any,
    blocks: Sequence[Block],
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: Any = None,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """A residual network.

    Args:
      inputs: images.
      blocks: the blocks.
      num_classes: the number of classes; None for features only.
      is_training: whether batches are normalized by their own statistics.
      global_pool: whether the mean over all positions is taken.
      output_stride: the ratio of the images' side to that of the last block's result; a multiple of 4.
      include_root_block: whether a convolution and a pooling stand before the blocks.
      reuse: True shares the weights of an earlier call.
      scope: the variable scope; None takes "resnet_v1", made unique.

    Returns:
      (the features or logits; results by the names of their scopes).

    Raises:
      ValueError: for an `output_stride` that cannot be.
    """
    with variable_scope(scope, "resnet_v1", [inputs], reuse=reuse) as sc:
        points = f"{sc.original_name_scope}_end_points"
        with arg_scope([convolution2d, bottleneck_v1, stack_blocks_dense], outputs_collections=points):
            with arg_scope([batch_norm], is_training=is_training):
                net, stride = _root(inputs, output_stride, {}) if include_root_block else (inputs, output_stride)
                net = stack_blocks_dense(net, blocks, stride)
                return _classified(net, global_pool, num_classes, points)


@export("contrib.slim.nets.resnet_v2.resnet_v2")
@parameters_of(resnet_v1)
def resnet_v2(
    *, inputs: Any, blocks: Any, num_classes: Any = None, is_training: Any = True, global_pool: Any = True,
    output_stride: Any = None, include_root_block: Any = True, reuse: Any = None, scope: Any = None,
) -> tuple[Any, dict[str, Any]]:  # fmt: skip
    """A residual network of the second version.

    Args:
      scope: the variable scope; None takes "resnet_v2", made unique.
    """
    with variable_scope(scope, "resnet_v2", [inputs], reuse=reuse) as sc:
        points = f"{sc.original_name_scope}_end_points"
        with arg_scope([convolution2d, bottleneck_v2, stack_blocks_dense], outputs_collections=points):
            with arg_scope([batch_norm], is_training=is_training):
                bare = {"normalizer_fn": None, "activation_fn": None}
                net, stride = _root(inputs, output_stride, bare) if include_root_block else (inputs, output_stride)
                net = stack_blocks_dense(net, blocks, stride)
                net = batch_norm(net, activation_fn=activations.relu, scope="postnorm")
                return _classified(net, global_pool, num_classes, points)


def _root(images: Any, output_stride: int | None, arguments: dict[str, Any]) -> tuple[Any, int | None]:
    """(the input of the blocks, the ratio of its size to that of their output)."""
    if output_stride is not None:
        output_stride = whole(output_stride, "output_stride")
        if output_stride % 4:
            raise ValueError("The output_stride needs to be a multiple of 4.")
        output_stride //= 4
    with arg_scope([convolution2d], **arguments):
        net = conv2d_same(images, 64, 7, stride=2, scope="conv1")
    return max_pool2d(net, [3, 3], stride=2, scope="pool1"), output_stride


def _classified(net: Any, global_pool: bool, num_classes: int | None, collection: str) -> tuple[Any, dict[str, Any]]:
    """(features or logits, results by name)."""
    if global_pool:
        net = reductions.reduce_mean(net, [1, 2], True, name="pool5")
    if num_classes is not None:
        net = convolution2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
    end_points: dict[str, Any] = convert_collection_to_dict(collection)
    if num_classes is not None:
        end_points["predictions"] = softmax(net, scope="predictions")
    return net, end_points


def _of_layers(network: Callable[..., Any], block: Callable[..., Block], version: str, layers: int) -> Any:
    """The network with so many layers."""
    label = f"resnet_{version}_{layers}"

    def of_layers(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: Any = None,
        scope: Any = label,
    ) -> tuple[Tensor, dict[str, Tensor]]:
        blocks = [
            block(f"block{i + 1}", base_depth=64 * 2**i, num_units=units, stride=1 if i == 3 else 2)
            for i, units in enumerate(_DEPTHS[layers])
        ]
        return network(inputs, blocks, num_classes, is_training, global_pool, output_stride, True, reuse, scope)

    of_layers.__name__ = of_layers.__qualname__ = label
    of_layers.__doc__ = (
        f"The residual network with {layers} layers.\n\nArgs:\n"
        "  inputs, num_classes, is_training, global_pool, output_stride, reuse: as for `resnet_v1`.\n"
        f'  scope: the variable scope, "{label}" by default.\n\nReturns:\n'
        "  (the features or logits; results by the names of their scopes)."
    )
    of_layers.default_image_size = IMAGE_SIZE  # type: ignore[attr-defined]
    return of_layers


for _network in (cast(Any, resnet_v1), cast(Any, resnet_v2)):
    _network.default_image_size = IMAGE_SIZE
resnet_v1_50: Any = export("contrib.slim.nets.resnet_v1.resnet_v1_50")(_of_layers(resnet_v1, resnet_v1_block, "v1", 50))
resnet_v1_101: Any = export("contrib.slim.nets.resnet_v1.resnet_v1_101")(
    _of_layers(resnet_v1, resnet_v1_block, "v1", 101)
)
resnet_v1_152: Any = export("contrib.slim.nets.resnet_v1.resnet_v1_152")(
    _of_layers(resnet_v1, resnet_v1_block, "v1", 152)
)
resnet_v1_200: Any = export("contrib.slim.nets.resnet_v1.resnet_v1_200")(
    _of_layers(resnet_v1, resnet_v1_block, "v1", 200)
)
resnet_v2_50: Any = export("contrib.slim.nets.resnet_v2.resnet_v2_50")(_of_layers(resnet_v2, resnet_v2_block, "v2", 50))
resnet_v2_101: Any = export("contrib.slim.nets.resnet_v2.resnet_v2_101")(
    _of_layers(resnet_v2, resnet_v2_block, "v2", 101)
)
resnet_v2_152: Any = export("contrib.slim.nets.resnet_v2.resnet_v2_152")(
    _of_layers(resnet_v2, resnet_v2_block, "v2", 152)
)
resnet_v2_200: Any = export("contrib.slim.nets.resnet_v2.resnet_v2_200")(
    _of_layers(resnet_v2, resnet_v2_block, "v2", 200)
)
