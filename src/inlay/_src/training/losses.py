"""Losses of 1.x between labels and predictions.

A loss is its formula for each element. `@loss` adds the parameters `weights`, `scope`, `loss_collection` and
`reduction`, and reduces the elements to a number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import extended
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import activations, array, complex_numbers, division, math, powers, reductions
from inlay._src.ops import losses as cross_entropies
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.training.weighted_loss import (
    Reduction,
    add_loss,
    compute_weighted_loss,
    converted,
    fitting,
    of_each,
    present,
    squeezed,
)


def loss(scope_name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of a function that returns one loss per element: it adds the parameters of every loss.

    Args:
      scope_name: the default name of the scope of the operations.
    """

    def declared(formula: Callable[..., Any]) -> Callable[..., Any]:
        def weighted(
            elements: Callable[[], Any],
            weights: Any = 1.0,
            scope: str | None = None,
            loss_collection: str | None = GraphKeys.LOSSES,
            reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
        ) -> Tensor:
            """
            Args:
              labels, predictions: tensors of one shape.
              weights: a scalar, or a tensor of the rank of the losses whose sizes are their own or 1.
              label_smoothing: the distance by which labels move towards equal probabilities, in [0, 1].
              scope: names the operations.
              loss_collection: the graph collection that the result joins; None for none.
              reduction: a `Reduction`.

            Returns:
              A scalar; with `Reduction.NONE` one loss per element.

            Raises:
              ValueError: if shapes do not fit, or an argument is None.
            """
            with name_scope(scope, scope_name) as opened:
                return compute_weighted_loss(elements(), weights, opened, loss_collection, reduction)

        return extended(formula, weighted)

    return declared


def _required(**arguments: Any) -> None:
    if any(value is None for value in arguments.values()):
        raise ValueError(f"{' and '.join(f'`{name}`' for name in arguments)} cannot be None")


