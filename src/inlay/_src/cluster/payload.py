"""Plans with the live objects that they refer to, serialized for a server: `PlanPayload`, and `ReceivedTables` there.

A plan is data and names entries of its graph's tables. The payload has these entries: host functions, by value or by
import name; gradients; the keys of variables, whose values stay where they are placed; and the programs that its steps
run, with payloads of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from inlay._src.base import errors
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.state import Cell
from inlay._src.core.tables import Reference, references
from inlay._src.engine.plan import partition
from inlay._src.engine.plan.partition import Task
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.run.executable import Executable
from inlay._src.host import bodies
from inlay._src.host.executors.selection import resolve_executor, shared_name
from inlay._src.host.record import HostFunction
from inlay._src.ops.state import HandleKey
from inlay._src.programs.program import CarriedProgram, Program


@dataclass(frozen=True, slots=True)
class VariableKey:
    """Names one variable of a server: sessions that name it alike share it. Equal if the names are.

    Attributes:
      name: of the variable.
      dtype, dims, trainable: see `Cell`.
    """

    name: str
    dtype: DType = field(compare=False)
    dims: Dims = field(compare=False)
    trainable: bool = field(compare=False)

    def make(self) -> Cell:
        """A cell for its value."""
        return Cell(self.name, self.dtype, self.dims, self.trainable)


class _WhereNamed(NamedTuple):
    """A host function whose executor is the process's own of a name: the server has one of that name, too.

    Attributes:
      host: the function, without it.
      executor: the name.
    """

    host: HostFunction
    executor: str

    @staticmethod
    def of(host: HostFunction) -> HostFunction | _WhereNamed:
        """A host function as it is sent."""
        name = shared_name(host.executor)
        return host if name is None else _WhereNamed(replace(host, executor=None), name)

    def there(self) -> HostFunction:
        """The function where it arrived."""
        return replace(self.host, executor=resolve_executor(self.executor, "a server"))


@dataclass(frozen=True, slots=True)
class PlanPayload:
    """A plan and what it needs.

    Attributes:
      plan: without its programs.
      live: reference -> host function, gradient or `VariableKey`.
      programs: reference -> (name, payload) of the programs that its steps run.
    """

    plan: Plan
    live: dict[Reference, Any]
    programs: dict[Reference, tuple[str, PlanPayload]]


Luggage = PlanPayload  # the name in datasets that were pickled before the class was renamed


def packed(plan: Plan, graph: Any, task: Task) -> bytes:
    """A plan with all that it needs of its graph, as bytes.

    Raises:
      InvalidArgumentError, TypeError: for a function that does not pickle.
      UnimplementedError: for what cannot travel, and for a step inside of a function, branch or loop that is placed on
        another task than `task`.
    """
    payload = _payload(plan, graph, task, {})
    try:
        return bodies.dumps(payload)
    except Exception as error:
        raise _unsent(payload, error) from error


def _payload(plan: Plan, graph: Any, task: Task, done: dict[int, PlanPayload]) -> PlanPayload:
    """The payload of a plan of a graph; programs are packed once."""
    live: dict[Reference, Any] = {}
    programs: dict[Reference, tuple[str, PlanPayload]] = {}
    for key, step in _needs(plan):
        entry = graph.referred(key)
        if isinstance(entry, Program):
            if id(entry) not in done:
                inner = replace(entry.plan, steps=tuple(_inside(s, entry.name, task) for s in entry.plan.steps))
                done[id(entry)] = _payload(inner, entry.graph, task, done)
            programs[key] = entry.name, done[id(entry)]
        elif isinstance(entry, HandleKey):
            live[key] = VariableKey(entry.name, entry.dtype, entry.dims, entry.trainable)
        elif key.table == "resources":
            raise errors.UnimplementedError(
                None,
                None,
                f"{entry!r} stays in this process and cannot be used on a server"
                + ("" if step is None else f" by '{step.name}' ({step.op}), defined at {step.site}")
                + ": make a variable in the graph that the session runs, and place it there",
            )
        else:
            live[key] = _WhereNamed.of(entry) if isinstance(entry, HostFunction) else entry
    return PlanPayload(replace(plan, programs={}), live, programs)


def _needs(plan: Plan) -> Iterable[tuple[Reference, Step | None]]:
    """The references in a plan, and the step that each was found in."""
    for _, key in plan.resources:
        yield key, None
    for _, value in plan.consts:
        if isinstance(value, Reference):
            yield value, None
    for step in plan.steps:
        if step.token is not None:
            yield Reference("host_functions", step.token), step
        for key in references(step.attrs):
            yield key, step


def _inside(step: Step, program: str, task: Task) -> Step:
    """A step of a program that a task runs; a placement on another task is refused."""
    parts = dict(p.split(":", 1) for p in step.asked.split("/") if p and not p.startswith("device"))
    job, number = parts.get("job", task[0]), int(parts.get("task", task[1]))
    if (job, number) != task:
        raise errors.UnimplementedError(
            None,
            None,
            f"'{step.name}' ({step.op}), defined at {step.site}, is placed on {step.asked}, but it is part of "
            f"{program}, which {partition.text(task)} runs as a whole: place the call instead\n"
            f"  [[{{{{node {step.name}}}}}]]",
        )
    return replace(step, asked=partition.local(step.asked))


def _unsent(payload: PlanPayload, error: BaseException) -> BaseException:
    """The error for live objects that do not pickle: the first that does not is named."""
    for key, entry in payload.live.items():
        try:
            bodies.dumps(entry)
        except Exception as why:
            step = next((s for s in payload.plan.steps if s.token == key.key or key in references(s.attrs)), None)
            where = "" if step is None else f" by op '{step.name}' ({step.op}), defined at {step.site}"
            label = getattr(getattr(entry, "host", entry), "label", entry)
            text = f"{label}, used{where}, cannot be sent to a server: {why}"
            mark = "" if step is None else f"\n  [[{{{{node {step.name}}}}}]]"
            return errors.refused(errors.InvalidArgumentError, TypeError, text + mark)
    for _, inner in payload.programs.values():
        refusal = _unsent(inner, error)
        if isinstance(refusal, TypeError):
            return refusal
    return errors.InternalError(None, None, f"a plan cannot be sent to a server: {error}")


# ---------------------------------------------------------------- on the server


class ReceivedTables:
    """Stands for the tables of a graph where its plan arrived.

    Args:
      payload: the received payload.
      bound: programs that are bound already, by the identity of their payload.
    """

    __slots__ = ("_payload", "_programs")

    def __init__(self, payload: PlanPayload, bound: dict[int, ReceivedProgram] | None = None) -> None:
        bound = {} if bound is None else bound
        self._payload, self._programs = payload, {}
        for key, (name, inner) in payload.programs.items():
            if id(inner) not in bound:
                bound[id(inner)] = ReceivedProgram(name, inner.plan, ReceivedTables(inner, bound))
            self._programs[key] = bound[id(inner)]

    def referred(self, reference: Reference) -> Any:
        """The object that a reference of the plan names."""
        entry = self._programs.get(reference) or self._payload.live[reference]
        return entry.there() if entry.__class__ is _WhereNamed else entry


class ReceivedProgram(CarriedProgram):
    """A program that came with its own tables."""

    __slots__ = ("_tables",)

    def __init__(self, name: str, plan: Plan, tables: ReceivedTables) -> None:
        super().__init__(name, plan)
        self._tables = tables

    @property
    def executable(self) -> Executable:
        """Its plan as it runs; bound when first needed."""
        built = self._built[1]
        if built is None:
            built = Executable(self.plan, self._tables)
            self._built = self.version, built
        return built
