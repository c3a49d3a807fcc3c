"""Streaming metrics of 1.x: local variables that batches update, and the value of their counts so far.

A metric is its formula. `@metric` adds the parameters `metrics_collections`, `updates_collections` and `name`, and
`@mean_metric`, for the weighted mean of a formula, `weights` too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.parameters import extended
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, complex_numbers, diagonals, division, math, powers, reductions
from inlay._src.ops.counting import confusion_matrix
from inlay._src.ops.segments import unsorted_segment_sum
from inlay._src.training.metric_state import PAIRS, aligned, as_float, counted, metric, new_state, spread


@export("compat.v1.metrics.mean")
@metric("mean")
def mean(values: Any, weights: Any = None) -> tuple[Any, Any]:
    """The weighted mean of all values so far; 0 before the first.

    Args:
      values: numbers of any shape.
    """
    values = as_float(values)
    if weights is None:
        amount = as_float(array.size(values))
    else:
        weights = spread(weights, values)
        values, amount = values * weights, reductions.reduce_sum(weights)
    total, update_total = counted("total", reductions.reduce_sum(values))
    count, update_count = counted("count", amount)
    return _quotients((total, update_total), (count, update_count))


def _quotients(totals: tuple[Any, Any], counts: tuple[Any, Any]) -> tuple[Any, Any]:
    """The value and the update of totals divided by counts; 0 where a count is not positive."""
    value = division.divide_no_nan(totals[0], math.maximum(counts[0], 0.0), name="value")
    return value, division.divide_no_nan(totals[1], math.maximum(counts[1], 0.0), name="update_op")


@export("compat.v1.metrics.mean_tensor")
@metric("mean")
def mean_tensor(values: Any, weights: Any = None) -> tuple[Any, Any]:
    """The weighted mean of each element: `mean` without the sum over elements.

    Args:
      values: numbers of a known shape.

    Returns:
      Two float32 tensors of the shape of `values`: the means so far, and after this run's values are counted.
    """
    values = as_float(values)
    total, count = new_state(values.shape, "total_tensor"), new_state(values.shape, "count_tensor")
    amount = array.ones_like(values)
    if weights is not None:
        amount = spread(weights, values)
    return _quotients((total, total.assign_add(values * amount)), (count, count.assign_add(amount)))


# ---------------------------------------------------------------- means of a formula


def mean_metric(
    scope: str | None = None, finish: Callable[[Any], Any] = lambda mean: mean
) -> Callable[[Callable[..., Any]], Callable[..., tuple[Any, Any]]]:
    """Decorator: the weighted mean of the elements that a formula returns, as a metric.

    Args:
      scope: the default name of the variable scope; None takes the name of the formula.
      finish: maps the mean to the value of the metric.
    """

    def declared(formula: Callable[..., Any]) -> Callable[..., tuple[Any, Any]]:
        @metric()
        def averaged(
            elements: Callable[[], Any],
            weights: Any = None,
            metrics_collections: Any = None,  # `metric` adds to the collections
            updates_collections: Any = None,
            name: str | None = None,
        ) -> tuple[Any, Any]:
            value, update = mean(elements(), weights, name=name or scope or formula.__name__)
            return finish(value), finish(update)

        return extended(formula, averaged, PAIRS)

    return declared


def _differences(labels: Any, predictions: Any) -> Any:
    """Predictions minus labels, as floats."""
    labels, predictions = aligned(as_float(labels), as_float(predictions))
    return predictions - labels


@export("compat.v1.metrics.accuracy")
@mean_metric()
def accuracy(labels: Any, predictions: Any) -> Any:
    """The share of predictions that equal their labels."""
    labels, predictions = aligned(convert_to_tensor(labels), convert_to_tensor(predictions))
    return as_float(math.equal(math.cast(predictions, labels.dtype), labels))


@export("compat.v1.metrics.mean_absolute_error")
@mean_metric()
def mean_absolute_error(labels: Any, predictions: Any) -> Any:
    """The mean of `|labels - predictions|`."""
    return complex_numbers.abs(_differences(labels, predictions))


@export("compat.v1.metrics.mean_relative_error")
@mean_metric()
def mean_relative_error(labels: Any, predictions: Any, normalizer: Any) -> Any:
    """The mean of `|labels - predictions| / normalizer`, 0 where the divisor is 0.

    Args:
      normalizer: a tensor of the shape of `labels`.
    """
    return division.divide_no_nan(complex_numbers.abs(_differences(labels, predictions)), as_float(normalizer))


def _squared_error(labels: Any, predictions: Any) -> Any:
    return powers.square(_differences(labels, predictions))


@export("compat.v1.metrics.mean_squared_error")
@mean_metric()
def mean_squared_error(labels: Any, predictions: Any) -> Any:
    """The mean of `(labels - predictions)**2`."""
    return _squared_error(labels, predictions)


@export("compat.v1.metrics.root_mean_squared_error")
@mean_metric(finish=powers.sqrt)
def root_mean_squared_error(labels: Any, predictions: Any) -> Any:
    """The root of `mean_squared_error`."""
    return _squared_error(labels, predictions)


@export("compat.v1.metrics.mean_cosine_distance")
@mean_metric(finish=lambda mean: 1.0 - mean)
def mean_cosine_distance(labels: Any, predictions: Any, dim: int) -> Any:
    """1 less the mean of `sum(labels * predictions)` over an axis.

    Args:
      dim: the axis.
    """
    labels, predictions = aligned(as_float(labels), as_float(predictions))
    return reductions.reduce_sum(labels * predictions, [dim], True)


@export("compat.v1.metrics.percentage_below")
@mean_metric("percentage_below_threshold")
def percentage_below(values: Any, threshold: Any) -> Any:
    """The share of values below a threshold.

    Args:
      values: numbers of any shape.
      threshold: a scalar.
    """
    return as_float(math.less(values, threshold))


# ---------------------------------------------------------------- yes and no


def _outcome(labels: Any, predictions: Any, weights: Any, *, positive: bool, true: bool) -> tuple[Any, Any]:
    """The counts of true and false, positive and negative predictions."""
    labels, predictions = aligned(math.cast(labels, dtypes.bool_), math.cast(predictions, dtypes.bool_))
    side = predictions if positive else math.logical_not(predictions)
    right = math.equal(labels, predictions) if true else math.not_equal(labels, predictions)
    counts = as_float(math.logical_and(side, right))
    if weights is not None:
        counts = counts * spread(weights, counts)
    return counted("count", reductions.reduce_sum(counts))


@export("compat.v1.metrics.true_positives")
@metric("true_positives")
def true_positives(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any]:
    """True predictions of true labels, weighted and counted; both are cast to bool."""
    return _outcome(labels, predictions, weights, positive=True, true=True)


@export("compat.v1.metrics.true_negatives")
@metric("true_negatives")
def true_negatives(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any]:
    """False predictions of false labels, weighted and counted; both are cast to bool."""
    return _outcome(labels, predictions, weights, positive=False, true=True)


@export("compat.v1.metrics.false_positives")
@metric("false_positives")
def false_positives(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any]:
    """True predictions of false labels, weighted and counted; both are cast to bool."""
    return _outcome(labels, predictions, weights, positive=True, true=False)


@export("compat.v1.metrics.false_negatives")
@metric("false_negatives")
def false_negatives(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any]:
    """False predictions of true labels, weighted and counted; both are cast to bool."""
    return _outcome(labels, predictions, weights, positive=False, true=False)


def _share(right: tuple[Any, Any], wrong: tuple[Any, Any]) -> tuple[Any, Any]:
    """The value and the update of right ones as a share of all."""
    value = division.divide_no_nan(right[0], right[0] + wrong[0], name="value")
    return value, division.divide_no_nan(right[1], right[1] + wrong[1], name="update_op")


@export("compat.v1.metrics.precision")
@metric("precision")
def precision(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any]:
    """The share of true predictions that are right; 0 without any."""
    return _share(true_positives(labels, predictions, weights), false_positives(labels, predictions, weights))


@export("compat.v1.metrics.recall")
@metric("recall")
def recall(labels: Any, predictions: Any, weights: Any = None) -> tuple[Any, Any]:
    """The share of true labels that are predicted; 0 without any."""
    return _share(true_positives(labels, predictions, weights), false_negatives(labels, predictions, weights))


# ---------------------------------------------------------------- classes


@export("compat.v1.metrics.mean_iou")
@metric("mean_iou")
def mean_iou(labels: Any, predictions: Any, num_classes: int, weights: Any = None) -> tuple[Any, Any]:
    """The mean of intersection over union of labels and predictions, over the classes that occur.

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: the number of classes.

    Returns:
      The mean so far, a float32 scalar; and the confusion matrix after this run's values are counted, float64
      [num_classes, num_classes].
    """
    labels, predictions = aligned(convert_to_tensor(labels), convert_to_tensor(predictions))
    total = new_state([num_classes, num_classes], "total_confusion_matrix", dtypes.float64)
    flat = None if weights is None else array.reshape(spread(weights, predictions), [-1])
    counts = confusion_matrix(
        array.reshape(labels, [-1]), array.reshape(predictions, [-1]), num_classes, flat, dtypes.float64
    )
    update = total.assign_add(counts)
    matrix = as_float(total)
    both = diagonals.diag_part(matrix)
    either = reductions.reduce_sum(matrix, 0) + reductions.reduce_sum(matrix, 1) - both
    present = reductions.reduce_sum(as_float(math.not_equal(either, 0.0)))
    ratios = reductions.reduce_sum(division.divide_no_nan(both, either))
    return division.divide_no_nan(ratios, present, name="mean_iou"), update


@export("compat.v1.metrics.mean_per_class_accuracy")
@metric("mean_accuracy")
def mean_per_class_accuracy(labels: Any, predictions: Any, num_classes: int, weights: Any = None) -> tuple[Any, Any]:
    """The mean over all classes of the share of its labels that are predicted.

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: the number of classes.

    Returns:
      The mean so far, a float32 scalar; and the share of each class after this run's values are counted.
    """
    labels, predictions = aligned(math.cast(labels, dtypes.int64), convert_to_tensor(predictions))
    total, count = new_state([num_classes], "total"), new_state([num_classes], "count")
    right = as_float(math.equal(labels, math.cast(predictions, labels.dtype)))
    amount = array.ones_like(right) if weights is None else spread(weights, right)
    update_total = total.assign_add(unsorted_segment_sum(amount, labels, num_classes))
    update_count = count.assign_add(unsorted_segment_sum(right * amount, labels, num_classes))
    value = reductions.reduce_mean(division.divide_no_nan(count, total), name="mean_accuracy")
    return value, division.divide_no_nan(update_count, update_total, name="update_op")
