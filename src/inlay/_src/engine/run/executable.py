"""Executable: a plan bound to the calls of its steps. Sessions and programs run this.

It decides how a plan runs. Measured on chains of py_funcs and adds: the reference interpreter takes
2.4 us per step and nothing to make. Generated source takes 0.6 us per step, and 15 us per step to write and 70 to
compile once (nothing if one of equal structure was compiled before). Small plans are compiled at once: there the wait
is not noticed and the gain is. Others are written in chunks (`run.lowering.chunks`), as many after each run as that run
could have paid for: 10,000 steps that repeat a structure are written after 9 runs, 10,000 that do not after 38.
A run over large arrays counts as several: generated source takes them through fused steps.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import collector
from inlay._src.base.spans import SPANS
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.pictured import Pictured
from inlay._src.core.tables import Reference, references
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.plan.step_call import StepCall, bind
from inlay._src.engine.run import recorded, reference
from inlay._src.engine.run.lowering.chunks import CHUNKED
from inlay._src.engine.run.lowering.functions import Make, of_values
from inlay._src.engine.run.lowering.whole import WHOLE_PLAN
from inlay._src.engine.run.observed import ObservedRuns
from inlay._src.engine.run.registry import Lowered
from inlay._src.engine.run.scheduling import stalls, work_stealing
from inlay._src.engine.run.scheduling.history import History

SOURCES = (WHOLE_PLAN, CHUNKED)
"""The lowerings to source, the first of which that applies is chosen for a hot plan."""


class Executable(Pictured):
    """A plan and what it needs to run.

    A run takes a copy of `template`, puts the fed values into the cells `feeds` and the state of `resources` into
    theirs, executes, and finds the results in the cells `fetches`. Live objects that the steps refer to are in the
    tables of the graph; without a graph, the plan brings its programs.

    Attributes:
      steps, calls: the plan's steps, and their calls.
      feeds, fetches: cells.
      resources: (cell, key) of state.
      template: the cells before a run, with the constants.
      body: the plan as one function of (cells, armed run or None), once it is hot.
      alone: the body, if no other thread can share, end or watch a run: then it may be called as it is.
      private: fetched cells whose value is uniquely referenced; known together with the body.
      title: the name of its runs in traces.
    """

    __slots__ = (
        "__weakref__", "_history", "_lowered", "_observed", "_of_values", "_runs", "_tensors", "alone", "body", "calls",
        "feeds", "fetches", "plan", "private", "resources", "steps", "template", "title",
    )  # fmt: skip
    _picture_kind = "executable"
    plan: Plan
    steps: tuple[Step, ...]
    feeds: tuple[int, ...]
    fetches: tuple[int, ...]

    def __init__(self, plan: Plan, tables: Any = None) -> None:
        self.plan, self.steps = plan, plan.steps
        if tables is None:
            tables = CarriedPrograms(plan)
        with collector.paused_for(len(plan.steps)):
            self.calls: tuple[StepCall, ...] = tuple([bind(step, tables) for step in plan.steps])
        self.feeds, self.fetches = tuple(f.slot for f in plan.feeds), plan.fetches
        self.resources: tuple[tuple[int, Any], ...] = tuple(
            (cell, tables.referred(reference)) for cell, reference in plan.resources
        )
        self.template: list[Any] = [None] * plan.slots
        for cell, value in plan.consts:
            self.template[cell] = tables.referred(value) if value.__class__ is Reference else value
        self._tensors: list[Any] | None = None
        self._runs = 0
        self._lowered: Lowered | None = None
        stalls.watch()
        self._history = History(starts=any([call.starts for call in self.calls]))
        self.body: Any = None
        self.alone: Any = None
        self._of_values: dict[int, Make] = {}
        self.private: frozenset[int] = frozenset()
        self.title: str = "plan"
        self._observed: ObservedRuns | None = None
        _EXECUTABLES.add(self)

    @property
    def tensors(self) -> list[Any]:
        """The template of a recorded run: constants as eager tensors."""
        if self._tensors is None:
            kinds = {cell: d for step in self.steps for cell, d in zip(step.ins, step.in_dtypes, strict=True)}
            tensors: list[Any] = [None] * self.plan.slots
            for cell, _ in self.plan.consts:
                value = self.template[cell]
                tensors[cell] = EagerTensor(value, kinds.get(cell) or _dtype_of(value))
            self._tensors = tensors
        return self._tensors

    def execute(self, cells: list[Any], stop: work_stealing.Stop | None = None) -> None:
        """Runs every step. Same meaning as `reference.execute`; `stop` may end it early, from another thread."""
        body = self.body
        if body is None and SPANS.on:
            self._execute_observed(cells, stop)
            return
        if body is None:
            sizes = [v.size for v in map(cells.__getitem__, self.feeds) if v.__class__ is np.ndarray]
            count = 1 + max(sizes, default=0) * 8 // TUNING.blocked_elements
            self._runs += count
            if self._runs > TUNING.interpreted_runs:
                body = self._generate(count)
        self._schedule(self.calls, cells, stop, body)

    def _schedule(
        self, calls: Sequence[StepCall], cells: list[Any], stop: work_stealing.Stop | None, body: Any = None
    ) -> None:
        """Runs the steps with these calls, or the body that stands for them, on the threads that the plan allows."""
        starts = self._history.starts
        if starts and stop is None:
            stop = work_stealing.stop_in_force()
        if self.plan.concurrent:
            work_stealing.execute(self.steps, calls, cells, stop, body, self._history)
        elif stop is not None or stalls.watched:
            work_stealing.execute(self.steps, calls, cells, stop, None, self._history if starts else None)
        elif body is not None:
            body(cells)
        else:
            reference.execute(self.steps, calls, cells)

    def _execute_observed(self, cells: list[Any], stop: work_stealing.Stop | None) -> None:
        """As `execute`, while spans are recorded: then `body` and `alone` stay None, see `_switch`."""
        observed = self._observed_runs()
        if stop is None and not self._open_to_others:
            observed.execute(cells)
        else:
            with observed.run():
                self._schedule(observed.calls, cells, stop)

    def _observed_runs(self) -> ObservedRuns:
        observed = self._observed
        if observed is None:
            observed = self._observed = ObservedRuns(self.plan, self.calls, self.template, self.title)
        return observed

    def _generate(self, runs: int) -> Any:
        """The body; None while there are chunks to be written. `runs` is what the next run counts as."""
        lowered = self._lowered
        if lowered is None:
            lowered = self._lowered = next(s for s in SOURCES if s.applies(self)).make(self, None)
        lowered.write_for_runs(runs)
        if lowered.function is None:
            return None
        self.private, self.body = lowered.private, lowered.function
        self.alone = None if self._open_to_others else lowered.function
        if SPANS.on:  # the recorder was switched on meanwhile
            self.body = self.alone = None
        return lowered.function

    def of_values(self, count: int) -> Make | None:
        """The plan as what makes a function of the values of its first `count` feeds; None unless `is_written`."""
        if not self.is_written:
            return None
        make = self._of_values.get(count)
        if make is None:
            make = self._of_values[count] = of_values(self.plan, self.calls, count)
        return make

    @property
    def is_written(self) -> bool:
        """Whether it can be a function of values: that is not dear to make, and no other thread takes runs over."""
        return not (self._open_to_others or self.resources) and len(self.steps) <= TUNING.written_steps

    @property
    def _open_to_others(self) -> bool:
        """Whether another thread may share, end or watch a run."""
        return bool(self.plan.concurrent or self._history.starts or stalls.watched)

    def record(self, cells: list[Any]) -> None:
        """Runs every step on a copy of `tensors` with the fed ones; the active tapes record it."""
        if SPANS.on:
            self._observed_runs().record(cells)
        else:
            reference.execute(self.steps, self.calls, cells, recorded.run_step)


_EXECUTABLES: weakref.WeakSet[Executable] = weakref.WeakSet()


def _switch() -> None:
    """Has each plan look at the recorder at its next run: it finds its body again when that is off."""
    for executable in list(_EXECUTABLES):
        executable.body = executable.alone = None


SPANS.on_switch(_switch)


class CarriedPrograms:
    """Stands for the tables of a graph where the graph is not: it has the programs that came with a plan.

    They are bound at once: an object that one of them lacks is reported before anything runs.
    """

    __slots__ = ("_plan",)

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        programs: dict[int, Any] = {}
        waiting = list(plan.programs.values())
        while waiting:
            program = waiting.pop()
            if id(program) not in programs:
                programs[id(program)] = program
                waiting += program.plan.programs.values()
        for program in reversed(
            programs.values()
        ):  # inner ones first: binding does not recurse, however deep they nest
            program.executable  # noqa: B018

    def referred(self, reference: Reference) -> Any:
        """A program that came along.

        Raises:
          NotFoundError: for all else.
        """
        program = self._plan.programs.get(reference.key) if reference.table == "functions" else None
        if program is None:
            raise _missing(self._plan, reference)
        return program


def _missing(plan: Plan, reference: Reference) -> errors.OpError:
    """The error for a live object that is not here."""
    users = [s for s in plan.steps if reference.key == s.token or reference in references(s.attrs)]
    who = f"op '{users[0].name}' ({users[0].op}), defined at {users[0].site}," if users else "the plan"
    return errors.NotFoundError(
        None,
        None,
        f"{who} refers to '{reference.key}' in the table '{reference.table}' of the graph that the plan was built "
        "from, which did not travel: only programs do, not variables, host functions and gradient rules. Bind the plan "
        "to its graph, in the process that has it: Executable(plan, graph)",
    )


def _dtype_of(value: Any) -> Any:
    dtype = getattr(value, "dtype", None)
    return dtypes.resource if dtype is None or isinstance(dtype, dtypes.DType) else dtypes.FROM_NUMPY[dtype]
