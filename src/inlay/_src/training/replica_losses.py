"""Losses of replicas, scaled so that their sum is the loss of the whole batch."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, asserting, control, division, math, reductions
from inlay._src.programs.strategies import get_strategy, has_strategy, in_cross_replica_context
from inlay._src.training.weighted_loss import squeezed


def _refuse_outside(name: str) -> None:
    if has_strategy() and in_cross_replica_context():
        raise RuntimeError(
            f"You are calling `{name}` in cross replica context, while it was expected to be called in replica context."
        )


@export("nn.compute_average_loss")
def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
    """The sum of the losses of a replica's examples, divided by the size of the batch that replicas share.

    Args:
      per_example_loss: one loss or more per example, of rank 1 or more.
      sample_weight: a weight for all, or weights whose axes are the first ones of the losses.
      global_batch_size: the size of the whole batch; that of `per_example_loss`, times the number of replicas, if None.

    Returns:
      A scalar of the type of the losses, float64 for integers.

    Raises:
      ValueError: for a single loss, and for a size that is no scalar.
      TypeError: for a size that is no integer.
      InvalidArgumentError: for a size below 0.
      RuntimeError: in the scope of a strategy, outside of its replicas.
    """
    losses = convert_to_tensor(per_example_loss)
    kind = losses.dtype
    if losses.shape.rank == 0:
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received "
            f"per_example_loss={per_example_loss} with rank 0"
        )
    if sample_weight is not None:
        losses = math.cast(_weighted(math.cast(losses, dtypes.float32), sample_weight), kind)
    if global_batch_size is None:
        _refuse_outside("compute_average_loss")
        global_batch_size = array.shape(losses)[0] * get_strategy().num_replicas_in_sync
    size = convert_to_tensor(global_batch_size)
    if size.shape.rank not in (None, 0):
        raise ValueError(f"global_batch_size must be scalar. Expected scalar shape, saw shape: {size.shape}.")
    if not size.dtype.is_integer:
        raise TypeError(f"global_batch_size must be an integer, got a tensor of {size.dtype.name}")
    valid = asserting.assert_non_negative(size, message="global_batch_size must be non-negative.")
    with control.control_dependencies([] if valid is None else [valid]):
        total = reductions.reduce_sum(losses)
        whole = dtypes.float64 if kind.is_integer else kind
        return division.divide_no_nan(math.cast(total, whole), math.cast(size, whole))


def _weighted(losses: Any, sample_weight: Any) -> Any:
    """Losses times their weights, which get the axes that they lack behind theirs."""
    weights = squeezed(math.cast(convert_to_tensor(sample_weight), losses.dtype), 1, losses)
    missing = (losses.shape.rank or 0) - (weights.shape.rank or 0)
    if weights.shape.rank:
        for _ in range(missing):
            weights = array.expand_dims(weights, -1)
    return losses * weights


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of a regularization loss, divided by the number of replicas.

    Args:
      regularization_loss: losses of any shape.

    Raises:
      RuntimeError: in the scope of a strategy, outside of its replicas.
    """
    _refuse_outside("scale_regularization_loss")
    return division.divide(reductions.reduce_sum(regularization_loss), get_strategy().num_replicas_in_sync)
