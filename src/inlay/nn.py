"""`tf.nn`: neural networks, with the 2.x signatures."""

from inlay.ops.activations import crelu, elu, gelu, leaky_relu, log_softmax, relu, relu6, selu, softmax, softsign, swish
from inlay.ops.activations import swish as silu
from inlay.ops.conv import conv1d, conv2d, conv2d_transpose, depthwise_conv2d
from inlay.ops.losses import (
    l2_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from inlay.ops.nn import (
    batch_normalization,
    bias_add,
    dropout,
    embedding_lookup,
    in_top_k,
    l2_normalize,
    moments,
    top_k,
    zero_fraction,
)
from inlay.ops.pooling import avg_pool, avg_pool2d, max_pool, max_pool2d
from inlay.ops.powers import sigmoid, softplus
from inlay.ops.trigonometry import tanh

__all__ = [
    "avg_pool",
    "avg_pool2d",
    "batch_normalization",
    "bias_add",
    "conv1d",
    "conv2d",
    "conv2d_transpose",
    "crelu",
    "depthwise_conv2d",
    "dropout",
    "elu",
    "embedding_lookup",
    "gelu",
    "in_top_k",
    "l2_loss",
    "l2_normalize",
    "leaky_relu",
    "log_softmax",
    "max_pool",
    "max_pool2d",
    "moments",
    "relu",
    "relu6",
    "selu",
    "sigmoid",
    "sigmoid_cross_entropy_with_logits",
    "silu",
    "softmax",
    "softmax_cross_entropy_with_logits",
    "softplus",
    "softsign",
    "sparse_softmax_cross_entropy_with_logits",
    "swish",
    "tanh",
    "top_k",
    "weighted_cross_entropy_with_logits",
    "zero_fraction",
]
