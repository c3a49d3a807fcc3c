"""`import_graph_def`: the nodes of a `GraphDef` as nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.files.allowance import allowance
from inlay._src.base.interpreter.terminal import tamed
from inlay._src.core.eager.convert import convert_to_tensor, symbolic
from inlay._src.core.graph import Graph, default_graph
from inlay._src.core.operation import Operation
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.programs.graph_def.exporting import PRODUCER, TENSORFLOW
from inlay._src.programs.graph_def.foreign import ForeignModel
from inlay._src.programs.graph_def.host_functions import Hosts
from inlay._src.programs.graph_def.program_readers import Functions
from inlay._src.programs.graph_def.reading import GraphReader
from inlay._src.programs.graph_def.reference_variables import with_resources

_SCALARS_ARE_ANYTHING = 21
"""The last version of the format in which the shape of a placeholder could not say that it is a scalar."""


@export("import_graph_def", "graph_util.import_graph_def", "compat.v1.graph_util.import_graph_def")
def import_graph_def(
    graph_def: Any,
    input_map: Mapping[Any, Any] | None = None,
    return_elements: Sequence[Any] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
    *,
    trust: Any = None,
) -> list[Tensor]:
    """Adds the nodes of a `GraphDef` to the default graph. Nothing in it runs.

    Args:
      graph_def: a `GraphDef`, of this library or of TensorFlow.
      input_map: names of tensors in `graph_def` ("x:0", "^x" for a node that is followed) -> tensors or operations of
        the default graph that are in their place.
      return_elements: names of nodes ("x") and tensors ("x:0") of `graph_def`.
      name: the prefix of the names of the nodes; None is "import", "" is nothing.
      op_dict, producer_op_list: accepted and ignored.
      trust: the Python functions of the graph that may run: see `saved_model.load`.

    Returns:
      The operations and tensors that `return_elements` names, in that order; None if it is None.

    Raises:
      TypeError: if an argument is not of its kind.
      PermissionDeniedError: if the graph has Python functions that nothing allows to run; the message lists them.
      ValueError: for a graph that cannot be read, naming the node and the attribute, and for names in `input_map` and
        `return_elements` that `graph_def` does not have.
    """
    message = as_message(graph_def)
    try:
        with allowance(message.ByteSize()):
            return add_nodes(message, Hosts(message.library.function, trust), name, input_map, return_elements)
    except (ValueError, TypeError) as error:
        tamed(error)
        raise


def add_nodes(
    message: Any,
    hosts: Callable[[str], Any],
    name: str | None = None,
    input_map: Mapping[Any, Any] | None = None,
    return_elements: Sequence[Any] | None = None,
    foreign: ForeignModel | None = None,
) -> Any:
    """As `import_graph_def`, with the Python functions of the message; `foreign` as for `GraphReader`."""
    wanted = [_as_name(e, "return_elements") for e in _listed(return_elements)]
    graph = default_graph()
    replacements = _replacements(input_map or {}, graph, name)
    if message.versions.producer < 0:
        raise ValueError(
            f"GraphDef producer version {message.versions.producer} below min producer 0 supported by TensorFlow "
            f"{TENSORFLOW}.  Please regenerate your graph."
        )
    if message.versions.min_consumer > PRODUCER:
        raise ValueError(
            f"GraphDef min consumer version {message.versions.min_consumer} above current version {PRODUCER} "
            f"for TensorFlow {TENSORFLOW}.  Please upgrade TensorFlow."
        )
    scope = graph.name_scope(name or "import") if name != "" else graph.name_scope(None)
    with graph.as_default(), scope as prefix:
        functions = Functions(message.library.function, hosts, foreign)
        site = GraphReader(
            graph,
            with_resources(_of_today(message)),
            prefix,
            functions.program,
            replacements,
            hosts=hosts,
            foreign=foreign,
        )
        site.add_all()
        if site.absent.reasons:
            absent = {f"{prefix}{name}": reason for name, reason in site.absent.reasons.items()}
            graph.absent = {**graph.absent, **absent}
    unused = [_as_name(k, "input_map") for k in input_map or {} if not _is_used(_as_name(k, "input_map"), site)]
    if unused:
        raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(unused)}]")
    return None if return_elements is None else [_element(site, e) for e in wanted]


def as_message(graph_def: Any) -> Any:
    """A `GraphDef` as our message; TypeError if it is none."""
    from inlay._src.base.protos.graph import GraphDef
    from inlay._src.base.protos.schema import parsed

    if isinstance(graph_def, GraphDef):
        return graph_def
    if type(graph_def).__name__ != "GraphDef" or not hasattr(graph_def, "SerializeToString"):
        raise TypeError(f"Argument `graph_def` must be a GraphDef proto. Received type {type(graph_def).__name__}.")
    return parsed(GraphDef, graph_def.SerializeToString())


def _of_today(graph_def: Any) -> Any:
    """The nodes of a graph. Up to version 21 of the format, placeholders whose shape has no axes took any shape."""
    if graph_def.versions.producer > _SCALARS_ARE_ANYTHING:
        return graph_def.node
    message = type(graph_def)()
    message.CopyFrom(graph_def)
    for node in message.node:
        if node.op == "Placeholder" and not node.attr["shape"].shape.dim:
            node.attr["shape"].shape.unknown_rank = True
    return message.node


def _listed(elements: Any) -> list[Any]:
    if elements is None:
        return []
    if isinstance(elements, (str, bytes)) or not isinstance(elements, Sequence):
        raise TypeError("Argument `return_elements` must be a list of strings.")
    return list(elements)


def _as_name(name: Any, what: str) -> str:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"Argument `{what}` must be a list of strings. Obtained {name!r}.")
    return name.decode() if isinstance(name, bytes) else name


def _replacements(input_map: Mapping[Any, Any], graph: Graph, prefix: str | None) -> dict[str, Any]:
    """The replacements of inputs, by every form of their references."""
    if not isinstance(input_map, Mapping):
        raise TypeError(f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}.")
    if prefix == "" and not all(isinstance(value, (Tensor, Operation)) for value in input_map.values()):
        raise ValueError("tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values.")
    replacements: dict[str, Any] = {}
    for key, value in input_map.items():
        name = _as_name(key, "input_map")
        if name.startswith("^"):
            replacements[name] = value if isinstance(value, Operation) else graph.as_operation(value)
            continue
        with graph.as_default():
            tensor = value if isinstance(value, Tensor) else convert_to_tensor(value)
            replacement = symbolic(tensor, graph)
        replacements[name] = replacement
        if ":" not in name:
            replacements[f"{name}:0"] = replacement
        elif name.endswith(":0"):
            replacements[name[:-2]] = replacement
    return replacements


def _is_used(name: str, site: GraphReader) -> bool:
    """Whether an entry of `input_map` names something in the graph."""
    return site.split(name)[0] in site.messages


def _element(site: GraphReader, name: str) -> SymbolicTensor | Operation:
    if name.count(":") > 1:
        raise ValueError(f"Cannot convert {name!r} to a tensor name.")
    node, output = site.split(name)
    if node not in site.messages or output == "^":
        raise ValueError(f"Requested return_element {name!r} not found in graph_def.")
    if output:
        try:
            return site.tensor(name)
        except ValueError:
            raise ValueError(f"Requested return_element {name!r} not found in graph_def.") from None
    site.add_left_out(node)
    operation = site.results[node][1]
    if operation is None:
        raise ValueError(f"Requested return_element {name!r} not found in graph_def: it is not an operation in inlay.")
    return operation
