"""The call of a step that reports when it ran; times are those of `base.spans.now`."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.spans import now
from inlay._src.core.devices.device_tensor import value_of
from inlay._src.core.executor import Batch
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import CallRequest, Started, StepCall

Note = Callable[[Step, int, int, int, Sequence[Any] | None], None]
"""Receives an execution of a step: `note(step, begin_ns, end_ns, thread, results)`.

The times are in nanoseconds. The thread is the number of the one that called or began the step. The results are the
runtime values, one per result; None if the step failed."""


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
        thread = threading.get_ident()

        def results(batch: Batch, position: int) -> Sequence[Any]:
            ended = functools.partial(request.results, batch, position)
            return self._noted(ended, begin, batch.ended_at(position), thread)

        return CallRequest(request.call, results)

    def _watched(self, started: Started, begin: int) -> Started:
        """A begun call that notes its execution when its results are asked for."""
        thread, ends = threading.get_ident(), list[int]()
        started.future.add_done_callback(lambda _: ends.append(now()))
        return Started(started.future, lambda: self._noted(started.results, begin, ends[0] if ends else now(), thread))

    def _noted(self, ended: Callable[[], Sequence[Any]], begin: int, end: int, thread: int) -> Sequence[Any]:
        """The results of an execution, which is noted."""
        values: Sequence[Any] | None = None
        try:
            values = ended()
        finally:
            self._note(self._step, begin, end, thread, values)
        return values

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
