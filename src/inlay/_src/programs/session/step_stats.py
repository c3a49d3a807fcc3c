"""The report of the steps of a run with `RunOptions.trace_level`: their times and devices."""

from __future__ import annotations

import copy
import functools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from inlay._src.core import device
from inlay._src.core.graph import Graph
from inlay._src.engine.plan import build as building
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import Started, StepCall
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.engine.run.scheduling.history import History
from inlay._src.programs.session.fetches import parse_fetches
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
      call: its call.
      timings: the list that receives a timing of each call.
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
      executable: the executable; a server's reports nothing.
      fills: functions that fill a report with the timings of the run.
    """

    alone: Any = None

    def __init__(self, executable: Executable, fills: Sequence[Callable[[Sequence[Timing]], None]]) -> None:
        self._executable, self._fills = executable, fills
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
            for fill in self._fills:
                fill(timings)


def reporting(prepared: Any, report: RunMetadata, options: Any, config: Any, graph: Graph, fetches: Any) -> Any:
    """A prepared run with an executable that reports.

    Args:
      prepared: has an `executable`, and counts its reports.
      report: the message that its run fills.
      options: the `RunOptions`, or None.
      config: the `ConfigProto` of the session, or None.
      graph: the graph of the session.
      fetches: the fetches of the run.
    """
    for name in ("step_stats", "cost_graph", "partition_graphs"):
        report.ClearField(name)
    if getattr(options, "output_partition_graphs", False):
        report.partition_graphs.append(_needed(graph, fetches))
    fills: list[Callable[[Sequence[Timing]], None]] = []
    if getattr(options, "trace_level", 0):
        fills.append(functools.partial(_report_steps, report))
    prepared.reports += 1
    period = getattr(getattr(config, "graph_options", None), "build_cost_model", 0)
    if period and prepared.reports % period == 0:
        fills.append(functools.partial(_report_costs, report))
    if not fills:
        return prepared
    timed = copy.copy(prepared)
    timed.executable = TimedExecutable(prepared.executable, fills)
    return timed


def _needed(graph: Graph, fetches: Any) -> Any:
    """The `GraphDef` of the nodes that a run needs."""
    names = {node.name for node in building.prune(parse_fetches(graph, fetches).elements, set())}
    message = graph.as_graph_def()
    nodes = [node for node in message.node if node.name in names]
    del message.node[:]
    message.node.extend(nodes)
    return message


def _device_of(step: Step) -> str:
    """The whole name of the device that a step ran on; one that is missing is replaced by the CPU."""
    here = step.asked if "CPU" in step.asked else ""
    return device.canonical(step.device or here, HOME)


def _report_costs(report: RunMetadata, timings: Sequence[Timing]) -> None:
    """Fills a report with the time that each step took."""
    for number, (step, began, ended, _) in enumerate(timings):
        micros = (ended - began) // 1000
        report.cost_graph.node.add(
            name=step.name, device=_device_of(step), id=number, compute_cost=micros, compute_time=micros
        )


def _report_steps(report: RunMetadata, timings: Sequence[Timing]) -> None:
    """Fills a report with the steps of a run, by devices."""
    devices = {HOME: report.step_stats.dev_stats.add(device=HOME)}
    for step, began, ended, thread in sorted(timings, key=lambda timing: timing.began):
        name = _device_of(step)
        if name not in devices:
            devices[name] = report.step_stats.dev_stats.add(device=name)
        micros = began // 1000
        last = max(ended // 1000 - micros, 1)  # what takes less than a tick took some time
        devices[name].node_stats.add(
            node_name=step.name, all_start_micros=micros, op_end_rel_micros=last, all_end_rel_micros=last,
            timeline_label=f"{step.name} = {step.op}()", scheduled_micros=micros, thread_id=thread,
            all_start_nanos=began, op_end_rel_nanos=ended - began, all_end_rel_nanos=ended - began,
        )  # fmt: skip
