"""Losses of 1.x between labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import activations, array, complex_numbers, division, math, powers, reductions
from inlay._src.ops import losses as cross_entropies
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.training.weighted_loss import (
    Reduction,
    add_loss,
    compute_weighted_loss,
    fitting,
    given,
    of_each,
    present,
    squeezed,
)


def _of_numbers(
    called: str,
    labels: Any,
    predictions: Any,
    each: Callable[[Any, Any], Any],
    finish: tuple[Any, str | None, str | None, str],
) -> Any:
    """The weighted loss `called`, of float32 labels and predictions of one shape; `each` compares them."""
    weights, scope, collection, reduction = finish
    if labels is None or predictions is None:
        raise ValueError("`labels` and `predictions` cannot be None")
    given(weights)
    with name_scope(scope, called) as opened:
        predictions = math.cast(predictions, dtypes.float32)
        labels = math.cast(labels, dtypes.float32)
        predictions.shape.assert_is_compatible_with(labels.shape)
        return compute_weighted_loss(each(labels, predictions), weights, opened, collection, reduction)


@export("compat.v1.losses.absolute_difference")
def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of `|predictions - labels|`.

    Args:
      labels, predictions: tensors of one shape.
      weights, scope, loss_collection, reduction: as in `compute_weighted_loss`.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor of the shape of `labels`.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """

    def each(labels: Any, predictions: Any) -> Any:
        return complex_numbers.abs(predictions - labels)

    finish = weights, scope, loss_collection, reduction
    return _of_numbers("absolute_difference", labels, predictions, each, finish)


