"""Steps that report when they ran: `TimedCall` wraps the call of a step, `TimedExecutable` all calls of a plan.

Calls take the place of the calls of a plan, so the wrapped plan runs step by step and never as generated source. Times
are readings of `time.perf_counter_ns`, of which every thread of the process has the same.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any

from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import CallRequest, Started, StepCall
from inlay._src.engine.run import reference
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.scheduling import stalls, work_stealing
from inlay._src.engine.run.scheduling.history import History

Note = Callable[[Step, int, int, int, Sequence[Any] | None], None]
"""Receives an execution of a step: `note(step, begin_ns, end_ns, thread, results)`.

The times are in nanoseconds. The thread is the number of the one that called or began the step. The results are the
runtime values, one per result; None if the step failed."""

now: Callable[[], int] = time.perf_counter_ns
"""The clock of these times, in nanoseconds."""


class TimedCall(StepCall):
    """A step's call that notes when it ran.

    Args:
      step: the step.
      call: its call.
      note: receives each execution, in the thread that has the results.
    """

    __slots__ = ("_call", "_note", "_step", "executor", "label", "locates", "starts")

    def __init__(self, step: Step, call: StepCall, note: Note) -> None:
        self._step, self._call, self._note = step, call, note
        self.executor, self.label, self.locates, self.starts = call.executor, call.label, call.locates, call.starts

    def __call__(self, *values: Any) -> Any:
        begin = now()
        try:
            result = self._call.plain(*values)
        except BaseException:
            self._note(self._step, begin, now(), threading.get_ident(), None)
            raise
        end = now()
        self._note(self._step, begin, end, threading.get_ident(), result if self._step.opdef.many else (result,))
        return result

    def start(self, values: Sequence[Any]) -> Started:
        """See `StepCall.start`."""
        begin = now()
        return self._watched(self._call.start(values), begin)

    def request(self, values: Sequence[Any]) -> CallRequest | None:
        """See `StepCall.request`."""
        begin = now()
        request = self._call.request(values)
        if request is None:
            return None
        return CallRequest(request.call, lambda future: self._watched(request.started(future), begin))

    def _watched(self, started: Started, begin: int) -> Started:
        """A begun call that notes its execution when its results are asked for."""
        thread, ends = threading.get_ident(), list[int]()

        def ended(_: Future[Any]) -> None:
            ends.append(now())

        def results() -> Sequence[Any]:
            values: Sequence[Any] | None = None
            try:
                values = started.results()
            finally:
                end = ends[0] if ends else now()
                self._note(self._step, begin, end, thread, values)
            return values

        started.future.add_done_callback(ended)
        return Started(started.future, results)

    def recorded(self, tensors: Sequence[Any]) -> Sequence[Any] | None:
        """See `StepCall.recorded`."""
        begin = now()
        results = self._call.recorded(tensors)
        if results is not None:
            end = now()
            values = [value_of(r) if isinstance(r, EagerTensor) else r for r in results]
            self._note(self._step, begin, end, threading.get_ident(), values)
        return results

    def failed(self, error: BaseException, inputs: Sequence[Any]) -> BaseException | None:
        """See `StepCall.failed`."""
        return self._call.failed(error, inputs)


class TimedExecutable(Executable):
    """An executable whose steps note when they ran.

    Args:
      executable: the executable; it stays as it is.
      note: receives each execution of a step.
      inner: gives the call of a step that runs other plans, such that those report too.
      begun: receives the cells of each run before its first step.
    """

    __slots__ = ("_begun",)

    def __init__(
        self,
        executable: Executable,
        note: Note,
        inner: Callable[[Step, StepCall], StepCall] = lambda step, call: call,
        begun: Callable[[Sequence[Any]], None] | None = None,
    ) -> None:
        self.plan, self.steps, self.feeds = executable.plan, executable.steps, executable.feeds
        self.fetches, self.resources, self.template = executable.fetches, executable.resources, executable.template
        every = zip(executable.steps, executable.calls, strict=True)
        self.calls = tuple([TimedCall(step, inner(step, call), note) for step, call in every])
        self.body = self.alone = self._lowered = self._tensors = None
        self.private, self._of_values, self._runs = frozenset(), {}, 0
        self._history = History(starts=any([call.starts for call in self.calls]))
        self._begun = begun

    @property
    def is_written(self) -> bool:
        """No: generated source would leave the calls out."""
        return False

    def execute(self, cells: list[Any], stop: work_stealing.Stop | None = None) -> None:
        """See `Executable.execute`."""
        if self._begun is not None:
            self._begun(cells)
        starts = self._history.starts
        if starts and stop is None:
            stop = work_stealing.stop_in_force()
        if self.plan.concurrent:
            work_stealing.execute(self.steps, self.calls, cells, stop, None, self._history)
        elif stop is not None or stalls.watched:
            work_stealing.execute(self.steps, self.calls, cells, stop, None, self._history if starts else None)
        else:
            reference.execute(self.steps, self.calls, cells)

    def record(self, cells: list[Any]) -> None:
        """See `Executable.record`."""
        if self._begun is not None:
            self._begun([value_of(c) if isinstance(c, EagerTensor) else c for c in cells])
        super().record(cells)
