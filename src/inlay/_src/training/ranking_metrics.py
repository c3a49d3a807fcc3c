"""Streaming metrics of 1.x over rankings: precision and recall of the best k classes, average precision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, cumulative, division, joining, math, nn, reductions
from inlay._src.ops.composite import sets, sparse, sparse_ops, sparse_shapes
from inlay._src.ops.composite.sparse import SparseTensor
from inlay._src.programs.control.branches import cond
from inlay._src.training.metric_state import metric, new_state
from inlay._src.training.weighted_loss import fitting


def _graph_only(name: str) -> None:
    if context.executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def _at(name: str, k: int | None, class_id: int | None = None) -> str:
    place = f"{name}_at_k" if k is None else f"{name}_at_{k:d}"
    return place if class_id is None else f"{place}_class{class_id:d}"


def _labels(labels: Any, predictions: Any) -> Any:
    """Labels with as many axes as predictions: each is a set of one if they have one less."""
    if sparse.is_sparse(labels):
        labels = sparse.checked(labels, "labels")
        longer = joining.concat([labels.dense_shape, [1]], 0)
        missing = math.equal(array.rank(predictions), array.size(labels.dense_shape) + 1)
        return cond(missing, lambda: sparse_shapes.reshape(labels, longer), lambda: labels)
    labels = convert_to_tensor(labels)
    ours, theirs = labels.shape.rank, predictions.shape.rank
    if ours is None or theirs is None:
        missing = math.equal(array.rank(predictions), array.rank(labels) + 1)
        return cond(missing, lambda: array.expand_dims(labels, -1), lambda: array.identity(labels))
    if theirs not in (ours, ours + 1):
        raise ValueError(
            f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}. Predictions rank "
            "should be the same rank as labels rank or labels rank plus one."
        )
    return labels if ours == theirs else array.expand_dims(labels, -1)


def _only(ids: Any, class_id: int) -> SparseTensor:
    """The members that are one class."""
    if sparse.is_sparse(ids):
        return sparse_ops.retain(ids, math.equal(ids.values, math.cast(class_id, ids.dtype)))
    ids = convert_to_tensor(ids)
    whole = array.shape(ids, out_type=dtypes.int64)
    wanted = array.fill(joining.concat([whole[:-1], [1]], 0), math.cast(class_id, ids.dtype))
    members = sets.intersection(wanted, ids)
    return SparseTensor(members.indices, members.values, whole)


def _counted_sets(members: SparseTensor, weights: Any) -> Any:
    """The weighted numbers of members of the sets, float64."""
    amount = math.cast(sets.size(members), dtypes.float64)
    if weights is None:
        return amount
    weights = math.cast(weights, dtypes.float64)
    with fitting(weights, amount):
        return amount * weights


def _total(label: str, members: SparseTensor, weights: Any) -> tuple[Any, Any]:
    """A new state of that name, and what adds the number of members to it."""
    with name_scope(label) as scope:
        amount = reductions.reduce_sum(_counted_sets(members, weights))
        state = new_state([], scope, dtypes.float64)
        return state._read(), state.assign_add(amount)


def _share_at_k(
    kind: str, labels: Any, predictions_idx: Any, k: int | None, class_id: int | None, weights: Any
) -> tuple[Any, Any]:
    """Right predictions as a share of predictions ("precision") or of labels ("recall")."""
    best: Any = math.cast(predictions_idx, dtypes.int64)
    labels = _labels(labels, best)
    if class_id is not None:
        labels, best = _only(labels, class_id), _only(best, class_id)
    right = _total(_at("true_positive", k, class_id), sets.intersection(best, labels), weights)
    wrong = sets.difference(best, labels, aminusb=kind == "precision")
    label = "false_positive" if kind == "precision" else "false_negative"
    missed = _total(_at(label, k, class_id), wrong, weights)
    value, update = (division.divide(r, r + m) for r, m in zip(right, missed, strict=True))
    return value, update


_AT_K = """Args:
  labels: int64, a tensor or SparseTensor of the shape of the predictions but for the last axis, or without it.
  predictions_idx: class numbers, [..., k].
  predictions: the scores of the classes, [..., classes].
  k: the number of classes that are predicted.
  class_id: the only class to count; None for all.
  weights: a scalar, or of the shape of `labels` without the last axis, or 1 for its sizes.

Returns:
  Two float64 scalars: the value so far, NaN without any, and after this run's elements are counted.
