"""Streaming metrics of 1.x over many thresholds: counts, precision and recall at each, areas under curves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.types import dtypes
from inlay._src.core.eager.attributes import whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, complex_numbers, cumulative, division, extremes, math, powers, reductions
from inlay._src.ops.asserting import assert_greater_equal_v1, assert_less_equal_v1
from inlay._src.ops.control import control_dependencies
from inlay._src.training.metric_state import aligned, as_float, metric, new_state, spread

_NAMES = {"tp": "true_positives", "fn": "false_negatives", "tn": "true_negatives", "fp": "false_positives"}
_EPSILON = 1e-7


def _counts(
    kinds: Sequence[str], labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of each kind of outcome, how many there are at each threshold: the counts so far, and what adds to them."""
    predictions = convert_to_tensor(predictions)
    bounds = [math.cast(v, predictions.dtype) for v in (0.0, 1.0)]
    says = "predictions must be in [0, 1]"
    with control_dependencies(
        [
            assert_greater_equal_v1(predictions, bounds[0], message=says),
            assert_less_equal_v1(predictions, bounds[1], message=says),
        ]
    ):
        labels, predictions = aligned(math.cast(labels, dtypes.bool_), as_float(predictions))
    above = math.greater(array.reshape(predictions, [1, -1]), array.reshape(as_float(list(thresholds)), [-1, 1]))
    true = array.reshape(labels, [1, -1])
    amount = None if weights is None else array.reshape(spread(weights, predictions), [1, -1])
    values, updates = {}, {}
    for kind in kinds:
        said = above if kind.endswith("p") else math.logical_not(above)
        was = true if kind in ("tp", "fn") else math.logical_not(true)
        outcomes = as_float(math.logical_and(said, was))
        state = new_state([len(thresholds)], _NAMES[kind])
        values[kind] = state._read()
        updates[kind] = state.assign_add(reductions.reduce_sum(outcomes if amount is None else outcomes * amount, 1))
    return values, updates


def _spaced(number: int, last: float = 1.0 + _EPSILON) -> list[float]:
    """`number` thresholds from just below 0 to `last`."""
    number = whole(number, "num_thresholds")
    if number > np.iinfo(np.int32).max:
        raise ValueError(f"num_thresholds must be below 2**31, got {number}")
    return [-_EPSILON, *((i + 1) / (number - 1) for i in range(number - 2)), last]


_AT_SCORES = """Args:
  labels: of the shape of `predictions`; cast to bool.
  predictions: floats in [0, 1] of any shape; true where they exceed a threshold.
  thresholds: numbers in [0, 1].
  num_thresholds: the number of thresholds, evenly spaced.

Raises:
  InvalidArgumentError: in a run whose predictions are not in [0, 1].
"""
_AT_THRESHOLDS = f"""{_AT_SCORES}
Returns:
  Two float32 vectors of the length of `thresholds`: the values so far, and after this run's elements are counted.
"""


def _count(kind: str, *arguments: Any) -> tuple[Any, Any]:
    """The counts of one kind of outcome, and their update."""
    values, updates = _counts([kind], *arguments)
    return values[kind], updates[kind]


@export("compat.v1.metrics.true_positives_at_thresholds")
@metric("true_positives", _AT_THRESHOLDS)
def true_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> tuple[Any, Any]:
    """True predictions of true labels, weighted and counted at each threshold."""
    return _count("tp", labels, predictions, thresholds, weights)


@export("compat.v1.metrics.false_negatives_at_thresholds")
@metric("false_negatives", _AT_THRESHOLDS)
def false_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> tuple[Any, Any]:
    """False predictions of true labels, weighted and counted at each threshold."""
    return _count("fn", labels, predictions, thresholds, weights)


@export("compat.v1.metrics.true_negatives_at_thresholds")
@metric("true_negatives", _AT_THRESHOLDS)
def true_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> tuple[Any, Any]:
    """False predictions of false labels, weighted and counted at each threshold."""
    return _count("tn", labels, predictions, thresholds, weights)


