"""Activations: relu and its family, softmax."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter.blocks import in_blocks
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.ownership import reusable
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import FLOATS, REALS
from inlay._src.core.eager.attributes import whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import operand
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import broadcast, same
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, division, joining, math, powers, reductions, trigonometry
from inlay._src.ops.selection import SIGNED, selected
from inlay._src.ops.shaping import ADDED, along_axis, lowered, number_array, wide
from inlay._src.ops.special import erfc

if TYPE_CHECKING:
    from inlay._src.core.tensor import Tensor, TensorLike


def _gate_vjp(op, ddy):
    return relu_grad(ddy, op.inputs[1], **op.attrs), array.zeros_like(op.inputs[1])


def _gated(xp: Any, gradients: Any, features: Any, alpha: Any, top: Any, into: Any) -> Any:
    inside = xp.greater(features, features.dtype.type(0))
    if top is not None:
        inside = xp.logical_and(inside, xp.less(features, xp.full((), top, features.dtype)))
    if xp is np and not alpha:  # bits are chosen by a product: `where` branches for each element, and 0 * inf is no 0
        bits = gradients.view(SIGNED[gradients.dtype.itemsize])
        if into is not None and bits.shape == inside.shape:
            np.multiply(bits, inside, bits)
            return gradients
        return np.multiply(bits, inside, order="C").view(gradients.dtype)
    low = xp.multiply(gradients, xp.full((), alpha, gradients.dtype)) if alpha else gradients.dtype.type(0)
    return selected(xp, inside, gradients, low)


def _gate_here(xp, gradients, features, *, alpha=0.0, top=None):
    return _gated(np, gradients, features, alpha, top, gradients if reusable(gradients) else None)


@op(
    "ReluGrad", "gradients:T, features:T -> T", types=FLOATS, infer=broadcast, vjp=_gate_vjp,
    lower=LoweringHints(overwrites=_gate_here),
)  # fmt: skip
def relu_grad(xp, gradients, features, *, alpha=0.0, top=None):
    """The gradient where the features are positive and below `top`, elsewhere `alpha` times it."""
    return _gated(xp, gradients, features, alpha, top, None)


_CEILINGS = {np.dtype(kind): np.inf for kind in (np.float32, np.float64)} | {
    np.dtype(kind): np.iinfo(kind).max for kind in "bBhHiIlLqQ"
}
"""The greatest number of each dtype whose numbers NumPy clips faster than it compares them with one number."""


def _clipped(features: Any, top: Any, into: Any) -> Any:
    """Features between 0 and `top`, None for no bound, written into an array unless that is None."""
    dtype = features.dtype
    if features.__class__ is np.ndarray and features.size >= TUNING.clip_elements and dtype in _CEILINGS:
        most = _CEILINGS[dtype] if top is None else top
        return features.clip(number_array(0, dtype), number_array(most, dtype), into)
    positive = np.maximum(features, number_array(0, dtype), out=into)
    return positive if top is None else np.minimum(positive, number_array(top, dtype), out=into)


def _relu_here(xp, features):
    return _clipped(features, None, features if reusable(features) else None)


@op(
    "Relu", "features:T -> T", types=REALS, infer=same, vjp=lambda op, dy: relu_grad(dy, op.outputs[0]),
    lower=LoweringHints(overwrites=_relu_here),
)  # fmt: skip
@export("nn.relu")
def relu(xp, features):
    """`max(x, 0)` elementwise."""
    return _clipped(features, None, None) if xp is np else xp.maximum(features, features.dtype.type(0))


@op("Relu6", "features:T -> T", types=REALS, infer=same, vjp=lambda op, dy: relu_grad(dy, op.outputs[0], top=6))
@export("nn.relu6")
def relu6(xp, features):
    """`min(max(x, 0), 6)` elementwise."""
    if xp is np:
        return _clipped(features, 6, None)
    return xp.minimum(xp.maximum(features, xp.zeros_like(features)), xp.full((), 6, features.dtype))


def _where_negative(x: Any, one: Any, other: Any) -> Any:
    return array.where(math.less(x, array.zeros_like(x)), one, other)


def _elu_vjp(op, dy):
    y = op.outputs[0]
    return _where_negative(y, math.multiply(dy, math.add(y, powers.one_like(y))), dy)


@op("Elu", "features:T -> T", types=FLOATS, infer=same, vjp=_elu_vjp, lower=LoweringHints(fuses=False))
@export("nn.elu")
@in_blocks(1.5)
def elu(xp, features):
    """`x` where positive, else `exp(x) - 1`, elementwise."""
    zero = features.dtype.type(0)
    return xp.add(xp.maximum(features, zero), xp.expm1(xp.minimum(features, zero)))  # one of them is 0


_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _selu_vjp(op, dy):
    y = op.outputs[0]
    low = math.add(y, math.number_of(_SELU_SCALE * _SELU_ALPHA, y))
    return _where_negative(y, math.multiply(dy, low), math.multiply(dy, math.number_of(_SELU_SCALE, y)))


@op("Selu", "features:T -> T", types=FLOATS, infer=same, vjp=_selu_vjp, lower=LoweringHints(fuses=False))
@export("nn.selu")
@in_blocks(1.5)
def selu(xp, features):
    """The scaled exponential linear unit, elementwise."""
    scale, alpha = (xp.full((), v, features.dtype) for v in (_SELU_SCALE, _SELU_ALPHA))
    zero = features.dtype.type(0)
    low = xp.multiply(alpha, xp.expm1(xp.minimum(features, zero)))
    return xp.multiply(scale, xp.add(xp.maximum(features, zero), low))  # one of them is 0


def _leaky_relu_vjp(op, dy):
    return relu_grad(dy, op.inputs[0], alpha=float(np.float32(op.attrs["alpha"])))


@op("LeakyRelu", "features:T -> T", types=FLOATS, infer=same, vjp=_leaky_relu_vjp)
@in_blocks(0.5)
def _leaky_relu(xp, features, *, alpha=0.2):
    """`x` where positive, else `alpha * x`, elementwise."""
    slope = xp.multiply(features, xp.full((), np.float32(alpha), features.dtype))  # of 32 bits, as in TensorFlow
    if 0 < alpha <= 1:  # the greater of the two is the one
        return xp.maximum(features, slope)
    return selected(xp, xp.greater(features, features.dtype.type(0)), features, slope)


@export("nn.leaky_relu")
def leaky_relu(features: TensorLike, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """`x` where positive, else `alpha * x`, elementwise; integers become float32."""
    x = operand(features)
    return _leaky_relu(math.cast(x, dtypes.float32) if x.dtype.is_integer else x, alpha, name=name)  # type: ignore[no-any-return]


def _softsign_vjp(op, dy):
    x = op.inputs[0]
    return division.real_divide(dy, powers.square(math.add(powers.one_like(x), complex_numbers.abs(x))))


@op("Softsign", "features:T -> T", types=FLOATS, infer=same, vjp=_softsign_vjp)
@export("math.softsign", "nn.softsign")
def softsign(xp, features):
    """`x / (1 + |x|)` elementwise."""
    return xp.divide(features, xp.add(xp.abs(features), xp.ones_like(features)))


@export("nn.crelu")
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """`relu(x)` and `relu(-x)` joined along `axis`."""
    x = operand(features)
    return joining.concat([relu(x), relu(math.negative(x))], axis, name=name or "CRelu")


@export("nn.swish", "nn.silu")
def swish(features: Any, beta: Any = 1.0, name: str | None = None) -> Tensor:
    """`x * sigmoid(beta * x)` elementwise."""
    x = math.float_tensor(features)
    beta = convert_to_tensor(beta, dtype_hint=x.dtype)
    return math.multiply(x, powers.sigmoid(math.multiply(x, math.cast(beta, x.dtype))), name=name)


@export("nn.gelu")
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """`x` times the normal distribution function at `x`, elementwise.

    Args:
      features: floating numbers.
      approximate: whether to use the hyperbolic tangent in place of the error function.
      name: the node's name.
    """
    x = operand(features)
    if not x.dtype.is_floating:
        raise ValueError(f"features.dtype must be a floating point type, got {x.dtype.name}")
    half = math.multiply(x, math.number_of(0.5, x))
    if not approximate:
        return math.multiply(half, erfc(math.multiply(math.negative(x), math.number_of(np.sqrt(0.5), x))), name=name)
    cubed = math.multiply(math.multiply(x, powers.square(x)), math.number_of(0.044715, x))
    inner = trigonometry.tanh(math.multiply(math.add(x, cubed), math.number_of(np.sqrt(2 / np.pi), x)))
    return math.multiply(half, math.add(inner, powers.one_like(x)), name=name)


def _softmax_vjp(op, dy):
    y, axis = op.outputs[0], op.attrs["axis"]
    total = reductions.reduce_sum(math.multiply(dy, y), [axis], True)
    return math.multiply(math.subtract(dy, total), y)


Fill = Callable[[np.ndarray, np.ndarray | None, int], np.ndarray]
"""`fill(logits, out, axis)` is given at least 32 bits, and as many for `out`, which it returns; None has it made."""


def _along(fill: Fill) -> Callable[..., Any]:
    """The kernel of what `fill` makes along an axis; large arrays are divided along another.

    The kernel has another form for other namespaces.
    """

    def along_axis(logits: np.ndarray, axis: int) -> np.ndarray:
        x = wide(logits)
        if not x.size:
            return np.empty(x.shape, logits.dtype)
        result = fill(x, None, axis)
        return result if x is logits else result.astype(logits.dtype)

    def put(logits: np.ndarray, out: np.ndarray, axis: int) -> None:
        if logits.dtype.itemsize > 2:
            fill(logits, out, axis)
        else:
            out[...] = fill(wide(logits), None, axis)

    def decorate(kernel: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(kernel)
        def divided(xp: Any, logits: Any, *, axis: int = -1) -> Any:
            rank = logits.ndim
            if not -rank <= axis < rank:
                raise ValueError(f"axis {axis} is out of range for logits of rank {rank}")
            if xp is not np:
                return kernel(xp, logits, axis=axis)
            if logits.size < TUNING.blocked_elements or rank == 1:
                return along_axis(logits, axis)
            out = np.empty(logits.shape, logits.dtype)
            outer = prod(logits.shape[: axis % rank])
            count = logits.size // TUNING.block_elements
            if 4 * outer >= count and logits.flags.c_contiguous:
                _by_rows(put, logits, out, axis % rank, count + count % 2)
            else:
                _by_columns(put, logits, out, axis % rank, count // 4 + count // 4 % 2)
            return out

        return divided

    return decorate


Put = Callable[[np.ndarray, np.ndarray, int], None]
"""`put(logits, out, axis)` fills `out`, which may be the logits."""


_ROWS, _COLUMNS = ThreadChoice(), ThreadChoice()


def _by_rows(put: Put, logits: np.ndarray, out: np.ndarray, axis: int, count: int) -> None:
    """Fills `out` in so many blocks that lie in one piece: some of what stands before the axis."""
    shape = (-1, *logits.shape[axis:])
    lines, results = logits.reshape(shape), out.reshape(shape)
    count = min(count, len(lines))

    def work(turn: int) -> None:
        here = slice(turn * len(lines) // count, (turn + 1) * len(lines) // count)
        if lines.ndim > 2 or lines.shape[1] >= TUNING.softmax_short_rows:
            put(lines[here], results[here], 1)
            return
        x = np.ascontiguousarray(lines[here].T)
        put(x, x, 0)
        results[here] = x.T

    with _ROWS.over(TUNING.softmax_number_ns * logits.size, 7 * count) as threads:
        spread(work, count, threads)


def _by_columns(put: Put, logits: np.ndarray, out: np.ndarray, axis: int, count: int) -> None:
    """Fills `out` in blocks of another axis, which are made in memory in one piece, or whole where that is faster."""
    rank = logits.ndim
    across = max((k for k in range(rank) if k != axis), key=lambda k: logits.shape[k])
    length = logits.shape[across]
    count = min(count, length // TUNING.softmax_least_columns)

    def work(turn: int) -> None:
        here = (*[slice(None)] * across, slice(turn * length // count, (turn + 1) * length // count))
        block = np.empty(out[here].shape, out.dtype)
        put(logits[here], block, axis)
        out[here] = block

    with _COLUMNS.over(TUNING.softmax_number_ns * logits.size, 7 * count) as threads:
        if count < 2 or (threads == 1 and logits.nbytes + out.nbytes <= TUNING.cached_bytes):
            put(logits, out, axis)
        else:
            spread(work, count, threads)


def _softmax_into(logits: np.ndarray, out: np.ndarray | None, axis: int) -> np.ndarray:
    out = lowered(logits, out, axis)
    np.exp(out, out)
    return np.divide(out, ADDED(out, axis, None, None, True), out)  # type: ignore[no-any-return]


@op("Softmax", "logits:T -> T", types=FLOATS, infer=along_axis, vjp=_softmax_vjp)
@_along(_softmax_into)
def _softmax(xp, logits, *, axis=-1):
    """Exponentials along an axis, divided by their sum."""
    x = wide(logits)
    powers = xp.exp(x - xp.max(x, axis=axis, keepdims=True, initial=-np.inf))
    return (powers / xp.sum(powers, axis=axis, keepdims=True)).astype(logits.dtype)


def _log_softmax_vjp(op, dy):
    total = reductions.reduce_sum(dy, [op.attrs["axis"]], True)
    return math.subtract(dy, math.multiply(total, powers.exp(op.outputs[0])))


def _log_softmax_into(logits: np.ndarray, out: np.ndarray | None, axis: int) -> np.ndarray:
    out = lowered(logits, out, axis)
    return np.subtract(out, np.log(ADDED(np.exp(out), axis, None, None, True)), out)  # type: ignore[no-any-return]


@op("LogSoftmax", "logits:T -> T", types=FLOATS, infer=along_axis, vjp=_log_softmax_vjp)
@_along(_log_softmax_into)
def log_softmax_op(xp, logits, *, axis=-1):
    """The logarithm of `softmax`."""
    x = wide(logits)
    x = x - xp.max(x, axis=axis, keepdims=True, initial=-np.inf)
    return (x - xp.log(xp.sum(xp.exp(x), axis=axis, keepdims=True))).astype(logits.dtype)


@export("math.softmax", "nn.softmax")
def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Exponentials along `axis` (the last one if None), divided by their sum.

    Args:
      logits: floating numbers.
      axis: the axis.
      name: the node's name.
      dim: the 1.x name of `axis`.
    """
    axis = dim if axis is None else axis
    return _softmax(logits, -1 if axis is None else whole(axis, "axis"), name)


@export("math.log_softmax", "nn.log_softmax")
def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """The logarithm of `softmax`, without overflow.

    Args:
      logits: floating numbers.
      axis: the axis; the last one if None.
      name: the node's name.
      dim: the 1.x name of `axis`.
    """
    axis = dim if axis is None else axis
    return log_softmax_op(logits, -1 if axis is None else whole(axis, "axis"), name)
