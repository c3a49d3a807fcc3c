"""Graphs as `GraphDef`: every node under TensorFlow's declaration of its op, or under ours where it has none.

Library   of one message: the functions that its nodes call, by name
Scope     the graph, or the function of the library, that nodes are written into
Wire      one node: op, inputs, attributes; made by the form of its op (`forms`), or from its declaration
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import Declared
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import Effect, Role
from inlay._src.core.operation import WRITTEN, Operation
from inlay._src.core.signature import Attribute
from inlay._src.core.tables import Reference
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.autodiff.rules import REGISTERED
from inlay._src.programs.graph_def import attributes, live
from inlay._src.programs.graph_def.declared import OWN, Argument, Declaration, declaration, own_outputs
from inlay._src.programs.graph_def.effect_order import preceding
from inlay._src.programs.graph_def.function_arguments import (
    FunctionArgument,
    declare_argument,
    is_state_of_op,
    parameters_of,
)
from inlay._src.programs.graph_def.host_functions import (
    BODY,
    GRADIENT,
    AbsentFunction,
    Packing,
    Written,
    base_name,
    inline,
    message_of,
)
from inlay._src.programs.graph_def.node_messages import fill, output_references, put_data
from inlay._src.programs.graph_def.node_names import NodeNames, free_name
from inlay._src.programs.graph_def.wire import Wire, deduced

PRODUCER = 2474
"""The version of the format: that of TensorFlow 2.21, whose declarations `op_defs.jsonl` holds."""
TENSORFLOW = "2.21"
"""The release of TensorFlow that writes and reads this version."""
FOR_AN_ATTRIBUTE = "_for_an_attribute"
"""Marks a node that gives what is an attribute of the node that takes it here, and an input in TensorFlow."""
_SPACE = re.compile(r"[^A-Za-z0-9_.\-/]")


Form = Callable[["Scope", Operation], Wire | None]
FORMS: Declared[str, Form] = Declared("forms")
"""Op type -> how its nodes are written, where that is not as declared; None if TensorFlow cannot say this one."""

RENAMED: Declared[str, Mapping[str, str]] = Declared("renamed")
"""Op type -> attribute as it is declared here -> its name in TensorFlow; "" where it follows from the outputs."""
SKIPPED: Declared[str, Callable[[Operation], bool]] = Declared("skipped")
"""Op type -> whether a node is part of what is written for others."""


class WrittenGradient(NamedTuple):
    """A gradient that nodes bring along, as a function of the library.

    Attributes:
      function: the name of the function of cotangents and captures.
      within: the name of the function that has the nodes.
      given: whether each cotangent of an input is among the results.
      captures: the references to the captured tensors, within that function.
    """

    function: str
    within: str
    given: tuple[bool, ...]
    captures: tuple[str, ...]


class Audience(enum.Enum):
    """The readers that a message is for.

    Attributes:
      OTHERS: TensorFlow and tools. Parts that cannot be written are omitted with the reason.
      SELF: this library, which rebuilds the graph exactly. Parts that cannot be written are an error.
      BOTH: this library, which rebuilds the graph, and TensorFlow, which runs it. Parts that cannot be written are an
        error. Nodes that TensorFlow cannot express have a form of this library, which TensorFlow refuses.
    """

    OTHERS, SELF, BOTH = "others", "self", "both"


class Library:
    """The functions of one message.

    Args:
      add_shapes: whether nodes say the shapes of their outputs.
      packing: the serialization of Python functions; None leaves them out.
      audience: the readers that the message is for.

    Attributes:
      complete: whether the message must rebuild the graph in another process.
      gradients: type under which a gradient is registered -> the gradient of nodes that have their own.
    """

    messages: Any

    def __init__(
        self, add_shapes: bool = False, packing: Packing | None = None, audience: Audience = Audience.OTHERS
    ) -> None:
        from inlay._src.base.protos import graph

        self.messages, self.add_shapes, self._packing, self.audience = graph, add_shapes, packing, audience
        self.complete: bool = audience is not Audience.OTHERS
        self._bodies: dict[int, tuple[Any, str]] = {}
        self.functions: dict[str, Any] = {}
        self.gradients: dict[str, WrittenGradient] = {}
        self._whole: dict[int, tuple[Any, str]] = {}
        self._shared: dict[int, tuple[Any, str]] = {}

    def shared_name(self, key: Any) -> str:
        """The unique name in this message of the variable behind a handle."""
        return _named(self._shared, key, key.name or "variable")

    def body(self, node: Operation, host: Any) -> str | None:
        """The function that has the body of something that a node refers to, if bodies are written; written once."""
        if self._packing is None or isinstance(getattr(host, "fn", None), AbsentFunction):
            return None
        entry = self._bodies.get(id(host))
        if entry is None:
            entry = self._bodies[id(host)] = host, self.add_body(self._packing(node, host))
        return entry[1]

    def add_body(self, written: Written) -> str:
        """Writes a body; the name of the function that has it."""
        return self.add_function(base_name(written), message_of(self.messages, written))

    def add_function(self, name: str, message: Any) -> str:
        """Adds a function to the library, under a name like `name`; returns the name."""
        unique = message.signature.name = free_name(_SPACE.sub("_", name), self.functions)
        self.functions[unique] = message
        return unique

    def whole(self, graph: FuncGraph) -> str:
        """The function of a graph that is called with its inputs and captures; written once."""
        entry = self._whole.get(id(graph))
        if entry is None:
            passed, places = self.passed(parameters_of(graph))
            name = self.function(graph, [FunctionArgument.like(t) for t in passed], places)
            entry = self._whole[id(graph)] = graph, name
        return entry[1]

    def passed(self, tensors: Sequence[SymbolicTensor]) -> tuple[list[SymbolicTensor], list[int | None]]:
        """The tensors that a call passes, and the place of each among them; None for one that is left out.

        For TensorFlow the state of a draw is a part of its op, and is passed to no function.
        """
        if self.audience is not Audience.BOTH:
            return list(tensors), list(range(len(tensors)))
        passed: list[SymbolicTensor] = []
        places: list[int | None] = []
        for tensor in tensors:
            left_out = is_state_of_op(tensor)
            places.append(None if left_out else len(passed))
            passed += [] if left_out else [tensor]
        return passed, places

    def function(
        self,
        graph: FuncGraph,
        arguments: Sequence[FunctionArgument],
        places: Sequence[int | None],
        finish: Callable[[Scope, list[str], list[str]], list[tuple[str, DType]]] | None = None,
    ) -> str:
        """Writes a function.

        Args:
          graph: of it.
          arguments: its arguments.
          places: the index of the argument of each parameter; None for one that is not passed.
          finish: (references to arguments, to results) -> the outputs, if they are not just the results.

        Returns:
          Its name in the library.
        """
        name = free_name(_SPACE.sub("_", graph.name) or "function", self.functions)
        message = self.functions[name] = self.messages.FunctionDef()
        message.signature.name = name
        if graph.implements is not None:
            message.attr["_implements"].s = graph.implements.encode()
        scope = Scope(self, graph, message.node_def, in_function=True, name=name)
        scope.forget(parameters_of(graph))
        taken = [declare_argument(scope.names.claim, message, i, argument) for i, argument in enumerate(arguments)]
        for parameter, place in zip(parameters_of(graph), places, strict=True):
            if place is not None:
                scope.references[parameter.op] = [taken[place]]
        before = preceding(graph) if self.audience is Audience.BOTH else {}
        for node in graph.nodes:
            if node not in scope.references and node not in scope._arguments:
                scope.write(node, before.get(node, ()))
        results = [scope.reference(t) for t in graph.outputs]
        kinds = [t.dtype for t in graph.outputs]
        returned = list(zip(results, kinds, strict=True)) if finish is None else finish(scope, taken, results)
        message.signature.is_stateful = graph.effect not in (Effect.PURE, Effect.RANDOM) or bool(scope.extras)
        for i, (reference, dtype) in enumerate(returned):
            message.signature.output_arg.add(name=f"output_{i}", type=dtype.as_datatype_enum)
            message.ret[f"output_{i}"] = reference
        # An inlined call ends for TensorFlow when these ran: reads are among them, lest a later write overtakes one.
        for node in dict.fromkeys([*graph.effectful(), *before]):
            if node not in scope._arguments and not _is_skipped(node):
                message.signature.control_output.append(node.name)
                message.control_ret[node.name] = node.name
        return name


def _named(entries: dict[int, tuple[Any, str]], item: Any, name: str) -> str:
    entry = entries.get(id(item))
    if entry is None:
        entry = entries[id(item)] = item, free_name(name, {n for _, n in entries.values()})
    return entry[1]


class Scope:
    """The writer of the nodes of a graph or function.

    Attributes:
      library: of the message.
      name: of the function; "" for the graph.
      names: of its nodes in the message, and of arguments.
      references: node -> the references to its outputs, of the nodes that were written.
      extras: additional nodes, by a key of the form that wrote them -> (value, reference).
    """

    def __init__(
        self, library: Library, graph: Graph, messages: Any, in_function: bool = False, name: str = ""
    ) -> None:
        self.library, self.references, self.name = library, dict[Operation, list[str]](), name
        self._messages, self._in_function, self._graph = messages, in_function, graph
        self.names = NodeNames(node.name for node in graph.nodes)
        self._arguments: set[Operation] = set()
        self.extras: dict[Any, tuple[Any, str]] = {}

    def tried(self, make: Callable[[], Wire]) -> Wire | None:
        """The result of `make`; None, with its nodes removed again, if a value cannot be written as data."""
        count, extras, taken = len(self._messages), dict(self.extras), self.names.copy()
        try:
            return make()
        except TypeError:
            del self._messages[count:]
            self.extras, self.names = extras, taken
            return None

    def forget(self, tensors: Sequence[SymbolicTensor]) -> None:
        """Nodes that are arguments are not written, and leave their names to others."""
        self.names.remove(t.op.name for t in tensors)
        self._arguments.update(t.op for t in tensors)

    def reference(self, tensor: SymbolicTensor) -> str:
        """The reference to a tensor in the inputs of other nodes."""
        references = self.references.get(tensor.op)
        if references is None:  # of one node alone
            return output_references(tensor.op.name, None, len(tensor.op.outputs) + 1, False)[tensor.value_index]
        if tensor.value_index < len(tensor.op.outputs):
            return references[tensor.value_index]
        return f"{tensor.op.name}:pullback:0" if self._in_function else f"{tensor.op.name}:{len(references)}"

    def inputs(self, node: Operation) -> list[tuple[str, DType]]:
        """The inputs of a node as `Wire` has them."""
        return [(self.reference(t), t.dtype) for t in node.inputs]

    def constant(self, name: str, value: Any, dtype: DType) -> tuple[str, DType]:
        """Writes a constant with the value of an attribute; returns its reference and its dtype."""
        array = np.asarray(value, dtype.np)
        attrs = {"value": attributes.tensor_message(array, dtype), "dtype": dtype}
        return self.extra(name, Wire("Const", (), attrs, (dtype,)), for_an_attribute=True)[0], dtype

    def extra(self, name: str, wire: Wire, for_an_attribute: bool = False) -> list[str]:
        """Writes an additional node under a name like `name`; returns the references to its outputs."""
        return self.named(self.names.claim(name), wire, for_an_attribute)

    def named(self, name: str, wire: Wire, for_an_attribute: bool = False) -> list[str]:
        """Writes a node that the graph does not have, under a name that was claimed."""
        message = self._messages.add(name=name, op=wire.op)
        said = deduced(_declared(wire.op), wire)
        assert said is not None, f"{wire.op} is not so declared"
        fill(message, _declared(wire.op), wire, said)
        if for_an_attribute:
            message.attr[FOR_AN_ATTRIBUTE].b = True
        return output_references(message.name, (_declared(wire.op).outputs, said), len(wire.outputs), self._in_function)

    def inlined(
        self,
        graph: FuncGraph,
        inputs: Mapping[SymbolicTensor, tuple[str, DType]],
        results: Sequence[SymbolicTensor],
    ) -> list[tuple[str, DType]] | None:
        """Writes the nodes of another graph.

        Args:
          graph: the graph; its names are unlike those of this one.
          inputs: its inputs -> what they are here.
          results: tensors of it.

        Returns:
          The references to the results and their dtypes; None, and nothing is written, if TensorFlow lacks an op.
        """
        count, inner = len(self._messages), Scope(self.library, graph, self._messages, self._in_function)
        inner.references.update((tensor.op, [reference]) for tensor, (reference, _) in inputs.items())
        for node in graph.nodes:
            if node not in inner.references:
                inner.write(node)
        if any(message.op.startswith(OWN) for message in self._messages[count:]):
            del self._messages[count:]
            return None
        self.names.add(message.name for message in self._messages[count:])
        return [(inner.reference(tensor), tensor.dtype) for tensor in results]

    def output(self, name: str, wire: Wire) -> str:
        """The reference to the single output of a node."""
        return output_references(name, (_declared(wire.op).outputs, {}), 1, self._in_function)[0]

    def write(self, node: Operation, before: Iterable[Operation] = ()) -> None:
        """Writes a node of the graph.

        Args:
          node: the node.
          before: nodes that must run before it, besides those that the graph says.
        """
        skipped = SKIPPED.find(node.type)
        if (skipped is not None and skipped(node)) or self._is_part_of_draw(node):
            return
        wire = self._wire(node)
        declared = None if wire is None else declaration(wire.op)
        said = None if wire is None or declared is None else deduced(declared, wire)
        message = self._messages.add(name=node.name, device=node.device)
        if wire is None or declared is None or said is None:
            self._write_own(message, node)
        else:
            message.op = wire.op
            fill(message, declared, wire, said)
            outputs = declared.outputs, said
            references = output_references(node.name, outputs, len(wire.outputs), self._in_function)
            self.references[node] = references[wire.first :]
        followed = dict.fromkeys([*node.control_inputs, *before])
        written = (c for c in followed if c not in self._arguments and not _is_skipped(c))
        message.input.extend(f"^{c.name}" for c in written)  # arguments are there before any node
        self._say_more(message, node)

    def _is_part_of_draw(self, node: Operation) -> bool:
        """Whether a node is the state of draws that are written as ops with a state of their own."""
        return (
            self.library.audience is Audience.BOTH
            and node.opdef.role in (Role.CONSTANT, Role.PLACEHOLDER)
            and node.outputs[0].dtype is dtypes.resource
            and is_state_of_op(node.outputs[0])
        )

    def _wire(self, node: Operation) -> Wire | None:
        """A node as TensorFlow declares it; None if it cannot be said so."""
        form = FORMS.find(node.type)
        return as_declared(self, node) if form is None else form(self, node)

    def _write_own(self, message: Any, node: Operation) -> None:
        """A node as this library declares it."""
        message.op = OWN + node.type
        message.input.extend(reference for reference, _ in self.inputs(node))
        for name, value in node.attrs.items():
            if value.__class__ is Reference and live.put(self, message, node, name, value):
                continue
            if not name.startswith("_"):
                put_data(message.attr[name], value)
        if node.opdef.scheduling.bind is not None or node.opdef.many:
            attributes.put(message.attr["_dtypes"], "list(type)", [t.dtype for t in node.outputs])
            attributes.put(message.attr["_shapes"], "list(shape)", [t.shape for t in node.outputs])
        outputs: tuple[Sequence[Argument], Mapping[str, Any]] = own_outputs(node.opdef), {}
        self.references[node] = output_references(node.name, outputs, len(node.outputs), self._in_function)

    def _say_more(self, message: Any, node: Operation) -> None:
        """Writes the attributes of a node besides those of its op."""
        body = None if node.token is None else self.library.body(node, node.graph.host_functions[node.token])
        if body is not None:
            message.attr[BODY].func.name = body
        for name, value in node.attrs.items():
            if name.startswith("_"):
                message.attr[name].s = value if value.__class__ is bytes else b""
                if value.__class__ is not bytes:
                    put_data(message.attr[name], value)
        message.attr["_class"].list.s.extend(node.get_attr("_class")) if node._groups else None
        if node.override is not None:
            message.attr["_gradient_op_type"].s = node.override.encode()
            own = REGISTERED.get(node.override) if self.library.complete else None
            body = None if own is None else self.library.body(node, own)
            if body is not None:
                message.attr[GRADIENT].func.name = body
        if any(t._asserted is not None for t in node.outputs):
            asserted = [shapes.from_dims(t._asserted) for t in node.outputs]
            attributes.put(message.attr["_set_shapes"], "list(shape)", asserted)
        if self.library.add_shapes:
            attributes.put(message.attr["_output_shapes"], "list(shape)", [t.shape for t in node.outputs])


def _is_skipped(node: Operation) -> bool:
    skipped = SKIPPED.find(node.type)
    return skipped is not None and skipped(node)


def _declared(op: str) -> Declaration:
    declared = declaration(op)
    assert declared is not None, op
    return declared


def as_declared(scope: Scope, node: Operation) -> Wire | None:
    """A node under the declaration of its op; None if it says what that has no place for."""
    declared = declaration(node.type)
    if declared is None:
        return None
    renamed = RENAMED.find(node.type) or {}
    attrs: dict[str, Any] = {}
    for name, value in node.attrs.items():
        public = renamed.get(name, name)
        if name.startswith("_") or not public or public in declared.deduced:
            continue
        if public in declared.attributes:
            attrs[public] = value
        elif name not in ("N", "num") and not _is_default(node.opdef.attrs.get(name, Attribute()).default, value):
            return None
    return Wire(node.type, scope.inputs(node), attrs, [t.dtype for t in node.outputs])


def _is_default(default: Any, value: Any) -> bool:
    return value.__class__ is default.__class__ and bool(np.all(value == default))


# ---------------------------------------------------------------- what is asked for


def graph_def(
    graph: Graph, from_version: int | None = None, add_shapes: bool = False, library: Library | None = None
) -> Any:
    """A graph as a message, with the functions of a library; see `Graph.as_graph_def`."""
    library = Library(add_shapes, inline) if library is None else library
    message = library.messages.GraphDef()
    message.versions.producer = PRODUCER
    scope = Scope(library, graph, message.node)
    for node in graph.nodes:
        scope.write(node)
    if from_version is not None:
        later = {node.name for node in graph.nodes[from_version:]}
        nodes = [node for node in message.node if node.name in later]
        del message.node[:]
        message.node.extend(nodes)
    message.library.function.extend(library.functions.values())
    if not library.functions:
        message.ClearField("library")
    return message


def node_def(node: Operation) -> Any:
    """A node as a message. Functions that it calls are named in it, and not in it."""
    library = Library()
    scope = Scope(library, node.graph, library.messages.GraphDef().node)
    scope.write(node)
    if not scope._messages:
        scope._write_own(scope._messages.add(name=node.name, device=node.device), node)
    return scope._messages[-1]


WRITTEN.update({"Operation": node_def, "Graph": graph_def})
