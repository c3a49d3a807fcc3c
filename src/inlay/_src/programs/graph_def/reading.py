"""Nodes of messages as nodes of a graph: inputs found, attributes read and checked, one node after those that it takes.

GraphReader   adds nodes to a graph of inlay and resolves their references
NodeMessage   a message with its inputs and attributes, as its op declares them
READERS       op type -> the reader of a node, if it is no op of inlay that is declared alike
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import Declared
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core import context, device
from inlay._src.core.context import State
from inlay._src.core.controls import Controls
from inlay._src.core.eager.building import build
from inlay._src.core.graph import Graph, static_value_of
from inlay._src.core.opdef import OPS, OpDef
from inlay._src.core.operation import Operation
from inlay._src.core.tables import Reference, references
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.autodiff import derive
from inlay._src.engine.autodiff.rules import brought
from inlay._src.host.record import HostFunction
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.absent_nodes import AbsentNodes, advice_for
from inlay._src.programs.graph_def.checking import (
    INTERNAL,
    UnsupportedError,
    attributes_of,
    check_inputs,
    internal_attributes,
    labels,
    named,
    said,
)
from inlay._src.programs.graph_def.declared import OWN, REQUIRED, Declaration, declaration, own_outputs
from inlay._src.programs.graph_def.exporting import FOR_AN_ATTRIBUTE, RENAMED
from inlay._src.programs.graph_def.foreign import ForeignModel
from inlay._src.programs.graph_def.forms import MOVED
from inlay._src.programs.graph_def.host_functions import GRADIENT, PREFIX
from inlay._src.programs.graph_def.node_order import in_order

WITHOUT_EFFECT = frozenset(
    {
        "use_locking", "use_cudnn_on_gpu", "parallel_iterations", "swap_memory", "config", "config_proto", "grad_a",
        "executor_type", "grad_b", "grad_x", "grad_y", "validate_indices", "container", "allowed_devices", "debug_name",
        "validate_shape", "is_async", "element_dtype", "num_elements",
    }
)  # fmt: skip
"""Attributes that change no result here."""
TOLD = {*MOVED, "StridedSlice"}
"""Ops that have inputs which are attributes here, or data."""


def op_of(name: str) -> OpDef | None:
    """The op of a name, which may be a derived gradient."""
    try:
        return derive.named(name)
    except KeyError:
        return None


MOST_OUTPUTS = 1 << 16
"""Outputs of a node; each takes memory, also where a graph is only read."""


class _Unconnected(ValueError):
    """An input of a node that no node makes."""


class NodeMessage(NamedTuple):
    """A node of a message.

    Attributes:
      message: the `NodeDef`.
      name: of it in the graph, whole.
      declaration: the declaration of its op.
      inputs: its inputs, one behind the other.
      attrs: attribute -> value, of all that are declared.
    """

    message: Any
    name: str
    declaration: Declaration
    inputs: list[SymbolicTensor]
    attrs: Mapping[str, Any]

    def value(self, position: int, what: str) -> np.ndarray:
        """An input that must be known while the graph is built; ValueError if it is not."""
        static = static_value_of(self.inputs[position])
        if static is None:
            raise ValueError(f"its input {what} is computed, and has to be a constant here")
        return static


Reader = Callable[["GraphReader", NodeMessage], "Operation | Sequence[SymbolicTensor]"]
READERS: Declared[str, Reader] = Declared("readers")
"""Op type -> what reads its nodes, where that is not `plain`."""
GRADIENTS: dict[str, Callable[[GraphReader, Any, str, Sequence[SymbolicTensor]], Reference]] = {}
"""Op type -> the function that makes the gradient that an attribute names as a function of the library."""


class GraphReader:
    """Adds the nodes of messages to a graph.

    Args:
      graph: the graph of inlay that receives the nodes.
      messages: the nodes; they are added in an order in which every input exists.
      prefix: of names: a scope with its slash, or "".
      functions: function name -> the program.
      arguments: name of an argument, or reference to a tensor -> the tensor or operation.
      hosts: name of a function that has a body -> the host function; None for no such.
      foreign: the facts about a model of TensorFlow. Nodes that cannot be read, and those that need them, are left
        out then, instead of being an error.
      name: the name of the function that is read.

    Attributes:
      results: node name -> its tensors, and the operation.
      absent: the nodes that are left out.
    """

    def __init__(
        self,
        graph: Graph,
        messages: Iterable[Any],
        prefix: str,
        functions: Callable[[str], Any],
        arguments: Mapping[str, SymbolicTensor | Operation],
        in_function: bool = False,
        hosts: Callable[[str], Any] | None = None,
        foreign: ForeignModel | None = None,
        name: str = "",
    ) -> None:
        self.name = name
        self.graph, self.prefix, self.functions, self.arguments = graph, prefix, functions, arguments
        self.in_function, self.hosts, self.foreign = in_function, hosts, foreign
        self.absent = AbsentNodes(name, foreign)
        self.results: dict[str, tuple[Sequence[SymbolicTensor], Operation | None]] = {}
        self.messages: dict[str, Any] = {}
        self.used, self.shared = set[str](), dict[str, Any]()
        self.states: dict[int, Any] = {}  # id of a key of `shared` -> the handle of its state
        self._outputs: dict[str, dict[str, int]] = {}
        self._around = context.current()  # its scopes of devices hold where a node does not say more
        self._left_out, self._aside = set[str](), Graph()
        for message in messages:
            if message.name in self.messages or (in_function and message.name in arguments):
                raise ValueError(f"Node '{message.name}' is not unique: two nodes of the graph have that name")
            self.messages[message.name] = message

    # ---- what inputs say

    def split(self, reference: str) -> tuple[str, str]:
        """(node, which output) of an input; the output is "^" for the node itself."""
        if reference.startswith("^"):
            return reference[1:], "^"
        name, _, output = reference.partition(":")
        return name, output

    def tensor(self, reference: str, pullback: bool = False) -> SymbolicTensor:
        """The reference of an input.

        Args:
          reference: the input.
          pullback: whether it may be what a node leaves for its gradient, behind its outputs.

        Raises:
          ValueError: if there is no such tensor.
        """
        if reference in self.arguments:
            self.used.add(reference)
            return self.arguments[reference]  # type: ignore[return-value]
        name, output = self.split(reference)
        self.add_left_out(name)
        if name not in self.results:
            raise _Unconnected(f"Unknown input node '{reference}'")
        tensors, operation = self.results[name]
        index = self._index(name, output, len(tensors))
        if pullback and index == len(tensors) and operation is not None:
            return operation.pullback()
        if not 0 <= index < len(tensors):
            raise _Unconnected(
                f"Connecting to invalid output {index} of source node {name} which has {len(tensors)} outputs"
            )
        return tensors[index]

    def _index(self, name: str, output: str, count: int) -> int:
        if not self.in_function:
            return int(output) if output.isdecimal() and len(output) < 10 else 0 if not output else -1
        label, _, number = output.partition(":")
        if label == "pullback":
            return count
        start = self._outputs[name].get(label)
        return -1 if start is None or not (number or "0").isdecimal() or len(number) > 9 else start + int(number or 0)

    def add_left_out(self, name: str) -> None:
        """Adds a node that was left out because only attributes needed it."""
        if name in self._left_out:
            self._left_out.discard(name)
            self._add(self.messages[name])

    def attribute_input(self, reference: str) -> SymbolicTensor:
        """An input that stands for an attribute: it need not be in the graph, if all of it is known."""
        message = self.messages.get(reference) if reference in self._left_out else None
        if message is None:
            return self.tensor(reference)
        if message.op == "Pack":
            dtype, length = attributes.get(message.attr["T"], "type"), len(message.input)
            attrs: dict[str, Any] = {"dtype": dtype, "shape": TensorShape([length])}
            return self._aside.add(OPS["Placeholder"], (), attrs, (dtype,), ((length,),), "told").outputs[0]
        value, dtype = attributes.array_in(message.attr["value"].tensor)
        attrs = {"value": value, "dtype": dtype}
        return self._aside.add(OPS["Const"], (), attrs, (dtype,), (value.shape,), "told").outputs[0]

    def entries(self, reference: str) -> Any:
        """A vector that stands for an attribute: one tensor, or one per entry where it is packed of them."""
        message = self.messages.get(reference) if reference in self._left_out else None
        if message is not None and message.op == "Pack":
            return [self.attribute_input(r) for r in message.input if not r.startswith("^")]
        tensor = self.attribute_input(reference)
        packed = tensor.op.type == "Pack" and not tensor.op.attrs["axis"]
        return list(tensor.op.inputs) if packed else tensor

    @contextmanager
    def inside(self, node: NodeMessage) -> Iterator[None]:
        """Names of what is made in the block begin with that of a node."""
        with context.using(context.current().replace(scope=node.name)):
            yield

    # ---- in an order in which inputs exist

    def add_all(self) -> None:
        """Adds every node.

        Raises:
          ValueError: for a node that cannot be added, naming it.
        """
        ordered = in_order(self.messages, self._needs)
        self.graph.keep_names(f"{self.prefix}{m.name}" for m in ordered if m.name and FOR_AN_ATTRIBUTE not in m.attr)
        for message in ordered:
            if FOR_AN_ATTRIBUTE in message.attr and message.op in ("Const", "Pack"):
                self._left_out.add(message.name)
            else:
                self._add(message)

    def _needs(self, name: str) -> Any:
        """The nodes that a node takes or follows, as an iterator."""
        message = self.messages[name]
        if self.absent.leave_out_old(message):
            return iter(())
        return iter([n for n in self._nodes_of(message.input) if n in self.messages])

    # ---- one node

    def _add(self, message: Any) -> None:
        if self.absent.reasons and self.absent.includes(message.name, self._nodes_of(message.input)):
            return
        try:
            with context.using(self._state(message)):
                outputs = self._read(message)
        except errors.OpError:
            raise
        except UnsupportedError as error:
            self.absent.leave_out(message, error)
            return
        except _Unconnected as error:
            raise ValueError(f"Node '{message.name}': {error}") from error
        except Exception as error:
            raise ValueError(f"Node '{message.name}' ({message.op}): {said(error)}") from error
        tensors, operation = (outputs.outputs, outputs) if isinstance(outputs, Operation) else (outputs, None)
        if operation is None and tensors:
            operation = tensors[0].op
        self.results[message.name] = tensors, operation
        if operation is not None and "_class" in message.attr:
            operation._groups = tuple(self._groups(message))
        if operation is not None and "_set_shapes" in message.attr:
            for tensor, shape in zip(tensors, attributes.get(message.attr["_set_shapes"], "list(shape)"), strict=False):
                tensor.set_shape(shape)

    def _nodes_of(self, references: Iterable[str]) -> Iterator[str]:
        """The nodes that inputs name, without arguments."""
        return (self.split(reference)[0] for reference in references if reference not in self.arguments)

    def check_present(self, reference: str) -> None:
        """Refuses a reference to a node that is left out; UnsupportedError says why."""
        for name in self._nodes_of([reference]):
            self.absent.check_present(name)

    def check_effects(self) -> None:
        """Refuses a graph without a node that does more than to give its outputs; UnsupportedError says which."""
        self.absent.check_effects(self.messages)

    def _groups(self, message: Any) -> list[bytes]:
        """The colocation groups of a node, by the names that operations have in the graph."""
        groups: list[bytes] = []
        for group in message.attr["_class"].list.s:
            name = group.decode("utf-8", "replace").removeprefix("loc:@")
            if group.startswith(b"loc:@") and name not in self.messages:
                if self.foreign is not None:  # TensorFlow writes functions so
                    continue
                raise ValueError(f"Node '{message.name}' expects to be colocated with unknown node '{name}'")
            groups.append(f"loc:@{self.prefix}{name}".encode() if group.startswith(b"loc:@") else group)
        return groups

    def _state(self, message: Any) -> State:
        """Where the node is made: its device, what it follows, and the gradient that it should have."""
        followed = []
        for reference in message.input:
            if reference.startswith("^"):
                replacement = self.arguments.get(reference, self.arguments.get(reference[1:]))
                if replacement is not None:
                    self.used.add(reference)
                operation = replacement if replacement is not None else self.results.get(reference[1:], ((), None))[1]
                if operation is None and reference[1:] not in self.results and reference[1:] not in self._left_out:
                    raise _Unconnected(f"Unknown input node '{reference}'")
                if isinstance(operation, SymbolicTensor):
                    operation = operation.op
                if operation is not None:
                    followed.append(operation)
        try:
            place = device.canonical(message.device, self._around.device)
        except ValueError as error:
            raise ValueError(f"Node '{message.name}': {error}") from None
        control = (Controls(followed),) if followed else ()
        overrides: tuple[tuple[str, str], ...] = ()
        if "_gradient_op_type" in message.attr:
            overrides = ((message.op.removeprefix(OWN), self._registered(message)),)
        return State(graph=self.graph, control=control, device=place, overrides=overrides, placing=self._around.placing)

    def _registered(self, message: Any) -> str:
        """The name of the gradient that a node has instead of its op's."""
        name: str = message.attr["_gradient_op_type"].s.decode("utf-8", "replace")
        if GRADIENT not in message.attr or self.hosts is None:
            return name
        body = message.attr[GRADIENT].func.name
        function = self.hosts(body)
        if not callable(function) or isinstance(function, HostFunction):
            raise ValueError(f"'{body}' is no gradient: {type(function).__name__}")
        return brought(f"{name.partition(' ')[0]} {body}", function)

    def full(self, name: str) -> str:
        """The name of a node in the graph, as `Graph.add` takes a name that should be nothing else."""
        whole = f"{self.prefix}{name}"
        if whole in self.graph._by_name:
            raise ValueError(f"Node name '{whole}' already exists in the Graph")
        return f"{whole}/"

    def _read(self, message: Any) -> Any:
        if not message.name or message.name.startswith(("^", "_")) and not self.in_function or ":" in message.name:
            raise ValueError(f"'{message.name}' is not a valid node name")
        declared = declaration(message.op)
        reader = reader_of(message.op)
        find = self.attribute_input if message.op in TOLD else self.tensor
        taken = [r for r in message.input if not r.startswith("^")]
        if message.op == f"{OWN}Pullback" and taken:
            inputs = [self.tensor(taken[0], pullback=True), *map(self.tensor, taken[1:])]
        else:
            inputs = list(map(find, taken))
        if message.op.startswith(OWN) and declared is None:
            own = self._read_own(message, inputs)
            self._outputs[message.name] = labels(own_outputs(own.opdef), {}, len(own.outputs))
            return own
        if declared is None or reader is None:
            raise UnsupportedError(advice_for(message.op, declared))
        attrs = attributes_of(message, declared)
        check_inputs(declared, attrs, inputs)
        node = NodeMessage(message, self.full(message.name), declared, inputs, attrs)
        outputs = reader(self, node)
        count = len(outputs.outputs if isinstance(outputs, Operation) else outputs)
        self._outputs[message.name] = labels(declared.outputs, attrs, count)
        return outputs

    def _read_own(self, message: Any, inputs: list[SymbolicTensor]) -> Operation:
        """A node of an op as this library declares it."""
        opdef = op_of(message.op.removeprefix(OWN))
        if opdef is None:
            raise ValueError("no op of that name is known: a later version of this library may have written the graph")
        attrs: dict[str, Any] = {}
        made_here: set[str] = set()
        for name, value in message.attr.items():
            if name in INTERNAL:
                continue
            if value.func.name == f"{OWN}unwritten":
                raise ValueError(f"attribute '{name}' did not travel: {value.func.attr['reason'].s.decode()}")
            if value.func.name.startswith(PREFIX) and self.hosts is not None:
                live = self.hosts(value.func.name)
                if not getattr(live, "travels", False):
                    raise ValueError(f"attribute '{name}' is not a valid value: {type(live).__name__}")
                attrs[name] = self.graph.resources.add(live, live.name)
                made_here.add(name)
            elif opdef.name in GRADIENTS and value.func.name and not value.func.name.startswith(OWN):
                attrs[name] = GRADIENTS[opdef.name](self, message, value.func.name, inputs)
                made_here.add(name)
            else:
                attrs[name] = named(name, attributes.get_any, value)
        for name, (default, *_) in opdef.attrs.items():
            if name not in attrs and default is REQUIRED:
                raise ValueError(f"attribute '{name}' is missing")
        left = next((r for n, v in attrs.items() if n not in made_here for r in references(v)), None)
        if left is not None:
            raise ValueError(f"it refers to '{left.key}', an object of the process that wrote the graph")
        if opdef.scheduling.bind is None:
            return build_exactly(self, opdef, inputs, attrs, self.full(message.name))
        kinds = attributes.get(message.attr["_dtypes"], "list(type)")
        dims = [s._dims for s in attributes.get(message.attr["_shapes"], "list(shape)")]
        if opdef.name == "Pullback":
            attrs["outputs"] = len(inputs[0].op.outputs)
        return self.graph.add(opdef, tuple(inputs), attrs, kinds, dims, self.full(message.name))


