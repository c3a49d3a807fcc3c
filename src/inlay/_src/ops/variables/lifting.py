"""A variable's first value, taken out of the functions being traced that compute it: a graph's variable begins outside.

The ops that compute the value are copied into the variable's graph, which initializes it before the functions run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inlay._src.core.eager.convert import symbolic
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Role
from inlay._src.core.tables import Reference, references
from inlay._src.core.tensor import SymbolicTensor, Tensor


def not_lifted(label: str, value: Any) -> ValueError:
    """The error for a variable whose first value, the tensor `value`, is not known outside."""
    return ValueError(
        f"The initial value of variable {label!r}, {value!r}, could not be lifted out of the function that is being "
        "traced: it depends on what has no value yet. Tensor-typed variable initializers must either be wrapped in an "
        "init_scope or callable (e.g., `tf.Variable(lambda : tf.random.uniform([10]))`)."
    )


def lifted(value: SymbolicTensor, graph: Graph, label: str) -> SymbolicTensor:
    """A tensor of a function, computed in a graph around it.

    Args:
      value: a tensor of `graph`, or of a function that is being traced inside it.
      graph: the graph in force.
      label: the variable's name.

    Raises:
      ValueError: if it depends on an argument that has no value, or belongs elsewhere.
    """
    source = value.op.graph
    if source is graph:
        return value
    if not isinstance(source, FuncGraph) or not source.is_inside(graph):
        raise not_lifted(label, value)
    nodes: dict[int, Operation] = {}
    stack = [value.op]
    while stack:
        node = stack.pop()
        if node.index not in nodes:
            nodes[node.index] = node
            stack += [*(t.op for t in node.inputs), *node.control_inputs]
    arguments = {id(p): t for p, t in zip(source.inputs, source.given, strict=False)}
    copies: dict[int, SymbolicTensor] = {}
    again: dict[int, Operation] = {}
    for index in sorted(nodes):
        node = nodes[index]
        if node.opdef.role is Role.PLACEHOLDER:
            parameter = node.outputs[0]
            outer = arguments.get(id(parameter), source.outside(parameter))
            if outer is None and any(parameter is p for p in source.inputs):
                raise not_lifted(label, value)
            if outer is not None:
                copies[id(parameter)] = _outer(outer, graph, label, value)
                continue
        with graph.control_dependencies([again[c.index] for c in node.control_inputs if c.index in again]):
            copy = again[index] = add_copy(node, tuple(copies[id(t)] for t in node.inputs), graph)
        copies |= {id(old): new for old, new in zip(node.outputs, copy.outputs, strict=True)}
    return copies[id(value)]


def _outer(tensor: Any, graph: Graph, label: str, value: Any) -> SymbolicTensor:
    """The tensor of `graph` that is passed for an input of a function."""
    if isinstance(tensor, SymbolicTensor):
        return lifted(tensor, graph, label)
    if not isinstance(tensor, Tensor):  # a spec
        raise not_lifted(label, value)
    return symbolic(tensor, graph)  # type: ignore[return-value]


def add_copy(node: Operation, inputs: tuple[SymbolicTensor, ...], graph: Graph) -> Operation:
    """Adds a node like that of another graph.

    Args:
      node: the node of the other graph.
      inputs: its inputs, tensors of `graph`.
      graph: the graph that it is added to.
    """
    kinds, dims = [t.dtype for t in node.outputs], [t._dims for t in node.outputs]
    attrs = {name: _referred(attr, node.graph, graph) for name, attr in node.attrs.items()}
    name = node.name.rpartition("/")[2]
    return graph.add(node.opdef, inputs, attrs, kinds, dims, name, node.host, node.effect, node.site)


def _referred(attr: Any, source: Graph, graph: Graph) -> Any:
    """An attribute whose references name objects of `graph` instead of `source`."""
    if isinstance(attr, Reference):
        return getattr(graph, attr.table).add(source.referred(attr), attr.key)
    if not any(references(attr)):
        return attr
    if isinstance(attr, Mapping):
        return {name: _referred(part, source, graph) for name, part in attr.items()}
    return type(attr)(_referred(part, source, graph) for part in attr)