"""


def _at_top_k(kind: str, summary: str) -> Callable[..., tuple[Any, Any]]:
    def share(
        labels: Any,
        predictions_idx: Any,
        k: int | None = None,
        class_id: int | None = None,
        weights: Any = None,
        *,
        name: str | None,
    ) -> tuple[Any, Any]:
        _graph_only(share.__name__)
        with name_scope(name, _at(kind, k, class_id)):
            return _share_at_k(kind, labels, predictions_idx, k, class_id, weights)

    share.__name__ = share.__qualname__ = f"{kind}_at_top_k"
    share.__doc__ = f"{summary}\n\nArgs:\n  k: used in names."
    return metric(about=_AT_K)(share)


precision_at_top_k: Any = export("compat.v1.metrics.precision_at_top_k")(
    _at_top_k("precision", "The share of predicted classes that are among the labels.")
)
recall_at_top_k: Any = export("compat.v1.metrics.recall_at_top_k")(
    _at_top_k("recall", "The share of labels that are among the predicted classes.")
)


@export("compat.v1.metrics.precision_at_k", "compat.v1.metrics.sparse_precision_at_k")
@metric(about=_AT_K)
def precision_at_k(
    labels: Any, predictions: Any, k: int, class_id: int | None = None, weights: Any = None, *, name: str | None
) -> tuple[Any, Any]:
    """The share of the k best classes that are among the labels."""
    _graph_only("sparse_precision_at_k")
    with name_scope(name, _at("precision", k, class_id)) as scope:
        return precision_at_top_k(labels, nn.top_k(predictions, k)[1], k, class_id, weights, name=scope)


@export("compat.v1.metrics.recall_at_k")
@metric(about=_AT_K)
def recall_at_k(
    labels: Any, predictions: Any, k: int, class_id: int | None = None, weights: Any = None, *, name: str | None
) -> tuple[Any, Any]:
    """The share of labels that are among the k best classes."""
    _graph_only("recall_at_k")
    with name_scope(name, _at("recall", k, class_id)) as scope:
        return recall_at_top_k(labels, nn.top_k(predictions, k)[1], k, class_id, weights, name=scope)


# ---------------------------------------------------------------- average precision


def _within(labels: Any, classes: Any) -> Any:
    """Labels, those beyond the number of classes replaced by -1."""
    if sparse.is_sparse(labels):
        kept_labels = sparse.checked(labels, "labels")
        return SparseTensor(kept_labels.indices, _within(kept_labels.values, classes), kept_labels.dense_shape)
    labels, classes = convert_to_tensor(labels), math.cast(classes, dtypes.int64)
    beyond = math.greater_equal(math.cast(labels, dtypes.int64), classes)
    # A maximum, so that the scope of the variable `max` gets the number that TensorFlow gives it.
    some = math.greater_equal(math.cast(reductions.reduce_max(labels), dtypes.int64), classes)
    return cond(some, lambda: array.where(beyond, array.zeros_like(labels) - 1, labels), lambda: labels)


def _average_precisions(labels: Any, best: Any) -> Any:
    """The mean over the relevant classes of the precision down to each; float64, [...]."""
    k = best.shape.as_list()[-1]
    if k is None:
        raise ValueError("The last dimension of predictions_idx must be set. Currently, it is None.")
    labels = _labels(labels, best)
    if sparse.is_sparse(labels):
        relevant = sets.size(labels)
        labels = sparse.to_dense(labels, default_value=math.cast(-1, labels.dtype))
    else:
        relevant = reductions.reduce_sum(math.cast(math.greater_equal(labels, 0), dtypes.int32), -1)
    met = math.equal(array.expand_dims(best, -1), array.expand_dims(math.cast(labels, best.dtype), -2))
    right = math.cast(reductions.reduce_any(met, -1), dtypes.float64)
    precisions = division.divide(cumulative.cumsum(right, -1), cumulative.cumsum(array.ones_like(right), -1))
    number = math.cast(math.minimum(relevant, math.cast(k, relevant.dtype)), dtypes.float64)
    return division.divide(reductions.reduce_sum(precisions * right, -1), number)


@export("compat.v1.metrics.average_precision_at_k", "compat.v1.metrics.sparse_average_precision_at_k")
@metric(about=_AT_K)
def average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, *, name: str | None
) -> tuple[Any, Any]:
    """The mean over examples of their average precision among the k best classes.

    Args:
      labels: as for `precision_at_top_k`; labels beyond the number of classes are passed over.

    Returns:
      Two float64 scalars: the mean so far, and after this run's elements are counted.

    Raises:
      ValueError: if `k` is not positive, or shapes do not fit.
    """
    _graph_only("sparse_average_precision_at_k")
    if k < 1:
        raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
    with name_scope(name, _at("average_precision", k)):
        predictions = convert_to_tensor(predictions)
        best = math.cast(nn.top_k(predictions, k)[1], dtypes.int64)
        precisions = _average_precisions(_within(labels, array.shape(predictions)[-1]), best)
        amount = array.ones_like(precisions)
        if weights is not None:
            weights = math.cast(weights, dtypes.float64)
            with fitting(weights, precisions):
                amount = amount * weights
        most = _summed("max", amount)
        total = _summed("total", precisions * amount)
        value, update = (division.divide_no_nan(t, m) for t, m in zip(total, most, strict=True))
        return value, update


def _summed(label: str, amounts: Any) -> tuple[Any, Any]:
    with name_scope(label) as scope:
        state = new_state([], scope, dtypes.float64)
        return state._read(), state.assign_add(reductions.reduce_sum(amounts))