@export("compat.v1.metrics.false_positives_at_thresholds")
@metric("false_positives", _AT_THRESHOLDS)
def false_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> tuple[Any, Any]:
    """True predictions of false labels, weighted and counted at each threshold."""
    return _count("fp", labels, predictions, thresholds, weights)


def _share(label: str, kinds: tuple[str, str], *arguments: Any) -> tuple[Any, Any]:
    """The first of two counts as a share of both, and its update."""
    values, updates = _counts(kinds, *arguments)

    def share(counts: dict[str, Any], name: str) -> Any:
        first, second = (counts[kind] for kind in kinds)
        return division.divide(first, first + second + _EPSILON, name=f"{label}_{name}")

    return share(values, "value"), share(updates, "update_op")


@export("compat.v1.metrics.precision_at_thresholds")
@metric("precision_at_thresholds", _AT_THRESHOLDS)
def precision_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> tuple[Any, Any]:
    """The share of true predictions that are right, at each threshold."""
    return _share("precision", ("tp", "fp"), labels, predictions, thresholds, weights)


@export("compat.v1.metrics.recall_at_thresholds")
@metric("recall_at_thresholds", _AT_THRESHOLDS)
def recall_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None
) -> tuple[Any, Any]:
    """The share of true labels that are predicted, at each threshold."""
    return _share("recall", ("tp", "fn"), labels, predictions, thresholds, weights)


# ---------------------------------------------------------------- curves


def _interpolated(tp: Any, fp: Any, fn: Any) -> Any:
    """The area under precision over recall, counts interpolated linearly between thresholds (Davis, Goadrich 2006)."""
    change = tp[:-1] - tp[1:]
    said = tp + fp
    slope = division.divide_no_nan(change, math.maximum(said[:-1] - said[1:], 0.0), name="prec_slope")
    intercept = tp[1:] - slope * said[1:]
    both = math.logical_and(math.greater(said[:-1], 0.0), math.greater(said[1:], 0.0))
    ratio = division.divide_no_nan(said[:-1], math.maximum(said[1:], 0.0), name="recall_relative_ratio")
    ratio = array.where(both, ratio, array.ones_like(ratio))
    parts = slope * (change + intercept * powers.log(ratio))
    parts = division.divide_no_nan(parts, math.maximum(tp[1:] + fn[1:], 0.0), name="pr_auc_increment")
    return reductions.reduce_sum(parts, name="interpolate_pr_auc")


_HEIGHTS: dict[str, Callable[[Any, Any], Any]] = {
    "trapezoidal": lambda a, b: (a + b) / 2.0,
    "careful_interpolation": lambda a, b: (a + b) / 2.0,
    "minoring": math.minimum,
    "majoring": math.maximum,
}


def _area(counts: dict[str, Any], curve: str, summation_method: str, name: str) -> Any:
    tp, fn, tn, fp = (counts[kind] for kind in ("tp", "fn", "tn", "fp"))
    if curve == "PR" and summation_method == "careful_interpolation":
        return _interpolated(tp, fp, fn)
    epsilon = 1e-6
    x = y = division.divide(tp + epsilon, tp + fn + epsilon)
    if curve == "ROC":
        x = division.divide(fp, fp + tn + epsilon)
    else:
        y = division.divide(tp + epsilon, tp + fp + epsilon)
    return reductions.reduce_sum((x[:-1] - x[1:]) * _HEIGHTS[summation_method](y[:-1], y[1:]), name=name)


