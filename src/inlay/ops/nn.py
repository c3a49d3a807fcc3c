"""Activations, losses, normalisation, dropout, top k and embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay.core.opdef import Shapes, as_first, same, some_values
from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor
from inlay.ops import array, gathering, joining, linalg, math, reductions
from inlay.ops.random import uniform
from inlay.ops.shaping import wide
from inlay.ops.special import erf
from inlay.types import dtypes
from inlay.types.dtypes import FLOATS, INDEX, REALS
from inlay.types.shapes import Dims

F = {"T": FLOATS}


# ---------------------------------------------------------------- activations


def _where_positive(x: Any, one: Any, other: Any) -> Any:
    return array.where(math.greater(x, array.zeros_like(x)), one, other)


@op(
    "Relu",
    "features:T -> T",
    types={"T": REALS},
    infer=same,
    vjp=lambda op, dy: _where_positive(op.outputs[0], dy, array.zeros_like(dy)),
)
def relu(xp, features):
    """`max(x, 0)` elementwise."""
    return xp.maximum(features, xp.zeros_like(features))


def _relu6_vjp(op, dy):
    y = op.outputs[0]
    inside = math.logical_and(math.greater(y, array.zeros_like(y)), math.less(y, math._number(6, y)))
    return array.where(inside, dy, array.zeros_like(dy))


@op("Relu6", "features:T -> T", types={"T": REALS}, infer=same, vjp=_relu6_vjp)
def relu6(xp, features):
    """`min(max(x, 0), 6)` elementwise."""
    six = xp.full((), 6, features.dtype)
    return xp.minimum(xp.maximum(features, xp.zeros_like(features)), six)


def _elu_vjp(op, dy):
    y = op.outputs[0]
    return _where_positive(y, dy, math.multiply(dy, math.add(y, math._one(y))))


@op("Elu", "features:T -> T", types=F, infer=same, vjp=_elu_vjp)
def elu(xp, features):
    """`x` where positive, else `exp(x) - 1`, elementwise."""
    zero = xp.zeros_like(features)
    return xp.where(xp.greater(features, zero), features, xp.expm1(xp.minimum(features, zero)))


_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _selu_vjp(op, dy):
    y = op.outputs[0]
    low = math.add(y, math._number(_SELU_SCALE * _SELU_ALPHA, y))
    return _where_positive(y, math.multiply(dy, math._number(_SELU_SCALE, y)), math.multiply(dy, low))


@op("Selu", "features:T -> T", types=F, infer=same, vjp=_selu_vjp)
def selu(xp, features):
    """The scaled exponential linear unit, elementwise."""
    scale, alpha = (xp.full((), v, features.dtype) for v in (_SELU_SCALE, _SELU_ALPHA))
    zero = xp.zeros_like(features)
    low = xp.multiply(alpha, xp.expm1(xp.minimum(features, zero)))
    return xp.multiply(scale, xp.where(xp.greater(features, zero), features, low))


def _leaky_relu_vjp(op, dy):
    slope = math.multiply(dy, math._number(op.attrs["alpha"], dy))
    return _where_positive(op.inputs[0], dy, slope)


@op("LeakyRelu", "features:T -> T", types=F, infer=same, vjp=_leaky_relu_vjp)
def leaky_relu(xp, features, *, alpha=0.2):
    """`x` where positive, else `alpha * x`, elementwise."""
    slope = xp.multiply(features, xp.full((), alpha, features.dtype))
    return xp.where(xp.greater(features, xp.zeros_like(features)), features, slope)


def _softsign_vjp(op, dy):
    x = op.inputs[0]
    return math.real_divide(dy, math.square(math.add(math._one(x), math.abs(x))))


@op("Softsign", "features:T -> T", types=F, infer=same, vjp=_softsign_vjp)
def softsign(xp, features):
    """`x / (1 + |x|)` elementwise."""
    return xp.divide(features, xp.add(xp.abs(features), xp.ones_like(features)))


def crelu(features: Any, axis: int = -1, name: str | None = None) -> Any:
    """`relu(x)` and `relu(-x)` joined along `axis`."""
    x = math.float_tensor(features)
    return joining.concat([relu(x), relu(math.negative(x))], axis, name=name or "CRelu")


def swish(features: Any, beta: Any = 1.0, name: str | None = None) -> Any:
    """`x * sigmoid(beta * x)` elementwise."""
    x = math.float_tensor(features)
    return math.multiply(x, math.sigmoid(math.multiply(x, math._number(beta, x))), name=name)


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Any:
    """`x` times the normal distribution function at `x`, elementwise.

    Args:
      features: floating numbers.
      approximate: whether to use the hyperbolic tangent in place of the error function.
      name: the node's name.
    """
    x = math.float_tensor(features)
    half = math.multiply(x, math._number(0.5, x))
    if approximate:
        cubed = math.multiply(math.multiply(x, math.square(x)), math._number(0.044715, x))
        inner = math.tanh(math.multiply(math.add(x, cubed), math._number(np.sqrt(2 / np.pi), x)))
    else:
        inner = erf(math.multiply(x, math._number(np.sqrt(0.5), x)))
    return math.multiply(half, math.add(inner, math._one(x)), name=name)


def _softmax_vjp(op, dy):
    y, axis = op.outputs[0], op.attrs["axis"]
    total = reductions.reduce_sum(math.multiply(dy, y), [axis], True)
    return math.multiply(math.subtract(dy, total), y)


def _centred(xp: Any, logits: Any, axis: int) -> Any:
    """Logits in at least 32 bits less their greatest along the axis."""
    if not -np.ndim(logits) <= axis < np.ndim(logits):
        raise ValueError(f"axis {axis} is out of range for logits of rank {np.ndim(logits)}")
    x = wide(logits)
    return xp.subtract(x, xp.max(x, axis=axis, keepdims=True)) if np.size(x) else x


@op("Softmax", "logits:T -> T", types=F, infer=as_first, vjp=_softmax_vjp)
def _softmax(xp, logits, *, axis=-1):
    """Exponentials along an axis, divided by their sum."""
    powers = xp.exp(_centred(xp, logits, axis))
    return xp.divide(powers, xp.sum(powers, axis=axis, keepdims=True, dtype=powers.dtype)).astype(logits.dtype)


def _log_softmax_vjp(op, dy):
    total = reductions.reduce_sum(dy, [op.attrs["axis"]], True)
    return math.subtract(dy, math.multiply(total, math.exp(op.outputs[0])))


@op("LogSoftmax", "logits:T -> T", types=F, infer=as_first, vjp=_log_softmax_vjp)
def _log_softmax(xp, logits, *, axis=-1):
    """The logarithm of `softmax`."""
    x = _centred(xp, logits, axis)
    total = xp.sum(xp.exp(x), axis=axis, keepdims=True, dtype=x.dtype)
    return xp.subtract(x, xp.log(total)).astype(logits.dtype)


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """Exponentials along `axis` (the last one if None), divided by their sum.

    Args:
      logits: floating numbers.
      axis: the axis.
      name: the node's name.
      dim: the 1.x name of `axis`.
    """
    axis = dim if axis is None else axis
    return _softmax(logits, -1 if axis is None else int(axis), name=name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """The logarithm of `softmax`, without overflow.

    Args:
      logits: floating numbers.
      axis: the axis; the last one if None.
      name: the node's name.
      dim: the 1.x name of `axis`.
    """
    axis = dim if axis is None else axis
    return _log_softmax(logits, -1 if axis is None else int(axis), name=name)


# ---------------------------------------------------------------- losses


def l2_loss(t: Any, name: str | None = None) -> Any:
    """Half the sum of squares."""
    t = math.float_tensor(t)
    return math.multiply(reductions.reduce_sum(math.square(t)), math._number(0.5, t), name=name)


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
    terms = math.multiply(labels, _log_softmax(logits, int(axis)))
    return math.negative(reductions.reduce_sum(terms, [axis]), name=name)


def _picked_infer(s: Shapes) -> list[Dims]:
    return [s.dims[1]]


def _picked_vjp(op, dy):
    values, index = op.inputs[0], convert_to_tensor(op.inputs[1])
    classes = math.cast(array.range_(array.shape(values)[-1]), index.dtype)
    mask = math.equal(array.expand_dims(index, -1), classes)
    wide = array.expand_dims(dy, -1)
    return array.where(mask, wide, array.zeros_like(wide)), None


@op(
    "TakeLast",
    "values:T, index:Index -> T",
    types={**F, "Index": INDEX},
    infer=_picked_infer,
    vjp=_picked_vjp,
    refuses=some_values,
)
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
    return math.negative(take_last(_log_softmax(logits, -1), labels), name=name)


def _split_by_sign(logits: Any) -> tuple[Any, Any]:
    """`max(x, 0)` and `-|x|`, with one derivative at 0."""
    up = math.greater_equal(logits, array.zeros_like(logits))
    return (
        array.where(up, logits, array.zeros_like(logits)),
        array.where(up, math.negative(logits), logits),
    )


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """`-labels * log(sigmoid(logits)) - (1 - labels) * log(1 - sigmoid(logits))`, without overflow.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: real numbers.
      name: the node's name.
    """
    logits = math.float_tensor(logits)
    labels = math.cast(math.float_tensor(labels), logits.dtype)
    high, low = _split_by_sign(logits)
    inner = math.subtract(high, math.multiply(logits, labels))
    return math.add(inner, math.log1p(math.exp(low)), name=name)


def weighted_cross_entropy_with_logits(labels: Any, logits: Any, pos_weight: Any, name: str | None = None) -> Any:
    """`sigmoid_cross_entropy_with_logits` whose first term counts `pos_weight` times.

    Args:
      labels: probabilities, of the shape of `logits`.
      logits: real numbers.
      pos_weight: the weight of positive examples.
      name: the node's name.
    """
    logits = math.float_tensor(logits)
    labels = math.cast(math.float_tensor(labels), logits.dtype)
    one = math._one(logits)
    weight = math.add(one, math.multiply(math.subtract(math._number(pos_weight, logits), one), labels))
    high, low = _split_by_sign(logits)
    spread = math.add(math.log1p(math.exp(low)), math.subtract(high, logits))
    return math.add(math.multiply(math.subtract(one, labels), logits), math.multiply(weight, spread), name=name)


# ---------------------------------------------------------------- layers


def bias_add(value: Any, bias: Any, data_format: Any = None, name: str | None = None) -> Any:
    """`value + bias`, where `bias` lies along the channels.

    Args:
      value: a tensor with channels last, or second if `data_format` begins with "NC".
      bias: a vector with one number per channel.
      data_format: for instance "NHWC" or "NCHW".
      name: the node's name.
    """
    value = math.float_tensor(value)
    bias = convert_to_tensor(bias, value.dtype)
    if data_format is not None and str(data_format).startswith("NC"):
        rank = value.shape.rank
        if rank is None:
            raise ValueError("bias_add with channels second needs a value of known rank")
        bias = array.reshape(bias, [-1] + [1] * (rank - 2))
    elif data_format is not None and not str(data_format).startswith("N"):
        raise ValueError("`data_format` must be of the form `N...C` or `NC...`")
    return math.add(value, bias, name=name)


def dropout(x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None) -> Any:
    """Each element 0 with probability `rate`, else divided by `1 - rate`.

    Args:
      x: floating numbers.
      rate: a probability below 1.
      noise_shape: the shape of the random choices, which are broadcast.
      seed: a number that makes the choices repeatable.
      name: the node's name.

    Raises:
      ValueError: if `rate` is not in [0, 1).
    """
    x = math.float_tensor(x)
    if not x.dtype.is_floating:
        raise ValueError(f"x has to be a floating point tensor since it's going to be scaled. Got a {x.dtype} tensor.")
    if isinstance(rate, (int, float)):
        if not 0 <= rate < 1:
            raise ValueError(f"rate must be a scalar tensor or a float in the range [0, 1), got {rate}")
        if rate == 0:
            return array.identity(x, name=name)
    rate = math._number(rate, x)
    draw = uniform(array.shape(x) if noise_shape is None else noise_shape, dtype=x.dtype, seed=seed)
    keep = math.greater_equal(draw, rate)
    scaled = math.real_divide(x, math.subtract(math._one(x), rate))
    return array.where(keep, scaled, array.zeros_like(scaled), name=name)


def moments(x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> tuple[Any, Any]:
    """The mean and the variance over `axes`.

    Args:
      x: floating numbers.
      axes: a list of axes.
      shift: accepted and ignored.
      keepdims: whether reduced axes stay, with size 1.
      name: the node's name.

    Returns:
      `(mean, variance)`.
    """
    x = math.float_tensor(x)
    wide = math.cast(x, dtypes.float32) if x.dtype.size == 2 else x
    mean = reductions.reduce_mean(wide, axes, True)
    gap = math.squared_difference(wide, array.stop_gradient(mean))
    variance = reductions.reduce_mean(gap, axes, keepdims)
    if not keepdims:
        mean = array.reshape(mean, array.shape(variance))
    return math.cast(mean, x.dtype, name=name), math.cast(variance, x.dtype)


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Any:
    """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Args:
      x: floating numbers.
      mean, variance: what to normalise by; they broadcast against `x`.
      offset, scale: tensors that broadcast against `x`, or None.
      variance_epsilon: a small number that keeps the root from 0.
      name: the node's name.
    """
    x = math.float_tensor(x)
    inverse = math.rsqrt(math.add(_number_like(variance, x), math._number(variance_epsilon, x)))
    if scale is not None:
        inverse = math.multiply(inverse, _number_like(scale, x))
    moved = math.multiply(_number_like(mean, x), inverse)
    base = math.negative(moved) if offset is None else math.subtract(_number_like(offset, x), moved)
    return math.add(math.multiply(x, inverse), base, name=name)


def _number_like(value: Any, x: Any) -> Any:
    return math.cast(convert_to_tensor(value, dtype_hint=x.dtype), x.dtype)


# ---------------------------------------------------------------- clipping


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """`t` scaled down so that its euclidean norm over `axes` (everything if None) is at most `clip_norm`.

    Args:
      t: floating numbers.
      clip_norm: the greatest norm allowed.
      axes: the axes of the norm.
      name: the node's name.
    """
    t = math.float_tensor(t)
    total = reductions.reduce_sum(math.square(t), axes, True)
    some = math.greater(total, array.zeros_like(total))
    root = math.sqrt(array.where(some, total, array.ones_like(total)))
    size = array.where(some, root, total)
    limit = _number_like(clip_norm, t)
    return math.real_divide(math.multiply(t, limit), math.maximum(size, limit), name=name)


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Any:
    """The euclidean norm of all tensors of a list together; None entries are left out."""
    totals = [reductions.reduce_sum(math.square(math.float_tensor(t))) for t in t_list if t is not None]
    return math.sqrt(math.add_n(totals), name=name)


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Tensors scaled down together so that their global norm is at most `clip_norm`.

    Args:
      t_list: tensors; None entries stay None.
      clip_norm: the greatest norm allowed.
      use_norm: the global norm, if it is known already.
      name: the node's name.

    Returns:
      `(tensors, global norm)`.
    """
    found = global_norm(t_list, name) if use_norm is None else math.float_tensor(use_norm)
    limit = _number_like(clip_norm, found)
    scale = math.real_divide(limit, math.maximum(found, limit))
    scaled = [None if t is None else math.multiply(t, math.cast(scale, math.float_tensor(t).dtype)) for t in t_list]
    return scaled, found


