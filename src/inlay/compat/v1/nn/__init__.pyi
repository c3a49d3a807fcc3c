"""`tf.compat.v1.nn`: neural networks, with the 1.x signatures."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.ops.candidate_sampling import log_uniform_candidate_sampler, uniform_candidate_sampler
from inlay._src.ops.composite.ctc import (
    ctc_beam_search_decoder_v1 as ctc_beam_search_decoder, ctc_beam_search_decoder as ctc_beam_search_decoder_v2,
    ctc_loss_v1 as ctc_loss, ctc_loss as ctc_loss_v2
)
from inlay._src.ops.composite.safe_embeddings import safe_embedding_lookup_sparse_v1 as safe_embedding_lookup_sparse
from inlay._src.ops.composite.sparse_embeddings import embedding_lookup_sparse_v1 as embedding_lookup_sparse
from inlay._src.ops.convolution_gradients import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_native_backprop_filter, depthwise_conv2d_backprop_input as
    depthwise_conv2d_native_backprop_input
)
from inlay._src.ops.legacy import dropout, softmax_cross_entropy_with_logits_v2
from inlay._src.ops.legacy_windows import (
    conv2d_backprop_filter, conv2d_backprop_input, conv3d_backprop_filter, conv3d_backprop_filter as
    conv3d_backprop_filter_v2, erosion2d
)
from inlay._src.ops.nn import relu_layer, xw_plus_b
from inlay._src.ops.normalizing import fused_batch_norm
from inlay._src.ops.pooling import avg_pool as avg_pool_v2, max_pool as max_pool_v2
from inlay._src.tf1.recurrent.running import (
    bidirectional_dynamic_rnn, dynamic_rnn, raw_rnn, static_bidirectional_rnn, static_rnn
)
from inlay.compat.v1 import depth_to_space, space_to_batch, space_to_depth
from inlay.compat.v1.nn import rnn_cell
from inlay.nn import (
    all_candidate_sampler, approx_max_k, approx_min_k, atrous_conv2d, atrous_conv2d_transpose, avg_pool1d, avg_pool3d,
    batch_normalization, bias_add, collapse_repeated, compute_accidental_hits, compute_average_loss, conv1d_transpose,
    conv_transpose, ctc_greedy_decoder, ctc_unique_labels, depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input, elu, experimental, fixed_unigram_candidate_sampler, gelu, isotonic_regression,
    l2_loss, l2_normalize, leaky_relu, local_response_normalization, log_poisson_loss, log_softmax, lrn, max_pool1d,
    max_pool2d, max_pool3d, normalize_moments, relu, relu6, scale_regularization_loss, selu, sigmoid, silu, softmax,
    softplus, softsign, swish, tanh, top_k, with_space_to_batch, zero_fraction
)
from typing import Any as _Any
__all__ = [
    "all_candidate_sampler", "approx_max_k", "approx_min_k", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "avg_pool_v2", "batch_norm_with_global_normalization",
    "batch_normalization", "bias_add", "bidirectional_dynamic_rnn", "collapse_repeated", "compute_accidental_hits",
    "compute_average_loss", "conv1d", "conv1d_transpose", "conv2d", "conv2d_backprop_filter", "conv2d_backprop_input",
    "conv2d_transpose", "conv3d", "conv3d_backprop_filter", "conv3d_backprop_filter_v2", "conv3d_transpose",
    "conv_transpose", "convolution", "crelu", "ctc_beam_search_decoder", "ctc_beam_search_decoder_v2",
    "ctc_greedy_decoder", "ctc_loss", "ctc_loss_v2", "ctc_unique_labels", "depth_to_space", "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input", "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter", "depthwise_conv2d_native_backprop_input", "dilation2d", "dropout",
    "dynamic_rnn", "elu", "embedding_lookup", "embedding_lookup_sparse", "erosion2d", "experimental",
    "fixed_unigram_candidate_sampler", "fractional_avg_pool", "fractional_max_pool", "fused_batch_norm", "gelu",
    "in_top_k", "isotonic_regression", "l2_loss", "l2_normalize", "leaky_relu", "local_response_normalization",
    "log_poisson_loss", "log_softmax", "log_uniform_candidate_sampler", "lrn", "max_pool", "max_pool1d", "max_pool2d",
    "max_pool3d", "max_pool_v2", "max_pool_with_argmax", "moments", "nce_loss", "normalize_moments", "pool", "raw_rnn",
    "relu", "relu6", "relu_layer", "rnn_cell", "safe_embedding_lookup_sparse", "sampled_softmax_loss",
    "scale_regularization_loss", "selu", "separable_conv2d", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu",
    "softmax", "softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2", "softplus", "softsign",
    "space_to_batch", "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "static_bidirectional_rnn",
    "static_rnn", "sufficient_statistics", "swish", "tanh", "top_k", "uniform_candidate_sampler",
    "weighted_cross_entropy_with_logits", "weighted_moments", "with_space_to_batch", "xw_plus_b", "zero_fraction"
]
def avg_pool(value: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = "NHWC", name: str | None = None, input: _Any = None) -> _Tensor:
    """The mean of each window of images; places outside the image do not count.

    Args:
      value, input: sequences, images or volumes, [batch, sides..., channels].
      ksize: the window: one number, one for each side, or one for each dimension.
      strides: the steps of the window, likewise.
      padding: "SAME", "VALID" or, except of volumes, a pair per dimension.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      name: the node's name."""
