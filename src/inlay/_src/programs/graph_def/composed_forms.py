"""Ops of inlay that TensorFlow lacks, written as the ops that they are made of.

A form is a function of tensors: it runs on the inputs of a node in a graph of its own, whose nodes are written
instead of the node. A message for this library alone, a pickle, has the node as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops import array, gathering, linalg, math, reductions, scatter
from inlay._src.ops.matmul import matmul
from inlay._src.ops.nn import top_k
from inlay._src.ops.ranges import range_
from inlay._src.ops.rearranging import transpose
from inlay._src.ops.shaping import broadcast_to
from inlay._src.ops.stacking import stack
from inlay._src.ops.strings import substr
from inlay._src.ops.trigonometry import sin
from inlay._src.programs.graph_def.exporting import FORMS, Audience, Form, Scope
from inlay._src.programs.graph_def.wire import Wire

Composition = Callable[..., Any]
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
        with graph.name_scope(scope.names.claim_scope(name)):
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


def composed(make: Composition) -> Form:
    """The form of a node that is written as what a function makes of its inputs."""

    def form(scope: Scope, node: Operation) -> Wire | None:
        if scope.library.audience is Audience.SELF:
            return None
        try:
            parts = functools.partial(make, node.attrs)
            written = inline(scope, f"{node.name}/parts", parts, node.inputs, scope.inputs(node))
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


# ---------------------------------------------------------------- places


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


def _sinc(attrs: Mapping[str, Any], x: Any) -> Any:
    scaled = x * math.cast(np.pi, x.dtype)
    safe = array.where(math.equal(scaled, 0), array.ones_like(scaled), scaled)
    return array.where(math.equal(scaled, 0), array.ones_like(scaled), sin(safe) / safe)


def _masked(attrs: Mapping[str, Any], tensor: Any, mask: Any) -> Any:
    return gathering.boolean_mask(tensor, mask, axis=attrs["axis"])


def _pseudo_inverse(attrs: Mapping[str, Any], a: Any, rcond: Any) -> Any:
    """The pseudo-inverse from the singular values above a share of the greatest one."""
    s, u, v = linalg.svd(a)
    cutoff = array.expand_dims(rcond * reductions.reduce_max(s, -1), -1)
    above = math.logical_or(s > cutoff, math.not_equal(cutoff, cutoff))
    inverse = array.where(above, 1 / array.where(above, s, array.ones_like(s)), array.zeros_like(s))
    return matmul(v * array.expand_dims(inverse, -2), u, adjoint_b=True)


def _is_jpeg(attrs: Mapping[str, Any], contents: Any) -> Any:
    return math.equal(substr(contents, 0, 3), b"\xff\xd8\xff")


_COMPOSED: Mapping[str, Composition] = {
    "ArgSort": _argsorted,
    "AxisExchanged": _axis_exchanged,
    "BooleanMask": _masked,
    "Eye": _eye,
    "IsJpeg": _is_jpeg,
    "KeptShape": _kept_shape,
    "PseudoInverse": _pseudo_inverse,
    "PutAlongAxis": _put,
    "Sinc": _sinc,
    "Sort": _sorted,
    "TakeAlongAxis": _taken,
}
FORMS.update({op: composed(make) for op, make in _COMPOSED.items()})
