"""Jacobians, from one pull per element of the target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay.core.opdef import OPS
from inlay.eager.convert import convert_to_tensor
from inlay.eager.emit import emit
from inlay.types import dtypes
from inlay.types.shapes import dimension_value


def one_hots(target: Any) -> list[Any]:
    """Cotangents of a target that each pick one element.

    Raises:
      ValueError: if its shape is not known while a graph is built.
    """
    if not target.shape.is_fully_defined():
        raise ValueError(
            f"a jacobian needs a target of known shape, got {target!r}; state its shape with set_shape or ensure_shape"
        )
    dims = tuple(target.shape.as_list())
    size = int(np.prod(dims, dtype=np.int64))
    rows = np.eye(size, dtype=target.dtype.np).reshape(size, *dims)
    return [convert_to_tensor(row) for row in rows]


def jacobian(pull: Callable[[Any], Sequence[Any]], target: Any) -> list[Any]:
    """Derivatives of every element of `target`.

    Args:
      pull: takes a cotangent of the target; returns one cotangent or None per source.
      target: a tensor of known shape.

    Returns:
      Per source: a tensor of shape `target.shape + source.shape`, or None.
    """
    rows = [list(pull(seed)) for seed in one_hots(target)]
    dims = list(target.shape.as_list())
    out: list[Any] = []
    for column in zip(*rows, strict=True):
        if any(c is None for c in column):
            out.append(None)
            continue
        stacked = emit(OPS["Pack"], (list(column),), {"axis": 0})
        tail = emit(OPS["Shape"], (column[0],), {"out_type": dtypes.int32})
        out.append(emit(OPS["Reshape"], (stacked, emit(OPS["ConcatV2"], ([dims, tail],), {"axis": 0})), {}))
    return out


def batch_jacobian(pull: Callable[[Any], Any], target: Any, source: Any) -> Any:
    """The jacobian of each row of `target` with respect to the same row of `source`.

    Args:
      pull: takes a cotangent of the target; returns the cotangent of the source, or None.
      target, source: tensors of known shape with the same number of rows.
    """
    for what, t in (("target", target), ("source", source)):
        if not t.shape.is_fully_defined() or not t.shape.rank:
            raise ValueError(f"batch_jacobian needs a {what} of known shape and rank of at least 1, got {t!r}")
    rows: Any
    rows, tail = dimension_value(target.shape[0]), tuple(target.shape.as_list()[1:])
    if rows != dimension_value(source.shape[0]):
        raise ValueError(
            f"batch_jacobian: target has {rows} rows, source {dimension_value(source.shape[0])}; they must be equal"
        )
    size = int(np.prod(tail, dtype=np.int64))
    columns = []
    for k in range(size):  # the same element of every row at once: rows do not depend on one another
        seed = np.zeros((rows, size), target.dtype.np)
        seed[:, k] = 1
        grad = pull(convert_to_tensor(seed.reshape(rows, *tail)))
        if grad is None:
            return None
        columns.append(grad)
    stacked = emit(OPS["Pack"], (columns,), {"axis": 1})
    return emit(OPS["Reshape"], (stacked, [rows, *tail, *source.shape.as_list()[1:]]), {})
