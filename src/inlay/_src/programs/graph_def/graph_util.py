"""`tf.graph_util`: parts of a `GraphDef`, and graphs whose variables became constants."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.attributes import ProtoMessage
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.importing import as_message


def node_name(reference: str) -> str:
    """The name of the node that an input refers to."""
    return reference.removeprefix("^").partition(":")[0]


def _named(names: Any, what: str) -> list[str]:
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"{what} must be an iterable of strings. Received: {names!r}")
    return [n.decode() if isinstance(n, bytes) else str(n) for n in names]


@export("compat.v1.graph_util.extract_sub_graph")
def extract_sub_graph(graph_def: Any, dest_nodes: Sequence[str]) -> ProtoMessage:
    """The part of a graph that some nodes need.

    Args:
      graph_def: a `GraphDef`.
      dest_nodes: names of nodes.

    Returns:
      A `GraphDef` of the nodes that `dest_nodes` need, and themselves, in their order; with the whole library.

    Raises:
      TypeError: if an argument is not of its kind.
      ValueError: for a name that the graph does not have.
    """
    message, wanted = as_message(graph_def), _named(dest_nodes, "dest_nodes")
    nodes = {node.name: node for node in message.node}
    needed: set[str] = set()
    todo = [node_name(n) for n in wanted]
    while todo:
        name = todo.pop()
        if name not in nodes:
            raise ValueError(f"{name} is not in graph: no node has that name")
        if name not in needed:
            needed.add(name)
            todo.extend(node_name(r) for r in nodes[name].input)
    return _with_nodes(message, [node for node in message.node if node.name in needed])


def _with_nodes(message: Any, nodes: Iterable[Any]) -> Any:
    graph_def = type(message)()
    graph_def.versions.CopyFrom(message.versions)
    if message.library.function:
        graph_def.library.CopyFrom(message.library)
    graph_def.node.extend(nodes)
    return graph_def


@export("compat.v1.graph_util.must_run_on_cpu")
def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether a node runs on the CPU only.

    Args:
      node: an operation, or a `NodeDef`.
      pin_variables_on_cpu: whether variables are to stay there.

    Returns:
      True for variables that are to stay there, and for constants of strings and numbers that are read there.
    """
    message = getattr(node, "node_def", node)
    if pin_variables_on_cpu and message.op in ("VarHandleOp", "VariableV2", "Variable"):
        return True
    if message.op == "Const":
        return message.attr["dtype"].type in (dtypes.string.as_datatype_enum, dtypes.int32.as_datatype_enum)
    return message.op in ("PyFunc", "PyFuncStateless", "EagerPyFunc")


@export("compat.v1.graph_util.tensor_shape_from_node_def_name")
def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> TensorShape:
    """The shape of the tensor of a graph that an input names.

    Args:
      graph: a `tf.Graph`.
      input_name: "x" or "x:0".
    """
    return graph.get_tensor_by_name(input_name if ":" in input_name else f"{input_name}:0").shape


@export("compat.v1.graph_util.remove_training_nodes")
def remove_training_nodes(input_graph: Any, protected_nodes: Collection[str] | None = None) -> ProtoMessage:
    """A graph without the nodes that only training needs: `Identity` and `CheckNumerics`.

    Args:
      input_graph: a `GraphDef`.
      protected_nodes: names of nodes that stay.

    Returns:
      A `GraphDef`.
    """
    message, protected = as_message(input_graph), set(protected_nodes or ())
    followed = {node_name(r) for node in message.node for r in node.input if r.startswith("^")}
    passing: dict[str, str] = {}
    for node in message.node:
        plain = len(node.input) == 1 and not node.input[0].startswith("^")
        if node.op in ("Identity", "CheckNumerics") and plain and node.name not in protected | followed:
            passing[node.name] = node.input[0]
    nodes = []
    for node in message.node:
        if node.name not in passing:
            copied = type(node)()
            copied.CopyFrom(node)
            copied.input[:] = [_behind(r, passing) for r in node.input]
            nodes.append(copied)
    return _with_nodes(message, nodes)


def _behind(reference: str, passing: Mapping[str, str]) -> str:
    """The reference of an input after the removal of the nodes that pass a tensor on."""
    seen: set[str] = set()
    while not reference.startswith("^") and node_name(reference) in passing and reference not in seen:
        seen.add(reference)
        reference = passing[node_name(reference)]
    return reference


@export("compat.v1.graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Sequence[str],
    variable_names_whitelist: Collection[str] | None = None,
    variable_names_blacklist: Collection[str] | None = None,
) -> ProtoMessage:
    """A graph with the values that variables have in a session as constants.

    Args:
      sess: the session; its graph has the variables.
      input_graph_def: a `GraphDef` of that graph.
      output_node_names: names of nodes; nodes that they do not depend on are omitted.
      variable_names_whitelist: names of the variables to convert; None is all.
      variable_names_blacklist: names of variables to leave.

    Returns:
      A `GraphDef`.

    Raises:
      ValueError: for a name that the graph does not have, and for a variable that a function takes.
    """
    message = extract_sub_graph(input_graph_def, output_node_names)
    nodes = {node.name: node for node in message.node}
    chosen = {
        node.name
        for node in message.node
        if node.op == "VarHandleOp"
        and (variable_names_whitelist is None or node.name in variable_names_whitelist)
        and node.name not in (variable_names_blacklist or ())
    }
    for node in message.node:
        taken = next((r for r in node.input if node_name(r) in chosen), None)
        if taken is not None and node.op != "ReadVariableOp":
            raise ValueError(
                f"variable '{node_name(taken)}' cannot become a constant: node '{node.name}' ({node.op}) takes its "
                "handle. Name it in variable_names_blacklist"
            )
    reads = {
        n.name: node_name(n.input[0])
        for n in message.node
        if n.op == "ReadVariableOp" and node_name(n.input[0]) in chosen
    }
    values = _values(sess, reads)
    converted = []
    for node in message.node:
        if node.name in reads:
            converted.append(_constant(nodes[node.name], values[node.name]))
        elif node.name not in chosen:
            converted.append(node)
    return _with_nodes(message, converted)


def _values(sess: Any, reads: Mapping[str, str]) -> dict[str, np.ndarray]:
    """The values of variables, by the names of the nodes that read them."""
    tensors: dict[str, SymbolicTensor] = {name: sess.graph.get_tensor_by_name(f"{name}:0") for name in reads}
    return sess.run(tensors) if tensors else {}  # type: ignore[no-any-return]


def _constant(node: Any, value: Any) -> Any:
    constant = type(node)(name=node.name, op="Const", device=node.device)
    kind = attributes.dtype_of(node.attr["dtype"].type)
    constant.attr["dtype"].type = kind.as_datatype_enum
    constant.attr["value"].tensor.CopyFrom(attributes.tensor_message(np.asarray(value), kind))
    return constant
