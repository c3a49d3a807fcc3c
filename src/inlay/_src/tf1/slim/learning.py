"""`tf.contrib.slim.learning`: operations that train, with the updates of statistics and the gradients made ready."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.core.context import name_scope
from inlay._src.core.graph import default_graph
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, asserting, clipping, control
from inlay._src.ops.composite.indexed_slices import IndexedSlices
from inlay._src.ops.variables.collections import GraphKeys, trainable_variables
from inlay._src.tf1.summaries import summary_ops
from inlay._src.training.global_step import get_or_create_global_step
from inlay._src.training.optimizer import Optimizer, pairs_of

Pairs = list[tuple[Any, Any]]
"""Gradients, or None, and their variables."""

_OF_GRAPH = 0
"""Stands for the graph's own global step."""


def _changed(grad: Any, change: Callable[[Any], Any]) -> Any:
    """A gradient, or the rows of one, changed."""
    if isinstance(grad, IndexedSlices):
        return IndexedSlices(change(grad.values), grad.indices, grad.dense_shape)
    return change(grad)


@export("contrib.slim.learning.clip_gradient_norms")
def clip_gradient_norms(gradients_to_variables: Any, max_norm: Any) -> Pairs:
    """Gradients no longer than a number, each by itself.

    Args:
      gradients_to_variables: (gradient or None, variable) pairs.
      max_norm: the greatest length.

    Returns:
      The pairs.
    """
    return [
        (None if grad is None else _changed(grad, lambda value: clipping.clip_by_norm(value, max_norm)), var)
        for grad, var in pairs_of(gradients_to_variables)
    ]


@export("contrib.slim.learning.multiply_gradients")
def multiply_gradients(grads_and_vars: Any, gradient_multipliers: Any) -> Pairs:
    """Gradients times numbers.

    Args:
      grads_and_vars: a list of (gradient, variable) pairs.
      gradient_multipliers: variable, or its name -> factor.

    Returns:
      The pairs; those of other variables as they are.

    Raises:
      ValueError: if the pairs are no list, the factors no dictionary or empty, or a gradient to multiply is None.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, Mapping):
        raise ValueError("`gradient_multipliers` must be a dict.")
    named = {key if isinstance(key, str) else key.op.name: value for key, value in gradient_multipliers.items()}
    scaled_pairs: Pairs = []
    for grad, var in pairs_of(grads_and_vars):
        factor = named.get(var.op.name)
        if factor is not None:
            if grad is None:
                raise ValueError("Requested multiple of `None` gradient.")
            scaled = factor if isinstance(factor, Tensor) else array.constant(factor, grad.dtype)
            grad = _changed(grad, functools.partial(operator.mul, scaled))
        scaled_pairs.append((grad, var))
    return scaled_pairs


@export("contrib.slim.learning.add_gradients_summaries")
def add_gradients_summaries(grads_and_vars: Any) -> list[Any]:
    """Summaries of gradients: a histogram and the length of each.

    Args:
      grads_and_vars: (gradient or None, variable) pairs.

    Returns:
      The summaries.
    """
    summaries = []
    for grad, var in pairs_of(grads_and_vars):
        if grad is None:
            messages.info("Var %s has no gradient", var.op.name)
            continue
        values = grad.values if isinstance(grad, IndexedSlices) else grad
        summaries.append(summary_ops.histogram(f"{var.op.name}/gradient", values))
        summaries.append(summary_ops.scalar(f"{var.op.name}/gradient_norm", clipping.global_norm([values])))
    return summaries


@export("contrib.slim.learning.create_train_op")
def create_train_op(
    total_loss: Any,
    optimizer: Optimizer,
    global_step: Any = _OF_GRAPH,
    update_ops: Any = None,
    variables_to_train: Any = None,
    clip_gradient_norm: Any = 0,
    summarize_gradients: bool = False,
    gate_gradients: int = Optimizer.GATE_OP,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Tensor:
    """A tensor of the loss that trains when it runs.

    Args:
      total_loss: the loss, a scalar.
      optimizer: an optimizer.
      global_step: the step counter; 0 takes the graph's, None nothing.
      update_ops: operations that run before the loss; None takes those of `GraphKeys.UPDATE_OPS`.
      variables_to_train: the variables; None means all that train.
      clip_gradient_norm: the greatest length of a gradient; 0 for any.
      summarize_gradients: whether gradients have summaries.
      gate_gradients, aggregation_method, colocate_gradients_with_ops: as for `Optimizer.minimize`.
      gradient_multipliers: variable, or its name -> factor.
      check_numerics: whether a loss that is no finite number is an error.

    Returns:
      The loss, whose run updates the variables.

    Raises:
      ValueError: if there is nothing to train.
    """
    step = get_or_create_global_step() if global_step is _OF_GRAPH else global_step
    own = default_graph().get_collection(GraphKeys.UPDATE_OPS)
    updates = list(own if update_ops is None else update_ops)
    if not {id(one) for one in own} <= {id(one) for one in updates}:
        messages.warning("update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS")
    if updates:
        with default_graph().control_dependencies(updates):
            barrier = control.no_op(name="update_barrier")
        with default_graph().control_dependencies([barrier]):
            total_loss = array.identity(total_loss)
    chosen = trainable_variables() if variables_to_train is None else list(variables_to_train)
    if not chosen:
        raise ValueError("there are no variables to train")
    grads: Pairs = optimizer.compute_gradients(
        total_loss, chosen, gate_gradients=gate_gradients, aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )  # fmt: skip
    if gradient_multipliers:
        with name_scope("multiply_grads"):
            grads = multiply_gradients(grads, gradient_multipliers)
    if clip_gradient_norm > 0:
        with name_scope("clip_grads"):
            grads = clip_gradient_norms(grads, clip_gradient_norm)
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(grads)
    applied = optimizer.apply_gradients(grads, global_step=step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = asserting.check_numerics(total_loss, "LossTensor is inf or nan")
        with default_graph().control_dependencies([applied]):
            trained = array.identity(total_loss)
    operations = default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
    if all(one is not trained for one in operations):
        operations.append(trained)
    return trained
