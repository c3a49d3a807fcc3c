"""`tf.compat.v1.nn`: neural networks, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.nn import (
    avg_pool2d, batch_normalization, bias_add, conv1d, conv2d_transpose, crelu, depthwise_conv2d, elu, gelu, l2_loss,
    l2_normalize, leaky_relu, log_softmax, max_pool2d, relu, relu6, selu, sigmoid, silu, softmax, softplus, softsign,
    swish, tanh, top_k, zero_fraction
)
from inlay.ops.legacy_nn import (
    avg_pool, conv2d, dropout, embedding_lookup, in_top_k, max_pool, moments, sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2, sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits
)
__all__ = [
    "avg_pool", "avg_pool2d", "batch_normalization", "bias_add", "conv1d", "conv2d", "conv2d_transpose", "crelu",
    "depthwise_conv2d", "dropout", "elu", "embedding_lookup", "gelu", "in_top_k", "l2_loss", "l2_normalize",
    "leaky_relu", "log_softmax", "max_pool", "max_pool2d", "moments", "relu", "relu6", "selu", "sigmoid",
    "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2", "softplus", "softsign", "sparse_softmax_cross_entropy_with_logits",
    "swish", "tanh", "top_k", "weighted_cross_entropy_with_logits", "zero_fraction"
]