# ---------------------------------------------------------------- choosing


def _top_k_infer(s: Shapes) -> list[Dims]:
    dims, k = s.dims[0], s.value(1)
    if dims is None:
        return [None, None]
    if not dims:
        raise ValueError("input must have last dimension >= k, got a scalar")
    out = (*dims[:-1], None if k is None else int(k))
    return [out, out]


def _top_k_vjp(op, dvalues, dindices):
    x, places = op.inputs[0], op.outputs[1]
    if dvalues is None:
        return array.zeros_like(x), None
    classes = math.cast(array.range_(array.shape(x)[-1]), places.dtype)
    mask = math.cast(math.equal(array.expand_dims(places, -1), classes), dvalues.dtype)
    return reductions.reduce_sum(math.multiply(array.expand_dims(dvalues, -1), mask), [-2]), None


@op(
    "TopKV2",
    "input:T, k:int32 -> T, index_type",
    types={"T": REALS},
    static=("k",),
    infer=_top_k_infer,
    vjp=_top_k_vjp,
)
def _top_k(xp, input, k, *, sorted=True, index_type=dtypes.int32):
    """The greatest elements of the last axis, and where they stand."""
    count = int(np.asarray(k))
    if np.ndim(input) == 0 or np.shape(input)[-1] < count or count < 0:
        raise ValueError(f"input must have at least k columns. Had {np.shape(input)[-1:]}, needed {count}")
    backwards = xp.argsort(xp.flip(input, -1), axis=-1, stable=True)
    places = (np.shape(input)[-1] - 1 - xp.flip(backwards, -1))[..., :count]
    return xp.take_along_axis(input, places, axis=-1), places.astype(index_type.np)


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The `k` greatest elements of the last axis and their indices; of equal ones the first comes first.

    Args:
      input: real numbers.
      k: how many.
      sorted: accepted; the result is always sorted.
      index_type: int32 or int64.
      name: the node's name.

    Returns:
      A pair with the fields `values` and `indices`.
    """
    return TopK(*_top_k(input, k, sorted=bool(sorted), index_type=dtypes.as_dtype(index_type), name=name))


class TopK(NamedTuple):
    """The result of `top_k`.

    Attributes:
      values: the greatest elements.
      indices: where they stand.
    """

    values: Any
    indices: Any


@op(
    "InTopKV2",
    "predictions:float32, targets:Index, k:Index -> bool",
    types={"Index": INDEX},
    static=("k",),
    infer=lambda s: [s.dims[1]],
    differentiable=False,
)
def _in_top_k(xp, predictions, targets, k):
    """Whether fewer than k predictions exceed the target's."""
    if np.ndim(predictions) != 2 or np.shape(targets) != np.shape(predictions)[:1]:
        raise ValueError(
            f"predictions must be [batch, classes] and targets [batch], got shapes {list(np.shape(predictions))} and "
            f"{list(np.shape(targets))}"
        )
    size = np.shape(predictions)[-1]
    inside = xp.logical_and(targets >= 0, targets < size)
    chosen = xp.take_along_axis(predictions, xp.where(inside, targets, 0)[:, None], axis=-1)
    above = xp.sum(xp.greater(predictions, chosen), axis=-1, dtype=np.int64)
    finite = xp.logical_and(inside, xp.isfinite(chosen[:, 0]))
    return xp.logical_and(finite, above < int(np.asarray(k)))


