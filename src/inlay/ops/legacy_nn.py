"""Neural networks with the 1.x signatures."""

from __future__ import annotations

from typing import Any

from inlay.export import export
from inlay.ops import array, conv, losses, nn, pooling


def _named_only(function: str, sentinel: Any, **required: Any) -> None:
    if sentinel is not None:
        raise ValueError(f"Only call `{function}` with named arguments (labels=..., logits=..., ...)")
    missing = [name for name, value in required.items() if value is None]
    if missing:
        raise ValueError(f"Both labels and logits must be provided to `{function}`; {' and '.join(missing)} missing.")


@export("compat.v1.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    _sentinel: Any = None,
    labels: Any = None,
    logits: Any = None,
    dim: int = -1,
    name: str | None = None,
    axis: int | None = None,
) -> Any:
    """The cross entropy of `labels` and `softmax(logits)`; no gradient flows to the labels.

    Args:
      _sentinel: catches positional arguments, which are refused.
      labels: probabilities, of the shape of `logits`.
      logits: unscaled log probabilities.
      dim, axis: the axis of the classes.
      name: the node's name.
    """
    _named_only("softmax_cross_entropy_with_logits", _sentinel, labels=labels, logits=logits)
    at = dim if axis is None else axis
    return losses.softmax_cross_entropy_with_logits(array.stop_gradient(labels), logits, at, name)


@export("compat.v1.nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: int | None = None, name: str | None = None, dim: int | None = None
) -> Any:
    """The cross entropy of `labels` and `softmax(logits)`; gradients flow to both.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: unscaled log probabilities.
      axis, dim: the axis of the classes; the last one if None.
      name: the node's name.
    """
    at = next((a for a in (axis, dim) if a is not None), -1)
    return losses.softmax_cross_entropy_with_logits(labels, logits, at, name)


@export("compat.v1.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of class numbers and `softmax(logits)`.

    Args:
      _sentinel: catches positional arguments, which are refused.
      labels: class numbers.
      logits: unscaled log probabilities.
      name: the node's name.
    """
    _named_only("sparse_softmax_cross_entropy_with_logits", _sentinel, labels=labels, logits=logits)
    return losses.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


@export("compat.v1.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    _sentinel: Any = None, labels: Any = None, logits: Any = None, name: str | None = None
) -> Any:
    """The cross entropy of `labels` and `sigmoid(logits)`, elementwise.

    Args:
      _sentinel: catches positional arguments, which are refused.
      labels: probabilities, of the shape of `logits`.
      logits: real numbers.
      name: the node's name.
    """
    _named_only("sigmoid_cross_entropy_with_logits", _sentinel, labels=labels, logits=logits)
    return losses.sigmoid_cross_entropy_with_logits(labels, logits, name)


@export("compat.v1.nn.conv2d")
def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """The correlation of images with filters.

    Args:
      input: images, [batch, rows, columns, channels].
      filter, filters: [rows, columns, channels, results].
      strides: one number, two or four.
      padding: "SAME", "VALID" or a pair per dimension.
      use_cudnn_on_gpu: accepted and ignored.
      data_format: "NHWC" or "NCHW".
      dilations: the distance between the filter's points.
      name: the node's name.
    """
    kernel = filters if filter is None else filter
    return conv.conv2d(input, kernel, strides, padding, data_format, dilations, name)


@export("compat.v1.nn.max_pool")
def max_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: Any = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """The greatest number of each window of images.

    Args:
      value, input: images, [batch, rows, columns, channels].
      ksize: the window.
      strides: one number, two or four.
      padding: "SAME", "VALID" or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      name: the node's name.
    """
    return pooling.max_pool2d(input if value is None else value, ksize, strides, padding, data_format, name)


@export("compat.v1.nn.avg_pool")
def avg_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: Any = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Any:
    """The mean of each window of images.

    Args:
      value, input: images, [batch, rows, columns, channels].
      ksize: the window.
      strides: one number, two or four.
      padding: "SAME", "VALID" or a pair per dimension.
      data_format: "NHWC" or "NCHW".
      name: the node's name.
    """
    return pooling.avg_pool2d(input if value is None else value, ksize, strides, padding, data_format, name)


@export("compat.v1.nn.dropout")
def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Any:
    """Each element kept with probability `keep_prob` and divided by it, else 0.

    Args:
      x: floating numbers.
      keep_prob: the probability of keeping; give this or `rate`.
      noise_shape: the shape of the random choices, which are broadcast.
      seed: a number that makes the choices repeatable.
      name: the node's name.
      rate: the probability of dropping.

    Raises:
      ValueError: if neither or both probabilities are given.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("Exactly one of `keep_prob` and `rate` must be given to dropout.")
    return nn.dropout(x, 1 - keep_prob if rate is None else rate, noise_shape, seed, name)


@export("compat.v1.nn.moments")
def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> tuple[Any, Any]:
    """The mean and the variance over `axes`.

    Args:
      x: floating numbers.
      axes: a list of axes.
      shift: accepted and ignored.
      name: the node's name.
      keep_dims, keepdims: whether reduced axes stay, with size 1.
    """
    return nn.moments(x, axes, shift, bool(keep_dims if keepdims is None else keepdims), name)


@export("compat.v1.nn.in_top_k")
def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Any:
    """Whether each target is among the `k` greatest predictions of its row.

    Args:
      predictions: float32, [batch, classes].
      targets: class numbers, [batch].
      k: how many count.
      name: the node's name.
    """
    return nn.in_top_k(targets, predictions, k, name)


@export("compat.v1.nn.embedding_lookup")
def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Any:
    """The rows of `params` at `ids`.

    Args:
      params: a matrix, or a list of them that share the rows.
      ids: integers.
      partition_strategy: how rows are shared: dealt in turn ("mod") or cut in blocks ("div").
      name: the node's name.
      validate_indices: ignored; indices are always checked.
      max_norm: if given, longer rows are scaled down to it.
    """
    return nn.sharded_lookup(params, ids, partition_strategy, max_norm, name)


@export("compat.v1.nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None, targets: Any = None
) -> Any:
    """`sigmoid_cross_entropy_with_logits` whose first term counts `pos_weight` times.

    Args:
      labels, targets: probabilities, of the shape of `logits`.
      logits: real numbers.
      pos_weight: the weight of positive examples.
      name: the node's name.
    """
    given = targets if labels is None else labels
    return losses.weighted_cross_entropy_with_logits(given, logits, pos_weight, name)
