"""The report of the steps of a run with `RunOptions.trace_level`: their times, devices, inputs, results and memory."""

from __future__ import annotations

import bisect
import copy
import functools
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.spans import now
from inlay._src.core.graph import Graph
from inlay._src.core.tensor import SymbolicTensor
from inlay._src.engine.plan import build as building
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.scheduling import work_stealing
from inlay._src.engine.run.timed import TimedExecutable
from inlay._src.programs.session.fetches import parse_fetches
from inlay._src.programs.session.step_records import HOME, RunRecord, StepResult, StepRow

Fill = Callable[[Sequence[StepRow]], None]
"""Fills a report with the executions of a run."""


class _ReportingExecutable:
    """An executable whose runs fill a report; for sessions, which use it as they use an `Executable`.

    Args:
      timed: the executable whose steps are recorded.
      record: receives the executions.
      fills: functions that fill the report with them.
    """

    alone: Any = None

    def __init__(self, timed: TimedExecutable, record: RunRecord, fills: Sequence[Fill]) -> None:
        self._timed, self._record, self._fills = timed, record, fills
        self.template, self.resources, self.private = timed.template, timed.resources, timed.private

    def execute(self, cells: list[Any], stop: work_stealing.Stop | None = None) -> None:
        """As `Executable.execute`."""
        try:
            self._timed.execute(cells, stop)
        finally:
            rows = sorted(self._record.rows, key=lambda row: row.begin)
            for fill in self._fills:
                fill(rows)


def reporting(
    prepared: Any,
    report: Any,
    options: Any,
    config: Any,
    graph: Graph,
    asked: tuple[Any, Sequence[SymbolicTensor]],
) -> Any:
    """A prepared run with an executable that reports; a run on a server reports no steps.

    Args:
      prepared: has an `executable`, and counts its reports.
      report: the `RunMetadata` that its run fills.
      options: the `RunOptions`, or None.
      config: the `ConfigProto` of the session, or None.
      graph: the graph of the session.
      asked: the fetches of the run, and its fed tensors.
    """
    for name in ("step_stats", "cost_graph", "partition_graphs"):
        report.ClearField(name)
    if getattr(options, "output_partition_graphs", False):
        report.partition_graphs.append(_needed(graph, *asked))
    fills: list[Fill] = []
    if getattr(options, "trace_level", 0):
        fills.append(functools.partial(_report_steps, report, time.time_ns() - now()))
    prepared.reports += 1
    period = getattr(getattr(config, "graph_options", None), "build_cost_model", 0)
    if period and prepared.reports % period == 0:
        fills.append(functools.partial(_report_costs, report))
    if not fills or not isinstance(prepared.executable, Executable):
        return prepared
    record = RunRecord()
    timed = copy.copy(prepared)
    fetched = [e for e in parse_fetches(graph, asked[0]).elements if isinstance(e, SymbolicTensor)]
    executable = record.timed(prepared.executable, graph, fetched=fetched)
    timed.executable = _ReportingExecutable(executable, record, fills)
    return timed


def _needed(graph: Graph, fetches: Any, fed: Sequence[SymbolicTensor]) -> Any:
    """The `GraphDef` of the nodes that a run needs, those of fed tensors too."""
    nodes = building.prune(parse_fetches(graph, fetches).elements, {id(t) for t in fed})
    names = {node.name for node in nodes} | {tensor.op.name for tensor in fed}
    message = graph.as_graph_def()
    needed = [node for node in message.node if node.name in names]
    del message.node[:]
    message.node.extend(needed)
    return message


def _report_costs(report: Any, rows: Sequence[StepRow]) -> None:
    """Fills a report with the time that each step of the session's plan took."""
    steps = [row for row in rows if row.step is not None and row.plan.is_outermost]
    for number, row in enumerate(steps):
        micros = (row.end - row.begin) // 1000
        report.cost_graph.node.add(
            name=row.name, device=row.device, id=number, compute_cost=micros, compute_time=micros
        )