# ---------------------------------------------------------------- ops that are declared here as there


def reader_of(op: str) -> Reader | None:
    """The reader of the nodes of an op; None if it is not here."""
    reader = READERS.find(op)
    return plain if reader is None and op_of(op) is not None else reader


def plain(site: GraphReader, node: NodeMessage) -> Operation:
    """A node of an op that has the same name here."""
    return aliased(site, node, OPS[node.message.op])


def aliased(
    site: GraphReader, node: NodeMessage, opdef: OpDef, inputs: Sequence[Any] | None = None, **more: Any
) -> Operation:
    """A node as one of an op of inlay that takes the same inputs.

    Args:
      site: where.
      node: it.
      opdef: the op.
      inputs: if not the node's own.
      **more: attributes of the op that the node's do not tell.
    """
    renamed = RENAMED.find(opdef.name) or {}
    taken = list(node.inputs if inputs is None else inputs)
    moved = MOVED.get(opdef.name, ()) if inputs is None else ()
    attrs = dict(more)
    for m in moved:
        attrs[m.attr] = named(m.attr, m.read, node.value(m.position, m.attr))
    for position in sorted({m.position % len(taken) for m in moved}, reverse=True):
        del taken[position]
    used = {*node.declaration.deduced, *WITHOUT_EFFECT}
    for name, (default, *_) in opdef.attrs.items():
        public = renamed.get(name, name)
        if public in node.attrs:
            attrs.setdefault(name, node.attrs[public])
            used.add(public)
        elif attrs.setdefault(name, default) is REQUIRED:
            raise UnsupportedError(f"attribute '{name}' cannot be told from it")
    _check_rest(node, used)
    attrs |= internal_attributes(node.message)
    return build_exactly(site, opdef, taken, attrs, node.name)


