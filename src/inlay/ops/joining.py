"""Concatenation and splitting."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.emit import convert_to_tensor, emit
from inlay.core.opdef import OPS, Shapes, op
from inlay.ops import array
from inlay.types import shapes
from inlay.types.dtypes import ANY
from inlay.types.shapes import Dims


def _concat_infer(s: Shapes) -> list[Dims]:
    axis, known = s.attrs["axis"], [d for d in s.dims if d is not None]
    if not known:
        return [None]
    rank = len(known[0])
    if not -rank <= axis < rank:
        raise ValueError(f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}")
    at = axis % rank
    merged: Dims = None
    for d in known:
        if len(d) != rank:
            raise ValueError(f"Shapes must be equal rank, but are {rank} and {len(d)}")
        merged = shapes.merge(merged, (*d[:at], None, *d[at + 1 :]))
    sizes = [None if d is None else d[at] for d in s.dims]
    total = None if None in sizes else sum(x for x in sizes if x is not None)
    assert merged is not None
    return [(*merged[:at], total, *merged[at + 1 :])]


def _concat_vjp(op, dy):
    at, out, start = op.attrs["axis"], [], 0
    for x in op.inputs:
        size = array.shape(x)[at]
        out.append(slice_axis(dy, start, size, at))
        start = start + size
    return out


@op("ConcatV2", "values:*T -> T", types={"T": ANY}, infer=_concat_infer, vjp=_concat_vjp)
def _concat(xp, values, *, axis=0):
    """Tensors joined along an axis."""
    ranks = {np.ndim(v) for v in values}
    if len(ranks) > 1 or 0 in ranks:
        raise ValueError(
            f"ConcatOp : Ranks of all input tensors should match and be at least 1, got "
            f"{[list(np.shape(v)) for v in values]}"
        )
    return xp.concatenate(values, axis=axis)


def slice_axis(value: Any, start: Any, size: Any, axis: int) -> Any:
    """`size` slices of `value` from `start` on, along one axis."""
    value = convert_to_tensor(value)
    before = axis if axis >= 0 else axis + (value.shape.rank or 0)
    index = (slice(None),) * before + (slice(start, start + size),)
    return value[index]


def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Tensors joined along an axis.

    Args:
      values: a list of tensors of one type and, but for that axis, one shape.
      axis: the axis.
      name: the node's name.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        return array.identity(values[0], name=name)
    at = int(axis) if not hasattr(axis, "op") else int(array.graphs.constant_of(axis))  # type: ignore[arg-type]
    return emit(OPS["ConcatV2"], (list(values),), {"axis": at}, name)