def _report_steps(report: Any, epoch: int, rows: Sequence[StepRow]) -> None:
    """Fills a report with the steps of a run, by devices.

    Args:
      report: the `RunMetadata`.
      epoch: the nanoseconds since 1970 when the clock of the rows was 0.
      rows: the executions in the order in which they began.
    """
    devices = {HOME: report.step_stats.dev_stats.add(device=HOME)}
    threads: dict[int, int] = {}
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    frees = _Frees(rows)
    for row in rows:
        if row.device not in devices:
            devices[row.device] = report.step_stats.dev_stats.add(device=row.device)
        device = devices[row.device]
        thread = threads.setdefault(row.thread, len(threads))  # the field has 32 bits, a thread's number may have more
        device.thread_names[thread] = names.get(row.thread, "")
        began, took = row.begin + epoch, row.end - row.begin
        micros = began // 1000
        last = max((row.end + epoch) // 1000 - micros, 1)  # what takes less than a tick took some time
        stats = device.node_stats.add(
            node_name=row.name, all_start_micros=micros, op_end_rel_micros=last, all_end_rel_micros=last,
            timeline_label=f"{row.name} = {row.op}({', '.join(row.inputs)})", scheduled_micros=micros,
            thread_id=thread, all_start_nanos=began, op_end_rel_nanos=took, all_end_rel_nanos=took,
            scheduled_nanos=began,
        )  # fmt: skip
        allocator = _allocator(row.device)
        for result in row.results:
            _describe(stats.output.add(slot=result.slot).tensor_description, result, allocator)
        _add_memory(stats, row, allocator, epoch, frees)


def _allocator(place: str) -> str:
    """A name for the memory of a device: "cpu" is the host's, "gpu_0" that of the first GPU."""
    kind, _, number = place.rpartition("/")[2].removeprefix("device:").lower().partition(":")
    return kind if kind == "cpu" else f"{kind}_{number}"


def _describe(description: Any, result: StepResult, allocator: str) -> None:
    """Fills a `TensorDescription`."""
    description.dtype = result.dtype
    description.shape.SetInParent()
    for size in result.shape:
        description.shape.dim.add(size=size)
    memory = description.allocation_description
    memory.requested_bytes, memory.allocator_name, memory.ptr = result.size, allocator, result.address
    memory.allocated_bytes = result.size if result.allocated else 0


def _add_memory(stats: Any, row: StepRow, allocator: str, epoch: int, frees: _Frees) -> None:
    """Adds the bytes that a step allocated for its results, and when their cells were freed."""
    stats.memory_stats.SetInParent()
    if row.step is None:
        stats.memory_stats.persistent_memory_size = sum(r.size for r in row.results if row.op == "Const")
        return
    allocated = [r for r in row.results if r.allocated]
    total = sum(r.size for r in allocated)
    if not total:
        return
    memory = stats.memory.add(allocator_name=allocator, total_bytes=total, peak_bytes=total, live_bytes=total)
    for result in allocated:
        memory.allocation_records.add(alloc_micros=(row.end + epoch) // 1000, alloc_bytes=result.size)
    for result in allocated:
        freed = frees.after(row, row.step.outs[result.slot])
        if freed is not None:
            memory.allocation_records.add(alloc_micros=(freed + epoch) // 1000, alloc_bytes=-result.size)


class _Frees:
    """When cells were freed: at the end of the next execution of the step that frees them.

    Args:
      rows: the executions of a run.
    """

    def __init__(self, rows: Sequence[StepRow]) -> None:
        self._ends: dict[tuple[int, int], list[int]] = defaultdict(list)
        for row in rows:
            self._ends[id(row.plan), id(row.step)].append(row.end)
        for ends in self._ends.values():
            ends.sort()

    def after(self, row: StepRow, cell: int) -> int | None:
        """When the cell was freed that an execution wrote, in nanoseconds; None if it was not."""
        if cell == -1:
            return row.end
        ends = self._ends.get((id(row.plan), id(row.plan.freed_by.get(cell))), ())
        at = bisect.bisect_left(ends, row.end)
        return ends[at] if at < len(ends) else None
