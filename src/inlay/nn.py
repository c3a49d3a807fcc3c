"""`tf.nn`: neural networks, with the 2.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.ops.activations import (
    crelu, elu, gelu, leaky_relu, log_softmax, relu, relu6, selu, swish as silu, softmax, softsign, swish
)
from inlay.ops.conv import conv1d, conv2d, conv2d_transpose, depthwise_conv2d
from inlay.ops.linalg import l2_normalize
from inlay.ops.losses import (
    l2_loss, sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits, weighted_cross_entropy_with_logits
)
from inlay.ops.nn import (
    batch_normalization, bias_add, dropout, embedding_lookup, in_top_k, moments, top_k, zero_fraction
)
from inlay.ops.pooling import avg_pool, avg_pool2d, max_pool, max_pool2d
from inlay.ops.powers import sigmoid, softplus
from inlay.ops.trigonometry import tanh
