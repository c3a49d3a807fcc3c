"""What a run reports of its steps, which `RunOptions.trace_level` asks for: when each ran, and on which device."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from inlay._src.core import device
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import Started, StepCall
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.engine.run.scheduling.history import History
from inlay._src.programs.session.options import RunMetadata

HOME = f"/job:localhost/replica:0/task:0{device.CPU}"
"""The device of steps that are placed on none."""


class Timing(NamedTuple):
    """One step of a run.

    Attributes:
      step: the step.
      began, ended: when it was called and had its results, in nanoseconds since 1970.
      thread: the number of the thread that called it.
    """

    step: Step
    began: int
    ended: int
    thread: int


class TimedCall(StepCall):
    """A step's call that notes when it ran.

    Args:
      step: the step.
      call: what it calls.
      timings: where a note is added.
    """

    __slots__ = ("_call", "_step", "_timings", "executor", "label", "locates", "starts")

    def __init__(self, step: Step, call: StepCall, timings: list[Timing]) -> None:
        self._step, self._call, self._timings = step, call, timings
        self.executor, self.label, self.locates, self.starts = call.executor, call.label, call.locates, call.starts

    def __call__(self, *values: Any) -> Any:
        began = time.time_ns()
        try:
            return self._call.plain(*values)
        finally:
            self._note(began)

    def start(self, values: Sequence[Any]) -> Started:
        """See `StepCall.start`."""
        began = time.time_ns()
        started = self._call.start(values)
        started.future.add_done_callback(lambda _: self._note(began))
        return started

    def _note(self, began: int) -> None:
        self._timings.append(Timing(self._step, began, time.time_ns(), threading.get_ident()))


class TimedExecutable:
    """An executable whose runs report to a `RunMetadata`; for sessions, which use it as they use an `Executable`.

    Args:
      executable: what runs; a server's reports nothing.
      report: what is filled.
    """

    alone: Any = None

    def __init__(self, executable: Executable, report: RunMetadata) -> None:
        self._executable, self._report = executable, report
        self.template, self.resources, self.private = executable.template, executable.resources, executable.private

    def execute(self, cells: list[Any], stop: work_stealing.Stop | None = None) -> None:
        """As `Executable.execute`."""
        executable, timings = self._executable, list[Timing]()
        if not isinstance(executable, Executable):
            executable.execute(cells, stop)
            return
        every = zip(executable.steps, executable.calls, strict=True)
        calls = [TimedCall(step, call, timings) for step, call in every]
        history = History(starts=any([call.starts for call in calls]))
        try:
            work_stealing.execute(executable.steps, calls, cells, stop, None, history)
        finally:
            _report(self._report, timings)


def reporting(prepared: Any, report: RunMetadata) -> Any:
    """What a session has prepared for a run, with an executable that reports.

    Args:
      prepared: has an `executable`.
      report: what its run fills.
    """
    made = copy.copy(prepared)
    made.executable = TimedExecutable(prepared.executable, report)
    return made


def _report(report: RunMetadata, timings: Sequence[Timing]) -> None:
    """Fills a report with the steps of a run, by devices."""
    report.ClearField("step_stats")
    devices = {HOME: report.step_stats.dev_stats.add(device=HOME)}
    for step, began, ended, thread in sorted(timings, key=lambda timing: timing.began):
        here = step.asked if "CPU" in step.asked else ""  # what asks for more than is there runs on the CPU
        name = device.canonical(step.device or here, HOME)
        if name not in devices:
            devices[name] = report.step_stats.dev_stats.add(device=name)
        micros = began // 1000
        last = max(ended // 1000 - micros, 1)  # what takes less than a tick took some time
        devices[name].node_stats.add(
            node_name=step.name, all_start_micros=micros, op_end_rel_micros=last, all_end_rel_micros=last,
            timeline_label=f"{step.name} = {step.op}()", scheduled_micros=micros, thread_id=thread,
            all_start_nanos=began, op_end_rel_nanos=ended - began, all_end_rel_nanos=ended - began,
        )  # fmt: skip
