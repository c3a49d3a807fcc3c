"""`tf.contrib.slim.losses`: weighted losses, kept in a collection of the graph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.training.weighted_loss import (
    add_loss, compute_weighted_loss, get_losses, get_regularization_losses, get_total_loss
)
from typing import Any as _Any
__all__ = [
    "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_losses", "get_total_loss", "log_loss", "mean_pairwise_squared_error", "mean_squared_error",
    "sigmoid_cross_entropy", "softmax_cross_entropy", "sparse_softmax_cross_entropy"
]
def absolute_difference(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, scope: str | None = None) -> _Tensor:
    """The weighted mean of `|predictions - labels|`.

    Args:
      predictions, labels: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      scope: names the operations.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def cosine_distance(predictions: _Any, labels: _Any = None, axis: int | None = None, weights: _Any = 1.0, scope: str | None = None, dim: int | None = None) -> _Tensor:
    """The weighted mean of `1 - sum(labels * predictions)` along `axis`, for vectors of length 1.

    Args:
      predictions, labels: tensors of one shape.
      axis, dim: the axis of the vectors, under its two names.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      scope: names the operations.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor whose `axis` has size 1.

    Raises:
      ValueError: if the shapes do not fit, or no axis is given."""
def log_loss(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, epsilon: float = 1e-07, scope: str | None = None) -> _Tensor:
    """The weighted mean of `-labels * log(predictions) - (1 - labels) * log(1 - predictions)`.

    Args:
      predictions, labels: probabilities, of one shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      epsilon: added inside the logarithms.
      scope: names the operations.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def mean_pairwise_squared_error(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, scope: str | None = None) -> _Tensor:
    """The weighted sum, over the batch, of the mean squared difference between the errors of pairs of elements.

    Args:
      predictions, labels: tensors of one shape, whose first dimension is the batch.
      weights: a scalar, or a tensor of their rank whose sizes are their own or 1.
      scope: names the operations.

    Returns:
      A float32 scalar.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None."""
def mean_squared_error(predictions: _Any, labels: _Any = None, weights: _Any = 1.0, scope: str | None = None) -> _Tensor:
    """The weighted mean of `(predictions - labels) ** 2`.

    Args:
      predictions, labels: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      scope: names the operations.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def sigmoid_cross_entropy(logits: _Any, multi_class_labels: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: str | None = None) -> _Tensor:
    """The weighted mean of `nn.sigmoid_cross_entropy_with_logits`.

    Args:
      logits: real numbers of the same shape.
      multi_class_labels: 0 or 1 for each class, [batch, classes].
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      label_smoothing: the distance by which labels move towards one half, in [0, 1].
      scope: names the operations.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def softmax_cross_entropy(logits: _Any, onehot_labels: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: str | None = None) -> _Tensor:
    """The weighted mean of `nn.softmax_cross_entropy_with_logits`; no gradient flows to the labels.

    Args:
      logits: real numbers of the same shape.
      onehot_labels: the probability of each class, [batch, classes].
      weights: a scalar, or one number per element of the batch.
      label_smoothing: the distance by which labels move towards equal probabilities, in [0, 1].
      scope: names the operations.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def sparse_softmax_cross_entropy(logits: _Any, labels: _Any, weights: _Any = 1.0, scope: str | None = None) -> _Tensor:
    """The weighted mean of `nn.sparse_softmax_cross_entropy_with_logits`.

    Args:
      logits: real numbers, [..., classes].
      labels: class numbers, of the shape of `logits` without its last axis, or with a last axis of size 1.
      weights: a scalar, or a tensor like `labels`.
      scope: as in `compute_weighted_loss`.

    Returns:
      A scalar of the type of `logits`; with `Reduction.NONE` one loss per label.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None."""