def _floats(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels and predictions as float32 of one shape."""
    _required(labels=labels, predictions=predictions)
    predictions, labels = math.cast(predictions, dtypes.float32), math.cast(labels, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


@export("compat.v1.losses.absolute_difference")
@loss("absolute_difference")
def absolute_difference(labels: Any, predictions: Any) -> Tensor:
    """The weighted mean of `|predictions - labels|`."""
    labels, predictions = _floats(labels, predictions)
    return complex_numbers.abs(predictions - labels)


@export("compat.v1.losses.mean_squared_error")
@loss("mean_squared_error")
def mean_squared_error(labels: Any, predictions: Any) -> Tensor:
    """The weighted mean of `(predictions - labels) ** 2`."""
    labels, predictions = _floats(labels, predictions)
    return powers.squared_difference(predictions, labels)


@export("compat.v1.losses.huber_loss")
@loss("huber_loss")
def huber_loss(labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0) -> Tensor:
    """The weighted mean of half the squared error, which beyond an error of `delta` goes on as a line.

    Args:
      delta: the error up to which it is a square.
    """
    labels, predictions = _floats(labels, predictions)
    error = complex_numbers.abs(predictions - labels)
    square = math.minimum(error, convert_to_tensor(delta, dtypes.float32))
    return 0.5 * square * square + delta * (error - square)


@export("compat.v1.losses.log_loss")
@loss("log_loss")
def log_loss(labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-07) -> Tensor:
    """The weighted mean of `-labels * log(predictions) - (1 - labels) * log(1 - predictions)`.

    Args:
      labels, predictions: probabilities, of one shape.
      epsilon: added inside the logarithms.
    """
    labels, predictions = _floats(labels, predictions)
    return -labels * powers.log(predictions + epsilon) - (1.0 - labels) * powers.log(1.0 - predictions + epsilon)


@export("compat.v1.losses.hinge_loss")
@loss("hinge_loss")
def hinge_loss(labels: Any, logits: Any) -> Tensor:
    """The weighted mean of `max(0, 1 - s * logits)`, where `s` is 1 for the label 1 and -1 for 0.

    Args:
      labels: 0 or 1, of the shape of `logits`.
      logits: real numbers.
    """
    labels, logits = _floats(labels, logits)
    return activations.relu(1.0 - (2.0 * labels - 1.0) * logits)


@export("compat.v1.losses.cosine_distance")
@loss("cosine_distance_loss")
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: int | None = None,
) -> Tensor:
    """The weighted mean of `1 - sum(labels * predictions)` along `axis`, for vectors of length 1.

    Args:
      axis, dim: the axis of the vectors, under its two names.

    Returns:
      A float32 scalar; with `Reduction.NONE` a tensor whose `axis` has size 1.

    Raises:
      ValueError: if the shapes do not fit, or no axis is given.
    """
    at = dim if axis is None else axis
    if at is None:
        raise ValueError("You must specify argument `axis`.")
    labels, predictions = _floats(labels, predictions)
    return 1.0 - reductions.reduce_sum(labels * predictions, (at,), keepdims=True)


@export("compat.v1.losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
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
    _required(labels=labels, predictions=predictions)
    weights = math.cast(converted(weights), dtypes.float32)
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
            mean = array.where(any_left, total, array.zeros_like(total), name="value")
        add_loss(mean, loss_collection)
        return mean


def _smoothed(labels: Any, logits: Any, label_smoothing: Any, share: Callable[[Any], Any]) -> tuple[Any, Any]:
    """Labels of the type of the logits, moved towards `share(labels)`; and the logits."""
    logits = convert_to_tensor(logits)
    labels = math.cast(labels, logits.dtype)
    logits.shape.assert_is_compatible_with(labels.shape)
    if label_smoothing > 0:
        labels = labels * (1 - label_smoothing) + share(labels)
    return labels, logits


@export("compat.v1.losses.sigmoid_cross_entropy")
@loss("sigmoid_cross_entropy_loss")
def sigmoid_cross_entropy(multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: Any = 0) -> Tensor:
    """The weighted mean of `nn.sigmoid_cross_entropy_with_logits`.

    Args:
      multi_class_labels: 0 or 1 for each class, [batch, classes].
      logits: real numbers of the same shape.
      label_smoothing: the distance by which labels move towards one half, in [0, 1].
    """
    _required(multi_class_labels=multi_class_labels, logits=logits)
    labels, logits = _smoothed(multi_class_labels, logits, label_smoothing, lambda _: 0.5 * label_smoothing)
    return cross_entropies.sigmoid_cross_entropy_with_logits(labels, logits, name="xentropy")


@export("compat.v1.losses.softmax_cross_entropy")
@loss("softmax_cross_entropy_loss")
def softmax_cross_entropy(onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: Any = 0) -> Tensor:
    """The weighted mean of `nn.softmax_cross_entropy_with_logits`; no gradient flows to the labels.

    Args:
      onehot_labels: the probability of each class, [batch, classes].
      logits: real numbers of the same shape.
      weights: a scalar, or one number per element of the batch.
    """
    _required(onehot_labels=onehot_labels, logits=logits)

    def share(labels: Any) -> Any:
        return label_smoothing / math.cast(array.shape(labels)[1], labels.dtype)

    labels, logits = _smoothed(onehot_labels, logits, label_smoothing, share)
    labels = array.stop_gradient(labels, name="labels_stop_gradient")
    return cross_entropies.softmax_cross_entropy_with_logits(labels, logits, name="xentropy")


@export("compat.v1.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
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
    _required(labels=labels, logits=logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss") as opened:
        labels, logits, weights = convert_to_tensor(labels), convert_to_tensor(logits), converted(weights)
        labels = squeezed(labels, 0, logits)
        weights = weights if weights.shape.rank == 0 else squeezed(weights, 1, labels)
        losses = cross_entropies.sparse_softmax_cross_entropy_with_logits(labels, logits, name="xentropy")
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)
