"""`tf.nn`: neural networks, with the 2.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay import sigmoid, space_to_batch, tanh
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.activations import crelu, gelu, leaky_relu, log_softmax, swish as silu, softmax, swish
from inlay._src.ops.candidate_sampling import (
    all_candidate_sampler, compute_accidental_hits, fixed_unigram_candidate_sampler
)
from inlay._src.ops.composite.ctc import (
    collapse_repeated, ctc_beam_search_decoder, ctc_greedy_decoder, ctc_loss, ctc_unique_labels
)
from inlay._src.ops.composite.safe_embeddings import safe_embedding_lookup_sparse
from inlay._src.ops.composite.sampled_losses import nce_loss, sampled_softmax_loss
from inlay._src.ops.composite.sparse_embeddings import embedding_lookup_sparse
from inlay._src.ops.conv import conv2d, conv2d_transpose, conv3d, conv3d_transpose
from inlay._src.ops.convolution_gradients import depthwise_conv2d_backprop_filter, depthwise_conv2d_backprop_input
from inlay._src.ops.convolutions import (
    atrous_conv2d, atrous_conv2d_transpose, conv1d, conv1d_transpose, conv_transpose, convolution, depthwise_conv2d,
    separable_conv2d
)
from inlay._src.ops.dilated_windows import pool, with_space_to_batch
from inlay._src.ops.embeddings import embedding_lookup
from inlay._src.ops.fractional import fractional_avg_pool, fractional_max_pool
from inlay._src.ops.isotonic import isotonic_regression
from inlay._src.ops.linalg import l2_normalize
from inlay._src.ops.losses import (
    l2_loss, log_poisson_loss, sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits, weighted_cross_entropy_with_logits
)
from inlay._src.ops.morphology import dilation2d, erosion2d
from inlay._src.ops.nn import bias_add, dropout, in_top_k, moments, top_k, zero_fraction
from inlay._src.ops.normalizing import (
    batch_norm_with_global_normalization, batch_normalization, normalize_moments, sufficient_statistics,
    weighted_moments
)
from inlay._src.ops.pooling import (
    avg_pool, avg_pool1d, avg_pool2d, avg_pool3d, max_pool, max_pool1d, max_pool2d, max_pool3d, max_pool_with_argmax
)
from inlay._src.training.replica_losses import compute_average_loss, scale_regularization_loss
from inlay.math import approx_max_k, approx_min_k, softplus, softsign
from inlay.nn import experimental, local_response_normalization as lrn
from typing import Any as _Any
__all__ = [
    "all_candidate_sampler", "approx_max_k", "approx_min_k", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm_with_global_normalization", "batch_normalization",
    "bias_add", "collapse_repeated", "compute_accidental_hits", "compute_average_loss", "conv1d", "conv1d_transpose",
    "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "conv_transpose", "convolution", "crelu",
    "ctc_beam_search_decoder", "ctc_greedy_decoder", "ctc_loss", "ctc_unique_labels", "depth_to_space",
    "depthwise_conv2d", "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input", "dilation2d", "dropout",
    "elu", "embedding_lookup", "embedding_lookup_sparse", "erosion2d", "experimental",
    "fixed_unigram_candidate_sampler", "fractional_avg_pool", "fractional_max_pool", "gelu", "in_top_k",
    "isotonic_regression", "l2_loss", "l2_normalize", "leaky_relu", "local_response_normalization", "log_poisson_loss",
    "log_softmax", "lrn", "max_pool", "max_pool1d", "max_pool2d", "max_pool3d", "max_pool_with_argmax", "moments",
    "nce_loss", "normalize_moments", "pool", "relu", "relu6", "safe_embedding_lookup_sparse", "sampled_softmax_loss",
    "scale_regularization_loss", "selu", "separable_conv2d", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu",
    "softmax", "softmax_cross_entropy_with_logits", "softplus", "softsign", "space_to_batch", "space_to_depth",
    "sparse_softmax_cross_entropy_with_logits", "sufficient_statistics", "swish", "tanh", "top_k",
    "weighted_cross_entropy_with_logits", "weighted_moments", "with_space_to_batch", "zero_fraction"
]
def depth_to_space(input: _TensorLike, block_size: _Any, data_format: _Any = "NHWC", name: str | None = None) -> _Tensor:
    """Blocks of the channels of images spread over space.

    Args:
      input: images, [batch, height, width, channels].
      block_size: factor by which height and width grow.
      data_format: "NHWC", or "NCHW" for [batch, channels, height, width]."""
def elu(features: _TensorLike, name: str | None = None) -> _Tensor:
    """`x` where positive, else `exp(x) - 1`, elementwise."""
def local_response_normalization(input: _TensorLike, depth_radius: _Any = 5, bias: _Any = 1, alpha: _Any = 1, beta: _Any = 0.5, name: str | None = None) -> _Tensor:
    """`input / (bias + alpha * sum) ** beta`, where `sum` is of the squares of the channels near by.

    Args:
      input: images, [batch, rows, columns, channels].
      depth_radius: number of channels on each side in the window.
      bias, alpha, beta: see the formula.
      name: the node's name."""
def relu(features: _TensorLike, name: str | None = None) -> _Tensor:
    """`max(x, 0)` elementwise."""
def relu6(features: _TensorLike, name: str | None = None) -> _Tensor:
    """`min(max(x, 0), 6)` elementwise."""
def selu(features: _TensorLike, name: str | None = None) -> _Tensor:
    """The scaled exponential linear unit, elementwise."""
def space_to_depth(input: _TensorLike, block_size: _Any, data_format: _Any = "NHWC", name: str | None = None) -> _Tensor:
    """Blocks of space of images put into the channels.

    Args:
      input: images, [batch, height, width, channels].
      block_size: factor by which height and width shrink.
      data_format: "NHWC", or "NCHW" for [batch, channels, height, width]."""
