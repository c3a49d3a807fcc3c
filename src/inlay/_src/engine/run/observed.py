"""Runs of a plan while the span recorder is on: the same lowerings, with stamps.

one thread runs the plan      generated source that stamps each step (`run.lowering.stamps`); until it is written,
                              the interpreter stamps
several threads, executors    each call leaves a span on the thread that makes it
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inlay._src.base.interpreter import collector
from inlay._src.base.spans import SPANS, now
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.plan.step_call import Started, StepCall
from inlay._src.engine.run import recorded, reference
from inlay._src.engine.run.lowering.chunks import Chunks
from inlay._src.engine.run.lowering.stamps import Stamps, activity_of
from inlay._src.engine.run.lowering.whole import whole_plan
from inlay._src.engine.run.registry import Lowered
from inlay._src.engine.run.timed_call import TimedCall


class RecordedCall(TimedCall):
    """A step's call that leaves a span, on the thread where it was made.

    Of a call that an executor runs the span is that of its begin: the executor's own spans follow.

    Args:
      step, call: the step.
    """

    __slots__ = ()

    def __init__(self, step: Step, call: StepCall) -> None:
        activity = activity_of(step)

        def note(step: Step, begin: int, end: int, thread: int, results: Sequence[Any] | None) -> None:
            SPANS.add(activity, begin, end)

        super().__init__(step, call, note)

    def _watched(self, started: Started, begin: int) -> Started:
        self._note(self._step, begin, now(), 0, None)
        return started


class ObservedRuns:
    """The recorded runs of a plan that is bound.

    Args:
      plan, calls, template: of an `Executable`.
      title: the name of its runs.
    """

    def __init__(self, plan: Plan, calls: Sequence[StepCall], template: Sequence[Any], title: str) -> None:
        self._plan, self._stamps = plan, Stamps(title)
        self._plain, self._template = calls, template
        self._calls: list[StepCall] | None = None
        self._lowered: Lowered | None = None

    @property
    def calls(self) -> Sequence[StepCall]:
        """The calls of the steps, each of which leaves a span, for a run that other threads may share, end or watch."""
        if self._calls is None:
            self._calls = [RecordedCall(*pair) for pair in zip(self._plan.steps, self._plain, strict=True)]
        return self._calls

    @contextlib.contextmanager
    def run(self) -> Iterator[None]:
        """The span of a run with `calls`."""
        begin = now()
        try:
            yield
        finally:
            SPANS.add(self._stamps.activities[0], begin, now())

    def execute(self, cells: list[Any]) -> None:
        """A run by this thread alone."""
        body = self._body()
        stamps = self._stamps.begun()
        try:
            if body is not None:
                body(cells, stamps)
            else:
                self._interpret(cells, stamps, reference.run_step)
        finally:
            self._stamps.ended(stamps)

    def record(self, cells: list[Any]) -> None:
        """As `Executable.record`."""
        stamps = self._stamps.begun()
        try:
            self._interpret(cells, stamps, recorded.run_step)
        finally:
            self._stamps.ended(stamps)

    def _body(self) -> Callable[..., Any] | None:
        """The plan as source; None while it is being written."""
        lowered = self._lowered
        if lowered is None:
            with collector.paused():
                if len(self._plan.steps) <= TUNING.written_steps:
                    lowered = whole_plan(self._plan, self._plain, self._stamps)
                else:
                    lowered = Chunks(self._plan, self._plain, self._template, self._stamps)
            self._lowered = lowered
        lowered.write_for_runs(1)
        return lowered.function

    def _interpret(self, cells: list[Any], stamps: list[int], run: reference.RunStep) -> None:
        """Runs the steps one by one, each with `run`, and stamps them."""
        number = self._stamps.number

        def run_step(step: Step, call: StepCall, cells: list[Any]) -> None:
            run(step, call, cells)
            stamps.extend((number(step), now()))

        reference.execute(self._plan.steps, self._plain, cells, run_step)
