"""Running sums and products, and the linear recurrence that their gradients need."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import FLOATS, NUMBERS
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import as_first
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math, powers
from inlay._src.ops.array import ones_like, where, zeros_like
from inlay._src.ops.shaping import axis_of, wide


def _running(xp: Any, accumulate: Any, x: Any, axis: Any, exclusive: bool, reverse: bool, first: float) -> Any:
    at = axis_of(axis, np.ndim(x))
    out = wide(x)
    if reverse:
        out = xp.flip(out, at)
    if exclusive and np.shape(out)[at]:
        start = xp.full((*np.shape(out)[:at], 1, *np.shape(out)[at + 1 :]), first, out.dtype)
        index = (slice(None),) * at + (slice(None, -1),)
        out = xp.concatenate([start, out[index]], axis=at)
    out = accumulate(out, axis=at, dtype=out.dtype)
    return xp.flip(out, at).astype(x.dtype) if reverse else out.astype(x.dtype, copy=False)


RUNNING: Any = {"static": ("axis",), "ranks": {"axis": 0}, "infer": as_first}


def _cumsum_vjp(op, dy):
    return cumsum(dy, op.inputs[1], op.attrs["exclusive"], not op.attrs["reverse"]), None


@op("Cumsum", "x:T, axis:Index -> T", types=NUMBERS, vjp=_cumsum_vjp, **RUNNING)
@export("cumsum", "math.cumsum")
def cumsum(xp, x, axis=0, *, exclusive=False, reverse=False):
    """The running sum along an axis.

    Args:
      x: numbers.
      axis: the axis.
      exclusive: leave out the element itself.
      reverse: run from the end.
    """
    return _running(xp, np.add.accumulate if xp is np else xp.cumsum, x, axis, exclusive, reverse, 0)


def _cumprod_vjp(op, dy):
    (x, axis), exclusive, reverse = op.inputs, op.attrs["exclusive"], op.attrs["reverse"]
    before = cumprod(x, axis, True, reverse)
    back = -1 if not reverse else 1
    start = shifted(dy, axis, back) if exclusive else dy
    total = linear_recurrence(shifted(math.conjugate(x), axis, back), start, axis, not reverse)
    return math.multiply(math.conjugate(before), total), None


@op("Cumprod", "x:T, axis:Index -> T", types=NUMBERS, vjp=_cumprod_vjp, **RUNNING)
@export("cumprod", "math.cumprod")
def cumprod(xp, x, axis=0, *, exclusive=False, reverse=False):
    """The running product along an axis.

    Args:
      x: numbers.
      axis: the axis.
      exclusive: leave out the element itself.
      reverse: run from the end.
    """
    return _running(xp, np.multiply.accumulate if xp is np else xp.cumprod, x, axis, exclusive, reverse, 1)


@op(
    "Shifted",
    "x:T, axis:Index -> T",
    types=NUMBERS,
    vjp=lambda op, dy: (shifted(dy, op.inputs[1], -op.attrs["by"]), None),
    **RUNNING,
)
def shifted(xp, x, axis, *, by):
    """`x` moved by one place along an axis, towards the end (`by=1`) or the start (`by=-1`); zero comes in."""
    at = axis_of(axis, np.ndim(x))
    lead = (slice(None),) * at
    gap = xp.zeros_like(x[(*lead, slice(0, 1))])
    parts = [gap, x[(*lead, slice(None, -1))]] if by > 0 else [x[(*lead, slice(1, None))], gap]
    return xp.concatenate(parts, axis=at) if np.shape(x)[at] else x


def _logsumexp_vjp(op, dy):
    (x, axis), y = op.inputs, op.outputs[0]

    def back(part: Any) -> Any:
        """The gradient for the positive part of `dy`, in logarithms so that nothing overflows."""
        none = math.less_equal(part, zeros_like(part))
        lowest = math.number_of(x.dtype.min, part)  # not -inf: this, too, is differentiated
        log = where(none, lowest, powers.log(where(none, ones_like(part), part)))
        attrs = op.attrs["exclusive"], not op.attrs["reverse"]
        return powers.exp(math.add(_cumulative_logsumexp(math.subtract(log, y), axis, *attrs), x))

    return math.subtract(back(dy), back(math.negative(dy))), None


@op("CumulativeLogsumexp", "x:T, axis:Index -> T", types=FLOATS, vjp=_logsumexp_vjp, **RUNNING)
def _cumulative_logsumexp(xp, x, axis=0, *, exclusive=False, reverse=False):
    """The logarithm of the running sum of exponentials along an axis."""

    def accumulate(values: Any, axis: int, dtype: Any) -> Any:
        return np.logaddexp.accumulate(values, axis) if xp is np else xla.lax().cumlogsumexp(values, axis)

    return _running(xp, accumulate, x, axis, exclusive, reverse, -np.inf)


@export("math.cumulative_logsumexp")
def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """`log(cumsum(exp(x)))` along an axis, without overflow.

    Args:
      x: floating numbers.
      axis: the axis.
      exclusive: leave out the element itself.
      reverse: run from the end.
      name: the node's name.
    """
    return _cumulative_logsumexp(math.float_tensor(x), axis, exclusive, reverse, name=name)


def _linear_recurrence_vjp(op, dy):
    (a, _, axis), reverse = op.inputs, op.attrs["reverse"]
    step = 1 if not reverse else -1
    db = linear_recurrence(shifted(math.conjugate(a), axis, -step), dy, axis, not reverse)
    da = math.multiply(db, math.conjugate(shifted(op.outputs[0], axis, step)))
    return da, db, None


@op(
    "LinearRecurrence",
    "a:T, b:T, axis:Index -> T",
    types=dtypes.TRAINABLE,
    static=("axis",),
    infer=as_first,
    vjp=_linear_recurrence_vjp,
)
def linear_recurrence(xp, a, b, axis=0, *, reverse=False):
    """`y[i] = a[i] * y[i - 1] + b[i]` along an axis, from zero; `reverse` runs from the end."""
    at = axis_of(axis, np.ndim(a))
    a, b = xp.moveaxis(a, at, 0), xp.moveaxis(b, at, 0)
    order = range(a.shape[0] - 1, -1, -1) if reverse else range(a.shape[0])
    rows: list[Any] = [None] * a.shape[0]
    last = xp.zeros(a.shape[1:], a.dtype)
    for i in order:
        rows[i] = last = xp.add(xp.multiply(a[i], last), b[i])
    return xp.moveaxis(xp.stack(rows), 0, at) if rows else xp.moveaxis(b, 0, at)
