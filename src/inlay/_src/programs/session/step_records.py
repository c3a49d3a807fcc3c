"""The executions of the steps of a run, those of loops, branches and functions too, and the values they leave.

    RunRecord        the rows of a run
      PlanRecord     names of one plan's cells: the session's, or that of a program that a step runs
        StepRow          an execution of a step, or a value that is there before the first one

A row describes results and holds none, so a traced run needs no more memory for values than any other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.spans import now
from inlay._src.core import device
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import Effect
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.timed import TimedExecutable
from inlay._src.programs.program import FunctionCall, ObservedProgram, Program, ProgramCall

HOME = f"/job:localhost/replica:0/task:0{device.CPU}"
"""The device of steps that are placed on none."""


class StepResult(NamedTuple):
    """A value that a step left.

    Attributes:
      slot: its number among the results.
      dtype: the number of its dtype in messages.
      shape: its dims.
      size: its bytes.
      address: of its memory; 0 on an accelerator and for values that are no arrays.
      allocated: whether the step allocated that memory.
    """

    slot: int
    dtype: int
    shape: tuple[int, ...]
    size: int
    address: int
    allocated: bool


class StepRow(NamedTuple):
    """An execution.

    Attributes:
      plan: the plan of the step.
      step: the step; None for a value that was there before the first one.
      name, op: of the node.
      inputs: the names of its inputs, then those of the steps that it waited for, with "^".
      device: the whole name of its device.
      begin, end: in nanoseconds, by the clock of `base.spans`.
      thread: the number of the thread that ran it.
      results: its results; empty if it failed.
    """

    plan: PlanRecord
    step: Step | None
    name: str
    op: str
    inputs: Sequence[str]
    device: str
    begin: int
    end: int
    thread: int
    results: Sequence[StepResult]


class _EarlierValue(NamedTuple):
    """A value that is in its cell before the first step: a fed one, a constant, the handle of a state."""

    cell: int
    dtype: int
    name: str
    op: str
    device: str


class RunRecord:
    """The executions of a run.

    Attributes:
      rows: in the order in which they ended.
      ran: the names of the steps among them.
    """

    def __init__(self) -> None:
        self.rows: list[StepRow] = []
        self.ran: set[str] = set()

    def timed(
        self, executable: Executable, graph: Graph, prefix: str = "", fetched: Sequence[SymbolicTensor] = ()
    ) -> TimedExecutable:
        """An executable whose runs are recorded here.

        Args:
          executable: the executable.
          graph: the graph of its plan.
          prefix: stands before the names of its nodes.
          fetched: the tensors of the plan's fetches; those that no step computes are recorded as values.
        """
        plan = PlanRecord(self, executable, graph, prefix, fetched)
        return TimedExecutable(executable, plan.note, plan.inner, plan.begun)


class PlanRecord:
    """The names of a plan's cells, and the notes of its steps.

    Args:
      run: receives the rows.
      executable: has the plan.
      graph: its graph.
      prefix: stands before the names of its nodes.
      fetched: the tensors of the plan's fetches, or none.

    Attributes:
      freed_by: cell -> the step that frees it.
      is_outermost: whether it is the plan of the session.
    """

    def __init__(
        self, run: RunRecord, executable: Executable, graph: Graph, prefix: str, fetched: Sequence[SymbolicTensor]
    ) -> None:
        self._run, self._graph, self._prefix = run, graph, prefix
        self.is_outermost: bool = not isinstance(graph, FuncGraph)
        plan = executable.plan
        self._names: dict[int, str] = {}
        self._labels: dict[int, Sequence[str]] = {}  # the identity of a step -> the names of its inputs
        self._addresses: dict[int, int] = {}  # cell -> the address of its value
        self.freed_by: dict[int, Step] = {cell: step for step in plan.steps for cell in step.frees}
        for step in plan.steps:
            self._names |= {c: _output(prefix + step.name, k) for k, c in enumerate(step.outs) if c != -1}
        self._ran = {self._graph._by_name.get(step.name) for step in plan.steps}
        self._values = self._before(executable, fetched)

    def _before(self, executable: Executable, fetched: Sequence[SymbolicTensor]) -> list[_EarlierValue]:
        """The values before the first step that steps read or the run returns; a fed one is not returned."""
        plan = executable.plan
        inputs: dict[int, SymbolicTensor] = {}
        for step in plan.steps:
            node = self._graph._by_name.get(step.name)
            if node is not None and len(node.inputs) == len(step.ins):
                inputs |= {cell: t for cell, t in zip(step.ins, node.inputs, strict=True) if cell not in inputs}
        constants = {cell for cell, _ in plan.consts}
        fed = {feed.slot: feed.name for feed in plan.feeds}
        for cell, tensor in zip(plan.fetches, fetched, strict=False):
            if cell not in fed:
                inputs.setdefault(cell, tensor)
        values: list[_EarlierValue] = []
        for cell, tensor in inputs.items():
            if cell in self._names:
                continue
            name = self._prefix + (fed.get(cell) or tensor.name).removesuffix(":0")
            op = "_Arg" if cell in fed else "Const" if cell in constants else tensor.op.type
            self._names[cell] = name
            values.append(_EarlierValue(cell, tensor.dtype.as_datatype_enum, name, op, _place(tensor.op)))
        return values

    def begun(self, cells: Sequence[Any]) -> None:
        """Notes what is in the cells before the first step."""
        time, thread = now(), threading.get_ident()
        for cell, dtype, name, op, place in self._values:
            result = _described(0, dtype, cells[cell])
            self._addresses[cell] = result.address
            if op == "_Arg" and name in self._run.ran:  # a backward program takes the results of the forward one
                continue
            self._run.rows.append(StepRow(self, None, name, op, (), place, time, time, thread, (result,)))

    def note(self, step: Step, begin: int, end: int, thread: int, results: Sequence[Any] | None) -> None:
        """Notes an execution: see `engine.run.timed_call.Note`."""
        inputs, addresses, left = self._inputs(step), self._addresses, list[StepResult]()
        before = {addresses.get(cell, 0) for cell in step.ins}
        count = len(step.dtypes) - step.pullback
        for slot, (value, dtype) in enumerate(zip((results or ())[:count], step.dtypes, strict=False)):
            result = _described(slot, dtype.as_datatype_enum, value)
            owns = not isinstance(value, np.ndarray) or value.base is None
            reads = step.opdef.effect is Effect.READS
            if step.outs[slot] != -1:
                addresses[step.outs[slot]] = result.address
            new = bool(result.size) and owns and not reads and result.address not in before - {0}
            left.append(result._replace(allocated=new))
        row = StepRow(self, step, self._prefix + step.name, step.op, inputs, device_of(step), begin, end, thread, left)
        self._run.rows.append(row)
        self._run.ran.add(row.name)

    def _inputs(self, step: Step) -> Sequence[str]:
        """The names of what a step reads and waits for."""
        label = self._labels.get(id(step))
        if label is None:
            names = [self._names[cell] for cell in step.ins if cell in self._names]
            node = self._graph._by_name.get(step.name)
            waits = [] if node is None else [f"^{self._prefix}{c.name}" for c in node.control_inputs if c in self._ran]
            label = self._labels[id(step)] = [*names, *waits]
        return label

    def inner(self, step: Step, call: StepCall) -> StepCall:
        """The call of a step such that the programs that it runs are recorded too.

        Names in a function are its own, as TensorFlow reports them; those of a loop or a branch begin with its name.
        """
        if not isinstance(call, ProgramCall):
            return call
        prefix = self._prefix if isinstance(call, FunctionCall) else f"{self._prefix}{step.name}/"

        def observed(program: Program) -> Program:
            observe: Callable[[Executable], Executable] = lambda e: self._run.timed(e, program.graph, prefix)  # noqa: E731
            return ObservedProgram(program, observe)

        return call.observed(observed)


def device_of(step: Step) -> str:
    """The whole name of the device that a step ran on; one that is missing is replaced by the CPU."""
    here = step.asked if "CPU" in step.asked else ""
    return device.canonical(step.device or here, HOME)


def _place(node: Operation) -> str:
    return device.canonical(node.device if "CPU" in node.device else "", HOME)


def _output(name: str, slot: int) -> str:
    return f"{name}:{slot}" if slot else name


def _described(slot: int, dtype: int, value: Any) -> StepResult:
    """A runtime value as a result."""
    shape, size, address = (), 0, 0
    if isinstance(value, np.ndarray):
        shape, size, address = value.shape, value.nbytes, value.__array_interface__["data"][0]
    elif hasattr(value, "nbytes") and hasattr(value, "shape"):
        shape, size = tuple(value.shape), value.nbytes
    return StepResult(slot, dtype, shape, size, address, False)