def avg_pool2d(value: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = "NHWC", name: str | None = None, input: _Any = None) -> _Tensor:
    """The mean of each window of images; places outside the image do not count.

    Args:
      value, input: sequences, images or volumes, [batch, sides..., channels].
      ksize: the window: one number, one for each side, or one for each dimension.
      strides: the steps of the window, likewise.
      padding: "SAME", "VALID" or, except of volumes, a pair per dimension.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      name: the node's name."""
def batch_norm_with_global_normalization(t: _Any = None, m: _Any = None, v: _Any = None, beta: _Any = None, gamma: _Any = None, variance_epsilon: _Any = None, scale_after_normalization: builtins.bool | None = None, name: str | None = None, input: _Any = None, mean: _Any = None, variance: _Any = None) -> _Tensor:
    """`batch_normalization` of images.

    Args:
      t, input: images, [batch, rows, columns, channels].
      m, v, mean, variance: the moments of the channels, vectors.
      beta: an offset for each channel.
      gamma: a scale for each channel.
      variance_epsilon: a small number that keeps the root from 0.
      scale_after_normalization: whether `gamma` is used.
      name: the node's name."""
def conv1d(value: _Any = None, filters: _Any = None, stride: _Any = None, padding: _Any = None, use_cudnn_on_gpu: _Any = None, data_format: _Any = None, name: str | None = None, input: _Any = None, dilations: _Any = None) -> _Tensor:
    """The correlation of sequences with filters.

    Args:
      value, input: sequences, [batch, steps, channels].
      filters: [steps, channels, results].
      stride: one number.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      use_cudnn_on_gpu: accepted and ignored.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      name: the node's name.
      dilations: the distance between the filter's points, as for `strides`; 1 by default."""
def conv2d(input: _Any, filter: _Any = None, strides: _Any = None, padding: _Any = None, use_cudnn_on_gpu: _Any = True, data_format: _Any = "NHWC", dilations: _Any = ..., name: str | None = None, filters: _Any = None) -> _Tensor:
    """The correlation of images with filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filter, filters: [rows, columns, channels (or a divisor of them: groups), results].
      strides: one number, one for each side, or one for each dimension.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      use_cudnn_on_gpu: accepted and ignored.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      dilations: the distance between the filter's points, as for `strides`; 1 by default.
      name: the node's name."""
def conv2d_transpose(value: _Any = None, filter: _Any = None, output_shape: _Any = None, strides: _Any = None, padding: _Any = "SAME", data_format: _Any = "NHWC", name: str | None = None, input: _Any = None, filters: _Any = None, dilations: _Any = None) -> _Tensor:
    """The gradient of `conv2d` to its images, used as an operation of its own.

    Args:
      value, input: the output of `conv2d`.
      filter, filters: [rows, columns, results, channels of `input`].
      output_shape: the shape of the result.
      strides: one number, one for each side, or one for each dimension.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      name: the node's name.
      dilations: the distance between the filter's points, as for `strides`; 1 by default."""
def conv3d(input: _Any, filter: _Any = None, strides: _Any = None, padding: _Any = None, data_format: _Any = "NDHWC", dilations: _Any = ..., name: str | None = None, filters: _Any = None) -> _Tensor:
    """The correlation of volumes with filters.

    Args:
      input: volumes, [batch, depth, rows, columns, channels].
      filter, filters: [depth, rows, columns, channels (or a divisor of them: groups), results].
      strides: one number, one for each side, or one for each dimension.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      dilations: the distance between the filter's points, as for `strides`; 1 by default.
      name: the node's name."""
