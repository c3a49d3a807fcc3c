"""Losses of 1.x: elementwise losses, weighted, reduced to a number and kept in a collection of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from inlay.control.branches import cond
from inlay.core import context
from inlay.core.context import name_scope
from inlay.core.graph import default_graph
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops import activations, array, complex_numbers, division, math, powers, printing, ranges, reductions
from inlay.ops import losses as cross_entropies
from inlay.types import dtypes
from inlay.variables.collections import GraphKeys


@export("compat.v1.losses.Reduction")
class Reduction:
    """How weighted losses become one number."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Every way."""
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError unless `key` is one of them."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


# ---------------------------------------------------------------- weights


@contextmanager
def _fitting(weights: Any, values: Any) -> Iterator[None]:
    """A context whose nodes run if `weights` is a scalar, or has the rank of `values` and its sizes, or 1 for them.

    Raises:
      ValueError: if the known shapes do not fit.
    """
    ours, whole = weights.shape, values.shape
    says = (
        f"weights can not be broadcast to values. values.rank={whole.rank}. weights.rank={ours.rank}. "
        f"values.shape={whole}. weights.shape={ours}."
    )
    if ours.rank is not None and whole.rank is not None and ours.rank > 0:
        pairs = zip(ours.as_list(), whole.as_list(), strict=False)
        if ours.rank != whole.rank or any(w not in (None, 1) and v not in (None, w) for w, v in pairs):
            raise ValueError(says)
    known = ours.is_fully_defined() and whole.is_fully_defined()
    if ours.rank == 0 or known or context.executing_eagerly():
        yield
        return
    sizes, wanted = array.shape(weights), array.shape(values)

    def each_fits() -> Any:
        return reductions.reduce_all(math.logical_or(math.equal(sizes, 1), math.equal(sizes, wanted)))

    fits = cond(
        math.equal(array.rank(weights), array.rank(values)), each_fits, lambda: math.equal(array.rank(weights), 0)
    )
    with default_graph().control_dependencies([printing.assert_(fits, [says, sizes, wanted])]):
        yield


def _squeezed(value: Any, excess: int, like: Any) -> Any:
    """`value` without its last axis, if that has size 1 and the rank exceeds that of `like` by `excess`."""
    ours, other = value.shape, like.shape.rank
    if ours.rank is not None and (ours.rank == 0 or ours.as_list()[-1] not in (None, 1)):
        return value
    if ours.rank is not None and other is not None:
        return array.squeeze(value, [-1]) if ours.rank - other == excess else value
    surplus = math.equal(array.rank(value) - array.rank(like), excess)
    return cond(surplus, lambda: array.squeeze(value, [-1]), lambda: array.identity(value))


def _present(losses: Any, weights: Any, per_batch: bool = False) -> Any:
    """How many of `losses` have a weight that is not 0: of all, or of each of the batch."""
    counted = math.cast(math.not_equal(weights, 0.0), dtypes.float32) * array.ones_like(losses)
    return _of_each(counted) if per_batch else reductions.reduce_sum(counted)


def _of_each(values: Any) -> Any:
    return reductions.reduce_sum(values, ranges.range_(1, array.rank(values)), keepdims=True)


@export("compat.v1.losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """`losses * weights` reduced to a number, which joins a collection of the graph.

    Args:
      losses: one loss per element.
      weights: a scalar, or a tensor of the rank of `losses` whose sizes are its own or 1.
      scope: names the operations.
      loss_collection: the graph collection that the result joins; None for none.
      reduction: a `Reduction`.

    Returns:
      A scalar of the type of `losses`; with `Reduction.NONE` a tensor of its shape.

    Raises:
      ValueError: if `weights` is None or does not fit, or `reduction` is none.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss"):
        kept = losses = convert_to_tensor(losses)
        losses, weights = math.cast(losses, dtypes.float32), math.cast(_given(weights), dtypes.float32)
        with _fitting(weights, losses):
            loss = losses * weights
            if reduction != Reduction.NONE:
                loss = reductions.reduce_sum(loss)
            if reduction == Reduction.MEAN:
                whole = reductions.reduce_sum(array.ones_like(losses) * weights)
                loss = division.divide_no_nan(loss, whole, name="value")
            elif reduction == Reduction.SUM_OVER_NONZERO_WEIGHTS:
                loss = division.divide_no_nan(loss, _present(losses, weights), name="value")
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                count = math.cast(array.size(losses), dtypes.float32)
                loss = division.divide_no_nan(loss, count, name="value")
        loss = math.cast(loss, kept.dtype)
        add_loss(loss, loss_collection)
        return loss


def _given(weights: Any) -> Any:
    if weights is None:
        raise ValueError("`weights` cannot be None")
    return convert_to_tensor(weights)


# ---------------------------------------------------------------- collections


@export("compat.v1.losses.add_loss")
def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of the graph; eager losses are not kept."""
    if loss_collection and not context.executing_eagerly():
        default_graph().add_to_collection(loss_collection, loss)


@export("compat.v1.losses.get_losses")
def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection; with `scope`, those whose name matches it."""
    return default_graph().get_collection(loss_collection, scope)


@export("compat.v1.losses.get_regularization_losses")
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """What regularisers of variables cost; with `scope`, those whose name matches it."""
    return default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export("compat.v1.losses.get_regularization_loss")
def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Any:
    """The sum of what regularisers cost: a scalar, 0 without any."""
    found = get_regularization_losses(scope)
    return math.add_n(found, name=name) if found else array.constant(0.0)


@export("compat.v1.losses.get_total_loss")
def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None) -> Any:
    """The sum of all losses.

    Args:
      add_regularization_losses: whether what regularisers cost is part of it.
      name: the node's name.
      scope: if given, only losses whose name matches it count.

    Returns:
      A scalar.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    return math.add_n(losses, name=name)


# ---------------------------------------------------------------- losses


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
    _given(weights)
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
    weights = math.cast(_given(weights), dtypes.float32)
    with name_scope(scope, "mean_pairwise_squared_error"):
        labels, predictions = math.cast(labels, dtypes.float32), math.cast(predictions, dtypes.float32)
        with _fitting(weights, labels):
            predictions.shape.assert_is_compatible_with(labels.shape)
            errors = predictions - labels
            count = _present(errors, weights, per_batch=True)
            others = math.maximum(count - 1.0, 0.0)
            squares = division.divide_no_nan(_of_each(powers.square(errors)), others)
            means = division.divide_no_nan(powers.square(_of_each(errors)), count * others)
            total = reductions.reduce_sum(2.0 * (squares - means) * weights)
            present = math.greater(reductions.reduce_sum(count), 0.0)
            loss = array.where(present, total, array.zeros_like(total), name="value")
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
        labels, logits, weights = convert_to_tensor(labels), convert_to_tensor(logits), _given(weights)
        labels = _squeezed(labels, 0, logits)
        weights = weights if weights.shape.rank == 0 else _squeezed(weights, 1, labels)
        losses = cross_entropies.sparse_softmax_cross_entropy_with_logits(labels, logits, name="xentropy")
        return compute_weighted_loss(losses, weights, opened, loss_collection, reduction)
