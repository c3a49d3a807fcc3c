"""Streaming metrics of 1.x: local variables that batches update, and the value of what they have counted so far."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, complex_numbers, diagonals, division, math, powers, reductions
from inlay._src.ops.counting import confusion_matrix
from inlay._src.ops.segments import unsorted_segment_sum
from inlay._src.training.metric_state import aligned, as_float, counted, kept, metric_scope, new_state, spread


@export("compat.v1.metrics.mean")
def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The weighted mean of all values seen so far.

    Args:
      values: numbers of any shape.
      weights: a scalar, or a tensor of the rank of `values` whose sizes are its own or 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the mean so far, 0 before the first; and the mean after this run's values were counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if `weights` does not fit.
    """
    with metric_scope(name, "mean"):
        values = as_float(values)
        if weights is None:
            amount = as_float(array.size(values))
        else:
            weights = spread(weights, values)
            values, amount = values * weights, reductions.reduce_sum(weights)
        total, update_total = counted("total", reductions.reduce_sum(values))
        count, update_count = counted("count", amount)
        value = division.divide_no_nan(total, math.maximum(count, 0.0), name="value")
        update = division.divide_no_nan(update_total, math.maximum(update_count, 0.0), name="update_op")
        return kept(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_tensor")
def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The weighted mean of each element: as `mean`, without adding up the elements.

    Args:
      values: numbers of a known shape.
      weights: a scalar, or a tensor of the rank of `values` whose sizes are its own or 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 tensors of the shape of `values`: the means so far, and after this run's values were counted.
    """
    with metric_scope(name, "mean"):
        values = as_float(values)
        total, count = new_state(values.shape, "total_tensor"), new_state(values.shape, "count_tensor")
        amount = array.ones_like(values)
        if weights is not None:
            amount = spread(weights, values)
        update_total, update_count = total.assign_add(values * amount), count.assign_add(amount)
        value = division.divide_no_nan(total, math.maximum(count, 0.0), name="value")
        update = division.divide_no_nan(update_total, math.maximum(update_count, 0.0), name="update_op")
        return kept(value, update, metrics_collections, updates_collections)


# ---------------------------------------------------------------- means of errors


@export("compat.v1.metrics.accuracy")
def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How often predictions equal labels.

    Args:
      labels, predictions: tensors of one shape.
      weights: as for `mean`.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the share so far, and after this run's values were counted.
    """
    labels, predictions = aligned(convert_to_tensor(labels), convert_to_tensor(predictions))
    right = as_float(math.equal(math.cast(predictions, labels.dtype), labels))
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def _differences(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels as floats, and how far predictions are from them."""
    labels, predictions = aligned(as_float(labels), as_float(predictions))
    return labels, predictions - labels


@export("compat.v1.metrics.mean_absolute_error")
def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of `|labels - predictions|`; arguments and results as for `accuracy`."""
    errors = complex_numbers.abs(_differences(labels, predictions)[1])
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


@export("compat.v1.metrics.mean_relative_error")
def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of `|labels - predictions| / normalizer`, 0 where that is 0; the rest as for `accuracy`."""
    errors = division.divide_no_nan(complex_numbers.abs(_differences(labels, predictions)[1]), as_float(normalizer))
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


@export("compat.v1.metrics.mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of `(labels - predictions)**2`; arguments and results as for `accuracy`."""
    errors = powers.square(_differences(labels, predictions)[1])
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


@export("compat.v1.metrics.root_mean_squared_error")
def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The root of `mean_squared_error`; arguments and results as for `accuracy`."""
    found = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    value, update = (powers.sqrt(v) for v in found)
    return kept(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_cosine_distance")
def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """1 less the mean of `sum(labels * predictions)` over the axis `dim`; the rest as for `accuracy`."""
    labels, predictions = aligned(as_float(labels), as_float(predictions))
    products = reductions.reduce_sum(labels * predictions, [dim], True)
    found = mean(products, weights, name=name or "mean_cosine_distance")
    value, update = (1.0 - v for v in found)
    return kept(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.percentage_below")
def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of `values` below `threshold`; the rest as for `accuracy`."""
    below = as_float(math.less(values, threshold))
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


# ---------------------------------------------------------------- yes and no


def _outcome(
    kind: str, labels: Any, predictions: Any, weights: Any, values: Any, updates: Any, name: str | None
) -> tuple[Any, Any]:
    """How many there are of one kind of outcome: `kind` is the name of the function."""
    with metric_scope(name, kind):
        labels, predictions = aligned(math.cast(labels, dtypes.bool_), math.cast(predictions, dtypes.bool_))
        says = predictions if kind.endswith("positives") else math.logical_not(predictions)
        right = math.equal(labels, predictions) if kind.startswith("true") else math.not_equal(labels, predictions)
        found = as_float(math.logical_and(says, right))
        if weights is not None:
            found = found * spread(weights, found)
        return kept(*counted("count", reductions.reduce_sum(found)), values, updates)


@export("compat.v1.metrics.true_positives")
def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """True predictions of true labels, weighted and counted; arguments as for `accuracy`, cast to bool.

    Returns:
      Two float32 scalars: the count so far, and after this run's values were counted.
    """
    return _outcome("true_positives", labels, predictions, weights, metrics_collections, updates_collections, name)


@export("compat.v1.metrics.true_negatives")
def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """False predictions of false labels, weighted and counted; arguments as for `accuracy`, cast to bool.

    Returns:
      Two float32 scalars: the count so far, and after this run's values were counted.
    """
    return _outcome("true_negatives", labels, predictions, weights, metrics_collections, updates_collections, name)


@export("compat.v1.metrics.false_positives")
def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """True predictions of false labels, weighted and counted; arguments as for `accuracy`, cast to bool.

    Returns:
      Two float32 scalars: the count so far, and after this run's values were counted.
    """
    return _outcome("false_positives", labels, predictions, weights, metrics_collections, updates_collections, name)


@export("compat.v1.metrics.false_negatives")
def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """False predictions of true labels, weighted and counted; arguments as for `accuracy`, cast to bool.

    Returns:
      Two float32 scalars: the count so far, and after this run's values were counted.
    """
    return _outcome("false_negatives", labels, predictions, weights, metrics_collections, updates_collections, name)


@export("compat.v1.metrics.precision")
def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of true predictions that are right, 0 without any; the rest as for `accuracy`."""
    with metric_scope(name, "precision"):
        right, update_right = true_positives(labels, predictions, weights)
        wrong, update_wrong = false_positives(labels, predictions, weights)
        value = division.divide_no_nan(right, right + wrong, name="value")
        update = division.divide_no_nan(update_right, update_right + update_wrong, name="update_op")
        return kept(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.recall")
def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of true labels that are predicted, 0 without any; the rest as for `accuracy`."""
    with metric_scope(name, "recall"):
        right, update_right = true_positives(labels, predictions, weights)
        wrong, update_wrong = false_negatives(labels, predictions, weights)
        value = division.divide_no_nan(right, right + wrong, name="value")
        update = division.divide_no_nan(update_right, update_right + update_wrong, name="update_op")
        return kept(value, update, metrics_collections, updates_collections)


# ---------------------------------------------------------------- classes


@export("compat.v1.metrics.mean_iou")
def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean over the classes met of intersection over union of labels and predictions.

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: how many classes there are.
      weights: as for `mean`.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      The mean so far, a float32 scalar; and the confusion matrix after this run's values were counted, float64
      [num_classes, num_classes].
    """
    with metric_scope(name, "mean_iou"):
        labels, predictions = aligned(convert_to_tensor(labels), convert_to_tensor(predictions))
        total = new_state([num_classes, num_classes], "total_confusion_matrix", dtypes.float64)
        flat = None if weights is None else array.reshape(spread(weights, predictions), [-1])
        seen = confusion_matrix(
            array.reshape(labels, [-1]), array.reshape(predictions, [-1]), num_classes, flat, dtypes.float64
        )
        update = total.assign_add(seen)
        matrix = as_float(total)
        both = diagonals.diag_part(matrix)
        either = reductions.reduce_sum(matrix, 0) + reductions.reduce_sum(matrix, 1) - both
        met = reductions.reduce_sum(as_float(math.not_equal(either, 0.0)))
        value = division.divide_no_nan(
            reductions.reduce_sum(division.divide_no_nan(both, either)), met, name="mean_iou"
        )
        return kept(value, update, metrics_collections, updates_collections)


@export("compat.v1.metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean over all classes of how often a label of that class is predicted; arguments as for `mean_iou`.

    Returns:
      The mean so far, a float32 scalar; and the share of each class after this run's values were counted.
    """
    with metric_scope(name, "mean_accuracy"):
        labels, predictions = aligned(math.cast(labels, dtypes.int64), convert_to_tensor(predictions))
        total, count = new_state([num_classes], "total"), new_state([num_classes], "count")
        right = as_float(math.equal(labels, math.cast(predictions, labels.dtype)))
        amount = array.ones_like(right) if weights is None else spread(weights, right)
        update_total = total.assign_add(unsorted_segment_sum(amount, labels, num_classes))
        update_count = count.assign_add(unsorted_segment_sum(right * amount, labels, num_classes))
        value = reductions.reduce_mean(division.divide_no_nan(count, total), name="mean_accuracy")
        update = division.divide_no_nan(update_count, update_total, name="update_op")
        return kept(value, update, metrics_collections, updates_collections)
