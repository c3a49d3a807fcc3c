"""Jacobians, from one pull per element of the target; where a graph does not know how many there are, in a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import Declared
from inlay._src.base.types import shapes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS
from inlay._src.ops.array import ones_like, shape, size, zeros
from inlay._src.ops.joining import concat
from inlay._src.ops.ranges import range_
from inlay._src.ops.rearranging import transpose
from inlay._src.ops.sequences import one_hot
from inlay._src.ops.stacking import stack

ABOVE: dict[str, Callable[..., Any]] = Declared("composites")
"""Set by the module of `map_fn`, which is above this one."""


def one_hots(target: Any) -> list[Any]:
    """Cotangents of a target of known shape that each pick one element."""
    dims = tuple(target.shape.as_list())
    count = int(np.prod(dims, dtype=np.int64))
    rows = np.eye(count, dtype=target.dtype.np).reshape(count, *dims)
    return [convert_to_tensor(row) for row in rows]


def jacobian(pull: Callable[[Any], Sequence[Any]], target: Any) -> list[Any]:
    """Derivatives of every element of `target`.

    Args:
      pull: takes a cotangent of the target; returns one cotangent or None per source.
      target: a tensor.

    Returns:
      Per source: a tensor of shape `target.shape + source.shape`, or None.
    """

    def tensors(seed: Any) -> list[Any]:
        return [_dense(g) for g in pull(seed)]

    if not target.shape.is_fully_defined():
        columns = _columns_by_loop(tensors, target)
    elif rows := [tensors(seed) for seed in one_hots(target)]:
        columns = [None if any(c is None for c in column) else stack(column) for column in zip(*rows, strict=True)]
    else:
        whole = tensors(ones_like(target))
        columns = [None if g is None else zeros(concat([[0], shape(g)], 0), g.dtype) for g in whole]
    dims = shape(target) if not target.shape.is_fully_defined() else target.shape.as_list()
    return [None if c is None else _shaped(c, dims, c) for c in columns]


def _dense(grad: Any) -> Any:
    """A cotangent as a tensor, also one that is IndexedSlices."""
    return None if grad is None else convert_to_tensor(grad)


def _columns_by_loop(pull: Callable[[Any], Sequence[Any]], target: Any) -> list[Any]:
    """Per source its cotangents for each element of the target, stacked; None for one that has none."""
    probes = list(pull(ones_like(target)))  # says which have one; nobody asks for the values
    live = [i for i, g in enumerate(probes) if g is not None]
    count, dims = size(target), shape(target)

    def row(k: Any) -> list[Any]:
        grads = pull(emit(OPS["Reshape"], (one_hot(k, count, dtype=target.dtype), dims), {}))
        return [grads[i] for i in live]

    if live:
        kinds = [probes[i].dtype for i in live]
        for i, column in zip(live, ABOVE["map_fn"](row, range_(count), fn_output_signature=kinds), strict=True):
            column.set_shape([None, *probes[i].shape.as_list()] if probes[i].shape.rank is not None else None)
            probes[i] = column
    return probes


def _shaped(tensor: Any, first: Any, like: Any) -> Any:
    """A tensor reshaped to the sizes `first` and then those of `like` from its second axis on."""
    rest = like.shape.as_list()[1:] if like.shape[1:].is_fully_defined() else shape(like)[1:]
    static = isinstance(first, list) and isinstance(rest, list)
    return emit(OPS["Reshape"], (tensor, [*first, *rest] if static else concat([first, rest], 0)), {})


def batch_jacobian(pull: Callable[[Any], Any], target: Any, source: Any) -> Any:
    """The jacobian of each row of `target` with respect to the same row of `source`.

    Args:
      pull: takes a cotangent of the target; returns the cotangent of the source, or None.
      target, source: tensors of known rank of at least 2 with the same number of rows.
    """
    for t in (target, source):
        t.shape.with_rank_at_least(2)
    if target.shape.rank is None or source.shape.rank is None:
        raise ValueError(f"batch_jacobian needs a target and a source of known rank, got {target!r} and {source!r}")
    if not shapes.compatible(target.shape._dims[:1], source.shape._dims[:1]):
        raise ValueError(
            f"Need first dimension of target shape {target.shape} and source shape {source.shape} to match."
        )
    grad = pull(ones_like(target)) if None in target.shape[1:].as_list() else None
    count: Any = size(target[:1]) if grad is not None else int(np.prod(target.shape[1:].as_list(), dtype=np.int64))
    dims = shape(target) if not target.shape.is_fully_defined() else target.shape.as_list()
    within = ones_like(target)

    def column(k: Any) -> Any:  # the same element of every row at once: rows do not depend on one another
        picked = emit(OPS["Reshape"], (one_hot(k, count, dtype=target.dtype), _one_row(dims)), {})
        return _dense(pull(within * picked))

    if grad is not None:
        by_column = ABOVE["map_fn"](column, range_(count), fn_output_signature=grad.dtype)
        by_column.set_shape([None, *source.shape.as_list()])
        stacked = transpose(by_column, [1, 0, *range(2, source.shape.rank + 1)])
    else:
        columns = [column(k) for k in range(count)]
        if any(c is None for c in columns):  # not connected: zeros, whatever is asked for, as in TensorFlow
            columns = [zeros(shape(source), target.dtype)] * count
        stacked = stack(columns, 1) if columns else zeros([0], source.dtype)
    return _shaped(stacked, dims, source)


def _one_row(dims: Any) -> Any:
    return [1, *dims[1:]] if isinstance(dims, list) else concat([[1], dims[1:]], 0)