def _check_rest(node: NodeMessage, used: set[str]) -> None:
    """Refuses attributes of a node that inlay does not support."""
    for name, value in node.attrs.items():
        if name not in used and value != node.declaration.attributes[name].default:
            default = node.declaration.attributes[name].default
            raise UnsupportedError(f"attribute '{name}' is {value!r}: only {default!r} is supported")


def build_exactly(
    site: GraphReader, opdef: OpDef, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str
) -> Operation:
    """A node of an op, from its inputs one behind the other."""
    if opdef.variadic_out and not 0 <= int(attrs.get("num", 0)) <= MOST_OUTPUTS:
        raise ValueError(f"expected at most {MOST_OUTPUTS} outputs, got {attrs['num']}")
    single = len(opdef.args) - (opdef.variadic is not None)
    if len(inputs) < single or (opdef.variadic is None and len(inputs) != single):
        raise ValueError(f"expected {single} inputs, got {len(inputs)}")
    grouped: list[Any] = list(inputs)
    if opdef.variadic is not None:
        at, end = opdef.variadic, opdef.variadic + len(inputs) - single
        grouped = [*inputs[:at], list(inputs[at:end]), *inputs[end:]]
    outputs = build(opdef, tuple(grouped), attrs, name, site.graph)
    if isinstance(outputs, Operation):
        return outputs
    if isinstance(outputs, list) and not outputs:
        return site.graph.nodes[-1]
    return outputs[0].op if isinstance(outputs, list) else outputs.op  # type: ignore[no-any-return]
