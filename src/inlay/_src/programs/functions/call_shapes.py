"""The shapes of what a traced function gives for the arguments of one call in a graph, where the trace knew less."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph, Operation, static_value_of
from inlay._src.core.opdef import Role, Shapes
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.program import Program, programs_of


def result_dims(graph: Graph, program: Program, tensors: Sequence[SymbolicTensor]) -> list[Dims]:
    """The shapes of a program's outputs for given inputs: inferred again if that can tell more than the trace did.

    Args:
      graph: where it is called.
      program: the called program.
      tensors: one for each of its parameters, of `graph`.
    """
    traced = [t._dims for t in program.graph.outputs]
    if all(map(_is_static, traced)) or not any(map(_says_more, tensors, program.parameters)):
        return traced
    again = FuncGraph(program.name, graph)
    tables = ("host_functions", "functions", "gradients", "resources")
    for name in tables:
        getattr(again, name).update(getattr(program.graph, name))
    with context.using(context.State(graph=again)):
        tensors_in_copy = {id(p): again.input_like(t) for p, t in zip(program.parameters, tensors, strict=True)}
        for node in program.graph.nodes:
            if node.opdef.role is not Role.PLACEHOLDER or id(node.outputs[0]) not in tensors_in_copy:
                copied = _added(again, node, [tensors_in_copy[id(t)] for t in node.inputs])
                tensors_in_copy |= {id(old): new for old, new in zip(node.outputs, copied.outputs, strict=True)}
    return [tensors_in_copy[id(t)]._dims for t in program.graph.outputs]


def _is_static(dims: Dims) -> bool:
    return dims is not None and None not in dims


def _says_more(tensor: SymbolicTensor, parameter: SymbolicTensor) -> bool:
    """Whether more is known of an argument than of the parameter that stands for it."""
    if not _is_static(parameter._dims):
        return tensor._dims != parameter._dims
    return static_value_of(tensor) is not None


def _added(graph: FuncGraph, node: Operation, inputs: Sequence[SymbolicTensor]) -> Operation:
    """A node like another one, on other inputs, with what is known of its outputs from both."""
    dims: Sequence[Dims] = [t._dims for t in node.outputs]
    if not all(map(_is_static, dims)):
        dims = list(map(_both, dims, _inferred(graph, node, inputs)))
    kinds = [t.dtype for t in node.outputs]
    return graph.add(node.opdef, tuple(inputs), node.attrs, kinds, dims, effect=node.effect, where=node.site)


def _inferred(graph: FuncGraph, node: Operation, inputs: Sequence[SymbolicTensor]) -> Sequence[Dims]:
    if node.opdef.infer.dims is not None:
        return node.opdef.infer.dims(Shapes(inputs, [t._dims for t in inputs], node.attrs, static_value_of))
    programs = programs_of(node) if "f" in node.attrs else []
    return result_dims(graph, programs[0], inputs) if programs else [t._dims for t in node.outputs]


def _both(one: Any, two: Any) -> Dims:
    """Two static shapes of one tensor, merged."""
    if one is None or two is None or len(one) != len(two):
        return two if one is None else one  # type: ignore[no-any-return]
    return tuple(b if a is None else a for a, b in zip(one, two, strict=True))
