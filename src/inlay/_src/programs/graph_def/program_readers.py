"""Calls, branches and loops of messages, and the functions of their library; see `programs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inlay._src.base.export import Declared
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context
from inlay._src.core.context import State
from inlay._src.core.eager.convert import constant_in
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.opdef import OPS, OpDef, strongest
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tables import Reference
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.ops.state import HandleKey
from inlay._src.programs.control.branches import CASE, IF
from inlay._src.programs.control.custom_gradient import ReadRule
from inlay._src.programs.control.repeating import WHILE
from inlay._src.programs.graph_def import attributes
from inlay._src.programs.graph_def.checking import UnsupportedError
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.declared import OWN
from inlay._src.programs.graph_def.foreign import ForeignModel, argument_name
from inlay._src.programs.graph_def.reading import GRADIENTS, READERS, GraphReader, NodeMessage, Reader
from inlay._src.programs.graph_def.wire import COUNT, CUSTOM, PLACES
from inlay._src.programs.program import Program, add_program_node

DEEPEST = 100
"""The limit on the depth of calls of functions."""


class Functions:
    """The functions of a library as programs, made when they are asked for.

    Args:
      messages: the `FunctionDef`s.
      hosts, foreign: see `GraphReader`.

    Raises:
      ValueError: for two functions of one name.
    """

    def __init__(
        self,
        messages: Iterable[Any],
        hosts: Callable[[str], Any] | None = None,
        foreign: ForeignModel | None = None,
    ) -> None:
        self._hosts, self._foreign = hosts, foreign
        self._unsupported: dict[str, str] = {}
        self._messages: dict[str, Any] = {}
        self._programs: dict[str, Program] = {}
        for message in messages:
            name = message.signature.name
            if name in self._messages:
                raise ValueError(f"Function '{name}' is not unique: the library has two of that name")
            self._messages[name] = message

    def program(self, name: str) -> Program:
        """A function as a program.

        Raises:
          ValueError: if there is none, it calls itself, or something in it cannot be read; UnsupportedError if that
            is an op that is not here.
        """
        for needed in self._ordered(name):
            try:
                self._programs[needed] = Program(self._graph(self._messages[needed]))
            except UnsupportedError as error:
                if self._foreign is None:
                    raise
                self._unsupported[needed] = str(error)
        if name in self._unsupported:
            raise UnsupportedError(self._unsupported[name])
        return self._programs[name]

    def _ordered(self, start: str) -> list[str]:
        """The functions that should be made for one, each behind those that it calls."""
        ordered: dict[str, None] = {}
        path: list[str] = []
        todo: list[Iterator[str]] = [iter([start])]
        while todo:
            name = next(todo[-1], None)
            if name is None:
                todo.pop()
                if path:
                    ordered[path.pop()] = None
                continue
            if name in self._programs or name in ordered or name in self._unsupported:
                continue
            if name in path:
                raise ValueError(
                    f"Function '{name}' calls itself: {' -> '.join([*path[path.index(name) :], name][:6])}"
                )
            if name not in self._messages:
                raise ValueError(f"Function '{name}' is not in the library of the graph")
            if len(path) >= DEEPEST:
                raise ValueError(f"Function '{start}' calls others more than {DEEPEST} deep")
            path.append(name)
            todo.append(iter(_called(self._messages[name])))
        return list(ordered)

    def _graph(self, message: Any) -> FuncGraph:
        """The graph of a function whose own functions are made."""
        name = message.signature.name
        try:
            with context.using(State()):
                graph = FuncGraph(name, None)
                if "_implements" in message.attr:
                    graph.implements = message.attr["_implements"].s.decode("utf-8", "replace")
                arguments = {
                    argument.name: self._input(
                        graph, argument, message.arg_attr[i].attr if i in message.arg_attr else {}
                    )
                    for i, argument in enumerate(message.signature.input_arg)
                }
                site = GraphReader(
                    graph, message.node_def, "", self.program, arguments, in_function=True, hosts=self._hosts,
                    foreign=self._foreign, name=name,
                )  # fmt: skip
                site.add_all()
                site.check_effects()
                for result in message.signature.output_arg:
                    if result.name not in message.ret:
                        raise ValueError(f"its result '{result.name}' has no value")
                    site.check_present(message.ret[result.name])
                    graph.outputs.append(_result(site, result, message.ret[result.name]))
        except ValueError as error:
            kind = UnsupportedError if isinstance(error, UnsupportedError) else ValueError
            raise kind(f"Function '{name}': {error}") from error
        graph.finalize()
        return graph

    def _input(self, graph: FuncGraph, argument: Any, attr: Mapping[str, Any]) -> SymbolicTensor:
        if argument.type_attr or argument.number_attr or argument.type_list_attr:
            raise ValueError(f"its argument '{argument.name}' has a type that is left open")
        dtype = attributes.dtype_of(argument.type)
        dims = None if dtype in dtypes.DENSE else ()
        if "_output_shapes" in attr:
            said = attributes.get(attr["_output_shapes"], "list(shape)")
            dims = said[0]._dims if len(said) == 1 else dims
        label = attr["_user_specified_name"].s.decode("utf-8", "replace") if "_user_specified_name" in attr else None
        key = _key(argument, attr) if dtype is dtypes.resource else None
        return graph.add_input(dtype, dims, f"{argument.name}/", label, key)


def _key(argument: Any, attr: Mapping[str, Any]) -> HandleKey | None:
    """The key of a variable whose handle is an argument; None if it is unknown."""
    if "_handle_dtypes" in attr and "_handle_shapes" in attr:
        kinds, dims = (
            attributes.get(attr[f"_handle_{what}"], f"list({kind})")
            for what, kind in (("dtypes", "type"), ("shapes", "shape"))
        )
        said = list(zip(kinds, dims, strict=False))
    else:
        said = [(attributes.dtype_of(h.dtype), attributes.shape_in(h.shape)) for h in argument.handle_data]
    if len(said) != 1:
        return None
    trainable = attr["_trainable"].b if "_trainable" in attr else said[0][0].is_trainable
    return HandleKey(argument.name, said[0][0], said[0][1]._dims, trainable)


def _result(site: GraphReader, result: Any, reference: str) -> SymbolicTensor:
    tensor = site.tensor(reference)
    if result.type and tensor.dtype is not attributes.dtype_of(result.type):
        raise ValueError(f"its result '{result.name}' is {tensor.dtype.name}, and not as its signature says")
    return tensor


def _called(message: Any) -> list[str]:
    """The functions that the nodes of a function call."""
    names: list[str] = []
    for node in message.node_def:
        if CALLING.find(node.op) or node.op.removeprefix(OWN) in GRADIENTS or CUSTOM in node.attr:
            for value in node.attr.values():
                held = value.WhichOneof("value")
                names += (
                    [value.func.name] if held == "func" else [f.name for f in value.list.func] if held == "list" else []
                )
    return [name for name in dict.fromkeys(names) if not name.startswith(OWN)]


# ---------------------------------------------------------------- nodes


def _programs(site: GraphReader, functions: Sequence[Any]) -> list[Program]:
    for function in functions:
        if function.attr:
            raise UnsupportedError(
                f"function '{function.name}' is called with attributes: functions of any type are not read"
            )
    return [site.functions(function.name) for function in functions]


def _takes(program: Program, tensors: Sequence[SymbolicTensor]) -> None:
    """Refuses what a program does not take, and tells its handles what stands behind them."""
    parameters = program.parameters
    if [t.dtype for t in tensors] != [p.dtype for p in parameters]:
        raise ValueError(f"function '{program.name}': expected arguments {_kinds(parameters)}, got {_kinds(tensors)}")
    for parameter, tensor in zip(parameters, tensors, strict=True):
        if tensor.dtype is dtypes.resource and handle_key(parameter) is None:
            key = handle_key(tensor)
            if key is not None:
                node = parameter.op
                node.attrs = {**node.attrs, "handle": node.graph.resources.add(key, getattr(key, "name", None))}


def _kinds(tensors: Sequence[Any]) -> str:
    return f"({', '.join(t.dtype.name for t in tensors)})"


def _gives(program: Program, kinds: Sequence[DType]) -> None:
    dtypes_ = [t.dtype for t in program.graph.outputs]
    if dtypes_ != list(kinds):
        raise ValueError(
            f"function '{program.name}': expected results ({', '.join(d.name for d in kinds)}), got "
            f"({', '.join(d.name for d in dtypes_)})"
        )


def _added(
    site: GraphReader,
    node: NodeMessage,
    opdef: OpDef,
    like: Program,
    programs: Mapping[str, Any],
    attrs: Mapping[str, Any],
    dims: Any,
) -> Operation:
    every = [p for part in programs.values() for p in ([part] if isinstance(part, Program) else part)]
    effect = strongest(p.effect for p in every)
    return add_program_node(
        site.graph, opdef, node.inputs, like.graph.outputs, programs, attrs, effect, node.name, dims
    )


def _call(site: GraphReader, node: NodeMessage) -> Operation:
    (program,) = _programs(site, [node.attrs["f"]])
    _takes(program, node.inputs)
    _gives(program, node.attrs["Tout"])
    return _added(site, node, OPS[node.message.op], program, {"f": program}, {}, None)


def _branches(site: GraphReader, node: NodeMessage) -> Operation:
    names = (
        [node.attrs[n] for n in ("then_branch", "else_branch")]
        if "then_branch" in node.attrs
        else node.attrs["branches"]
    )
    programs = _programs(site, names)
    if not programs:
        raise ValueError("it has no branches")
    if node.inputs[0].dtype is not (dtypes.bool_ if "then_branch" in node.attrs else dtypes.int32):
        raise ValueError(f"what it chooses by is {node.inputs[0].dtype.name}")
    for program in programs:
        _takes(program, node.inputs[1:])
        _gives(program, node.attrs["Tout"])
    picks = (tuple(range(len(node.inputs) - 1)),) * len(programs)
    # The parameters are inputs of the program: there is nothing that it captures.
    dims = _said_dims(node, len(node.attrs["Tout"]))
    opdef = IF if "then_branch" in node.attrs else CASE
    return _added(site, node, opdef, programs[0], {"branches": tuple(programs)}, {"picks": picks}, dims)


def _loop(site: GraphReader, node: NodeMessage) -> Operation:
    cond, body = _programs(site, [node.attrs["cond"], node.attrs["body"]])
    kinds = [t.dtype for t in node.inputs]
    for program in (cond, body):
        _takes(program, node.inputs)
    _gives(body, kinds)
    _gives(cond, [dtypes.bool_])
    attrs = {"picks": ((), ()), "limit": None}
    dims = _said_dims(node, len(kinds))
    if not node.attrs["output_shapes"]:
        dims = [t._dims if t._dims == b._dims else None for t, b in zip(node.inputs, body.graph.outputs, strict=True)]
    return _added(site, node, WHILE, body, {"cond": cond, "body": body}, attrs, dims)


def _said_dims(node: NodeMessage, count: int) -> list[Any]:
    said = [s._dims for s in node.attrs["output_shapes"]]
    return said if len(said) == count else [None] * count


CALLING: Declared[str, Reader] = Declared("calling")
CALLING |= {
    "PartitionedCall": _call, "StatefulPartitionedCall": _call, "If": _branches, "StatelessIf": _branches,
    "Case": _branches, "StatelessCase": _branches, "While": _loop, "StatelessWhile": _loop,
}  # fmt: skip
"""Op type -> what reads its nodes, of ops that call the functions that their attributes name."""
READERS.update(CALLING)


def _gradient(site: GraphReader, message: Any, name: str, inputs: Sequence[SymbolicTensor]) -> Reference:
    """The gradient of a node that brings its own: a function of cotangents, and of the last inputs of the node."""
    program = site.functions(name)
    places = attributes.get(message.attr["_places"], "list(int)")
    if any(not -1 <= at < len(program.graph.outputs) for at in places):
        raise ValueError(f"attribute '_places': function '{name}' has no such result")
    count = len(program.parameters) - message.attr["num"].i
    captured = list(inputs[len(inputs) - count :]) if 0 <= count <= len(inputs) else []
    _takes(program, [*program.parameters[: message.attr["num"].i], *captured])
    return site.graph.gradients.add(ReadRule(site.graph, program, places, captured))


GRADIENTS["CustomGradient"] = _gradient
_identities = as_functions(lambda node: list(node.inputs))


def _identities_with_gradient(site: GraphReader, node: NodeMessage) -> Operation | Sequence[SymbolicTensor]:
    """Tensors that are passed on; where the model registered a gradient for that, they have this gradient."""
    if CUSTOM in node.message.attr:
        return _own_gradient(site, node)
    registered = node.message.attr["_gradient_op_type"].s.decode("utf-8", "replace")
    gradient = None if site.foreign is None else site.foreign.gradients.get(registered)
    if gradient is None:
        return _identities(site, node)
    program, count = site.functions(gradient.function), len(node.inputs)
    if len(gradient.places) != count or len(program.parameters) != count + len(gradient.captures):
        raise ValueError(f"the gradient '{registered}' is not one of {count} tensors")
    captured = [_captured_by_gradient(site, capture) for capture in gradient.captures]
    _takes(program, [*program.parameters[:count], *captured])
    rule = ReadRule(site.graph, program, gradient.places, captured)
    every = (*node.inputs, *node.inputs, *captured)
    attrs = {"num": count, "inputs": count, "N": len(every), "gradient": site.graph.gradients.add(rule)}
    kinds, dims = [t.dtype for t in node.inputs], [t._dims for t in node.inputs]
    return site.graph.add(OPS["CustomGradient"], every, attrs, kinds, dims, node.name)


def _own_gradient(site: GraphReader, node: NodeMessage) -> Operation:
    """Tensors that are passed on with a gradient, as this library wrote them."""
    attr = node.message.attr
    program = site.functions(attr[CUSTOM].func.name)
    count, places = attributes.get(attr[COUNT], "int"), attributes.get(attr[PLACES], "list(int)")
    many, every = count + len(places), node.inputs
    if not 0 <= count <= many <= len(every) or any(not -1 <= at < len(program.graph.outputs) for at in places):
        raise ValueError(f"attribute '{PLACES}': function '{program.name}' has no such result")
    _takes(program, [*program.parameters[:count], *every[many:]])
    rule = ReadRule(site.graph, program, places, every[many:])
    attrs = {"num": count, "inputs": len(places), "N": len(every), "gradient": site.graph.gradients.add(rule)}
    kinds, dims = [t.dtype for t in every[:count]], [t._dims for t in every[:count]]
    return site.graph.add(OPS["CustomGradient"], tuple(every), attrs, kinds, dims, node.name)


def _captured_by_gradient(site: GraphReader, capture: str | int) -> SymbolicTensor:
    """A tensor that the gradient of a node captures from the graph around the node."""
    if isinstance(capture, str):
        name, _, output = capture.partition(":")
        if name in site.results:
            return site.results[name][0][int(output or 0)]
        if argument_name(name) in site.arguments:
            return site.arguments[argument_name(name)]  # type: ignore[return-value]
        raise UnsupportedError(f"a gradient captures {capture!r}, which is made after the node")
    assert site.foreign is not None
    tensor = site.foreign.argument(site.name, list(site.arguments.values()), capture)
    return tensor if isinstance(tensor, SymbolicTensor) else constant_in(site.graph, tensor, "captured")


READERS["IdentityN"] = _identities_with_gradient