def conv3d_transpose(value: _Any, filter: _Any = None, output_shape: _Any = None, strides: _Any = None, padding: _Any = "SAME", data_format: _Any = "NDHWC", name: str | None = None, input: _Any = None, filters: _Any = None, dilations: _Any = None) -> _Tensor:
    """The gradient of `conv3d` to its volumes, used as an operation of its own.

    Args:
      value, input: the output of `conv3d`.
      filter, filters: [depth, rows, columns, results, channels of `input`].
      output_shape: the shape of the result.
      strides: one number, one for each side, or one for each dimension.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      name: the node's name.
      dilations: the distance between the filter's points, as for `strides`; 1 by default."""
def convolution(input: _Any, filter: _Any, padding: _Any, strides: _Any = None, dilation_rate: _Any = None, name: str | None = None, data_format: _Any = None, filters: _Any = None, dilations: _Any = None) -> _Tensor:
    """`conv1d`, `conv2d` or `conv3d`, by the rank of the filters.

    Args:
      input: [batch, sides..., channels].
      filter, filters: [sides..., channels, results].
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      strides: one number, or one for each side; 1 by default.
      dilation_rate, dilations: the distance between the filter's points, as for `strides`; 1 by default.
      name: the node's name.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first."""
def crelu(features: _Any, name: str | None = None, axis: int = -1) -> _Tensor:
    """`relu(x)` and `relu(-x)` joined along `axis`."""
def depthwise_conv2d(input: _Any, filter: _Any, strides: _Any, padding: _Any, rate: _Any = None, name: str | None = None, data_format: _Any = None, dilations: _Any = None) -> _Tensor:
    """The correlation of each channel with its own filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filter: [rows, columns, channels, results per channel].
      strides: four numbers.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      rate, dilations: the distance between the filter's points, as for `strides`; 1 by default.
      name: the node's name.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first."""
def depthwise_conv2d_native(input: _Any, filter: _Any, strides: _Any, padding: _Any, data_format: _Any = "NHWC", dilations: _Any = ..., name: str | None = None) -> _Tensor:
    """The correlation of each channel with its own filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filter: [rows, columns, channels, results per channel].
      strides: four numbers.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      dilations: the distance between the filter's points, as for `strides`; 1 by default.
      name: the node's name."""
def dilation2d(input: _Any, filter: _Any = None, strides: _Any = None, rates: _Any = None, padding: _Any = None, name: str | None = None, filters: _Any = None, dilations: _Any = None) -> _Tensor:
    """The greatest sum of an image and a filter over each window, for each channel.

    Args:
      input: images, [batch, rows, columns, channels].
      filter, filters: [rows, columns, channels].
      strides, rates, dilations: four numbers each.
      padding: "SAME" or "VALID".
      name: the node's name."""
def embedding_lookup(params: _Any, ids: _Any, partition_strategy: str = "mod", name: str | None = None, validate_indices: _Any = True, max_norm: _Any = None) -> _Tensor:
    """The rows of `params` at `ids`.

    Args:
      params: a matrix, a variable in parts, or a list of matrices that share the rows.
      ids: integers.
      partition_strategy: assignment of rows to shards: round-robin ("mod") or contiguous ("div").
      name: the node's name.
      validate_indices: accepted and ignored.
      max_norm: if given, longer rows are scaled down to it.

    Raises:
      ValueError: if there are no params or the strategy is neither."""
def fractional_avg_pool(value: _Any, pooling_ratio: _Any, pseudo_random: builtins.bool = False, overlapping: builtins.bool = False, deterministic: _Any = False, seed: int = 0, seed2: _Any = 0, name: str | None = None) -> builtins.tuple[_Any, _Any, _Any]:
    """The means of windows of two sizes, whose order is drawn at random, so that sides shrink by any ratio.

    Args:
      value: images, [batch, rows, columns, channels].
      pooling_ratio: by how much rows and columns shrink: one number, two, or four of which the outer are 1.
      pseudo_random: whether windows of the two sizes are spread evenly.
      overlapping: whether a window has the first row and column of the next one too.
      deterministic: accepted and ignored.
      seed: a number that makes the choice repeatable; 0 for none.
      seed2: accepted and ignored.
      name: names the result.

    Returns:
      (the means, where rows are parted, where columns are parted); the latter are int64 vectors.

    Raises:
      ValueError: if a ratio is less than 1.
      InvalidArgumentError: if one is more than the side.
      UnimplementedError: for a ratio of the batch or the channels."""
