"""`ConcreteFunction.prune`: the part of a traced graph between some tensors and others, as a function."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types import nest
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.eager.convert import symbolic
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Role
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.variables.lifting import add_copy
from inlay._src.programs.control.tracing import Traced, Tracing
from inlay._src.programs.functions import arguments
from inlay._src.programs.functions.arguments import BoundArguments


def pruned(source: FuncGraph, feeds: Any, fetches: Any, name: str | None) -> tuple[Traced, BoundArguments]:
    """A part of a traced graph as a graph of its own, and what it takes; see `ConcreteFunction.prune`.

    Args:
      source: the traced graph.
      feeds, fetches, name: as for `prune`.
    """
    elements = [source.as_graph_element(feed) for feed in nest.flatten(feeds, expand_composites=True)]
    for feed in elements:
        if not isinstance(feed, SymbolicTensor):
            raise ValueError(f"All members of argument `feeds` must be tensors. Got {feed!r}.")
    taken = [feed for feed in elements if source.outside(feed) is None]  # captures stay captures
    if len({id(feed) for feed in taken}) != len(taken):
        raise ValueError(f"All members of argument `feeds` must differ. Got {taken}.")
    targets = nest.map_structure(lambda fetch: _element(source, fetch), fetches, expand_composites=True)
    parts = nest.flatten(targets, expand_composites=True)
    labels = [feed.op.name for feed in taken]
    specs = [TensorSpec(feed.shape, feed.dtype, label) for feed, label in zip(taken, labels, strict=True)]
    bound = arguments.bind(specs, labels, {}, None)
    tracing = Tracing(name or "pruned", source.outer)
    inputs = [tracing.graph.add_input(*parameters) for parameters in bound.placeholders()]
    with tracing.building():
        copies = GraphCopies(source, tracing.graph, dict(zip(map(id, taken), inputs, strict=True)))
        copies.add([item for item in parts if item is not None])
        copied = [None if item is None else copies.of(item) for item in parts]
        result = nest.pack_sequence_as(targets, copied, expand_composites=True)
    return tracing.finish(result), bound


def _element(graph: Graph, fetch: Any) -> Any:
    """A tensor or operation of a graph, named by itself, its name or a `TensorInfo`."""
    named = fetch.name if hasattr(fetch, "WhichOneof") else fetch
    return None if named is None else graph.as_graph_element(named)


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
