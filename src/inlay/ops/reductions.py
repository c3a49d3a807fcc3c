"""Reductions over axes, and products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, op
from inlay.ops import array, math
from inlay.ops.shaping import axes_of
from inlay.types import dtypes
from inlay.types.dtypes import NUMBERS, REALS
from inlay.types.shapes import Dims


def all_axes(tensor: Any, *_: Any) -> Any:
    """Every axis of a tensor, for a caller who named none."""
    from inlay.core.emit import convert_to_tensor

    tensor = convert_to_tensor(tensor)
    if tensor.shape.rank is not None:
        return np.arange(tensor.shape.rank, dtype=np.int32)
    return array.range_(0, array.rank(tensor))


def reduced(s: Shapes) -> list[Dims]:
    """The shape of a reduction."""
    dims, axis = s.dims[0], s.value(1)
    keep = s.attrs["keepdims"]
    if dims is None:
        return [None]
    if axis is None:
        return [(None,) * len(dims) if keep else None]
    drop = axes_of(axis, len(dims)) or ()
    return [tuple(1 if i in drop else d for i, d in enumerate(dims) if keep or i not in drop)]


REDUCTION: Any = {"static": ("axis",), "infer": reduced, "fill": {"axis": all_axes}}
N = {"T": NUMBERS, "Index": array.INDEX}
R = {"T": REALS, "Index": array.INDEX}


@op(
    "KeptShape",
    "x:T, axis:Index -> int32",
    types={"T": dtypes.ANY, "Index": array.INDEX},
    static=("axis",),
    infer=lambda s: [(None if s.dims[0] is None else len(s.dims[0]),)],
)
def kept_shape(xp, x, axis):
    """The shape a reduction of `x` over `axis` would have with its axes kept."""
    shape = list(np.shape(x))
    for a in axes_of(axis, len(shape)) if axis is not None else range(len(shape)):
        shape[a] = 1
    return np.asarray(shape, np.int32)


def restored(dy: Any, op: Any) -> Any:
    """A reduction's output gradient with the reduced axes back as size 1."""
    return dy if op.attrs["keepdims"] else array.reshape(dy, kept_shape(op.inputs[0], op.inputs[1]))


def _sum_vjp(op, dy):
    from inlay.ops.shaping import broadcast_like

    return broadcast_like(restored(dy, op), op.inputs[0]), None


@op("Sum", "input:T, axis:Index -> T", types=N, vjp=_sum_vjp, **REDUCTION)
def reduce_sum(xp, input_tensor, axis=None, *, keepdims=False):
    """The sum over `axis` (all axes if None); the result keeps the input's type."""
    return xp.sum(input_tensor, axis=axes_of(axis, np.ndim(input_tensor)), keepdims=keepdims, dtype=input_tensor.dtype)


def _mean_vjp(op, dy):
    from inlay.ops.shaping import broadcast_like

    x = op.inputs[0]
    count = math.cast(math.floordiv(array.size(x), math.maximum(array.size(op.outputs[0]), 1)), x.dtype)
    return broadcast_like(restored(math.real_divide(dy, count), op), x), None


@op("Mean", "input:T, axis:Index -> T", types=N, vjp=_mean_vjp, **REDUCTION)
def reduce_mean(xp, input_tensor, axis=None, *, keepdims=False):
    """The mean over `axis` (all axes if None); integers are divided as integers."""
    axes = axes_of(axis, np.ndim(input_tensor))
    if np.dtype(input_tensor.dtype).kind in "iu":
        total = xp.sum(input_tensor, axis=axes, keepdims=keepdims, dtype=input_tensor.dtype)
        count = max(np.size(input_tensor) // max(np.size(total), 1), 1)
        quotient = xp.abs(total) // count if np.dtype(input_tensor.dtype).kind == "i" else total // count
        return (quotient * xp.sign(total)).astype(input_tensor.dtype)
    return xp.mean(input_tensor, axis=axes, keepdims=keepdims, dtype=input_tensor.dtype)
