"""Graphs and programs as pickles: their messages, with the bodies of their Python functions.

Reading a pickle runs code, whatever it holds: no `trust` protects who reads one. Save what others are to load with
`saved_model.save`.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.caches import IdentityCache
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph
from inlay._src.core.operation import Operation
from inlay._src.core.state import handle_key
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.host import portable
from inlay._src.host.bodies.trust import Everything
from inlay._src.ops.hash_tables.table_state import TableState
from inlay._src.ops.seeds import RandomState
from inlay._src.programs.graph_def.exporting import Audience, Library, graph_def
from inlay._src.programs.graph_def.host_functions import Hosts, Written, refused_at
from inlay._src.programs.graph_def.importing import import_graph_def
from inlay._src.programs.graph_def.program_readers import Functions
from inlay._src.programs.program import Program


def captured_parts(name: str, outer: Any) -> tuple[str, Any]:
    """A capture of a function as data.

    Args:
      name: of the function, for messages.
      outer: the tensor.

    Returns:
      "tensor" and the tensor, "variable" and the variable, "table" and the table as a value, or "random" and the
      name and the seeds of a draw; of a generator of the user's also its position.

    Raises:
      ValueError: for anything else.
    """
    if isinstance(outer, EagerTensor) and outer.dtype is not dtypes.resource and outer.dtype is not dtypes.variant:
        return "tensor", outer
    key = handle_key(outer) if isinstance(outer, EagerTensor) else None
    if isinstance(key, RandomState):
        seeds = (key.key, key.high) if key.seeded else None
        return "random", (key.name, seeds, key.position) if key.kept else (key.name, seeds)
    if isinstance(key, TableState):
        return "table", key
    owner = getattr(key, "owner", None)
    variable = None if owner is None else owner()
    if variable is not None:
        return "variable", variable
    raise ValueError(
        f"the function {name} uses {outer!r} from outside, which cannot be saved: only variables and tensors with "
        "values can. Make it inside of the function, or pass it as an argument"
    )


def captured(kind: str, said: Any) -> EagerTensor:
    """The tensor of what `captured_parts` gave; ValueError if it makes no sense."""
    if kind == "tensor":
        return said  # type: ignore[no-any-return]
    if kind == "variable":
        return said.handle  # type: ignore[no-any-return]
    if kind == "table":
        return EagerTensor(said, dtypes.resource)
    if kind != "random":
        raise ValueError(f"a capture is of the unknown kind {kind!r}")
    name, seeds, *position = said
    state = RandomState(str(name), None if seeds is None else (int(seeds[0]), int(seeds[1])))
    for at in position:
        state.position, state.kept = int(at) % 2**64, True
    return EagerTensor(state, dtypes.resource)


_AROUND: ContextVar[tuple[Any, ...]] = ContextVar("graphs that are being pickled", default=())


class _Packing:
    """Packs the Python functions of one pickle, which keeps their variables beside.

    Attributes:
      variables: the values that they are bound to; a body names them by their places here.
    """

    def __init__(self) -> None:
        self.variables: list[Any] = []

    def __call__(self, node: Operation, host: Any) -> Written:
        """See `host_functions.Packing`."""
        try:
            body = portable.packed(host)
        except TypeError as error:
            raise refused_at(node, error) from error
        first = len(self.variables)
        self.variables.extend(body.variables)
        return Written(body, [str(first + i) for i in range(len(body.variables))])


def _graph_parts(graph: Graph) -> Any:
    packing = _Packing()
    message = graph_def(graph, library=Library(packing=packing, audience=Audience.SELF))
    return graph_of, (message.SerializeToString(deterministic=True), packing.variables)


def graph_of(data: bytes, variables: Sequence[Any]) -> Graph:
    """The graph of a pickle."""
    from inlay._src.base.protos.graph import GraphDef

    graph = Graph()
    with graph.as_default():
        import_graph_def(GraphDef.FromString(data), name="", trust=Everything(variables))
    return graph


def _program_parts(program: Program, parts: Callable[[str, Any], tuple[str, Any]] = captured_parts) -> Any:
    from inlay._src.base.protos.graph import FunctionDefLibrary

    packing = _Packing()
    library = Library(packing=packing, audience=Audience.SELF)
    around = _AROUND.get()
    if program.graph in around:
        raise errors.refused(
            errors.InvalidArgumentError,
            TypeError,
            f"a function that {program.name} calls refers to what it is part of (a dataset that is an attribute of "
            "what its function uses, say): refer to less there",
        )
    token = _AROUND.set((*around, program.graph))
    try:
        name = library.whole(program.graph)
    finally:
        _AROUND.reset(token)
    message = FunctionDefLibrary(function=list(library.functions.values()))
    outside = [parts(name, outer) for outer in program.captures]
    return program_of, (message.SerializeToString(deterministic=True), name, outside, packing.variables)


def program_of(data: bytes, name: str, outside: Sequence[tuple[str, Any]], variables: Sequence[Any]) -> Program:
    """The program of a pickle."""
    from inlay._src.base.protos.graph import FunctionDefLibrary

    functions = FunctionDefLibrary.FromString(data).function
    program = Functions(functions, Hosts(functions, Everything(variables))).program(name)
    program.graph.capture_last([captured(kind, said) for kind, said in outside])
    return program


# ---------------------------------------------------------------- tensors of graphs around


class StandIn:
    """The pickled form of a tensor without a value: unpickled, a tensor of the same type without a value.

    Only an object that receives the values of such tensors when it runs may refer to one. It identifies them by their
    identity, which lasts within one pickle. There is one for each tensor; `of` returns it.
    """

    __slots__ = ("__weakref__", "_said")

    def __init__(self, tensor: SymbolicTensor) -> None:
        self._said = tensor.dtype.name, tensor._dims, tensor.op.name.rpartition("/")[2]

    @staticmethod
    def of(value: Any) -> Any:
        """The pickled form of a value: itself, unless it is a tensor without one."""
        if not isinstance(value, SymbolicTensor):
            return value
        return _STAND_INS.of(value) or _STAND_INS.keep(value, StandIn(value))

    def __reduce__(self) -> Any:
        return without_value, self._said


_STAND_INS: IdentityCache[StandIn] = IdentityCache("tensors that are pickled as part of datasets", 1 << 16)


def without_value(dtype: str, dims: Dims, name: str) -> SymbolicTensor:
    """The tensor of a stand-in."""
    return FuncGraph("pickled", None).add_input(dtypes.as_dtype(dtype), dims, name)


class Within:
    """A program as it is pickled by what tells it the values of its captures: they need not have any yet."""

    __slots__ = ("_program",)

    def __init__(self, program: Program) -> None:
        self._program = program

    def __reduce__(self) -> Any:
        return _program_parts(self._program, _parts_within)


def _parts_within(name: str, outer: Any) -> tuple[str, Any]:
    if isinstance(outer, SymbolicTensor):
        return "tensor", StandIn.of(outer)
    return captured_parts(name, outer)


copyreg.pickle(Graph, _graph_parts)  # type: ignore[arg-type]
copyreg.pickle(Program, _program_parts)  # type: ignore[arg-type]
