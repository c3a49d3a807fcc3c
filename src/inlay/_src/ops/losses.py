"""Losses: cross entropies and the squared norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import FLOATS, INDEX
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.attributes import check_index
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import composites_of
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import array, joining, math, powers, ranges, rearranging, reductions, stacking
from inlay._src.ops.activations import log_softmax_op, softmax
from inlay._src.ops.shaping import ADDED, lowered, number_array, picked, sum_like, wide


@export("nn.l2_loss")
def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of squares.

    Args:
      t: floating numbers.
      name: the node's name.

    Raises:
      TypeError: for other numbers.
    """
    t = convert_to_tensor(t)
    if t.dtype not in FLOATS:
        raise TypeError(f"l2_loss takes floating numbers, got a tensor of {t.dtype.name}")
    return math.multiply(reductions.reduce_sum(powers.square(t)), math.number_of(0.5, t), name=name)


def _xent_infer(s: Shapes) -> list[Dims]:
    whole = shapes.broadcast(*s.dims)
    return [None if whole is None else whole[:-1], whole]


def _softmax_back(features: Any, dback: Any) -> Any:
    """The cotangent of features from that of their softmax."""
    odds = softmax(features)
    return math.multiply(math.subtract(dback, reductions.reduce_sum(math.multiply(dback, odds), [-1], True)), odds)


def _of_classes(logits: Any, labels: Any) -> Any:
    """Logits of as many classes as labels have: a single one is repeated before the softmax, not after it."""
    mine, theirs = (v.shape.as_list()[-1] if v.shape.rank else None for v in (logits, labels))
    if mine not in (1, None) or theirs == 1:
        return logits
    return math.add(logits, array.zeros_like(labels))


def _xent_vjp(op, dloss, dback):
    narrow, labels = op.inputs
    features = _of_classes(narrow, labels)
    from_features, from_labels = None, None
    if dloss is not None:
        share = array.expand_dims(dloss, -1)
        from_features = math.multiply(share, op.outputs[1])
        from_labels = math.negative(math.multiply(share, log_softmax_op(features, -1)))
    if dback is not None:
        back = _softmax_back(features, dback)
        from_features = back if from_features is None else math.add(from_features, back)
        from_labels = math.negative(dback) if from_labels is None else math.subtract(from_labels, dback)
    return sum_like(from_features, narrow), sum_like(from_labels, labels)