def in_top_k(targets: Any, predictions: Any, k: Any, name: str | None = None) -> Any:
    """Whether each target is among the `k` greatest predictions of its row.

    Args:
      targets: class numbers, [batch].
      predictions: float32, [batch, classes].
      k: how many count.
      name: the node's name.
    """
    targets = convert_to_tensor(targets)
    return _in_top_k(predictions, targets, math.cast(k, targets.dtype), name=name)


def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: str | None = None) -> Any:
    """The rows of `params` at `ids`.

    Args:
      params: a matrix, or a list of them that hold successive rows.
      ids: integers.
      max_norm: if given, longer rows are scaled down to it.
      name: the node's name.
    """
    return sharded_lookup(params, ids, "div", max_norm, name)


def sharded_lookup(params: Any, ids: Any, partition_strategy: str, max_norm: Any, name: str | None) -> Any:
    """Rows of one matrix, or of several among which rows are dealt ("mod") or cut in blocks ("div").

    Raises:
      ValueError: if there are no params or the strategy is neither.
    """
    if isinstance(params, (list, tuple)) and len(params) == 1:
        params = params[0]
    ids = convert_to_tensor(ids)
    if not isinstance(params, (list, tuple)):
        rows = gathering.gather(params, ids, name=name)
        return rows if max_norm is None else _row_clipped(rows, ids, max_norm)
    if not params:
        raise ValueError("Need at least one param")
    if partition_strategy not in ("mod", "div"):
        raise ValueError(f'Only "mod" and "div" are supported as partition_strategy, got {partition_strategy!r}')
    shards = [convert_to_tensor(p) for p in params]
    if partition_strategy == "mod":
        count = len(shards)
        sizes = array.stack([math.cast(array.shape(p)[0], ids.dtype) for p in shards])
        starts = reductions.cumsum(sizes, 0, exclusive=True)
        place = math.floormod(ids, count)
        ids = math.add(gathering.gather(starts, place), math.floordiv(ids, count))
    rows = gathering.gather(joining.concat(shards, 0), ids, name=name)
    return rows if max_norm is None else _row_clipped(rows, ids, max_norm)


def _row_clipped(rows: Any, ids: Any, max_norm: Any) -> Any:
    lead = ids.shape.rank
    if lead is None or rows.shape.rank is None:
        raise ValueError("embedding_lookup with max_norm needs ids and params of known rank")
    return clip_by_norm(rows, max_norm, axes=list(range(lead, rows.shape.rank)))


def zero_fraction(value: Any, name: str | None = None) -> Any:
    """The share of elements that are 0, as a float32."""
    value = math.float_tensor(value)
    zeros = math.cast(math.equal(value, array.zeros_like(value)), dtypes.float32)
    return reductions.reduce_mean(zeros, name=name)


l2_normalize = linalg.l2_normalize
