"""Graphs with their collections as messages: the `.meta` files of 1.x, and graphs made again from them.

A variable is in its collections as TensorFlow's `VariableDef`: the names of its handle, initializer, read and first
value. Tensors and operations are there by name, numbers and bytes as they are. Other items are omitted.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.files import replacing
from inlay._src.base.files.opening import path_of
from inlay._src.base.interpreter import messages
from inlay._src.base.misuse import repr_of
from inlay._src.core import graph as graphs
from inlay._src.core.graph import Graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops.variables.creating import adopted
from inlay._src.ops.variables.save_slice import SaveSliceInfo
from inlay._src.ops.variables.variable import Variable
from inlay._src.programs.graph_def.importing import import_graph_def
from inlay._src.training.wholes import slice_of


class UnreadableError(errors.DataLossError, OSError):
    """A file holds no graph."""


def written(graph: Graph, collections: Iterable[str] | None = None, graph_def: Any = None) -> Any:
    """A graph with its collections as a `MetaGraphDef`.

    Args:
      graph: the graph.
      collections: the names of those that are written; None means all with a text for a name.
      graph_def: the message written as the graph; None converts the graph in its current state.
    """
    from inlay._src.base.protos.saved_model import MetaGraphDef

    meta = MetaGraphDef()
    meta.graph_def.CopyFrom(graph.as_graph_def() if graph_def is None else graph_def)
    chosen = graph.get_all_collection_keys() if collections is None else collections
    for name in chosen:
        items = graph.get_collection(name)
        if isinstance(name, str) and items and not _collect(meta.collection_def, name, items):
            messages.info("the collection %r is not written: it holds %r", name, type(items[0]).__name__)
    return meta


def _collect(definitions: Any, name: str, items: Sequence[Any]) -> bool:
    """Writes a collection; False if it holds what cannot be."""
    if all(isinstance(item, Variable) and item.graph is not None for item in items):
        definitions[name].bytes_list.value.extend(_definition(item).SerializeToString() for item in items)
    elif all(isinstance(item, (SymbolicTensor, Operation)) for item in items):
        definitions[name].node_list.value.extend(item.name for item in items)
    elif all(isinstance(item, int) for item in items):
        definitions[name].int64_list.value.extend(items)
    elif all(isinstance(item, float) for item in items):
        definitions[name].float_list.value.extend(items)
    elif all(isinstance(item, (str, bytes)) for item in items):
        definitions[name].bytes_list.value.extend(i.encode() if isinstance(i, str) else i for i in items)
    else:
        return False
    return True


def _definition(variable: Any) -> Any:
    from inlay._src.base.protos.saved_model import SaveSliceInfoDef, VariableDef

    info = slice_of(variable)
    return VariableDef(
        save_slice_info_def=None if info is None else SaveSliceInfoDef(**dataclasses.asdict(info)),
        variable_name=variable.name,
        initializer_name=variable.initializer.name,
        snapshot_name=variable._snapshot.name,
        initial_value_name=variable.initial_value.name,
        is_resource=True,
        trainable=variable.trainable,
    )


def save(meta: Any, path: str, as_text: bool) -> None:
    """Writes a `MetaGraphDef` to a file: readers see the old file, or the whole new one.

    Args:
      meta: the message.
      path: the file.
      as_text: whether it is written as text (protobuf's).
    """
    with replacing.replacing(path) as file:
        file.write(str(meta).encode() if as_text else meta.SerializeToString(deterministic=True))


def read(source: Any) -> Any:
    """A `MetaGraphDef`, or the one in a file.

    Raises:
      OSError: if there is no such file, or (also DataLossError) if it holds something else.
    """
    from inlay._src.base.protos.saved_model import MetaGraphDef
    from inlay._src.base.protos.schema import parsed, parsed_text

    if isinstance(source, MetaGraphDef):
        return source
    path = path_of(source)
    if not os.path.exists(path):
        raise OSError(f"File {path} does not exist.")
    with open(path, "rb") as file:
        data = file.read()
    try:
        return parsed(MetaGraphDef, data)
    except ValueError as error:
        try:
            return parsed_text(MetaGraphDef, data.decode())
        except ValueError:
            raise UnreadableError(None, None, f"Cannot parse file {path}: it is not a MetaGraphDef: {error}") from None


def without_devices(graph_def: Any) -> None:
    """Takes the devices away that the nodes of a message ask for, those of its functions included."""
    for nodes in (graph_def.node, *(function.node_def for function in graph_def.library.function)):
        for node in nodes:
            node.device = ""


def prefix_of(import_scope: str | None) -> str:
    """The name scope of a graph that is imported here: the one in force, and in it the one that is stated.

    Args:
      import_scope: the one that is stated, which is made unique, or None.

    Returns:
      The prefix of names, with its trailing slash, or "".
    """
    graph, stated = graphs.default_graph(), (import_scope or "").rstrip("/")
    scope = graph.unique_name(stated) if stated else graph.get_name_scope()
    return f"{scope}/" if scope else ""


def graph_of(sess: Any) -> Graph:
    """The graph of a session.

    Raises:
      TypeError: if it is no session.
    """
    graph = getattr(sess, "graph", None)
    if not isinstance(graph, Graph) or isinstance(sess, (Tensor, Operation, Variable)):
        raise TypeError(f"'sess' must be a Session; {repr_of(sess)}")
    return graph


def added(
    meta: Any,
    prefix: str,
    clear_devices: bool,
    input_map: Mapping[Any, Any] | None,
    trust: Any,
    without: Collection[str] = (),
) -> None:
    """Adds a graph and its collections to the default graph.

    Args:
      meta: the `MetaGraphDef`.
      prefix: the prefix of the names of its nodes; "" for nothing.
      clear_devices: whether its nodes are placed anew.
      input_map, trust: as for `import_graph_def`.
      without: collections that are not added.
    """
    from inlay._src.base.protos.graph import GraphDef

    graph = graphs.default_graph()
    message = GraphDef()
    message.CopyFrom(meta.graph_def)
    if clear_devices:
        without_devices(message)
    import_graph_def(message, input_map=input_map, name=prefix, trust=trust)
    add_collections(graph, meta, prefix, without)


def add_collections(graph: Graph, meta: Any, prefix: str, without: Collection[str] = ()) -> None:
    """Adds the collections of a message to a graph whose nodes are there.

    Args:
      graph: the graph.
      meta: the `MetaGraphDef`.
      prefix: the prefix of the names of its nodes in the graph.
      without: collections that are not added.
    """
    variables: dict[bytes, Any] = {}
    for name in sorted(set(meta.collection_def) - set(without)):
        definition = meta.collection_def[name]
        kind = definition.WhichOneof("kind")
        for value in getattr(definition, kind).value if kind else ():
            item: Any = value
            if kind == "node_list":
                item = graph.as_graph_element(f"{prefix}{value}")
            elif kind == "bytes_list" and (variable := _variable(graph, value, prefix, variables)) is not None:
                item = variable
            graph.add_to_collection(name, item)


def _variable(graph: Graph, data: bytes, prefix: str, variables: dict[bytes, Any]) -> Any:
    """The variable of a definition, one for all collections that have it; None if these are other bytes."""
    from inlay._src.base.protos.saved_model import VariableDef
    from inlay._src.base.protos.schema import parsed

    if data not in variables:
        try:
            definition = parsed(VariableDef, data)
        except ValueError:
            return None
        names = definition.variable_name, definition.initializer_name, definition.snapshot_name
        if not all(names):
            return None
        handle, initializer, read_value = (graph.as_graph_element(f"{prefix}{name}") for name in names)
        first = definition.initial_value_name
        variables[data] = adopted(
            Variable.__new__(Variable),
            handle,
            initializer,
            read_value,
            graph.as_graph_element(f"{prefix}{first}") if first else None,
            definition.trainable,
        )
        if definition.HasField("save_slice_info_def"):
            part = definition.save_slice_info_def
            sizes = (list(part.full_shape), list(part.var_offset), list(part.var_shape))
            variables[data]._save_slice_info = SaveSliceInfo(part.full_name, *sizes)
    return variables[data]
