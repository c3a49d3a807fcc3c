"""VGG networks (Simonyan and Zisserman, https://arxiv.org/abs/1409.1556)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.ops import activations, array
from inlay._src.ops.variables.scope import variable_scope
from inlay._src.tf1.layers.arg_scope import Scope, arg_scope
from inlay._src.tf1.layers.contrib_layers import convolution2d, fully_connected
from inlay._src.tf1.layers.contrib_pooling import dropout, max_pool2d, repeat
from inlay._src.tf1.layers.dense import ZEROS
from inlay._src.tf1.layers.named_outputs import convert_collection_to_dict
from inlay._src.tf1.layers.regularizers import l2_regularizer


@export("contrib.slim.nets.vgg.vgg_arg_scope")
def vgg_arg_scope(weight_decay: float = 0.0005) -> Scope:
    """The arguments that layers of VGG networks have by default.

    Args:
      weight_decay: the weight of the L2 penalty.

    Returns:
      An argument scope.
    """
    arguments = {
        "activation_fn": activations.relu,
        "weights_regularizer": l2_regularizer(weight_decay),
        "biases_initializer": ZEROS,
    }
    with arg_scope([convolution2d, fully_connected], **arguments), arg_scope([convolution2d], padding="SAME") as scope:
        return scope


def _vgg(label: str, repetitions: Sequence[int]) -> Any:
    """The network whose five blocks have so many convolutions."""

    def network(
        inputs: Any,
        num_classes: int = 1000,
        is_training: Any = True,
        dropout_keep_prob: Any = 0.5,
        spatial_squeeze: bool = True,
        scope: Any = label,
    ) -> tuple[Any, dict[str, Any]]:
        with variable_scope(scope, label, [inputs]) as sc:
            collection = f"{sc.original_name_scope}_end_points"
            with arg_scope([convolution2d, fully_connected, max_pool2d], outputs_collections=collection):
                net = inputs
                for i, times in enumerate(repetitions, 1):
                    channels = min(64 * 2 ** (i - 1), 512)
                    net = repeat(net, times, convolution2d, channels, [3, 3], scope=f"conv{i}")
                    net = max_pool2d(net, [2, 2], scope=f"pool{i}")
                net = convolution2d(net, 4096, [7, 7], padding="VALID", scope="fc6")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout6")
                net = convolution2d(net, 4096, [1, 1], scope="fc7")
                net = dropout(net, dropout_keep_prob, is_training=is_training, scope="dropout7")
                net = convolution2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8")
                end_points: dict[str, Any] = convert_collection_to_dict(collection)
                if spatial_squeeze:
                    net = array.squeeze(net, [1, 2], name="fc8/squeezed")
                    end_points[f"{sc.name}/fc8"] = net
                return net, end_points

    network.__name__ = network.__qualname__ = label
    network.__doc__ = (
        f"The VGG network with {'-'.join(map(str, repetitions))} convolutions.\n\nArgs:\n"
        "  inputs: images.\n  num_classes: the number of classes.\n"
        "  is_training: whether elements are dropped: a bool or a scalar tensor.\n"
        "  dropout_keep_prob: with what probability an element stays.\n"
        "  spatial_squeeze: whether the axes of rows and columns, of size 1, are left out of the result.\n"
        f'  scope: the variable scope, "{label}" by default.\n\nReturns:\n'
        "  (the logits; results by the names of their scopes)."
    )
    network.default_image_size = 224  # type: ignore[attr-defined]
    return network


vgg_a: Any = export("contrib.slim.nets.vgg.vgg_a")(_vgg("vgg_a", (1, 1, 2, 2, 2)))
vgg_16: Any = export("contrib.slim.nets.vgg.vgg_16", "contrib.slim.nets.vgg.vgg_d")(_vgg("vgg_16", (2, 2, 3, 3, 3)))
vgg_19: Any = export("contrib.slim.nets.vgg.vgg_19", "contrib.slim.nets.vgg.vgg_e")(_vgg("vgg_19", (2, 2, 4, 4, 4)))