@export("compat.v1.metrics.auc")
@metric("auc", _AT_SCORES)
def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> tuple[Any, Any]:
    """The area under a curve of scores, approximated at thresholds.

    Args:
      curve: "ROC", or "PR" for precision over recall.
      summation_method: "trapezoidal"; "careful_interpolation", which is the same for ROC and right for PR;
        "minoring" or "majoring" for bounds.
      thresholds: numbers in [0, 1] to take instead, beside the two ends.

    Raises:
      ValueError: for another curve or method, or if shapes do not fit.
    """
    if curve not in ("ROC", "PR"):
        raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
    if summation_method not in _HEIGHTS:
        raise ValueError(f"Invalid summation_method: {summation_method}: it is one of {list(_HEIGHTS)}")
    if curve == "PR" and summation_method == "trapezoidal":
        messages.warning("The trapezoidal rule is wrong for PR curves: use summation_method='careful_interpolation'")
    at = _spaced(num_thresholds) if thresholds is None else [-_EPSILON, *sorted(thresholds), 1.0 + _EPSILON]
    values, updates = _counts(tuple(_NAMES), labels, predictions, at, weights)
    return _area(values, curve, summation_method, "value"), _area(updates, curve, summation_method, "update_op")


def _sensitivity(counts: dict[str, Any], specificity: float, name: str) -> Any:
    tp, fn, tn, fp = (counts[kind] for kind in ("tp", "fn", "tn", "fp"))
    distances = complex_numbers.abs(division.divide(tn, tn + fp + _EPSILON) - specificity)
    at = extremes.argmin(distances, 0)
    return division.divide(tp[at], tp[at] + fn[at] + _EPSILON, name=name)


def _specificity(counts: dict[str, Any], sensitivity: float, name: str) -> Any:
    tp, fn, tn, fp = (counts[kind] for kind in ("tp", "fn", "tn", "fp"))
    distances = complex_numbers.abs(division.divide(tp, tp + fn + _EPSILON) - sensitivity)
    least = math.cast(math.equal(distances, reductions.reduce_min(distances)), dtypes.int64)
    at = extremes.argmax(cumulative.cumsum(least), 0)  # the last of several
    return division.divide(tn[at], tn[at] + fp[at] + _EPSILON, name=name)


def _fraction(value: float, parameter: str) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"`{parameter}` must be in the range [0, 1]. Currently, `{parameter}` is {value}.")
    return value


@export("compat.v1.metrics.sensitivity_at_specificity")
@metric("sensitivity_at_specificity", _AT_SCORES)
def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200
) -> tuple[Any, Any]:
    """The share of true labels that are predicted, at the threshold where the specificity is nearest to a wanted one.

    Args:
      specificity: the share of false labels predicted so, in [0, 1].

    Raises:
      ValueError: if `specificity` is not in [0, 1], or shapes do not fit.
    """
    wanted = _fraction(specificity, "specificity")
    values, updates = _counts(tuple(_NAMES), labels, predictions, _spaced(num_thresholds), weights)
    return _sensitivity(values, wanted, "value"), _sensitivity(updates, wanted, "update_op")


@export("compat.v1.metrics.specificity_at_sensitivity")
@metric("specificity_at_sensitivity", _AT_SCORES)
def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200
) -> tuple[Any, Any]:
    """The share of false labels predicted so, at the threshold where the sensitivity is nearest to a wanted one.

    Args:
      sensitivity: the share of true labels that are predicted, in [0, 1].

    Raises:
      ValueError: if `sensitivity` is not in [0, 1], or shapes do not fit.
    """
    wanted = _fraction(sensitivity, "sensitivity")
    at = _spaced(num_thresholds, 1.0 - _EPSILON)
    values, updates = _counts(tuple(_NAMES), labels, predictions, at, weights)
    return _specificity(values, wanted, "value"), _specificity(updates, wanted, "update_op")


@export("contrib.metrics.f1_score")
@metric("f1", _AT_SCORES)
def f1_score(labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200) -> tuple[Any, Any]:
    """The greatest harmonic mean of precision and recall over the thresholds."""
    values, updates = _counts(("tp", "fp", "fn"), labels, predictions, _spaced(num_thresholds), weights)

    def best(counts: dict[str, Any], name: str) -> Any:
        tp = counts["tp"]
        precision = division.divide(tp, _EPSILON + tp + counts["fp"])
        recall = division.divide(tp, _EPSILON + tp + counts["fn"])
        means = division.divide(2.0 * precision * recall, _EPSILON + precision + recall)
        return reductions.reduce_max(means, name=name)

    return best(values, "value"), best(updates, "update_op")
