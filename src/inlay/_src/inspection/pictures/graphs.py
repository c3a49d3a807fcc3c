"""Pictures of graphs and traced functions, with the decisions of a plan that was built of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import Effect, Role
from inlay._src.core.operation import Operation
from inlay._src.core.pictured import PICTURES
from inlay._src.core.tables import references
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.plan.plan import Plan
from inlay._src.inspection.pictures.decisions import decide
from inlay._src.inspection.pictures.functions import describe_host, source_of
from inlay._src.inspection.pictures.scene import DEEPEST, Item, Picture, described
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.traces import HasTraces
from inlay._src.programs.program import Program

_KINDS = {Role.CONSTANT: "constant", Role.PLACEHOLDER: "input", Role.VARIABLE: "variable"}
_HIDDEN = frozenset({"value", "handle", "token"})
_MOST_ELEMENTS = 6


class GraphDrawing:
    """Puts graphs into a picture.

    Args:
      picture: receives the items.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._around: list[Graph] = []  # the graphs that are being put in, outermost first

    def add(self, graph: Graph, parent: int = -1, plan: Plan | None = None) -> Mapping[str, int]:
        """Puts a graph into a container, -1 for the picture itself.

        Args:
          graph: the graph.
          parent: the container.
          plan: a plan of it, whose decisions are shown; None if none was built.

        Returns:
          Name of a node -> the index of its item.
        """
        self._around.append(graph)
        places: dict[int, int] = {}
        for node in graph.nodes:
            places[node.index] = self._add_node(node, parent)
        for node in graph.nodes:
            for tensor in node.inputs:
                self.picture.wire(places[tensor.op.index], places[node.index], _tensor(tensor))
            for before in node.control_inputs:
                self.picture.wire(places[before.index], places[node.index], "runs first", control=True)
        if isinstance(graph, FuncGraph):
            self._add_ends(graph, parent, places)
        names = {node.name: places[node.index] for node in graph.nodes}
        if plan is not None:
            decide(self.picture, names, plan, parent)
        self._around.pop()
        return names

    def _add_node(self, node: Operation, parent: int) -> int:
        inside, label = self.picture.scope(node.name, parent)
        kind = _KINDS.get(node.opdef.role, "op")
        detail = ", ".join(map(_tensor, node.outputs[:2])) + (", …" if len(node.outputs) > 2 else "")
        index = self.picture.add(label, kind, inside, node.name, node.type, detail)
        item = self.picture.items[index]
        item.say("name", node.name)
        item.say("op", node.type)
        item.say("results", ", ".join(map(_tensor, node.outputs)))
        item.say("defined at", node.site)
        item.say("device asked for", node.device)
        if node.effect is not Effect.PURE and node.host is None:
            item.say("effect", node.effect.value)
        if kind == "constant":
            item.say("value", value_text(node.constant_value()))
        for name, value in node.attrs.items():
            if name not in _HIDDEN and not any(references(value)):
                item.say(name, value_text(value))
        if node.host is not None:
            describe_host(item, node.host)
        elif kind != "constant":
            self._add_programs(node, index)
        return index

    def _add_programs(self, node: Operation, index: int) -> None:
        """Puts the programs that a node runs into its item."""
        for name, value in node.attrs.items():
            for reference in references(value):
                if reference.table != "functions":
                    continue
                self.picture.items[index].kind = "call"
                program = node.graph.referred(reference)
                graph = getattr(program, "graph", None)
                if graph is None or not self._has_room(graph):
                    self.picture.items[index].say(name, f"{reference.key}, which is not drawn here")
                    continue
                container = self.picture.add(f"{name}: {program.name}", "program", index)
                self.add(graph, container, built_plan(program))

    def _has_room(self, graph: Graph) -> bool:
        """Whether a graph can be put into the one that is being put in."""
        is_around = any(graph is around for around in self._around)
        return not is_around and len(self._around) < DEEPEST and not self.picture.is_full

    def _add_ends(self, graph: FuncGraph, parent: int, places: Mapping[int, int]) -> None:
        """The results of a function, and what its captures stand for."""
        for outer, inner in graph.captured:
            item = self.picture.items[places[inner.op.index]]
            item.say("captures", getattr(outer, "name", "") if isinstance(outer, SymbolicTensor) else repr(outer))
        for number, tensor in enumerate(graph.outputs):
            index = self.picture.add(f"result {number}", "output", parent, "", "", _tensor(tensor))
            self.picture.wire(places[tensor.op.index], index, _tensor(tensor))


