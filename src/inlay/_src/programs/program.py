"""Program: a traced graph with inputs and outputs, and its execution. Functions, branches and loops hold programs.

run            values in, values out, by the plan's ordinary runner
run_recorded   eager tensors in and out; the tapes in force hear every step
run_pullback   as `run`, and the pullback of this execution as a value
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import pickled
from inlay._src.base.interpreter.source import Source
from inlay._src.base.types.shapes import bracketed
from inlay._src.core import context
from inlay._src.core.devices.device_tensor import tensor_of, value_of
from inlay._src.core.eager.tape import record_execution
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Operation
from inlay._src.core.hints import Scheduling
from inlay._src.core.opdef import OPS, Effect, OpDef, no_gradient, no_kernel
from inlay._src.core.signature import Signature
from inlay._src.core.tables import Reference, references
from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.engine.plan import build as building
from inlay._src.engine.plan import placement
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.run import device_layout, xla_segments
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering.inlining import RUNNING, InlinedCall, write_call
from inlay._src.engine.run.scheduling.resumable import ResumableRun
from inlay._src.host.ops import through_pullback


class Runnable:
    """A function of values that a step can run. Its plan must be built again when `source.version` has changed."""

    __slots__ = ("_built", "_source")

    def __init__(self, source: Any) -> None:
        self._source = source
        self._built: tuple[int, Executable | None] = (-1, None)  # the source's version, and what was built of it

    @property
    def executable(self) -> Executable:
        """Its plan as it runs."""
        raise NotImplementedError

    @property
    def built(self) -> Executable | None:
        """Its plan as it runs; None if it was not built since the source changed."""
        version, built = self._built
        return built if version == self._source.version else None

    def jitted(self) -> Runnable:
        """The same as a compiled plan runs it."""
        return self

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Runs on runtime values, one per parameter; returns one per output, each where it was made."""
        before = context.get()
        if before is RUNNING:
            return self._run(values)
        context.set_state(RUNNING)
        try:
            return self._run(values)
        finally:
            context.set_state(before)

    def _run(self, values: Sequence[Any]) -> list[Any]:
        version, built = self._built
        if built is None or version != self._source.version:
            built = self.executable
        cells = built.template.copy()
        for slot, value in zip(built.feeds, values, strict=True):
            cells[slot] = value
        if built.alone is not None:
            built.alone(cells)
        else:
            built.execute(cells)
        return [cells[slot] for slot in built.fetches]

    def repeated(self, last: Sequence[Any]) -> Callable[..., list[Any]]:
        """As `run`, to be called many times in the state `RUNNING`, after the last change of what it runs.

        Args:
          last: the values of the last parameters, the same each time.

        Returns:
          A function of the values of the first parameters; a second argument, the number of the call, does not matter.
        """
        built = self.executable
        count = len(built.feeds) - len(last)
        bind = built.of_values(count)
        if bind is not None:
            return bind(last)
        feeds, fetches, template = built.feeds[:count], built.fetches, built.template.copy()
        for slot, value in zip(built.feeds[count:], last, strict=True):
            template[slot] = value

        def run(values: Sequence[Any], index: int | None = None) -> list[Any]:
            cells = template.copy()
            for slot, value in zip(feeds, values, strict=True):
                cells[slot] = value
            built.execute(cells)
            return [cells[slot] for slot in fetches]

        return run

    def begin(self, values: Sequence[Any]) -> ResumableRun:
        """As `run`, but for steps that an executor runs the thread is given back; see `ResumableRun`."""
        return ResumableRun(self.executable, values)

    @property
    def begins(self) -> bool:
        """Whether an executor runs one of its steps, and the others do not wait for any within."""
        steps, calls = self.executable.steps, self.executable.calls
        return any(c.starts for c in calls) and not any(s.opdef.scheduling.calls_users for s in steps)

    def run_recorded(self, tensors: Sequence[EagerTensor], label: str | None = RUNNING.host) -> list[EagerTensor]:
        """Runs on eager tensors, heard by the tapes in force.

        Args:
          tensors: its inputs.
          label: the name of its owner, for tapes, unless the body of a host function or a loop runs it.
        """
        built = self.executable
        cells = built.tensors.copy()
        for slot, tensor in zip(built.feeds, tensors, strict=True):
            cells[slot] = tensor
        state = context.current()
        host = label if state.host in (None, RUNNING.host) else state.host
        with context.using(context.State(tapes=state.tapes, host=host)):
            built.record(cells)
        return [cells[slot] for slot in built.fetches]


