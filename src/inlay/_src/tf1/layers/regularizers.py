"""Regularizers: functions of weights whose results are losses."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import default_graph
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, losses, math, reductions
from inlay._src.ops.variables.collections import GraphKeys

Regularizer = Callable[[Any], Any]


def _scaled(scale: Any, what: str, label: str, cost: Callable[[Any], Any]) -> Regularizer:
    """`scale` times what weights cost, in a name scope."""
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{what} cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(f"Setting a scale less than 0 on a regularizer: {scale:g}")
        if scale == 0.0:
            return lambda weights: None

    def regularizer(weights: Any) -> Any:
        with name_scope(label) as scope:
            factor = convert_to_tensor(scale, weights.dtype, name="scale")
            return math.multiply(factor, cost(weights), name=scope or None)

    return regularizer


def _absolute(weights: Any) -> Any:
    return reductions.reduce_sum(complex_numbers.abs(weights))


@export("contrib.layers.l1_regularizer")
def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """`scale` times the sum of absolute weights.

    Args:
      scale: a float of at least 0, or a tensor; 0.0 makes a regularizer that returns None.
      scope: names the operations.

    Raises:
      ValueError: for a negative scale or an integer.
    """
    return _scaled(scale, "scale", scope or "l1_regularizer", _absolute)


@export("contrib.layers.l2_regularizer")
def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """`scale` times half the sum of squared weights.

    Args:
      scale: a float of at least 0, or a tensor; 0.0 makes a regularizer that returns None.
      scope: names the operations.

    Raises:
      ValueError: for a negative scale or an integer.
    """
    return _scaled(scale, "scale", scope or "l2_regularizer", losses.l2_loss)


@export("contrib.layers.l1_l2_regularizer")
def l1_l2_regularizer(scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None) -> Regularizer:
    """`l1_regularizer` and `l2_regularizer` added up.

    Args:
      scale_l1, scale_l2: the scales.
      scope: names the operations.

    Raises:
      ValueError: for a negative scale or an integer.
    """
    for what, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError(f"{what} cannot be an integer: {scale}")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    both = sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope)
    assert both is not None
    return both


@export("contrib.layers.sum_regularizer")
def sum_regularizer(regularizer_list: Sequence[Regularizer | None], scope: str | None = None) -> Regularizer | None:
    """Several regularizers added up; None if there are none.

    Args:
      regularizer_list: regularizers; None among them counts for nothing.
      scope: names the operations.
    """
    chosen = [one for one in regularizer_list if one is not None]
    if not chosen:
        return None

    def regularizer(weights: Any) -> Any:
        with name_scope(scope or "sum_regularizer") as label:
            costs = [cost for cost in (one(weights) for one in chosen) if cost is not None]
            return math.add_n(costs, name=label or None) if costs else None

    return regularizer


@export("contrib.layers.apply_regularization")
def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Tensor:
    """The penalty of weights, which joins `GraphKeys.REGULARIZATION_LOSSES`.

    Args:
      regularizer: a function of a variable.
      weights_list: the variables; None means those of `GraphKeys.WEIGHTS`.

    Returns:
      The sum, a scalar.

    Raises:
      ValueError: if there are no weights, or one costs no scalar.
    """
    chosen = weights_list or default_graph().get_collection(GraphKeys.WEIGHTS)
    if not chosen:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty") as scope:
        costs = [array.constant(0.0) if cost is None else cost for cost in map(regularizer, chosen)]
        for cost in costs:
            if cost.shape.rank != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank {cost.shape.rank}."
                )
        total = math.add_n(costs, name=scope or None)
    default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total
