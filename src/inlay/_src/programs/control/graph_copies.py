"""Nodes of a traced graph, added to another graph with what they need."""

from __future__ import annotations

from typing import Any

from inlay._src.core.eager.convert import symbolic
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Operation
from inlay._src.core.opdef import Role
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.variables.lifting import add_copy


class GraphCopies:
    """The nodes of a graph that are added to another one.

    Args:
      source: the graph.
      graph: the other one.
      tensors: identity of a tensor of `source` -> what stands for it.
    """

    def __init__(self, source: FuncGraph, graph: FuncGraph, tensors: dict[int, SymbolicTensor]) -> None:
        self._source, self._graph, self._tensors = source, graph, tensors
        self._nodes: dict[int, Operation] = {}

    def of(self, item: SymbolicTensor | Operation) -> Any:
        """The copy of a tensor or an operation."""
        return self._tensors[id(item)] if isinstance(item, Tensor) else self._nodes[item.index]

    def add(self, items: list[Any]) -> None:
        """Adds what tensors and operations need, in the order of their graph."""
        needed: dict[int, Operation] = {}
        stack = list(items)
        while stack:
            item = stack.pop()
            node = item.op if isinstance(item, Tensor) else item
            if id(item) not in self._tensors and node.index not in needed:
                needed[node.index] = node
                stack += [*node.inputs, *node.control_inputs]
        for index in sorted(needed):
            self._add(needed[index])

    def _add(self, node: Operation) -> None:
        if node.opdef.role is Role.PLACEHOLDER:
            outer = self._source.outside(node.outputs[0])
            if outer is None:
                raise ValueError(
                    f"the part of {self._source.name} needs the placeholder {node.name!r}, which is not among its feeds"
                )
            self._tensors[id(node.outputs[0])] = symbolic(outer, self._graph, f"{node.name}/")
            return
        before = [self._nodes[c.index] for c in node.control_inputs if c.index in self._nodes]
        with self._graph.control_dependencies(before):
            copied = self._nodes[node.index] = add_copy(
                node, tuple([self._tensors[id(t)] for t in node.inputs]), self._graph
            )
        for old, new in zip(node.outputs, copied.outputs, strict=True):
            self._tensors.setdefault(id(old), new)
