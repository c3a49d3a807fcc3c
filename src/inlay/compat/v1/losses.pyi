"""`tf.compat.v1.losses`: weighted losses, kept in a collection of the graph."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor
from inlay._src.training.losses import mean_pairwise_squared_error, sparse_softmax_cross_entropy
from inlay._src.training.weighted_loss import (
    Reduction, add_loss, compute_weighted_loss, get_losses, get_regularization_loss, get_regularization_losses,
    get_total_loss
)
from typing import Any as _Any
__all__ = [
    "Reduction", "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_loss", "get_regularization_losses", "get_total_loss", "hinge_loss", "huber_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy"
]
def absolute_difference(labels: _Any, predictions: _Any, weights: _Any = 1.0, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights") -> _Tensor:
    """The weighted mean of `|predictions - labels|`.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def cosine_distance(labels: _Any, predictions: _Any, axis: int | None = None, weights: _Any = 1.0, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights", dim: int | None = None) -> _Tensor:
    """The weighted mean of `1 - sum(labels * predictions)` along `axis`, for vectors of length 1.

    Args:
      labels, predictions: tensors of one shape.
      axis, dim: the axis of the vectors, under its two names.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor whose `axis` has size 1.

    Raises:
      ValueError: if the shapes do not fit, or no axis is given."""
def hinge_loss(labels: _Any, logits: _Any, weights: _Any = 1.0, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights") -> _Tensor:
    """The weighted mean of `max(0, 1 - s * logits)`, where `s` is 1 for the label 1 and -1 for 0.

    Args:
      labels: 0 or 1, of the shape of `logits`.
      logits: real numbers.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def huber_loss(labels: _Any, predictions: _Any, weights: _Any = 1.0, delta: float = 1.0, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights") -> _Tensor:
    """The weighted mean of half the squared error, which beyond an error of `delta` goes on as a line.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      delta: the error up to which it is a square.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def log_loss(labels: _Any, predictions: _Any, weights: _Any = 1.0, epsilon: float = 1e-07, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights") -> _Tensor:
    """The weighted mean of `-labels * log(predictions) - (1 - labels) * log(1 - predictions)`.

    Args:
      labels, predictions: probabilities, of one shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      epsilon: added inside the logarithms.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = 1.0, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights") -> _Tensor:
    """The weighted mean of `(predictions - labels) ** 2`.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def sigmoid_cross_entropy(multi_class_labels: _Any, logits: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights") -> _Tensor:
    """The weighted mean of `nn.sigmoid_cross_entropy_with_logits`.

    Args:
      multi_class_labels: 0 or 1 for each class, [batch, classes].
      logits: real numbers of the same shape.
      weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
      label_smoothing: the distance by which labels move towards one half, in [0, 1].
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
def softmax_cross_entropy(onehot_labels: _Any, logits: _Any, weights: _Any = 1.0, label_smoothing: _Any = 0, scope: str | None = None, loss_collection: str | None = "losses", reduction: str = "weighted_sum_by_nonzero_weights") -> _Tensor:
    """The weighted mean of `nn.softmax_cross_entropy_with_logits`; no gradient flows to the labels.

    Args:
      onehot_labels: the probability of each class, [batch, classes].
      logits: real numbers of the same shape.
      weights: a scalar, or one number per element of the batch.
      label_smoothing: the distance by which labels move towards equal probabilities, in [0, 1].
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar; with `Reduction.NONE` one loss per element.

    Raises:
      ValueError: if shapes do not fit, or an argument is None."""