class Program(Runnable):
    """A traced function.

    Attributes:
      graph: its graph; `graph.inputs` then the captures are its parameters, `graph.outputs` its results.
      also: further tensors of the graph that are given after the results.
    """

    __slots__ = ("_asked", "_jitted", "also", "graph")
    also: Sequence[SymbolicTensor]

    def __init__(self, graph: FuncGraph, also: Sequence[SymbolicTensor] = ()) -> None:
        super().__init__(graph)
        self.graph: FuncGraph = graph
        self.also = also
        self._jitted: Program | None = None
        self._asked = False  # whether the plan that runs this program is compiled

    def jitted(self) -> Program:
        """The same program as a compiled plan runs it: compiled too, unless its function said what it wants."""
        if self.graph.jit is not None or self._asked:
            return self
        if self._jitted is None:
            program = Program(self.graph)
            program._asked = True
            self._jitted = program
        return self._jitted

    @property
    def is_compiled(self) -> bool:
        """Whether somebody asked for its pure parts to be compiled."""
        return bool(self.graph.jit or self._asked)

    @property
    def name(self) -> str:
        return self.graph.name

    @property
    def effect(self) -> Effect:
        """The effect of running it."""
        return self.graph.effect

    @property
    def captures(self) -> list[Any]:
        """The outer tensors it uses, in the order of its last parameters."""
        return [outer for outer, _ in self.graph.captured]

    @property
    def parameters(self) -> list[SymbolicTensor]:
        """Placeholders of inputs and captures."""
        return [*self.graph.inputs, *(inner for _, inner in self.graph.captured)]

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.executable.plan

    @property
    def executable(self) -> Executable:
        """Its plan as it runs; built when first needed, and again if the graph changed."""
        version, built = self._built
        if built is None or version != self.graph.version:
            version = self.graph.version
            fetches: list[Any] = [*self.graph.outputs, *self.also, *self.graph.effectful()]
            plan = building.build(self.graph, fetches, self.parameters)
            compile = xla_segments.everywhere if self._asked else xla_segments.asked(self.graph.jit)
            built = Executable(device_layout.laid_out(plan, compile, scope=self.graph.place), self.graph)
            built.title = self.name
            if placement.get_log_device_placement():
                placement.log(built.plan)
            self._built = version, built
        return built

    def __reduce_ex__(self, protocol: Any) -> Any:
        return pickled(self)

    def carried(self) -> CarriedProgram:
        """The same as a plan takes it along to another process: its plan, as it is now."""
        return CarriedProgram(self.name, self.plan)

    def __repr__(self) -> str:
        return f"<Program {self.name}: {len(self.graph.nodes)} nodes>"


class ObservedProgram(Program):
    """A program whose steps report their runs.

    Args:
      program: the program; it stays as it is.
      observe: gives an executable that reports, from that of the program.
    """

    __slots__ = ("_observe", "_program")

    def __init__(self, program: Program, observe: Callable[[Executable], Executable]) -> None:
        super().__init__(program.graph, program.also)
        self._asked, self._program, self._observe = program._asked, program, observe

    @property
    def executable(self) -> Executable:
        """See `Program.executable`; made when first needed, so that a program may run itself."""
        version, built = self._built
        if built is None or version != self.graph.version:
            version = self.graph.version
            built = self._observe(self._program.executable)
            self._built = version, built
        return built


class CarriedProgram(Runnable):
    """A program that came with a plan, and no graph. A compiled plan brings the compiled plans of its programs."""

    __slots__ = ("name", "plan")
    name: str
    plan: Plan
    version = 0  # it never changes

    def __init__(self, name: str, plan: Plan) -> None:
        super().__init__(CarriedProgram)
        self.name, self.plan = name, plan

    @property
    def executable(self) -> Executable:
        """Its plan as it runs; bound when first needed."""
        built = self._built[1]
        if built is None:
            built = Executable(self.plan)
            self._built = self.version, built
        return built

    def carried(self) -> CarriedProgram:
        """Itself."""
        return self

    def __reduce__(self) -> Any:
        return CarriedProgram, (self.name, self.plan)


