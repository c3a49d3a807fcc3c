"""Parts of the streaming metrics of 1.x: shared parameters, local variables, aligned labels and predictions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from inlay._src.base.parameters import extended
from inlay._src.base.types import dtypes
from inlay._src.core import context
from inlay._src.core.graph import default_graph
from inlay._src.ops import array, math
from inlay._src.ops.variables.collections import GraphKeys
from inlay._src.ops.variables.scope import variable_scope
from inlay._src.ops.variables.variable import Variable
from inlay._src.training.weighted_loss import fitting, squeezed

_LOCAL = (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES)


@contextmanager
def metric_scope(name: str | None, default: str) -> Iterator[None]:
    """The scope of a metric's variables; RuntimeError while executing eagerly."""
    if context.executing_eagerly():
        raise RuntimeError(f"tf.metrics.{default} is not supported when eager execution is enabled.")
    with variable_scope(name, default):
        yield


def new_state(shape: Any, name: str, dtype: Any = dtypes.float32) -> Variable:
    """A variable of zeros, local and in the collection of metrics."""
    return Variable(lambda: array.zeros(shape, dtype), trainable=False, collections=_LOCAL, name=name)


PAIRS = "Args:\n  labels, predictions: tensors of one shape."
"""The docstring of what a metric compares, unless it says otherwise."""


def metric(
    scope: str | None = None, about: str = PAIRS
) -> Callable[[Callable[..., tuple[Any, Any]]], Callable[..., tuple[Any, Any]]]:
    """Decorator of a function that returns a metric's value and its update: it adds the parameters of every metric.

    Args:
      scope: the default name of the variable scope that the function runs in. None if the function takes `name` and
        opens a scope of its own.
      about: a docstring of what several metrics have in common.
    """

    def declared(formula: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
        def evaluated(
            pair: Callable[[], tuple[Any, Any]],
            metrics_collections: Any = None,
            updates_collections: Any = None,
            name: str | None = None,
        ) -> tuple[Any, Any]:
            """
            Args:
              weights: a scalar, or a tensor of the rank of the values whose sizes are their own or 1; None is 1.
              metrics_collections: collections of the graph that the value joins.
              updates_collections: collections of the graph that the update joins.
              name: names the variables and operations.

            Returns:
              Two float32 scalars: the value so far, and the value after this run's elements are counted.

            Raises:
              RuntimeError: while executing eagerly.
              ValueError: if shapes do not fit.
            """
            with nullcontext() if scope is None else metric_scope(name, scope):
                value, update = pair()
            for tensor, collections in ((value, metrics_collections), (update, updates_collections)):
                if collections:
                    default_graph().add_to_collections(collections, tensor)
            return value, update

        return extended(formula, evaluated, about)

    return declared


def counted(label: str, amount: Any) -> tuple[Any, Any]:
    """A new scalar state, and the operation that adds `amount` to it; both as tensors."""
    state = new_state([], label)
    return state._read(), state.assign_add(amount)


def as_float(value: Any) -> Any:
    """`value` as float32."""
    return math.cast(value, dtypes.float32)


def aligned(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels and predictions of one shape: where one has a last axis of size 1 too many, it goes."""
    predictions = squeezed(predictions, 1, labels)
    labels = squeezed(labels, 1, predictions)
    if not predictions.shape.is_compatible_with(labels.shape):
        raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    return labels, predictions


def spread(weights: Any, values: Any) -> Any:
    """Weights as floats in the shape of `values`, which they must fit."""
    weights = as_float(weights)
    if weights.shape.rank != 0:
        weights = squeezed(weights, 1, values)
    if weights.shape.rank and weights.shape.rank + 1 == values.shape.rank:
        weights = array.expand_dims(weights, -1)
    with fitting(weights, values):
        return weights * array.ones_like(values, dtypes.float32)