def fractional_max_pool(value: _Any, pooling_ratio: _Any, pseudo_random: builtins.bool = False, overlapping: builtins.bool = False, deterministic: _Any = False, seed: int = 0, seed2: _Any = 0, name: str | None = None) -> builtins.tuple[_Any, _Any, _Any]:
    """The greatest numbers of windows of two sizes, whose order is drawn at random.

    Args:
      value: images, [batch, rows, columns, channels].
      pooling_ratio: by how much rows and columns shrink: one number, two, or four of which the outer are 1.
      pseudo_random: whether windows of the two sizes are spread evenly.
      overlapping: whether a window has the first row and column of the next one too.
      deterministic: accepted and ignored.
      seed: a number that makes the choice repeatable; 0 for none.
      seed2: accepted and ignored.
      name: names the result.

    Returns:
      (the greatest numbers, where rows are parted, where columns are parted); the latter are int64 vectors.

    Raises:
      ValueError: if a ratio is less than 1.
      InvalidArgumentError: if one is more than the side.
      UnimplementedError: for a ratio of the batch or the channels."""
def in_top_k(predictions: _Any, targets: _Any, k: _Any, name: str | None = None) -> _Tensor:
    """Whether each target is among the `k` greatest predictions of its row.

    Args:
      predictions: float32, [batch, classes].
      targets: class numbers, [batch].
      k: number of predictions that count as the top.
      name: the node's name."""
def max_pool(value: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = "NHWC", name: str | None = None, input: _Any = None) -> _Tensor:
    """The greatest number of each window of images.

    Args:
      value, input: sequences, images or volumes, [batch, sides..., channels].
      ksize: the window: one number, one for each side, or one for each dimension.
      strides: the steps of the window, likewise.
      padding: "SAME", "VALID" or, except of volumes, a pair per dimension.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first.
      name: the node's name."""
def max_pool_with_argmax(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = "NHWC", Targmax: _Any = None, name: str | None = None, output_dtype: _Any = None, include_batch_in_index: builtins.bool = False) -> builtins.tuple[_Any, _Any]:
    """The greatest number of each window of images, and where it stands.

    Args:
      input: images, [batch, rows, columns, channels].
      ksize: the window: one number, two or four.
      strides: one number, two or four.
      padding: "SAME" or "VALID".
      data_format: "NHWC".
      Targmax, output_dtype: int32 or int64, for the places.
      name: the node's name.
      include_batch_in_index: whether places count through the whole batch, or begin at 0 for every image.

    Returns:
      (the greatest numbers, their places in the flattened images).

    Raises:
      ValueError: for another layout."""
