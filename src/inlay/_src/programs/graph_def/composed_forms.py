"""Ops of inlay that TensorFlow lacks, written as the ops that they are made of.

A form is a function of tensors: it runs on the inputs of a node in a graph of its own, whose nodes are written in the
place of the node. A message for this library alone, a pickle, has the node as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.func_graph import FuncGraph, handle_key
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops import array, gathering, joining, math, reductions, scatter, segments
from inlay._src.ops.cumulative import cumsum
from inlay._src.ops.nn import top_k
from inlay._src.ops.ranges import range_
from inlay._src.ops.rearranging import transpose
from inlay._src.ops.shaping import broadcast_to
from inlay._src.ops.stacking import stack
from inlay._src.ops.trigonometry import sin
from inlay._src.programs.graph_def.exporting import FORMS, Audience, Form, Scope
from inlay._src.programs.graph_def.wire import Wire

Made = Callable[..., Any]
"""A form: (attributes of a node, *its inputs) -> its outputs."""


class Unwritten(Exception):
    """A form does not serve a node."""


def inline(
    scope: Scope, name: str, make: Callable[..., Any], like: Sequence[Any], references: Sequence[tuple[str, DType]]
) -> list[tuple[str, DType]]:
    """Writes the nodes that a function makes of some tensors.

    Args:
      scope: where.
      name: the base of the names of the nodes.
      make: the function.
      like: for each input a tensor of which as much is known, or its (dtype, dims).
      references: the inputs.

    Returns:
      The references to the results of the function, and their dtypes.

    Raises:
      Unwritten: if TensorFlow lacks an op that it uses.
    """
    graph = FuncGraph(name, None)
    with context.using(context.State(graph=graph)):
        inputs = [_input(graph, t) for t in like]
        with graph.name_scope(scope.claim(name)):
            outputs = make(*inputs)
    results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    written = scope.inlined(graph, dict(zip(inputs, references, strict=True)), results)
    if written is None:
        raise Unwritten
    return written


def _input(graph: FuncGraph, like: Any) -> SymbolicTensor:
    """An input of a graph, of which as much is known as of a tensor, or its (dtype, dims)."""
    if not isinstance(like, SymbolicTensor):
        dtype, dims = like
        return graph.add_input(dtype, dims, "input")
    if like.dtype is dtypes.resource:
        return graph.add_input(like.dtype, like._dims, "handle", key=handle_key(like))
    return graph.input_like(like)


def composed(make: Made) -> Form:
    """The form of a node that is written as what a function makes of its inputs."""

    def form(scope: Scope, node: Operation) -> Wire | None:
        if scope.library.audience is Audience.SELF:
            return None
        try:
            made = functools.partial(make, node.attrs)
            written = inline(scope, f"{node.name}/parts", made, node.inputs, scope.inputs(node))
        except Unwritten:
            return None
        return Wire("IdentityN" if len(written) > 1 else "Identity", written, {}, [d for _, d in written])

    return form


# ---------------------------------------------------------------- sizes


def _kept_shape(attrs: Mapping[str, Any], x: Any, axis: Any) -> Any:
    shape = array.shape(x)
    rank = array.size(shape)
    axes = array.reshape(math.cast(axis, dtypes.int32), [1, -1])
    places = array.reshape(range_(rank), [-1, 1])
    reduced = reductions.reduce_any(math.logical_or(math.equal(places, axes), math.equal(places, axes + rank)), 1)
    return array.where(reduced, array.ones_like(shape), shape)


def _axis_exchanged(attrs: Mapping[str, Any], axis: Any, rank: Any) -> Any:
    axis = math.cast(axis, dtypes.int32)
    places = range_(rank)
    axis = array.where(axis < 0, axis + rank, axis)
    zero = array.zeros_like(places)
    return array.where(math.equal(places, 0), zero + axis, array.where(math.equal(places, axis), zero, places))


def _eye(attrs: Mapping[str, Any], rows: Any, columns: Any) -> Any:
    pairs = math.equal(array.reshape(range_(rows), [-1, 1]), array.reshape(range_(columns), [1, -1]))
    return math.cast(pairs, attrs["dtype"])


# ---------------------------------------------------------------- order


def _ranked(attrs: Mapping[str, Any], values: Any) -> tuple[Any, Any]:
    """The sorted values along the last axis, and the indices that sort them, and how to put the axis back."""
    rank = values.shape.rank
    if rank is None:
        raise Unwritten
    axis = attrs["axis"] % rank
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    moved = transpose(values, order) if axis != rank - 1 else values
    size = array.shape(moved)[-1]
    if attrs["descending"]:
        best = top_k(moved, size)
        ordered, indices = best.values, best.indices
    elif moved.dtype.is_floating:
        best = top_k(-moved, size)
        ordered, indices = -best.values, best.indices
    elif moved.dtype.is_unsigned:
        best = top_k(moved.dtype.max - moved, size)
        ordered, indices = moved.dtype.max - best.values, best.indices
    else:
        best = top_k(-1 - moved, size)
        ordered, indices = -1 - best.values, best.indices
    if axis != rank - 1:
        ordered, indices = transpose(ordered, order), transpose(indices, order)
    return ordered, indices


def _sorted(attrs: Mapping[str, Any], values: Any) -> Any:
    return _ranked(attrs, values)[0]


def _argsorted(attrs: Mapping[str, Any], values: Any) -> Any:
    return _ranked(attrs, values)[1]


# ---------------------------------------------------------------- rows


def _rowids(attrs: Mapping[str, Any], splits: Any) -> Any:
    """Where each row ends one is added; the sum up to a value is the number of its row."""
    total = splits[-1:]
    ends = array.reshape(splits[1:-1], [-1, 1])
    ones = array.ones_like(splits[1:-1])
    marks = scatter.scatter_nd(ends, ones, total + 1)
    return cumsum(marks)[:-1]


def _splits_of_lengths(attrs: Mapping[str, Any], lengths: Any) -> Any:
    return joining.concat([array.zeros([1], lengths.dtype), cumsum(lengths)], 0)


def _splits_of_rowids(attrs: Mapping[str, Any], rowids: Any, nrows: Any) -> Any:
    counts = segments.unsorted_segment_sum(array.ones_like(rowids), rowids, nrows)
    return joining.concat([array.zeros([1], rowids.dtype), cumsum(counts)], 0)


def _repeat_indices(attrs: Mapping[str, Any], repeats: Any, size: Any) -> Any:
    whole = broadcast_to(repeats, array.reshape(size, [1]))
    splits = joining.concat([array.zeros([1], repeats.dtype), cumsum(whole)], 0)
    return math.cast(_rowids(attrs, splits), dtypes.int32)


def _first(attrs: Mapping[str, Any], value: Any, *checked: Any) -> Any:
    """A value whose check is left out, since TensorFlow has no op for it."""
    return array.identity(value)


# ---------------------------------------------------------------- places


def _gathered_back(attrs: Mapping[str, Any], shape: Any, indices: Any, dy: Any) -> Any:
    if attrs["axis"] or attrs["batch_dims"]:
        raise Unwritten
    return scatter.scatter_nd(array.expand_dims(indices, -1), dy, math.cast(shape, indices.dtype))


def _gathered_nd_back(attrs: Mapping[str, Any], shape: Any, indices: Any, dy: Any) -> Any:
    if attrs["batch_dims"]:
        raise Unwritten
    return scatter.scatter_nd(indices, dy, math.cast(shape, indices.dtype))


def _places_along(like: Any, indices: Any, axis: int) -> Any:
    """The coordinates of the elements that indices along one axis choose."""
    rank = indices.shape.rank
    if rank is None or like.shape.rank != rank:
        raise Unwritten
    sizes = array.shape(indices)
    grids = []
    for at in range(rank):
        if at == axis % rank:
            wrapped = array.where(indices < 0, indices + math.cast(array.shape(like)[at], indices.dtype), indices)
            grids.append(math.cast(wrapped, dtypes.int32))
        else:
            along = array.reshape(range_(sizes[at]), [-1 if i == at else 1 for i in range(rank)])
            grids.append(broadcast_to(along, sizes))
    return stack(grids, -1)


def _taken(attrs: Mapping[str, Any], x: Any, indices: Any) -> Any:
    return gathering.gather_nd(x, _places_along(x, indices, attrs["axis"]))


def _put(attrs: Mapping[str, Any], like: Any, indices: Any, dy: Any) -> Any:
    return scatter.scatter_nd(_places_along(like, indices, attrs["axis"]), dy, array.shape(like))


def _values_at(attrs: Mapping[str, Any], dense: Any, indices: Any) -> Any:
    return gathering.gather_nd(dense, indices)


def _sinc(attrs: Mapping[str, Any], x: Any) -> Any:
    scaled = x * math.cast(np.pi, x.dtype)
    safe = array.where(math.equal(scaled, 0), array.ones_like(scaled), scaled)
    return array.where(math.equal(scaled, 0), array.ones_like(scaled), sin(safe) / safe)


_MADE: Mapping[str, Made] = {
    "ArgSort": _argsorted,
    "AxisExchanged": _axis_exchanged,
    "Eye": _eye,
    "GatherGrad": _gathered_back,
    "GatherNdGrad": _gathered_nd_back,
    "KeptShape": _kept_shape,
    "PutAlongAxis": _put,
    "RepeatIndices": _repeat_indices,
    "RowidsFromSplits": _rowids,
    "SameSplits": _first,
    "Sinc": _sinc,
    "Sort": _sorted,
    "SparseValuesAt": _values_at,
    "SplitsFromLengths": _splits_of_lengths,
    "SplitsFromRowids": _splits_of_rowids,
    "TakeAlongAxis": _taken,
    "ValidSplits": _first,
}
FORMS.update({op: composed(make) for op, make in _MADE.items()})
