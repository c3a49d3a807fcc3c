"""`Graph.create_op`: a node by the name of its op, as it is declared on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inlay._src.base.protos.graph import NodeDef
from inlay._src.base.protos.schema import parsed
from inlay._src.core import context
from inlay._src.core.graph import Graph
from inlay._src.core.operation import CREATED, Operation
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.declared import Declaration, declaration
from inlay._src.programs.graph_def.reading import GraphReader


def create_op(graph: Graph, op_type: str, inputs: Sequence[Any], name: str, attrs: Mapping[str, Any]) -> Operation:
    """Adds a node.

    Args:
      graph: the graph.
      op_type: the op's name.
      inputs: tensors of the graph.
      name: its name; within the name scope in force, and made unique.
      attrs: its attributes, as messages; types and numbers of inputs may be left out.
    """
    for at, tensor in enumerate(inputs):
        if not isinstance(tensor, SymbolicTensor):
            raise TypeError(f"Input #{at} is not a tensor: {tensor!r}")
    state = context.current()
    scope = state.scope if state.graph is graph else context.scope_of(graph)
    whole = name[:-1] if name.endswith("/") else graph._names.claim(name, scope)
    node = NodeDef(name=whole, op=op_type, input=[f"{whole}/{at}" for at in range(len(inputs))])
    for key, value in attrs.items():
        own = type(node.attr[key])
        node.attr[key].CopyFrom(value if isinstance(value, own) else parsed(own, value.SerializeToString()))
    declared = declaration(op_type)
    for key, kind, value in _deduced(declared, inputs, node.attr) if declared is not None else ():
        attributes.put(node.attr[key], kind, value)
    by_reference: dict[str, Any] = dict(zip(node.input, inputs, strict=True))
    if state.graph is graph:
        node.device = state.device
        for operation in state.followed(graph, tuple(inputs)) if state.control else ():
            node.input.append(f"^{operation.name}")
            by_reference[f"^{operation.name}"] = operation
    site = GraphReader(graph, [node], "", graph.functions.__getitem__, by_reference)
    with graph.as_default():
        site.add_all()
    result = site.results[whole][1]
    if result is None:
        raise ValueError(
            f"Node '{whole}' ({op_type}) is not an operation of this graph: it is a value that the graph has already"
        )
    return result


def _deduced(
    declared: Declaration, inputs: Sequence[SymbolicTensor], said: Mapping[str, Any]
) -> list[tuple[str, str, Any]]:
    """The omitted attributes of a node that its inputs determine: (name, kind, value)."""
    deduced: dict[str, tuple[str, Any]] = {}
    at = 0
    for place, argument in enumerate(declared.inputs):
        rest = len(inputs) - at - sum(not a.many for a in declared.inputs[place + 1 :])
        count = max(0, rest) if argument.many else 1
        if argument.number and argument.number in said:
            count = attributes.get(said[argument.number], "int")
        taken = [t.dtype for t in inputs[at : at + count]]
        at += count
        if argument.number:
            deduced[argument.number] = "int", len(taken)
        if argument.listed:
            deduced[argument.listed] = "list(type)", taken
        if argument.letter and taken:
            deduced[argument.letter] = "type", taken[0]
    return [(key, kind, value) for key, (kind, value) in deduced.items() if key not in said]


CREATED["Graph"] = create_op