@op(
    "SoftmaxCrossEntropyWithLogits",
    "features:T, labels:T -> T, T",
    types=FLOATS,
    infer=_xent_infer,
    vjp=_xent_vjp,
    label="softmax_cross_entropy_with_logits",
)
def _cross_entropy(xp, features, labels):
    """The cross entropy along the last axis, and `softmax(features) - labels`, which is taken for its gradient."""
    if not (np.ndim(features) and np.ndim(labels)):
        raise ValueError(f"logits and labels must have a last axis: {np.shape(features)} and {np.shape(labels)}")
    # One class for all is as many equal ones before the softmax, not after it.
    x, targets = xp.broadcast_arrays(wide(features), wide(labels))
    low = xp.subtract(x, xp.max(x, axis=-1, keepdims=True)) if np.shape(x)[-1] else x
    log_odds = xp.subtract(low, xp.log(xp.sum(xp.exp(low), axis=-1, keepdims=True)))
    loss = xp.negative(xp.sum(xp.multiply(targets, log_odds), axis=-1))
    back = xp.subtract(xp.exp(log_odds), targets)
    return loss.astype(features.dtype), back.astype(features.dtype)


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(labels: Any, logits: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """The cross entropy of `labels` and `softmax(logits)` along `axis`; gradients flow to both.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: unscaled log probabilities.
      axis: the axis of the classes.
      name: the node's name.
    """
    logits = math.float_tensor(logits)
    labels = math.cast(math.float_tensor(labels), logits.dtype)
    at = int(axis)
    last = at in (-1, -1 if logits.shape.rank is None else logits.shape.rank - 1)
    if not last:
        labels, logits = _axis_last(labels, at), _axis_last(logits, at)
    if logits.shape._dims is not None and logits.shape._dims == labels.shape._dims:
        return _cross_entropy(logits, labels, name=name)[0]
    whole, targets = (
        array.reshape(v, stacking.stack([-1, array.shape(v)[-1]])) for v in (logits, labels)
    )  # as matrices
    return array.reshape(_cross_entropy(_of_classes(whole, targets), targets, name=name)[0], array.shape(logits)[:-1])


def _axis_last(value: Any, axis: int) -> Any:
    """`value` with one axis moved to the end."""
    axes = ranges.range_(array.rank(value))
    at = axis % array.rank(value)
    return rearranging.transpose(value, joining.concat([axes[:at], axes[at + 1 :], [at]], 0))


def _sparse_xent_vjp(op, dloss, dback):
    features = op.inputs[0]
    gradient = None if dloss is None else math.multiply(array.expand_dims(dloss, -1), op.outputs[1])
    if dback is not None:
        back = _softmax_back(features, dback)
        gradient = back if gradient is None else math.add(gradient, back)
    return gradient, None


@op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features:T, labels:Tlabels -> T, T",
    types={"T": FLOATS, "Tlabels": INDEX},
    infer=lambda s: [s.dims[1], s.dims[0]],
    vjp=_sparse_xent_vjp,
    lower=REFUSES_VALUES,
)
def _sparse_cross_entropy(xp, features, labels):
    """The cross entropy of class numbers along the last axis, and `softmax(features)` less 1 at them, its gradient."""
    shape = features.shape
    if not shape:
        raise ValueError("logits must have a last axis, the classes, got a scalar")
    if shape[:-1] != labels.shape:
        raise ValueError(
            f"logits and labels must have the same first dimension, got logits shape {list(shape)} and labels shape "
            f"{list(labels.shape)}"
        )
    if xp is not np:
        low = xp.subtract(wide(features), xp.max(wide(features), axis=-1, keepdims=True))
        total = xp.sum(xp.exp(low), axis=-1, keepdims=True)
        loss = xp.subtract(xp.log(total), picked(xp, low, labels[..., None]))[..., 0]
        chosen = xp.equal(labels[..., None], xp.arange(shape[-1], dtype=labels.dtype))
        back = xp.subtract(xp.divide(xp.exp(low), total), chosen.astype(low.dtype))
        return loss.astype(features.dtype), back.astype(features.dtype)
    if not features.size:
        if labels.size:
            raise _no_such_class(labels, shape[-1])
        return np.empty(labels.shape, features.dtype), np.empty(shape, features.dtype)
    logits = wide(features)
    if len(shape) != 2:
        logits = logits.reshape(-1, shape[-1])
    at = _class_places(labels.reshape(-1), logits.shape)
    if at is None:
        raise _no_such_class(labels, shape[-1])
    if features.size < TUNING.blocked_elements:
        loss, back = _rows_entropy(logits, at, None, None)
    else:
        loss, back = np.empty(at.shape, logits.dtype), np.empty(logits.shape, logits.dtype)
        blocks = min(features.size // TUNING.block_elements, at.size)

        def work(turn: int) -> None:
            first, end = turn * at.size // blocks, (turn + 1) * at.size // blocks
            rows = slice(first, end)
            _rows_entropy(logits[rows], at[rows] - first * shape[-1], loss[rows], back[rows])

        spread(work, blocks)
    if len(shape) != 2:
        loss, back = loss.reshape(shape[:-1])[()], back.reshape(shape)
    if logits.dtype is not features.dtype:
        loss, back = loss.astype(features.dtype), back.astype(features.dtype)
    return loss, back


_STARTS: BoundedCache[tuple[int, int], np.ndarray] = BoundedCache(
    "where rows start", 256, lambda k: np.arange(0, k[0] * k[1], k[1])
)


def _class_places(classes: Any, shape: tuple[int, int]) -> Any:
    """Where the class of each row stands among all numbers of a matrix; None if there is no such class."""
    if classes.size > TUNING.cross_entropy_python_rows:
        try:
            return np.ravel_multi_index((np.arange(shape[0]), classes), shape)
        except ValueError:
            return None
    numbers = classes.tolist()
    return _STARTS[shape] + classes if min(numbers) >= 0 and max(numbers) < shape[1] else None


def _no_such_class(labels: Any, width: int) -> ValueError:
    first = int(labels[(labels < 0) | (labels >= width)][0])
    return ValueError(f"Received a label value of {first} which is outside the valid range of [0, {width}).")


def _rows_entropy(logits: Any, at: Any, loss: Any, back: Any) -> tuple[Any, Any]:
    """The cross entropy and its gradient, row by row; `at` is where the rows' classes stand among all numbers.

    They are written into `loss` and `back`, where these are arrays.
    """
    low = lowered(logits, None, 1)
    few = back is None
    back = np.exp(low, back)
    total = ADDED(back, 1, None, None, True)
    loss = np.subtract(np.log(total).reshape(-1), low.take(at), loss)
    np.divide(back, total.repeat(low.shape[1], 1) if few else total, back)  # see `lowered`
    back.reshape(-1)[at] -= number_array(1, back.dtype)
    return loss, back


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: str | None = None) -> Tensor:
    """The cross entropy of class numbers and `softmax(logits)` along the last axis.

    Args:
      labels: class numbers, int32 or int64, of the shape of `logits` without its last axis.
      logits: unscaled log probabilities.
      name: the node's name.

    Raises:
      ValueError: if the ranks do not fit.
    """
    if labels.__class__ is not EagerTensor or logits.__class__ is not EagerTensor:
        labels, logits = convert_to_tensor(labels), math.float_tensor(logits)
    if labels.dtype not in INDEX:
        check_index(labels, "labels")
        labels = math.cast(labels, dtypes.int64)
    eager = labels.__class__ is EagerTensor and logits.__class__ is EagerTensor
    sizes = logits._value.shape if eager else ()
    if sizes and labels._value.shape == sizes[:-1] and logits._dtype.size > 2:
        return _sparse_cross_entropy(logits, labels)[0]  # nothing is named, and nothing is wrong
    labels_dims, classes = labels.shape._dims, logits.shape._dims
    if classes == ():
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}")
    if labels_dims is not None and classes is not None and len(labels_dims) != len(classes) - 1:
        raise ValueError(
            f"`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape={labels.shape} of rank "
            f"{labels.shape.rank} and logits.shape={logits.shape} of rank {logits.shape.rank}"
        )
    if classes is not None and not shapes.compatible(labels_dims, classes[:-1]):
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape="
            f"{labels.shape} and logits.shape={logits.shape}"
        )
    if logits.dtype.size > 2 or logits.dtype not in FLOATS:
        return _sparse_cross_entropy(logits, labels, name=name)[0]
    return math.cast(_sparse_cross_entropy(math.cast(logits, dtypes.float32), labels)[0], logits.dtype, name=name)