def _tensor(tensor: SymbolicTensor) -> str:
    return described(tensor.dtype, tensor._dims)


def value_text(value: Any) -> str:
    """An attribute's value in a few words: small arrays in full, of large ones the dtype and the shape."""
    if isinstance(value, np.ndarray):
        if value.size > _MOST_ELEMENTS:
            return f"array of {value.dtype} {list(value.shape)}"
        return np.array2string(value, separator=", ").replace("\n", "")
    return str(value) if isinstance(value, np.generic) else repr(value)


def built_plan(program: Any) -> Plan | None:
    """The plan of a program if it was built already; building one could run constant calls of the user's functions."""
    built = program.built if isinstance(program, Program) else None
    return None if built is None else built.plan


def summary(picture: Picture, graphs: Iterable[Graph]) -> None:
    """Says how much there is of graphs."""
    nodes = [node for graph in graphs for node in graph.nodes]
    picture.say("nodes", f"{len(nodes):,}")
    hosts = sum(node.token is not None for node in nodes)
    if hosts:
        picture.say("host calls", f"{hosts:,}")


def of_graph(graph: Graph, plan: Plan | None = None) -> Picture:
    """The picture of a graph.

    Args:
      graph: the graph.
      plan: a plan of it, whose decisions are shown.
    """
    picture = Picture(getattr(graph, "name", None) or "Graph")
    summary(picture, [graph])
    GraphDrawing(picture).add(graph, -1, plan)
    return picture.finished()


def of_concrete(function: ConcreteFunction) -> Picture:
    """The picture of one traced signature, with its plan if it was called."""
    picture = Picture(function.program.name)
    picture.say("signature", function.pretty_printed_signature(verbose=False))
    summary(picture, [function.graph])
    plan = built_plan(function.program)
    if plan is None:
        picture.say("plan", "none yet: the function was not called")
    GraphDrawing(picture).add(function.graph, -1, plan)
    return picture.finished()


def of_function(function: Any) -> Picture:
    """The picture of a `function`: each of its traces."""
    name = getattr(function.python_function, "__name__", "function")
    traces = function._list_all_concrete_functions()
    if len(traces) == 1:
        picture = of_concrete(traces[0])
    else:
        picture = Picture(name)
        picture.say("traces", len(traces))
        drawing = GraphDrawing(picture)
        for traced in traces:
            add_trace(drawing, traced, -1)
        picture.finished()
    source = source_of(function.python_function)
    if source:
        picture.source = source
    return picture


def add_trace(drawing: GraphDrawing, traced: ConcreteFunction, parent: int) -> None:
    """Puts a traced signature into a container of its own."""
    label = traced.pretty_printed_signature(verbose=False)
    index = drawing.picture.add(label, "program", parent)
    drawing.picture.items[index].say("signature", label)
    drawing.add(traced.graph, index, built_plan(traced.program))


def add_traces(drawing: GraphDrawing, name: str, function: Any, parent: int = -1) -> None:
    """Puts the traces of a function, or a concrete function, into a container of its name."""
    index = drawing.picture.add(name, "program", parent)
    traces = function._list_all_concrete_functions() if isinstance(function, HasTraces) else [function]
    for traced in traces:
        if not isinstance(traced, ConcreteFunction):
            drawing.picture.items[index].say("absent", repr(traced))
        elif len(traces) == 1:
            item: Item = drawing.picture.items[index]
            item.say("signature", traced.pretty_printed_signature(verbose=False))
            drawing.add(traced.graph, index, built_plan(traced.program))
        else:
            add_trace(drawing, traced, index)


PICTURES["graph"] = of_graph
PICTURES["concrete_function"] = of_concrete
PICTURES["function"] = of_function
