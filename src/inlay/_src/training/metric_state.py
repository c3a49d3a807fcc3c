"""What streaming metrics of 1.x are made of: local variables in scopes, aligned labels and predictions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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


def kept(value: Any, update: Any, values: Any, updates: Any) -> tuple[Any, Any]:
    """The two, after they joined the collections that were asked for."""
    for tensor, collections in ((value, values), (update, updates)):
        if collections:
            default_graph().add_to_collections(collections, tensor)
    return value, update


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
