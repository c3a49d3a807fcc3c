"""`tf.compat.v1.nn`: neural networks, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.nn import (
    avg_pool2d, batch_normalization, bias_add, conv1d, conv2d_transpose, crelu, depthwise_conv2d, elu, gelu, l2_loss,
    l2_normalize, leaky_relu, log_softmax, max_pool2d, relu, relu6, selu, sigmoid, silu, softmax, softplus, softsign,
    swish, tanh, top_k, zero_fraction
)
from inlay.ops.legacy import (
    dropout, sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2, sparse_softmax_cross_entropy_with_logits
)
from typing import Any as _Any
__all__ = [
    "avg_pool", "avg_pool2d", "batch_normalization", "bias_add", "conv1d", "conv2d", "conv2d_transpose", "crelu",
    "depthwise_conv2d", "dropout", "elu", "embedding_lookup", "gelu", "in_top_k", "l2_loss", "l2_normalize",
    "leaky_relu", "log_softmax", "max_pool", "max_pool2d", "moments", "relu", "relu6", "selu", "sigmoid",
    "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2", "softplus", "softsign", "sparse_softmax_cross_entropy_with_logits",
    "swish", "tanh", "top_k", "weighted_cross_entropy_with_logits", "zero_fraction"
]
def avg_pool(value: _Any = None, ksize: _Any = None, strides: _Any = None, padding: _Any = None, data_format: _Any = "NHWC", name: str | None = None, input: _Any = None) -> _Any: ...
def conv2d(input: _Any, filter: _Any = None, strides: _Any = None, padding: _Any = None, use_cudnn_on_gpu: _Any = True, data_format: _Any = "NHWC", dilations: _Any = None, name: str | None = None, filters: _Any = None) -> _Any: ...
def embedding_lookup(params: _Any, ids: _Any, partition_strategy: _Any = "mod", name: str | None = None, validate_indices: _Any = True, max_norm: _Any = None) -> _Any: ...
def in_top_k(predictions: _Any, targets: _Any, k: _Any, name: str | None = None) -> _Any: ...
def max_pool(value: _Any = None, ksize: _Any = None, strides: _Any = None, padding: _Any = None, data_format: _Any = "NHWC", name: str | None = None, input: _Any = None) -> _Any: ...
def moments(x: _Any, axes: _Any, shift: _Any = None, name: str | None = None, keep_dims: _Any = None, keepdims: _Any = None) -> _Any: ...
def weighted_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, pos_weight: _Any = None, name: str | None = None, targets: _Any = None) -> _Any: ...