def moments(x: _Any, axes: _Any, shift: _Any = None, name: str | None = None, keep_dims: builtins.bool | None = None, keepdims: builtins.bool | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean and the variance over `axes`.

    Args:
      x: floating numbers.
      axes: a list of axes; a tensor only with `keepdims`.
      shift: accepted and ignored.
      name: the node's name.
      keep_dims, keepdims: whether reduced axes stay, with size 1.

    Returns:
      `(mean, variance)`.

    Raises:
      TypeError: for a tensor of axes that do not stay."""
def nce_loss(weights: _Any, biases: _Any, labels: _Any, inputs: _Any, num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: _Any = None, remove_accidental_hits: builtins.bool = False, partition_strategy: str = "mod", name: str | None = "nce_loss") -> _Tensor:
    """`nn.nce_loss` of 1.x.

    Args:
      weights: the weights of the classes, [num_classes, size], or a list of tensors, or a variable in parts.
      biases: the biases of the classes, [num_classes].
      labels: the true classes, int64, [batch, num_true].
      inputs: the activations before the classifier, [batch, size].
      num_sampled: number of classes that are sampled for a batch.
      num_classes: number of classes.
      num_true: number of true classes of a row.
      sampled_values: what a candidate sampler gives; None is
        `random.log_uniform_candidate_sampler` with classes that occur once.
      remove_accidental_hits: whether sampled classes that are true in a row do not count there.
      partition_strategy: how weights in parts share the rows, 'mod' or 'div'.
      name: the scope of the nodes.

    Returns:
      The loss of each row, [batch]."""
def pool(input: _Any, window_shape: _Any, pooling_type: str, padding: _Any, dilation_rate: _Any = None, strides: _Any = None, name: str | None = None, data_format: _Any = None, dilations: _Any = None) -> _Tensor:
    """The greatest number, or the mean, of each window of sequences, images or volumes.

    Args:
      input: [batch, sides..., channels], or channels second if `data_format` begins with "NC".
      window_shape: the window, a number for each side: one, two or three.
      pooling_type: "MAX" or "AVG".
      padding: "VALID" or "SAME".
      dilation_rate, dilations: the distance of the elements of a window, a number for each side; 1 if None.
      strides: the steps of the window, a number for each side; 1 if None.
      name: the node's name.
      data_format: "NWC", "NHWC", "NDHWC", or "NCW", "NCHW", "NCDHW".

    Returns:
      [batch, windows..., channels], in the order of `input`.

    Raises:
      ValueError: for another kind or number of sides, strides longer than the window, and dilations together with
        strides or with "SAME".
      TypeError: for strides or dilations that are no list."""
def sampled_softmax_loss(weights: _Any, biases: _Any, labels: _Any, inputs: _Any, num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: _Any = None, remove_accidental_hits: builtins.bool = True, partition_strategy: str = "mod", name: str | None = "sampled_softmax_loss", seed: _Any = None) -> _Tensor:
    """`nn.sampled_softmax_loss` of 1.x.

    Args:
      weights: the weights of the classes, [num_classes, size], or a list of tensors, or a variable in parts.
      biases: the biases of the classes, [num_classes].
      labels: the true classes, int64, [batch, num_true].
      inputs: the activations before the classifier, [batch, size].
      num_sampled: number of classes that are sampled for a batch.
      num_classes: number of classes.
      num_true: number of true classes of a row.
      sampled_values: what a candidate sampler gives; None is
        `random.log_uniform_candidate_sampler` with classes that occur once.
      remove_accidental_hits: whether sampled classes that are true in a row do not count there.
      partition_strategy: how weights in parts share the rows, 'mod' or 'div'.
      name: the scope of the nodes.
      seed: of the candidate sampler.

    Returns:
      The loss of each row, [batch]."""
def separable_conv2d(input: _Any, depthwise_filter: _Any, pointwise_filter: _Any, strides: _Any, padding: _Any, rate: _Any = None, name: str | None = None, data_format: _Any = None, dilations: _Any = None) -> _Tensor:
    """`depthwise_conv2d`, then a convolution by one point that mixes the channels.

    Args:
      input: images, [batch, rows, columns, channels].
      depthwise_filter: [rows, columns, channels, results per channel].
      pointwise_filter: [1, 1, channels times results per channel, results].
      strides: four numbers, for the first step.
      padding: "SAME", "VALID" or, for images, a pair per dimension.
      rate, dilations: the distance between the filter's points, as for `strides`; 1 by default.
      name: the node's name.
      data_format: "NWC", "NHWC" or "NDHWC"; "NCW", "NCHW" or "NCDHW" for channels first."""
def sigmoid_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, name: str | None = None) -> _Tensor:
    """`-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits))`, without overflow.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: real numbers.
      name: the node's name."""
def softmax_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, dim: int = -1, name: str | None = None, axis: int | None = None) -> _Tensor:
    """The cross entropy of `labels` and `softmax(logits)`; no gradient flows to the labels.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: unscaled log probabilities.
      dim, axis: the axis of the classes.
      name: the node's name."""
def sparse_softmax_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, name: str | None = None) -> _Tensor:
    """The cross entropy of class numbers and `softmax(logits)` along the last axis.

    Args:
      labels: class numbers, int32 or int64, of the shape of `logits` without its last axis.
      logits: unscaled log probabilities.
      name: the node's name.

    Raises:
      ValueError: if the ranks do not fit."""
def sufficient_statistics(x: _Any, axes: _Any, shift: _Any = None, keep_dims: builtins.bool | None = None, name: str | None = None, keepdims: builtins.bool | None = None) -> builtins.tuple[_Any, _Any, _Any, _Any]:
    """The statistics from which `normalize_moments` computes mean and variance.

    Args:
      x: a tensor.
      axes: a list of axes.
      shift: a number near the mean, for digits; None is 0.
      keep_dims, keepdims: whether reduced axes stay, with size 1.
      name: names the operations.

    Returns:
      The number of summed elements; the sum of `x - shift`; that of its squares; and `shift`."""
def weighted_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, pos_weight: _Any = None, name: str | None = None, targets: _Any = None) -> _Tensor:
    """`sigmoid_cross_entropy_with_logits` whose first term counts `pos_weight` times.

    Args:
      labels, targets: probabilities, of the shape of `logits`.
      logits: real numbers.
      pos_weight: the weight of positive examples.
      name: the node's name."""
def weighted_moments(x: _Any, axes: _Any, frequency_weights: _Any, name: str | None = None, keep_dims: builtins.bool | None = None, keepdims: builtins.bool | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean and the variance over `axes`, where each element counts as often as its weight says.

    Args:
      x: floating numbers.
      axes: a list of axes.
      frequency_weights: weights that broadcast against `x`.
      name: names the operations.
      keep_dims, keepdims: whether reduced axes stay, with size 1.

    Returns:
      `(mean, variance)`; 0 where the weights add up to 0."""
