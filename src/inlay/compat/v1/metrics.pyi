"""`tf.compat.v1.metrics`: means and counts over batches, kept in local variables."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
import builtins
from collections.abc import Sequence as _Sequence
from inlay.compat.v1.metrics import (
    average_precision_at_k as sparse_average_precision_at_k, precision_at_k as sparse_precision_at_k
)
from typing import Any as _Any
__all__ = [
    "accuracy", "auc", "average_precision_at_k", "false_negatives", "false_negatives_at_thresholds", "false_positives",
    "false_positives_at_thresholds", "mean", "mean_absolute_error", "mean_cosine_distance", "mean_iou",
    "mean_per_class_accuracy", "mean_relative_error", "mean_squared_error", "mean_tensor", "percentage_below",
    "precision", "precision_at_k", "precision_at_thresholds", "precision_at_top_k", "recall", "recall_at_k",
    "recall_at_thresholds", "recall_at_top_k", "root_mean_squared_error", "sensitivity_at_specificity",
    "sparse_average_precision_at_k", "sparse_precision_at_k", "specificity_at_sensitivity", "true_negatives",
    "true_negatives_at_thresholds", "true_positives", "true_positives_at_thresholds"
]
def accuracy(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of predictions that equal their labels.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def auc(labels: _Any, predictions: _Any, weights: _Any = None, num_thresholds: int = 200, metrics_collections: _Any = None, updates_collections: _Any = None, curve: str = "ROC", name: str | None = None, summation_method: str = "trapezoidal", thresholds: _Sequence[float] | None = None) -> builtins.tuple[_Any, _Any]:
    """The area under a curve of scores, approximated at thresholds.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      num_thresholds: the number of thresholds, evenly spaced.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      curve: "ROC", or "PR" for precision over recall.
      name: names the variables and operations.
      summation_method: "trapezoidal"; "careful_interpolation", which is the same for ROC and right for PR;
        "minoring" or "majoring" for bounds.
      thresholds: numbers in [0, 1] to take instead, beside the two ends.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: for another curve or method, or if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def average_precision_at_k(labels: _Any, predictions: _Any, k: int, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean over examples of their average precision among the k best classes.

    Args:
      labels: as for `precision_at_top_k`; labels beyond the number of classes are passed over.
      predictions: the scores of the classes, [..., classes].
      k: the number of classes that are predicted.
      weights: a scalar, or of the shape of `labels` without the last axis, or 1 for its sizes.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float64 scalars: the mean so far, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if `k` is not positive, or shapes do not fit."""
def false_negatives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """False predictions of true labels, weighted and counted; both are cast to bool.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def false_negatives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Sequence[float], weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """False predictions of true labels, weighted and counted at each threshold.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      thresholds: numbers in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 vectors of the length of `thresholds`: the values so far, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def false_positives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """True predictions of false labels, weighted and counted; both are cast to bool.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def false_positives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Sequence[float], weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """True predictions of false labels, weighted and counted at each threshold.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      thresholds: numbers in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 vectors of the length of `thresholds`: the values so far, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def mean(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The weighted mean of all values so far; 0 before the first.

    Args:
      values: numbers of any shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def mean_absolute_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean of `|labels - predictions|`.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def mean_cosine_distance(labels: _Any, predictions: _Any, dim: int, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """1 less the mean of `sum(labels * predictions)` over an axis.

    Args:
      labels, predictions: tensors of one shape.
      dim: the axis.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def mean_iou(labels: _Any, predictions: _Any, num_classes: int, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean of intersection over union of labels and predictions, over the classes that occur.

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: the number of classes.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      The mean so far, a float32 scalar; and the confusion matrix after this run's values are counted, float64
      [num_classes, num_classes].

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def mean_per_class_accuracy(labels: _Any, predictions: _Any, num_classes: int, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean over all classes of the share of its labels that are predicted.

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: the number of classes.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      The mean so far, a float32 scalar; and the share of each class after this run's values are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def mean_relative_error(labels: _Any, predictions: _Any, normalizer: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean of `|labels - predictions| / normalizer`, 0 where the divisor is 0.

    Args:
      labels, predictions: tensors of one shape.
      normalizer: a tensor of the shape of `labels`.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The mean of `(labels - predictions)**2`.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def mean_tensor(values: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The weighted mean of each element: `mean` without the sum over elements.

    Args:
      values: numbers of a known shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 tensors of the shape of `values`: the means so far, and after this run's values are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def percentage_below(values: _Any, threshold: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of values below a threshold.

    Args:
      values: numbers of any shape.
      threshold: a scalar.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def precision(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of true predictions that are right; 0 without any.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def precision_at_k(labels: _Any, predictions: _Any, k: int, class_id: int | None = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of the k best classes that are among the labels.

    Args:
      labels: int64, a tensor or SparseTensor of the shape of the predictions but for the last axis, or without it.
      predictions: the scores of the classes, [..., classes].
      k: the number of classes that are predicted.
      class_id: the only class to count; None for all.
      weights: a scalar, or of the shape of `labels` without the last axis, or 1 for its sizes.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float64 scalars: the value so far, NaN without any, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def precision_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Sequence[float], weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of true predictions that are right, at each threshold.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      thresholds: numbers in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 vectors of the length of `thresholds`: the values so far, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def precision_at_top_k(labels: _Any, predictions_idx: _Any, k: int | None = None, class_id: int | None = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of predicted classes that are among the labels.

    Args:
      labels: int64, a tensor or SparseTensor of the shape of the predictions but for the last axis, or without it.
      predictions_idx: class numbers, [..., k].
      k: used in names.
      class_id: the only class to count; None for all.
      weights: a scalar, or of the shape of `labels` without the last axis, or 1 for its sizes.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float64 scalars: the value so far, NaN without any, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def recall(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of true labels that are predicted; 0 without any.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def recall_at_k(labels: _Any, predictions: _Any, k: int, class_id: int | None = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of labels that are among the k best classes.

    Args:
      labels: int64, a tensor or SparseTensor of the shape of the predictions but for the last axis, or without it.
      predictions: the scores of the classes, [..., classes].
      k: the number of classes that are predicted.
      class_id: the only class to count; None for all.
      weights: a scalar, or of the shape of `labels` without the last axis, or 1 for its sizes.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float64 scalars: the value so far, NaN without any, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def recall_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Sequence[float], weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of true labels that are predicted, at each threshold.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      thresholds: numbers in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 vectors of the length of `thresholds`: the values so far, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def recall_at_top_k(labels: _Any, predictions_idx: _Any, k: int | None = None, class_id: int | None = None, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of labels that are among the predicted classes.

    Args:
      labels: int64, a tensor or SparseTensor of the shape of the predictions but for the last axis, or without it.
      predictions_idx: class numbers, [..., k].
      k: used in names.
      class_id: the only class to count; None for all.
      weights: a scalar, or of the shape of `labels` without the last axis, or 1 for its sizes.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float64 scalars: the value so far, NaN without any, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def root_mean_squared_error(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The root of `mean_squared_error`.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def sensitivity_at_specificity(labels: _Any, predictions: _Any, specificity: float, weights: _Any = None, num_thresholds: int = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of true labels that are predicted, at the threshold where the specificity is nearest to a wanted one.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      specificity: the share of false labels predicted so, in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      num_thresholds: the number of thresholds, evenly spaced.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if `specificity` is not in [0, 1], or shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def specificity_at_sensitivity(labels: _Any, predictions: _Any, sensitivity: float, weights: _Any = None, num_thresholds: int = 200, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """The share of false labels predicted so, at the threshold where the sensitivity is nearest to a wanted one.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      sensitivity: the share of true labels that are predicted, in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      num_thresholds: the number of thresholds, evenly spaced.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if `sensitivity` is not in [0, 1], or shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def true_negatives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """False predictions of false labels, weighted and counted; both are cast to bool.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def true_negatives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Sequence[float], weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """False predictions of false labels, weighted and counted at each threshold.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      thresholds: numbers in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 vectors of the length of `thresholds`: the values so far, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
def true_positives(labels: _Any, predictions: _Any, weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """True predictions of true labels, weighted and counted; both are cast to bool.

    Args:
      labels, predictions: tensors of one shape.
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 scalars: the value so far, and the value after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit."""
def true_positives_at_thresholds(labels: _Any, predictions: _Any, thresholds: _Sequence[float], weights: _Any = None, metrics_collections: _Any = None, updates_collections: _Any = None, name: str | None = None) -> builtins.tuple[_Any, _Any]:
    """True predictions of true labels, weighted and counted at each threshold.

    Args:
      labels: of the shape of `predictions`; cast to bool.
      predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
      thresholds: numbers in [0, 1].
      weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
      metrics_collections: collections of the graph that the value joins.
      updates_collections: collections of the graph that the update joins.
      name: names the variables and operations.

    Returns:
      Two float32 vectors of the length of `thresholds`: the values so far, and after this run's elements are counted.

    Raises:
      RuntimeError: while executing eagerly.
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run whose predictions are not in [0, 1]."""
