"""Losses: cross entropies and the squared norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, some_values
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import array, math, powers, ranges, reductions
from inlay.ops.activations import log_softmax_op
from inlay.types import dtypes
from inlay.types.dtypes import FLOATS, INDEX
from inlay.types.shapes import Dims


@export("nn.l2_loss")
def l2_loss(t: Any, name: str | None = None) -> Any:
    """Half the sum of squares."""
    t = math.float_tensor(t)
    return math.multiply(reductions.reduce_sum(powers.square(t)), math.number_of(0.5, t), name=name)


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Any:
    """The cross entropy of `labels` and `softmax(logits)` along `axis`; gradients flow to both.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: unscaled log probabilities.
      axis: the axis of the classes.
      name: the node's name.
    """
    logits = math.float_tensor(logits)
    labels = math.cast(math.float_tensor(labels), logits.dtype)
    terms = math.multiply(labels, log_softmax_op(logits, int(axis)))
    return math.negative(reductions.reduce_sum(terms, [axis]), name=name)


def _picked_infer(s: Shapes) -> list[Dims]:
    return [s.dims[1]]


def _picked_vjp(op, dy):
    values, index = op.inputs[0], convert_to_tensor(op.inputs[1])
    classes = math.cast(ranges.range_(array.shape(values)[-1]), index.dtype)
    mask = math.equal(array.expand_dims(index, -1), classes)
    wide = array.expand_dims(dy, -1)
    return array.where(mask, wide, array.zeros_like(wide)), None


@op("TakeLast", "values:T, index:Index -> T", types=FLOATS, infer=_picked_infer, vjp=_picked_vjp, refuses=some_values)
def take_last(xp, values, index):
    """`values[..., index[...]]`: one element of the last axis for each index."""
    if np.shape(values)[:-1] != np.shape(index):
        raise ValueError(
            f"logits and labels must have the same first dimension, got logits shape {list(np.shape(values))} and "
            f"labels shape {list(np.shape(index))}"
        )
    if xp is np:
        size = np.shape(values)[-1]
        bad = (index < 0) | (index >= size)
        if np.any(bad):
            raise ValueError(
                f"Received a label value of {int(np.asarray(index)[bad].reshape(-1)[0])} which is outside the valid "
                f"range of [0, {size})."
            )
    return xp.take_along_axis(values, index[..., None], axis=-1)[..., 0]


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Any:
    """The cross entropy of class numbers and `softmax(logits)` along the last axis.

    Args:
      labels: class numbers, int32 or int64, of the shape of `logits` without its last axis.
      logits: unscaled log probabilities.
      name: the node's name.

    Raises:
      ValueError: if the ranks do not fit.
    """
    labels, logits = convert_to_tensor(labels), math.float_tensor(logits)
    if labels.dtype not in INDEX:
        labels = math.cast(labels, dtypes.int64)
    if None not in (labels.shape.rank, logits.shape.rank) and labels.shape.rank != logits.shape.rank - 1:
        raise ValueError(
            f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={labels.shape} of rank "
            f"{labels.shape.rank} and logits.shape={logits.shape} of rank {logits.shape.rank}"
        )
    return math.negative(take_last(log_softmax_op(logits, -1), labels), name=name)


def _binary(labels: Any, logits: Any) -> tuple[Any, Any, Any, Any]:
    """Labels and logits in one type and shape, where `logits >= 0`, and `log(1 + exp(-|logits|))`.

    Raises:
      ValueError: if the shapes differ.
    """
    logits = math.float_tensor(logits)
    labels = math.cast(math.float_tensor(labels), logits.dtype)
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )
    up = math.greater_equal(logits, array.zeros_like(logits))  # one derivative at 0
    return labels, logits, up, powers.log1p(powers.exp(array.where(up, math.negative(logits), logits)))


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """`-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits))`, without overflow.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: real numbers.
      name: the node's name.
    """
    labels, logits, up, rest = _binary(labels, logits)
    high = array.where(up, logits, array.zeros_like(logits))
    return math.add(math.subtract(high, math.multiply(logits, labels)), rest, name=name)


@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Any:
    """`sigmoid_cross_entropy_with_logits` whose first term counts `pos_weight` times.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: real numbers.
      pos_weight: the weight of positive examples.
      name: the node's name.
    """
    labels, logits, up, rest = _binary(labels, logits)
    one = powers.one_like(logits)
    weight = math.add(one, math.multiply(math.subtract(math.number_of(pos_weight, logits), one), labels))
    spread = math.add(rest, array.where(up, array.zeros_like(logits), math.negative(logits)))
    return math.add(math.multiply(math.subtract(one, labels), logits), math.multiply(weight, spread), name=name)