@export("compat.v1.losses.mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of `(predictions - labels) ** 2`; the arguments are those of `absolute_difference`."""
    finish = weights, scope, loss_collection, reduction
    return _of_numbers("mean_squared_error", labels, predictions, lambda a, b: powers.squared_difference(b, a), finish)


@export("compat.v1.losses.huber_loss")
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of half the squared error, which beyond an error of `delta` goes on as a line.

    Args:
      labels, predictions: tensors of one shape.
      weights, scope, loss_collection, reduction: as in `compute_weighted_loss`.
      delta: the error up to which it is a square.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor of the shape of `labels`.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """

    def each(labels: Any, predictions: Any) -> Any:
        error = complex_numbers.abs(predictions - labels)
        square = math.minimum(error, convert_to_tensor(delta, dtypes.float32))
        return 0.5 * square * square + delta * (error - square)

    return _of_numbers("huber_loss", labels, predictions, each, (weights, scope, loss_collection, reduction))


@export("compat.v1.losses.log_loss")
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-07,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of `-labels * log(predictions) - (1 - labels) * log(1 - predictions)`.

    Args:
      labels, predictions: probabilities, of one shape.
      weights, scope, loss_collection, reduction: as in `compute_weighted_loss`.
      epsilon: added inside the logarithms.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor of the shape of `labels`.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """

    def each(labels: Any, predictions: Any) -> Any:
        return -labels * powers.log(predictions + epsilon) - (1.0 - labels) * powers.log(1.0 - predictions + epsilon)

    return _of_numbers("log_loss", labels, predictions, each, (weights, scope, loss_collection, reduction))


@export("compat.v1.losses.hinge_loss")
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of `max(0, 1 - s * logits)`, where `s` is 1 for the label 1 and -1 for 0.

    Args:
      labels: 0 or 1, of the shape of `logits`.
      logits: real numbers.
      weights, scope, loss_collection, reduction: as in `compute_weighted_loss`.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor of the shape of `labels`.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """

    def each(labels: Any, logits: Any) -> Any:
        return activations.relu(1.0 - (2.0 * labels - 1.0) * logits)

    return _of_numbers("hinge_loss", labels, logits, each, (weights, scope, loss_collection, reduction))


@export("compat.v1.losses.cosine_distance")
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Any:
    """The weighted mean of `1 - sum(labels * predictions)` along `axis`, for vectors of length 1.

    Args:
      labels, predictions: tensors of one shape.
      axis, dim: the axis of the vectors, under its two names.
      weights, scope, loss_collection, reduction: as in `compute_weighted_loss`.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor whose `axis` has size 1.

    Raises:
      ValueError: if the shapes do not fit, or no axis is given.
    """
    at = dim if axis is None else axis
    if at is None:
        raise ValueError("You must specify argument `axis`.")

    def each(labels: Any, predictions: Any) -> Any:
        return 1.0 - reductions.reduce_sum(labels * predictions, (at,), keepdims=True)

    finish = weights, scope, loss_collection, reduction
    return _of_numbers("cosine_distance_loss", labels, predictions, each, finish)


@export("compat.v1.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Any:
    """The weighted sum, over the batch, of the mean squared difference between the errors of pairs of elements.

    Args:
      labels, predictions: tensors of one shape, whose first dimension is the batch.
      weights: a scalar, or a tensor of their rank whose sizes are their own or 1.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.

    Returns:
      A float32 scalar.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """
    if labels is None or predictions is None:
        raise ValueError("`labels` and `predictions` cannot be None")
    weights = math.cast(given(weights), dtypes.float32)
    with name_scope(scope, "mean_pairwise_squared_error"):
        labels, predictions = math.cast(labels, dtypes.float32), math.cast(predictions, dtypes.float32)
        with fitting(weights, labels):
            predictions.shape.assert_is_compatible_with(labels.shape)
            errors = predictions - labels
            count = present(errors, weights, per_batch=True)
            others = math.maximum(count - 1.0, 0.0)
            squares = division.divide_no_nan(of_each(powers.square(errors)), others)
            means = division.divide_no_nan(powers.square(of_each(errors)), count * others)
            total = reductions.reduce_sum(2.0 * (squares - means) * weights)
            any_left = math.greater(reductions.reduce_sum(count), 0.0)
            loss = array.where(any_left, total, array.zeros_like(total), name="value")
        add_loss(loss, loss_collection)
        return loss


@export("compat.v1.losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of `nn.sigmoid_cross_entropy_with_logits`.

    Args:
      multi_class_labels: 0 or 1 for each class, [batch, classes].
      logits: real numbers of the same shape.
      weights, scope, loss_collection, reduction: as in `compute_weighted_loss`.
      label_smoothing: how far labels are moved towards one half.

    Returns:
      A scalar of the type of `logits`; with `Reduction.NONE` a tensor of its shape.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """
    if multi_class_labels is None or logits is None:
        raise ValueError("`multi_class_labels` and `logits` cannot be None")
    with name_scope(scope, "sigmoid_cross_entropy_loss") as opened:
        logits = convert_to_tensor(logits)
        labels = math.cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = cross_entropies.sigmoid_cross_entropy_with_logits(labels, logits, name="xentropy")
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@export("compat.v1.losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of `nn.softmax_cross_entropy_with_logits`; no gradient flows to the labels.

    Args:
      onehot_labels: the probability of each class, [batch, classes].
      logits: real numbers of the same shape.
      weights: a scalar, or one number per element of the batch.
      label_smoothing: how far labels are moved towards equal probabilities.
      scope, loss_collection, reduction: as in `compute_weighted_loss`.

    Returns:
      A scalar of the type of `logits`; with `Reduction.NONE` a vector.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """
    if onehot_labels is None or logits is None:
        raise ValueError("`onehot_labels` and `logits` cannot be None")
    with name_scope(scope, "softmax_cross_entropy_loss") as opened:
        logits = convert_to_tensor(logits)
        labels = math.cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            share = math.cast(array.shape(labels)[1], logits.dtype)
            labels = labels * (1 - label_smoothing) + label_smoothing / share
        labels = array.stop_gradient(labels, name="labels_stop_gradient")
        losses = cross_entropies.softmax_cross_entropy_with_logits(labels, logits, name="xentropy")
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)


@export("compat.v1.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """The weighted mean of `nn.sparse_softmax_cross_entropy_with_logits`.

    Args:
      labels: class numbers, of the shape of `logits` without its last axis, or with a last axis of size 1.
      logits: real numbers, [..., classes].
      weights: a scalar, or a tensor like `labels`.
      scope, loss_collection, reduction: as in `compute_weighted_loss`.

    Returns:
      A scalar of the type of `logits`; with `Reduction.NONE` one loss per label.

    Raises:
      ValueError: if the shapes do not fit, or an argument is None.
    """
    if labels is None or logits is None:
        raise ValueError("`labels` and `logits` cannot be None")
    with name_scope(scope, "sparse_softmax_cross_entropy_loss") as opened:
        labels, logits, weights = convert_to_tensor(labels), convert_to_tensor(logits), given(weights)
        labels = squeezed(labels, 0, logits)
        weights = weights if weights.shape.rank == 0 else squeezed(weights, 1, labels)
        losses = cross_entropies.sparse_softmax_cross_entropy_with_logits(labels, logits, name="xentropy")
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)
