"""Losses of classifiers with many classes, which compare the true ones with a sample of the others."""

from __future__ import annotations

from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, joining, losses, math, powers, reductions, stacking
from inlay._src.ops.candidate_sampling import compute_accidental_hits, log_uniform_candidate_sampler
from inlay._src.ops.composite.sparse_features import sparse_to_dense
from inlay._src.ops.embeddings import sharded_lookup
from inlay._src.ops.matmul import matmul

_ARGUMENTS = """Args:
      weights: the weights of the classes, [num_classes, size], or a list of tensors, or a variable in parts.
      biases: the biases of the classes, [num_classes].
      labels: the true classes, int64, [batch, num_true].
      inputs: the activations before the classifier, [batch, size].
      num_sampled: number of classes that are sampled for a batch.
      num_classes: number of classes.
      num_true: number of true classes of a row.
      sampled_values: what a candidate sampler gives; None is
        `random.log_uniform_candidate_sampler` with classes that occur once.
      remove_accidental_hits: whether sampled classes that are true in a row do not count there.
      {more}name: the scope of the nodes.

    Returns:
      The loss of each row, [batch]."""


def _logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    seed: Any,
) -> tuple[Any, Any]:
    """The logits of true and sampled classes, less the logarithms of their expected counts, and their labels."""
    inputs, labels = convert_to_tensor(inputs), math.cast(labels, dtypes.int64)
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed)
    sampled, true_count, sampled_count = (array.stop_gradient(convert_to_tensor(v)) for v in sampled_values)
    sampled, true_classes = math.cast(sampled, dtypes.int64), array.reshape(labels, [-1])
    ids, count = joining.concat([true_classes, sampled], 0), array.size(true_classes)
    rows, offsets = (sharded_lookup(v, ids, partition_strategy, None, None) for v in (weights, biases))
    if rows.dtype is not inputs.dtype:
        rows, offsets = math.cast(rows, inputs.dtype), math.cast(offsets, inputs.dtype)
    true_rows = array.reshape(rows[:count], joining.concat([[-1, num_true], array.shape(rows)[1:]], 0))
    true = reductions.reduce_sum(math.multiply(array.expand_dims(inputs, 1), true_rows), 2)
    true = math.add(true, array.reshape(offsets[:count], [-1, num_true]))
    others = math.add(matmul(inputs, rows[count:], transpose_b=True), offsets[count:])
    if remove_accidental_hits:
        in_rows, places, least = compute_accidental_hits(labels, sampled, num_true)
        at = stacking.stack([in_rows, math.cast(places, dtypes.int32)], 1)
        sizes = stacking.stack([array.shape(labels)[0], num_sampled])
        none = sparse_to_dense(at, sizes, math.cast(least, others.dtype), validate_indices=False)
        others = math.add(others, none)
    true = math.subtract(true, powers.log(math.cast(true_count, true.dtype)))
    others = math.subtract(others, powers.log(math.cast(sampled_count, others.dtype)))
    shares = division.real_divide(array.ones_like(true), num_true)
    return joining.concat([true, others], 1), joining.concat([shares, array.zeros_like(others)], 1)


def _nce(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = False, partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> Any:  # fmt: skip
    with name_scope(name, "nce_loss"):
        logits, targets = _logits(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
            remove_accidental_hits, partition_strategy, None,
        )  # fmt: skip
        return reductions.reduce_sum(losses.sigmoid_cross_entropy_with_logits(targets, logits), 1)


def _sampled_softmax(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = True, partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss", seed: Any = None,
) -> Any:  # fmt: skip
    with name_scope(name, "sampled_softmax_loss"):
        logits, targets = _logits(
            weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
            remove_accidental_hits, partition_strategy, seed,
        )  # fmt: skip
        return losses.softmax_cross_entropy_with_logits(array.stop_gradient(targets), logits)


@export("nn.nce_loss")
def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = False, name: str = "nce_loss",
) -> Tensor:  # fmt: skip
    """The noise-contrastive loss: whether a class is a true one of the row or a sampled one, class by class."""
    return _nce(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        "div", name,
    )  # fmt: skip


@export("nn.sampled_softmax_loss")
def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = True, seed: Any = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:  # fmt: skip
    """The cross entropy of a softmax over the true classes and a sample of the others, to train with."""
    return _sampled_softmax(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        "div", name, seed,
    )  # fmt: skip


nce_loss.__doc__ = f"{nce_loss.__doc__}\n\n    {_ARGUMENTS.format(more='')}\n    "
_SEED = "seed: of the candidate sampler.\n      "
sampled_softmax_loss.__doc__ = f"{sampled_softmax_loss.__doc__}\n\n    {_ARGUMENTS.format(more=_SEED)}\n    "
_PARTS = "partition_strategy: how weights in parts share the rows, 'mod' or 'div'.\n      "
_nce.__doc__ = f"`nn.nce_loss` of 1.x.\n\n    {_ARGUMENTS.format(more=_PARTS)}\n    "
_sampled_softmax.__doc__ = f"`nn.sampled_softmax_loss` of 1.x.\n\n    {_ARGUMENTS.format(more=_PARTS + _SEED)}\n    "
nce_loss_v1: Any = export("compat.v1.nn.nce_loss")(
    another_form(
        _nce,
        "weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, "
        "remove_accidental_hits=False, partition_strategy='mod', name='nce_loss'",
        "nce_loss",
    )
)
sampled_softmax_loss_v1: Any = export("compat.v1.nn.sampled_softmax_loss")(
    another_form(
        _sampled_softmax,
        "weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, "
        "remove_accidental_hits=True, partition_strategy='mod', name='sampled_softmax_loss', seed=None",
        "sampled_softmax_loss",
    )
)
