"""Pictures of datasets: the stages from the sources on, with the programs of their functions."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.pictured import PICTURES
from inlay._src.data.dataset import Dataset
from inlay._src.data.mapped import Mapped
from inlay._src.data.node import Node
from inlay._src.data.ways import Placing
from inlay._src.inspection.pictures.graphs import GraphDrawing, built_plan, value_text
from inlay._src.inspection.pictures.scene import Picture, described

_PLAIN = (bool, int, float, str, bytes, type(None))


def of_dataset(dataset: Dataset) -> Picture:
    """The picture of a dataset; nothing of it is iterated."""
    picture = Picture("Dataset")
    picture.say("elements", repr(dataset.element_spec))
    drawing = GraphDrawing(picture)
    places: dict[int, int] = {}
    nodes = list({id(node): node for node in dataset._node.walk()}.values())
    picture.say("stages", len(nodes))
    for node in reversed(nodes):
        places[id(node)] = _add_stage(drawing, node)
    for node in nodes:
        for source in node.inputs:
            picture.wire(places[id(source)], places[id(node)], _elements(source))
    end = picture.add("elements", "output", -1, "", "", _elements(dataset._node))
    picture.wire(places[id(dataset._node)], end, _elements(dataset._node))
    return picture.finished()


def _elements(node: Node) -> str:
    """The dtypes and shapes of a node's elements."""
    leaves = node.element.leaves
    words = [described(leaf.dtype, leaf.shape._dims) if isinstance(leaf, TensorSpec) else repr(leaf) for leaf in leaves]
    return ", ".join(words)


def _add_stage(drawing: GraphDrawing, node: Node) -> int:
    picture = drawing.picture
    index = picture.add(node.stage, "stage", -1, node.stage, "", _elements(node))
    item = picture.items[index]
    item.say("stage", node.stage)
    item.say("elements", repr(node.element.spec))
    for kind in type(node).__mro__:
        for name in kind.__dict__.get("__slots__", ()):
            _describe(drawing, index, name, getattr(node, name, None))
        if kind is Node:
            break
    for number, tensor in enumerate(node.tensors):
        value = getattr(tensor, "_value", None)
        item.say(f"tensor {number}", repr(tensor) if value is None else value_text(value))
    return index


def _describe(drawing: GraphDrawing, index: int, name: str, value: Any) -> None:
    """Adds a field of a stage to its item: a traced function is put into the stage."""
    picture = drawing.picture
    if isinstance(value, Mapped):
        picture.items[index].say("function", value.label)
        container = picture.add(f"{name}: {value.label}", "program", index)
        drawing.add(value.program.graph, container, built_plan(value.program))
    elif isinstance(value, _PLAIN) and value is not None:
        picture.items[index].say(name, value)
    elif isinstance(value, Placing):
        picture.items[index].decide("placed", _placement(value))


def _placement(placing: Placing) -> str:
    """The executor of the calls of a stage, and the reason for it."""
    if placing.automatic:
        return "its calls run where they turn out to be fastest: the program asked for executor='auto'"
    if placing.executor is not None:
        return f"its calls run on {placing.executor!r}, which the program asked for"
    if placing.inline:
        return "its calls run inline, which the program asked for"
    return "its calls run in this process: the program asked for no executor"


PICTURES["dataset"] = of_dataset