class ProgramCall(InlinedCall):
    """The step of a node that runs programs. Subclasses say which, and how often.

    `recorded` and the pullback come from the same `on_tensors`, so a gradient differentiates exactly what ran.

    Args:
      step: the step.
      tables: the graph whose functions the step refers to.
      names: the attributes that refer to the programs.

    Attributes:
      programs: its body.
    """

    __slots__ = ("dtypes", "label", "place", "programs", "wants_pullback")

    def __init__(self, step: Step, tables: Any, names: Sequence[str]) -> None:
        self.label, self.wants_pullback, self.dtypes = step.name, step.pullback, step.in_dtypes
        names_of_programs = references([step.attrs[name] for name in names])
        self.programs: tuple[Runnable, ...] = tuple(tables.referred(reference) for reference in names_of_programs)
        self.place: str = f"  op '{step.name}' ({step.op}), defined at {step.site}\n  [[{{{{node {step.name}}}}}]]"

    def predicate(self, value: Any, what: str) -> Any:
        """`scalar` for what decides yes or no, which may have axes of size 1 as well."""
        if value.__class__ is np.ndarray and value.size == 1:
            return value.reshape(())[()]
        return self.scalar(value, what)

    def scalar(self, value: Any, what: str) -> Any:
        """`value`, which decides what runs.

        Raises:
          InvalidArgumentError: if it is no scalar.
        """
        if value.__class__ is np.ndarray and value.ndim:
            raise errors.InvalidArgumentError(
                None, None, f"{what} must be a scalar, got shape {bracketed(value.shape)}\n{self.place}"
            )
        return value

    def jitted(self) -> ProgramCall:
        """The step in a compiled plan."""
        call = copy.copy(self)
        call.programs = tuple(p.jitted() for p in self.programs)
        return call

    def observed(self, observe: Callable[[Program], Program]) -> ProgramCall:
        """The same step with programs that report their runs.

        Args:
          observe: gives such a program. Programs without a graph, which came with a plan, stay as they are.
        """
        call = copy.copy(self)
        call.programs = tuple(observe(p) if isinstance(p, Program) else p for p in self.programs)
        return call

    @property
    def executables(self) -> Sequence[Executable]:
        """See `InlinedCall.executables`."""
        return () if self.wants_pullback else [p.executable for p in self.programs]

    def on_values(self, values: Sequence[Any]) -> list[Any]:
        """Runtime values in and out."""
        raise NotImplementedError

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Eager tensors in and out, heard by tapes."""
        raise NotImplementedError

    def __call__(self, *values: Any) -> list[Any]:
        if not self.wants_pullback:
            return self.on_values(values)
        tensors = [tensor_of(v, d) for v, d in zip(values, self.dtypes, strict=True)]
        *outputs, recording = self.recorded(tensors)
        return [*map(value_of, outputs), recording]

    def recorded(self, tensors: Sequence[EagerTensor]) -> list[Any]:
        """The step under a tape."""
        if not self.wants_pullback:
            return self.on_tensors(tensors)
        outputs, recording = record_execution(self.label, self.on_tensors, tensors, context.current().with_tapes)
        return [*outputs, recording]


class FunctionCall(ProgramCall):
    """The step of a node that calls one program."""

    __slots__ = ()

    def __init__(self, step: Step, tables: Any) -> None:
        super().__init__(step, tables, ("f",))

    def write(self, step: Step, cells: CellLayout, source: Source) -> None:
        write_call(self.programs[0].executable, step, cells, source)

    def on_values(self, values: Sequence[Any]) -> list[Any]:
        return self.programs[0].run(values)

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        return self.programs[0].run_recorded(tensors)


def program_op(
    name: str,
    call: type[ProgramCall],
    doc: str,
    anywhere_from: int = 0,
    vjp: Callable[..., Any] = through_pullback,
    stateless: str | None = None,
) -> OpDef:
    """Declares an op whose attributes hold programs; its inputs from `anywhere_from` on may lie on any device.

    `stateless` is the type of nodes whose programs have no effect, if it is another."""
    scheduling = Scheduling(bind=call, calls_users=True, anywhere_from=anywhere_from)

    def declared(kind: str) -> OpDef:
        opdef = OPS[kind] = OpDef(
            kind, no_kernel, Signature(variadic_out=True), vjp=vjp, scheduling=scheduling, doc=doc
        )
        return opdef

    if stateless is not None:
        _STATELESS[name] = declared(stateless)
    return declared(name)


_STATELESS: dict[str, OpDef] = {}
"""Type of an op that runs programs -> the op of nodes whose programs have no effect."""


def call_vjp(op: Any, *grads: Any) -> list[Any]:
    """The gradient of a call: None for what the results with a cotangent do not depend on."""
    (program,) = programs_of(op)
    outputs = [t for t, g in zip(program.graph.outputs, grads, strict=True) if g is not None]
    beyond = range(len(program.parameters), len(op.inputs))  # variables that a body in it may have captured
    return through_pullback(op, *grads, connected={*dependencies(program, outputs)[0], *beyond})


CALL = program_op(
    "StatefulPartitionedCall", FunctionCall, "Calls a traced function.", vjp=call_vjp, stateless="PartitionedCall"
)


def add_call(
    graph: Any, program: Program, inputs: Sequence[SymbolicTensor], name: str | None = None, dims: Any = None
) -> Operation:
    """A node of `graph` that calls a program; `dims` are the shapes of its outputs if those of the program are not."""
    return add_program_node(graph, CALL, inputs, program.graph.outputs, {"f": program}, {}, program.effect, name, dims)


def add_program_node(
    graph: Any,
    opdef: OpDef,
    inputs: Sequence[SymbolicTensor],
    outputs: Sequence[SymbolicTensor],
    programs: Mapping[str, Program | Sequence[Program]],
    attrs: Mapping[str, Any],
    effect: Effect,
    name: str | None,
    dims: Any = None,
) -> Operation:
    """A node of `graph` that runs programs, given by the attributes that refer to them.

    Its outputs have the specs of `outputs`, but for their shapes if `dims` gives those.
    """
    if effect in (Effect.PURE, Effect.RANDOM):
        opdef = _STATELESS.get(opdef.name, opdef)

    def reference(program: Program) -> Reference:
        return graph.functions.add(program, program.name)  # type: ignore[no-any-return]

    referring = {
        key: reference(p) if isinstance(p, Program) else tuple(map(reference, p)) for key, p in programs.items()
    }
    shapes = [t._dims for t in outputs] if dims is None else dims
    every = {**referring, **attrs, "num": len(outputs)}
    kinds = [t.dtype for t in outputs]
    awaited = [op for p in programs.values() for q in ([p] if isinstance(p, Program) else p) for op in q.graph.awaited]
    with graph.control_dependencies(awaited):
        return graph.add(opdef, tuple(inputs), every, kinds, shapes, name, effect=effect)  # type: ignore[no-any-return]


def programs_of(node: Operation) -> list[Program]:
    """The programs that a node runs."""
    return [node.graph.referred(r) for r in references(node.attrs) if r.table == "functions"]


_FOLLOWED = "fcrv"
"""Kinds of tensors that a gradient passes."""


def dependencies(program: Program, outputs: Iterable[SymbolicTensor]) -> tuple[list[int], bool]:
    """The numbers of the parameters that outputs depend on, and whether a call runs all that is between."""
    live, plain = {id(t) for t in outputs}, True
    for node in reversed(program.graph.nodes):
        if any(id(t) in live for t in node.outputs):
            passing, runs_all = _passing(node)
            plain = plain and runs_all
            live.update(id(t) for t in passing if t.dtype._kind in _FOLLOWED)
    return [i for i, t in enumerate(program.parameters) if id(t) in live], plain


def _passing(node: Operation) -> tuple[Sequence[SymbolicTensor], bool]:
    """The inputs of a node that a gradient reaches, and whether each call of it runs all that it holds."""
    programs = programs_of(node)
    if node.opdef.scheduling.bind is FunctionCall and len(programs) == 1:
        outputs = [t for t in programs[0].graph.outputs if t.dtype._kind in "fc"]
        reached, plain = dependencies(programs[0], outputs)
        return [node.inputs[i] for i in reached], plain and len(outputs) == 1
    if node.opdef.vjp is no_gradient:
        return (), True
    return node.inputs, not programs
