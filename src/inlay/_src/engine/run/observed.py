"""Runs of a plan while the span recorder is on: the same lowerings, with stamps.

one thread runs the plan      generated source that stamps each step (`run.lowering.stamps`); until it is written,
                              the interpreter stamps
several threads, executors    each call leaves a span on the thread that makes it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.engine.run.scheduling.history import History


class RecordedCall(StepCall):
    """A step's call that leaves a span, on the thread where it was made.

    Args:
      step, call: the step.
    """

    __slots__ = ("_activity", "_call", "executor", "label", "locates", "starts")

    def __init__(self, step: Step, call: StepCall) -> None:
        self._activity, self._call = activity_of(step), call
        self.executor, self.label, self.locates, self.starts = call.executor, call.label, call.locates, call.starts

    def __call__(self, *values: Any) -> Any:
        begin = now()
        try:
            return self._call.plain(*values)
        finally:
            SPANS.add(self._activity, begin, now())

    def start(self, values: Sequence[Any]) -> Started:
        """See `StepCall.start`."""
        begin = now()
        try:
            return self._call.start(values)
        finally:
            SPANS.add(self._activity, begin, now())

    def recorded(self, tensors: Sequence[Any]) -> Sequence[Any] | None:
        """See `StepCall.recorded`."""
        return self._call.recorded(tensors)


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

    def execute(self, cells: list[Any], stop: work_stealing.Stop | None, history: History | None) -> None:
        """As `Executable.execute`; with a history, other threads may share, end or watch the run."""
        if history is not None:
            if self._calls is None:
                self._calls = [RecordedCall(*pair) for pair in zip(self._plan.steps, self._plain, strict=True)]
            begin = now()
            try:
                work_stealing.execute(self._plan.steps, self._calls, cells, stop, None, history)
            finally:
                SPANS.add(self._stamps.activities[0], begin, now())
            return
        body = self._body()
        stamps = self._stamps.begun()
        try:
            if body is not None:
                body(cells, stamps)
            else:
                reference.execute(self._plan.steps, self._plain, cells, self._stamping(stamps, reference.run_step))
        finally:
            self._stamps.ended(stamps)

    def record(self, cells: list[Any]) -> None:
        """As `Executable.record`."""
        stamps = self._stamps.begun()
        try:
            reference.execute(self._plan.steps, self._plain, cells, self._stamping(stamps, recorded.run_step))
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

    def _stamping(self, stamps: list[int], run_step: reference.RunStep) -> reference.RunStep:
        number = self._stamps.number

        def stamped(step: Step, call: StepCall, cells: list[Any]) -> None:
            run_step(step, call, cells)
            stamps.extend((number(step), now()))

        return stamped
