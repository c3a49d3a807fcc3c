"""Weighted losses of 1.x: weights, their reduction to a number, and the collection of the graph that keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, math, printing, ranges, reductions
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.programs.control.branches import cond


@export("compat.v1.losses.Reduction")
class Reduction:
    """The reduction of weighted losses to one number."""

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
def fitting(weights: Any, values: Any) -> Iterator[None]:
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
    static = ours.is_fully_defined() and whole.is_fully_defined()
    if ours.rank == 0 or static or context.executing_eagerly():
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


def squeezed(value: Any, excess: int, like: Any) -> Any:
    """`value` without its last axis, if that has size 1 and the rank exceeds that of `like` by `excess`."""
    ours, other = value.shape, like.shape.rank
    if ours.rank is not None and (ours.rank == 0 or ours.as_list()[-1] not in (None, 1)):
        return value
    if ours.rank is not None and other is not None:
        return array.squeeze(value, [-1]) if ours.rank - other == excess else value
    surplus = math.equal(array.rank(value) - array.rank(like), excess)
    return cond(surplus, lambda: array.squeeze(value, [-1]), lambda: array.identity(value))


def present(losses: Any, weights: Any, per_batch: bool = False) -> Any:
    """The number of `losses` with a nonzero weight: of all, or per element of the batch."""
    counted = math.cast(math.not_equal(weights, 0.0), dtypes.float32) * array.ones_like(losses)
    return of_each(counted) if per_batch else reductions.reduce_sum(counted)


def of_each(values: Any) -> Any:
    return reductions.reduce_sum(values, ranges.range_(1, array.rank(values)), keepdims=True)


@export("compat.v1.losses.compute_weighted_loss", "contrib.slim.losses.compute_weighted_loss")
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
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
        losses = convert_to_tensor(losses)
        dtype = losses.dtype
        losses, weights = math.cast(losses, dtypes.float32), math.cast(converted(weights), dtypes.float32)
        with fitting(weights, losses):
            loss = losses * weights
            if reduction != Reduction.NONE:
                loss = reductions.reduce_sum(loss)
            if reduction == Reduction.MEAN:
                whole = reductions.reduce_sum(array.ones_like(losses) * weights)
                loss = division.divide_no_nan(loss, whole, name="value")
            elif reduction == Reduction.SUM_OVER_NONZERO_WEIGHTS:
                loss = division.divide_no_nan(loss, present(losses, weights), name="value")
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                count = math.cast(array.size(losses), dtypes.float32)
                loss = division.divide_no_nan(loss, count, name="value")
        loss = math.cast(loss, dtype)
        add_loss(loss, loss_collection)
        return loss


def converted(weights: Any) -> Any:
    if weights is None:
        raise ValueError("`weights` cannot be None")
    return convert_to_tensor(weights)


# ---------------------------------------------------------------- collections


@export("compat.v1.losses.add_loss", "contrib.slim.losses.add_loss")
def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of the graph; eager losses are not kept."""
    if loss_collection and not context.executing_eagerly():
        default_graph().add_to_collection(loss_collection, loss)


@export("compat.v1.losses.get_losses", "contrib.slim.losses.get_losses")
def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """The losses of a collection; with `scope`, those whose name matches it."""
    return default_graph().get_collection(loss_collection, scope)


@export("compat.v1.losses.get_regularization_losses", "contrib.slim.losses.get_regularization_losses")
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The regularization losses of variables; with `scope`, those whose name matches it."""
    return default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@export("compat.v1.losses.get_regularization_loss")
def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of what regularizers cost: a scalar, 0 without any."""
    costs = get_regularization_losses(scope)
    return math.add_n(costs, name=name) if costs else array.constant(0.0)


@export("compat.v1.losses.get_total_loss", "contrib.slim.losses.get_total_loss")
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses.

    Args:
      add_regularization_losses: whether what regularizers cost is part of it.
      name: the node's name.
      scope: if given, only losses whose name matches it count.

    Returns:
      A scalar.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    return math.add_n(losses, name=name)