def _binary(labels: Any, logits: Any) -> tuple[Any, Any, Any, Any]:
    """Labels and logits in one type and shape, where `logits >= 0`, and `log(1 + exp(-|logits|))`.

    Raises:
      ValueError: if the shapes differ.
    """
    labels, logits = map(math.float_tensor, composites_of(labels, logits))
    if labels.dtype is not logits.dtype:
        raise TypeError(f"`labels` must be of the type of `logits`, got {labels.dtype.name} and {logits.dtype.name}")
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )
    up = math.greater_equal(logits, array.zeros_like(logits))  # one derivative at 0
    return labels, logits, up, powers.log1p(powers.exp(array.where(up, math.negative(logits), logits)))


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
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
def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Tensor:
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


@export("nn.log_poisson_loss")
def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """The negative logarithm of the probability of counts by Poisson: `exp(log_input) - log_input * targets`.

    Args:
      targets: counts, of the shape of `log_input`.
      log_input: the logarithms of expected counts.
      compute_full_loss: whether the term that only `targets` enter is added, by Stirling's approximation.
      name: the node's name.

    Raises:
      ValueError: if the shapes differ.
    """
    log_input = convert_to_tensor(log_input, name="log_input")
    targets = convert_to_tensor(targets, log_input.dtype, name="targets")
    if not targets.shape.is_compatible_with(log_input.shape):
        raise ValueError(
            f"`log_input` and `targets` must have the same shape, received ({log_input.shape} vs {targets.shape})."
        )
    loss = math.subtract(powers.exp(log_input), math.multiply(log_input, targets))
    if compute_full_loss:
        half, turn = math.number_of(0.5, targets), math.number_of(2.0 * np.pi, targets)
        spread = math.multiply(half, powers.log(math.multiply(turn, targets)))
        stirling = math.add(math.subtract(math.multiply(targets, powers.log(targets)), targets), spread)
        zero = array.zeros_like(targets)
        small = math.logical_and(math.greater_equal(targets, zero), math.less_equal(targets, powers.one_like(targets)))
        loss = math.add(loss, array.where(small, zero, stirling))
    return array.identity(loss, name=name) if name else loss
