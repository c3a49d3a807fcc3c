"""The third Inception network (Szegedy et al., https://arxiv.org/abs/1512.00567)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.ops import activations, array, joining
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.initializers import TruncatedNormal
from inlay._src.ops.variables.scope import variable_scope
from inlay._src.tf1.layers.arg_scope import Scope, arg_scope
from inlay._src.tf1.layers.contrib_initializers import variance_scaling_initializer
from inlay._src.tf1.layers.contrib_layers import convolution2d, fully_connected
from inlay._src.tf1.layers.contrib_normalization import batch_norm
from inlay._src.tf1.layers.contrib_pooling import avg_pool2d, dropout, max_pool2d, softmax
from inlay._src.tf1.layers.regularizers import l2_regularizer

_STEM = """
Conv2d_1a_3x3 32 /2
Conv2d_2a_3x3 32
Conv2d_2b_3x3 64 same
MaxPool_3a_3x3 /2
Conv2d_3b_1x1 80
Conv2d_4a_3x3 192
MaxPool_5a_3x3 /2
"""
"""The layers before the blocks: scope, which ends with the window; channels; "/2" for steps of two; "same" padding."""


def _like_5b(first: str, second: str, pooled: int) -> str:
    return (
        f"Conv2d_0a_1x1 64 | {first} 48, {second} 64 | Conv2d_0a_1x1 64, Conv2d_0b_3x3 96, Conv2d_0c_3x3 96 | "
        f"AvgPool_0a_3x3, Conv2d_0b_1x1 {pooled}"
    )


def _like_6b(n: int) -> str:
    return (
        f"Conv2d_0a_1x1 192 | Conv2d_0a_1x1 {n}, Conv2d_0b_1x7 {n}, Conv2d_0c_7x1 192 | Conv2d_0a_1x1 {n}, "
        f"Conv2d_0b_7x1 {n}, Conv2d_0c_1x7 {n}, Conv2d_0d_7x1 {n}, Conv2d_0e_1x7 192 | AvgPool_0a_3x3, "
        "Conv2d_0b_1x1 192"
    )


def _like_7b(beside: str) -> str:
    return (
        f"Conv2d_0a_1x1 320 | Conv2d_0a_1x1 384, Conv2d_0b_1x3 384 + {beside} 384 | Conv2d_0a_1x1 448, "
        "Conv2d_0b_3x3 384, Conv2d_0c_1x3 384 + Conv2d_0d_3x1 384 | AvgPool_0a_3x3, Conv2d_0b_1x1 192"
    )


_BLOCKS = {
    "Mixed_5b": _like_5b("Conv2d_0a_1x1", "Conv2d_0b_5x5", 32),
    "Mixed_5c": _like_5b("Conv2d_0b_1x1", "Conv_1_0c_5x5", 64),
    "Mixed_5d": _like_5b("Conv2d_0a_1x1", "Conv2d_0b_5x5", 64),
    "Mixed_6a": (
        "Conv2d_1a_1x1:3x3 384 /2 valid | Conv2d_0a_1x1 64, Conv2d_0b_3x3 96, Conv2d_1a_1x1:3x3 96 /2 valid | "
        "MaxPool_1a_3x3 /2 valid"
    ),
    "Mixed_6b": _like_6b(128),
    "Mixed_6c": _like_6b(160),
    "Mixed_6d": _like_6b(160),
    "Mixed_6e": _like_6b(192),
    "Mixed_7a": (
        "Conv2d_0a_1x1 192, Conv2d_1a_3x3 320 /2 valid | Conv2d_0a_1x1 192, Conv2d_0b_1x7 192, Conv2d_0c_7x1 192, "
        "Conv2d_1a_3x3 192 /2 valid | MaxPool_1a_3x3 /2 valid"
    ),
    "Mixed_7b": _like_7b("Conv2d_0b_3x1"),
    "Mixed_7c": _like_7b("Conv2d_0c_3x1"),
}
"""Block -> its branches, divided by "|": layers in a row, as in the stem; "+" puts two side by side; a window that the
scope does not end with stands behind ":"."""


def _layer(net: Any, words: list[str], depth: Callable[[int], int]) -> Any:
    """One layer as the tables say it."""
    scope, _, window = words[0].partition(":")
    sizes = [int(n) for n in (window or scope.rpartition("_")[2]).split("x")]
    arguments: dict[str, Any] = {"scope": scope}
    if "/2" in words:
        arguments["stride"] = 2
    for padding in ("same", "valid"):
        if padding in words:
            arguments["padding"] = padding.upper()
    if scope.startswith("MaxPool"):
        return max_pool2d(net, sizes, **arguments)
    if scope.startswith("AvgPool"):
        return avg_pool2d(net, sizes, **arguments)
    return convolution2d(net, depth(int(words[1])), sizes, **arguments)


def _block(net: Any, branches: str, depth: Callable[[int], int]) -> Any:
    outputs = []
    for i, branch in enumerate(branches.split(" | ")):
        with variable_scope(f"Branch_{i}"):
            out = net
            for step in branch.split(", "):
                beside = [_layer(out, one.split(), depth) for one in step.split(" + ")]
                out = beside[0] if len(beside) == 1 else joining.concat(beside, 3)
        outputs.append(out)
    return joining.concat(outputs, 3)


def _depth(least: int, multiplier: float) -> Callable[[int], int]:
    if multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda channels: max(int(channels * multiplier), least)


@export("contrib.slim.nets.inception.inception_v3_base", "contrib.slim.nets.inception_v3.inception_v3_base")
def inception_v3_base(
    inputs: Any,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """The features of the third Inception network.

    Args:
      inputs: images.
      final_endpoint: the last layer or block.
      min_depth: the least number of channels.
      depth_multiplier: the ratio of the number of channels to that of the paper.
      scope: the variable scope; None takes "InceptionV3", made unique.

    Returns:
      (the features; results by the names of layers and blocks).

    Raises:
      ValueError: for an unknown `final_endpoint`, or a multiplier that is not positive.
    """
    depth, end_points = _depth(min_depth, depth_multiplier), {}
    net, pools = inputs, [convolution2d, max_pool2d, avg_pool2d]
    with variable_scope(scope, "InceptionV3", [inputs]):
        with arg_scope(pools, stride=1, padding="VALID"):
            for line in _STEM.split("\n")[1:-1]:
                words = line.split()
                end_points[words[0]] = net = _layer(net, words, depth)
                if words[0] == final_endpoint:
                    return net, end_points
        with arg_scope(pools, stride=1, padding="SAME"):
            for name, branches in _BLOCKS.items():
                with variable_scope(name):
                    end_points[name] = net = _block(net, branches, depth)
                if name == final_endpoint:
                    return net, end_points
    raise ValueError(f"Unknown final endpoint {final_endpoint}")


def _window(net: Any, most: int) -> list[int]:
    """The window over all positions, which no side of is greater than `most`."""
    rows, columns = net.shape.as_list()[1:3]
    return [most, most] if rows is None or columns is None else [min(rows, most), min(columns, most)]


@export("contrib.slim.nets.inception.inception_v3", "contrib.slim.nets.inception_v3.inception_v3")
def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: Any = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Any = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    create_aux_logits: bool = True,
    scope: Any = "InceptionV3",
) -> tuple[Any, dict[str, Any]]:
    """The third Inception network.

    Args:
      inputs: images.
      num_classes: the number of classes.
      is_training: whether batches are normalized by their own statistics, and elements dropped.
      dropout_keep_prob: with what probability an element stays.
      min_depth, depth_multiplier: as for `inception_v3_base`.
      prediction_fn: a function that makes probabilities of logits.
      spatial_squeeze: whether the axes of rows and columns, of size 1, are left out of the logits.
      reuse: True shares the weights of an earlier call.
      create_aux_logits: whether there is a second classifier in the middle.
      scope: the variable scope.

    Returns:
      (the logits; results by the names of layers and blocks).

    Raises:
      ValueError: for a multiplier that is not positive.
    """
    depth = _depth(min_depth, depth_multiplier)
    bare = {"activation_fn": None, "normalizer_fn": None}
    with variable_scope(scope, "InceptionV3", [inputs], reuse=reuse) as sc:
        with arg_scope([batch_norm, dropout], is_training=is_training):
            net, end_points = inception_v3_base(
                inputs, min_depth=min_depth, depth_multiplier=depth_multiplier, scope=sc
            )
            if create_aux_logits and num_classes:
                aux = _auxiliary(end_points["Mixed_6e"], num_classes, depth)
                end_points["AuxLogits"] = array.squeeze(aux, [1, 2]) if spatial_squeeze else aux
            with variable_scope("Logits"):
                sizes = _window(net, 8)
                net = avg_pool2d(net, sizes, padding="VALID", scope=f"AvgPool_1a_{sizes[0]}x{sizes[1]}")
                net = end_points["PreLogits"] = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
                logits = convolution2d(net, num_classes, [1, 1], scope="Conv2d_1c_1x1", **bare)
                if spatial_squeeze:
                    logits = array.squeeze(logits, [1, 2], name="SpatialSqueeze")
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


def _auxiliary(net: Any, num_classes: int, depth: Callable[[int], int]) -> Any:
    """The logits of the classifier in the middle."""
    start = functools.partial(TruncatedNormal, 0.0)
    with (
        arg_scope([convolution2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"),
        variable_scope("AuxLogits"),
    ):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = convolution2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        sizes = _window(net, 5)
        net = convolution2d(
            net, depth(768), sizes, weights_initializer=start(0.01), padding="VALID",
            scope=f"Conv2d_2a_{sizes[0]}x{sizes[1]}",
        )  # fmt: skip
        return convolution2d(
            net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, weights_initializer=start(0.001),
            scope="Conv2d_2b_1x1",
        )  # fmt: skip


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


@export("contrib.slim.nets.inception.inception_v3_arg_scope", "contrib.slim.nets.inception_v3.inception_v3_arg_scope")
def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Scope:
    """The arguments that layers of the network have by default.

    Args:
      weight_decay: the weight of the L2 penalty.
      batch_norm_var_collection: the graph collection of averages.
      batch_norm_decay, batch_norm_epsilon, updates_collections, use_fused_batchnorm: of `batch_norm`.

    Returns:
      An argument scope.
    """
    norm = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "updates_collections": updates_collections,
        "fused": use_fused_batchnorm,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [batch_norm_var_collection],
            "moving_variance": [batch_norm_var_collection],
        },
    }
    arguments = {
        "weights_initializer": variance_scaling_initializer(),
        "activation_fn": activations.relu,
        "normalizer_fn": batch_norm,
        "normalizer_params": norm,
    }
    with (
        arg_scope([convolution2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope([convolution2d], **arguments) as scope,
    ):
        return scope
