"""Pictures of saved models: of loaded ones, and of their messages, of which nothing is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inlay._src.core.pictured import PICTURES
from inlay._src.host.bodies.portable import PortableBody
from inlay._src.inspection.pictures.graphs import GraphDrawing, add_traces
from inlay._src.inspection.pictures.scene import DEEPEST, Picture, text
from inlay._src.programs.functions.concrete import ConcreteFunction
from inlay._src.programs.functions.traces import HasTraces
from inlay._src.programs.graph_def.attributes import dtype_of, shape_in
from inlay._src.programs.graph_def.host_functions import BODY, PREFIX
from inlay._src.saved.loaded import LoadedObject, Signatures
from inlay._src.saved.loading import Inspected
from inlay._src.saved.showing import tensor_text
from inlay._src.saved.tensorflow_models.model import TensorFlowModel
from inlay._src.saved.tensorflow_models.showing import HOST_CALLS

_KINDS = {
    "Const": "constant", "Placeholder": "input", "PlaceholderWithDefault": "input", "VarHandleOp": "variable",
    "VariableV2": "variable", "Variable": "variable",
}  # fmt: skip
_SHOWN = ("dtype", "T", "shape", "Tin", "Tout", "output_shapes", "_output_shapes")


def of_loaded(model: LoadedObject) -> Picture:
    """The picture of a loaded model: its functions and signatures, each once."""
    picture = Picture("Saved model")
    drawing = GraphDrawing(picture)
    shown: set[int] = set()
    for name, function in _functions(model):
        graphs = _graphs(function)
        if graphs and graphs <= shown:
            continue
        shown |= graphs
        add_traces(drawing, name, function)
    variables = model.variables
    picture.say("variables", len(variables))
    for variable in variables:
        picture.say(variable.name, f"{variable.dtype.name} {variable.shape}")
    return picture.finished()


def _functions(model: LoadedObject) -> Iterable[tuple[str, Any]]:
    """The functions of a model by name: its attributes, then its signatures."""
    for name, value in vars(model).items():
        if isinstance(value, (HasTraces, ConcreteFunction)):
            yield name, value
    signatures = vars(model).get("signatures")
    if isinstance(signatures, Signatures):
        for name in signatures:
            yield f"signature {name}", signatures[name]


def _graphs(function: Any) -> set[int]:
    """The graphs of a function, by identity: a signature may be a trace of a function."""
    traces = function._list_all_concrete_functions() if isinstance(function, HasTraces) else [function]
    return {id(trace.graph) for trace in traces if isinstance(trace, ConcreteFunction)}


class MessageDrawing:
    """Puts graphs that are messages into a picture.

    Args:
      picture: receives the items.
      library: the `FunctionDef`s of the graph.
      bodies: name of a function of the library -> the Python function that it holds.
    """

    def __init__(self, picture: Picture, library: Iterable[Any], bodies: Mapping[str, PortableBody]) -> None:
        self.picture, self.bodies = picture, bodies
        self.library = {function.signature.name: function for function in library}
        self.called: set[str] = set()
        self._around: list[str] = []

    def add_nodes(self, nodes: Iterable[Any], parent: int, places: dict[str, int]) -> None:
        """Puts `NodeDef`s into a container.

        Args:
          nodes: the nodes, in any order.
          parent: the container.
          places: name of a node or an argument -> the index of its item; it is added to.
        """
        listed = list(nodes)
        for node in listed:
            places[node.name] = self._add_node(node, parent)
        for node in listed:
            for tensor in node.input:
                tail = places.get(tensor.removeprefix("^").partition(":")[0])
                if tail is not None:
                    self.picture.wire(tail, places[node.name], tensor, control=tensor.startswith("^"))

    def _add_node(self, node: Any, parent: int) -> int:
        inside, label = self.picture.scope(node.name, parent)
        kind = "host" if node.op in HOST_CALLS else _KINDS.get(node.op, "op")
        index = self.picture.add(label, kind, inside, node.name, node.op)
        item = self.picture.items[index]
        item.say("name", node.name)
        item.say("op", node.op)
        item.say("device asked for", node.device)
        for name in _SHOWN:
            if name in node.attr:
                item.say(name, _attribute(node.attr[name]))
        body = self.bodies.get(node.attr[BODY].func.name) if BODY in node.attr else None
        if body is not None:
            item.say("function", body.label)
            item.say("digest", f"sha256:{body.digest}")
            item.source = text("\n\n".join(body.manifest.sources.values()), lines=True)
        elif kind == "host":
            item.say("function", "the model does not hold it")
        for name in sorted(node.attr):
            value = node.attr[name]
            for function in (value.func, *value.list.func):
                if function.name in self.library and function.name not in self.bodies:
                    item.kind = "call"
                    self.called.add(function.name)
                    self._add_called(f"{name}: {function.name}", function.name, index)
        return index

    def _add_called(self, label: str, name: str, index: int) -> None:
        if name in self._around or len(self._around) >= DEEPEST or self.picture.is_full:
            self.picture.items[index].say("runs", label)
            return
        self.add_function(label, name, index)

    def add_function(self, label: str, name: str, parent: int) -> None:
        """Puts a function of the library into a container of its own."""
        function = self.library[name]
        self._around.append(name)
        container = self.picture.add(label, "program", parent)
        places: dict[str, int] = {}
        for argument in function.signature.input_arg:
            places[argument.name] = self.picture.add(
                argument.name, "input", container, argument.name, "", _dtype(argument.type)
            )
        self.add_nodes(function.node_def, container, places)
        for argument in function.signature.output_arg:
            index = self.picture.add(argument.name, "output", container, "", "", _dtype(argument.type))
            tail = places.get(function.ret[argument.name].partition(":")[0]) if argument.name in function.ret else None
            if tail is not None:
                self.picture.wire(tail, index, function.ret[argument.name])
        self._around.pop()


def _dtype(number: int) -> str:
    try:
        return dtype_of(number).name
    except ValueError:
        return f"type {number}" if number else ""


def _attribute(value: Any) -> str:
    """An attribute of a message in a few words."""
    which = value.WhichOneof("value")
    if which == "type":
        return _dtype(value.type)
    if which == "shape":
        return str(shape_in(value.shape))
    if which == "list":
        return ", ".join([*map(_dtype, value.list.type), *(str(shape_in(shape)) for shape in value.list.shape)])
    return ""


def of_graph_def(
    title: str,
    graph_def: Any,
    bodies: Mapping[str, PortableBody] | None = None,
    signatures: Mapping[str, Any] | None = None,
) -> Picture:
    """The picture of a `GraphDef` and of those functions of its library that no node calls.

    Args:
      title: the heading.
      graph_def: the message.
      bodies: name of a function of the library -> the Python function that it holds.
      signatures: name -> `SignatureDef`.
    """
    picture = Picture(title)
    for name, signature in sorted((signatures or {}).items()):
        takes, gives = (_tensors(side) for side in (signature.inputs, signature.outputs))
        picture.say(f"signature {name}", f"{takes} → {gives}")
    add_message(picture, graph_def, bodies or {}, -1)
    return picture.finished()


def add_message(picture: Picture, graph_def: Any, bodies: Mapping[str, PortableBody], parent: int) -> None:
    """Puts a `GraphDef` into a container, -1 for the picture itself."""
    drawing = MessageDrawing(picture, graph_def.library.function, bodies)
    nodes = [*graph_def.node, *(node for function in drawing.library.values() for node in function.node_def)]
    calling = {f.name for node in nodes for value in node.attr.values() for f in _names(value)}
    if graph_def.node:
        container = picture.add("graph", "program", parent) if drawing.library else parent
        drawing.add_nodes(graph_def.node, container, {})
    for name in sorted(drawing.library):
        if name not in calling and name not in bodies and not name.startswith(PREFIX):
            drawing.add_function(name, name, parent)


def _names(value: Any) -> Sequence[Any]:
    return (value.func, *value.list.func)


def _tensors(infos: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {tensor_text(info)}" for name, info in sorted(infos.items())) or "nothing"


def of_inspected(model: Inspected) -> Picture:
    """The picture of a saved model of inlay that was read; nothing of it is run.

    Raises:
      DataLossError: if its graph makes no sense.
    """
    with model.container.guard("saved_model.pb"):
        return of_graph_def(model.container.path, model.graph_def, model.bodies, model.signatures)


def of_tensorflow_models(path: str, models: Sequence[TensorFlowModel]) -> Picture:
    """The picture of a saved model of TensorFlow, with every graph of it; nothing of it is run.

    Raises:
      DataLossError: if a graph makes no sense.
    """
    picture = Picture(path)
    for model in models:
        tags = ", ".join(model.meta.meta_info_def.tags)
        parent = picture.add(f"tags {tags}", "program") if len(models) > 1 else -1
        with model.folder.guard("saved_model.pb"):
            for name, signature in sorted(model.signatures.items()):
                picture.say(f"signature {name}", f"{_tensors(signature.inputs)} → {_tensors(signature.outputs)}")
            add_message(picture, model.meta.graph_def, {}, parent)
    return picture.finished()


PICTURES["saved_model"] = of_loaded
