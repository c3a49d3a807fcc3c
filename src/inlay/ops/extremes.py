"""Where along an axis the greatest and the least element stand: `argmax`, `argmin`."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops.shaping import axis_of
from inlay.types import dtypes
from inlay.types.dtypes import REALS
from inlay.types.shapes import Dims


def _position_infer(s: Shapes) -> list[Dims]:
    dims, axis = s.dims[0], s.value(1)
    if dims is None:
        return [None]
    if axis is None:
        return [(None,) * (len(dims) - 1)]
    at = axis_of(axis, len(dims))
    return [dims[:at] + dims[at + 1 :]]


POSITION: Any = {
    "types": {"T": REALS | {dtypes.bool_}, "Index": dtypes.INDEX},
    "static": ("dimension",),
    "infer": _position_infer,
    "differentiable": False,
}


def _position(xp: Any, function: Any, x: Any, axis: Any, output_type: Any) -> Any:
    at = axis_of(axis, np.ndim(x))
    if not np.shape(x)[at]:
        raise ValueError(f"Reduction axis {at} is empty in shape {list(np.shape(x))}")
    return function(x, axis=at).astype(output_type.np)


@op("ArgMax", "input:T, dimension:Index -> output_type", **POSITION)
def _argmax(xp, input, dimension, *, output_type):
    """Where the greatest element along an axis stands; the first of equal ones."""
    return _position(xp, xp.argmax, input, dimension, output_type)


@op("ArgMin", "input:T, dimension:Index -> output_type", **POSITION)
def _argmin(xp, input, dimension, *, output_type):
    """Where the least element along an axis stands; the first of equal ones."""
    return _position(xp, xp.argmin, input, dimension, output_type)


@export("argmax", "math.argmax", "arg_max")
def argmax(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None, dimension: Any = None
) -> Any:
    """Where the greatest element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      axis: one axis.
      output_type: an integer type.
      name: the node's name.
      dimension: the 1.x name of `axis`.
    """
    axis = dimension if axis is None else axis
    return _argmax(input, 0 if axis is None else axis, dtypes.as_dtype(output_type), name=name)


@export("argmin", "math.argmin", "arg_min")
def argmin(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None, dimension: Any = None
) -> Any:
    """Where the least element along `axis` (0 if None) stands; the first of equal ones.

    Args:
      input: real numbers.
      axis: one axis.
      output_type: an integer type.
      name: the node's name.
      dimension: the 1.x name of `axis`.
    """
    axis = dimension if axis is None else axis
    return _argmin(input, 0 if axis is None else axis, dtypes.as_dtype(output_type), name=name)
