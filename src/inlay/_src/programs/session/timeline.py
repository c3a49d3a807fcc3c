"""The steps of a traced run as Chrome's tracing (chrome://tracing, Perfetto) shows them.

    M        the names of processes: "Allocators", and for each device "DEVICE Compute" and "DEVICE Tensors"
    X        a step; steps that overlap are in different rows ("lanes") of their device
    s, t     a result on its way from the step that makes it to one in another row that reads it
    N, O, D  a tensor begins, is described, and ends with the last step that reads it
    C        the bytes of an allocator

Format: Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import copy
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from inlay._src.base.misuse import repr_of

_LABEL = re.compile(r"(.*) = (.*?)\((.*)\)")
_KERNEL = re.compile(r"([^ :]*):([^ ]*)")
_MERGED = ("gpu", "all")
"""Values of `op_time` under which the kernels on a device's streams count for the steps that began them."""


class AllocationMaximum(NamedTuple):
    """The most that an allocator held.

    Attributes:
      timestamp: when, in microseconds.
      num_bytes: the bytes.
      tensors: the names of the tensors that held them.
    """

    timestamp: int
    num_bytes: int
    tensors: set[str]


class ChromeTrace:
    """Events in the Trace Event Format.

    Attributes:
      events: the events: those about processes first.
    """

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self.events: list[dict[str, Any]] = events

    def format_to_string(self, pretty: bool = False) -> str:
        """The events as JSON.

        Args:
          pretty: whether it is indented.
        """
        form: dict[str, Any] = {"indent": 4} if pretty else {"separators": (",", ":")}
        return json.dumps({"traceEvents": self.events}, **form)


class StepStatsAnalysis(NamedTuple):
    """The result of `Timeline.analyze_step_stats`.

    Attributes:
      chrome_trace: the trace.
      allocator_maximums: allocator -> the most that it held; empty without memory.
    """

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


@dataclass(slots=True)
class _Lifetime:
    """A result of a step, from its allocation to the last step that reads it; times in microseconds."""

    name: str
    number: int
    producer: _ShownStep
    size: int
    allocator: str
    description: str
    reads: list[int] = field(default_factory=list)

    @property
    def ended(self) -> int:
        """When its step and the last one that reads it had ended."""
        return max([self.producer.end, *self.reads])


@dataclass(slots=True)
class _ShownStep:
    """A step in a row of a device."""

    stats: Any
    pid: int
    lane: int
    name: str
    op: str
    inputs: list[str]

    @property
    def begin(self) -> int:
        return int(self.stats.all_start_micros)

    @property
    def end(self) -> int:
        return self.begin + int(self.stats.all_end_rel_micros)

    @property
    def last(self) -> int:
        """The last microsecond of it."""
        return max(self.begin, self.end - 1)


class Timeline:
    """The steps that a run reported, for viewers of traces. Programs find it in TensorFlow's private module `timeline`.

    Args:
      step_stats: the report of a run, `RunMetadata.step_stats`.
      graph: accepted and ignored.

    Raises:
      TypeError: if `step_stats` is another object, such as the whole `RunMetadata`.
    """

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        if not hasattr(step_stats, "dev_stats"):
            raise TypeError(f"Timeline: step_stats must be a run_metadata.step_stats, got {repr_of(step_stats)}")
        self._step_stats = step_stats

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The steps in the Trace Event Format, as JSON.

        Args:
          show_dataflow: whether arrows show the results on their way between rows.
          show_memory: whether tensors and the bytes of allocators are shown.
          op_time: "schedule" shows the time of steps on the host; "gpu" that of their kernels on streams until both
            ended; "all" from the beginning on the host until both ended.
        """
        return self.analyze_step_stats(show_dataflow, show_memory, op_time).chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis:
        """The trace, and the most that each allocator held.

        Args:
          show_dataflow, show_memory, op_time: see `generate_chrome_trace_format`.
        """
        step_stats = _with_kernels(self._step_stats, op_time) if op_time in _MERGED else self._step_stats
        steps = [_steps(dev, 2 * k + 1) for k, dev in enumerate(step_stats.dev_stats)]
        names = ["Allocators"]
        for dev in step_stats.dev_stats:
            names += [f"{dev.device} Compute", f"{dev.device} Tensors"]
        events = [
            {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}} for pid, name in enumerate(names)
        ]
        every = [step for of_device in steps for step in of_device]
        tensors = _tensors(every)
        read = [_read(step, tensors) for step in every]
        if show_memory:
            events += [event for tensor in tensors.all for event in _began(tensor)]
        flows = 0
        for step, inputs in zip(every, read, strict=True):
            events.append(_event(step))
            for name, tensor in inputs:
                source = tensor.producer
                if show_dataflow and (source.pid, source.lane) != (step.pid, step.lane):
                    events += _flow(name, flows, source, step)
                    flows += 1
        maximums: dict[str, AllocationMaximum] = {}
        if show_memory:
            events += [_tensor_event("D", tensor, tensor.ended, 0) for tensor in tensors.all]
            events += _counters(tensors.all, maximums)
        return StepStatsAnalysis(ChromeTrace(events), maximums)


def _steps(dev: Any, pid: int) -> list[_ShownStep]:
    """The steps of a device, each in the first row that is free."""
    ends: list[int] = []
    steps: list[_ShownStep] = []
    streams = "/stream:" in dev.device or "/memcpy" in dev.device
    for stats in dev.node_stats:
        begin = stats.all_start_micros
        lane = next((k for k, end in enumerate(ends) if end < begin), len(ends))
        ends[lane : lane + 1] = [begin + stats.all_end_rel_micros]
        name, op, inputs = _of_kernel(stats) if streams else _of_label(stats)
        steps.append(_ShownStep(stats, pid, lane, name, op, inputs))
    return steps


def _of_label(stats: Any) -> tuple[str, str, list[str]]:
    """The name, the op and the inputs of a step, from a label "NAME = OP(INPUT, INPUT)"."""
    if stats.node_name == "RecvTensor":
        return stats.node_name, stats.node_name, []
    label = _LABEL.match(stats.timeline_label)
    if label is None:
        return stats.node_name, "unknown", []
    _, op, inputs = label.groups()
    return stats.node_name, op, inputs.split(", ") if inputs else []


def _of_kernel(stats: Any) -> tuple[str, str, list[str]]:
    """The name and the op of a kernel on a stream, from a label "NAME:OP"."""
    label = _KERNEL.fullmatch(stats.timeline_label)
    return (stats.node_name, "unknown", []) if label is None else (label[1], label[2], [])


def _with_kernels(step_stats: Any, op_time: str) -> Any:
    """A report in which the kernels on a device's streams count for the steps that began them."""
    report = copy.deepcopy(step_stats)
    kernels: dict[str, tuple[int, int]] = {}
    for dev in report.dev_stats:
        if "/stream:all" in dev.device:
            for stats in dev.node_stats:
                begin, end = stats.all_start_micros, stats.all_start_micros + stats.all_end_rel_micros
                first, last = kernels.get(stats.node_name.partition(":")[0], (begin, end))
                kernels[stats.node_name.partition(":")[0]] = min(first, begin), max(last, end)
    for dev in report.dev_stats:
        if "/stream:" in dev.device or "/job" not in dev.device:
            continue
        for stats in dev.node_stats:
            if stats.node_name in kernels:
                first, last = kernels[stats.node_name]
                end = max(last, stats.all_start_micros + stats.all_end_rel_micros)
                if op_time == "gpu":
                    stats.all_start_micros = first
                stats.all_end_rel_micros = end - stats.all_start_micros
    return report


class _Lifetimes:
    """The results of all steps. One name may have several: a loop makes one in each iteration."""

    def __init__(self) -> None:
        self.all: list[_Lifetime] = []
        self.named: dict[str, list[_Lifetime]] = defaultdict(list)

    def read_by(self, name: str, step: _ShownStep) -> _Lifetime | None:
        """The result of that name that a step read: the latest one that was begun before."""
        tensors = self.named.get(name, ())
        before = [t for t in tensors if t.producer.begin <= step.begin and t.producer is not step]
        return max(before, key=lambda t: t.producer.begin) if before else next(iter(tensors), None)


def _tensors(steps: list[_ShownStep]) -> _Lifetimes:
    tensors = _Lifetimes()
    for step in steps:
        for output in step.stats.output:
            memory = output.tensor_description.allocation_description
            name = f"{step.name}:{output.slot}" if output.slot else step.name
            text = str(output.tensor_description).replace('"', "")
            tensor = _Lifetime(name, len(tensors.all), step, memory.requested_bytes, memory.allocator_name, text)
            tensors.all.append(tensor)
            tensors.named[name].append(tensor)
    return tensors


def _read(step: _ShownStep, tensors: _Lifetimes) -> list[tuple[str, _Lifetime]]:
    """The inputs of a step that steps made, by their names; they live until it ends."""
    pairs = [(name, tensors.read_by(name, step)) for name in step.inputs]
    inputs = [(name, tensor) for name, tensor in pairs if tensor is not None]
    for _, tensor in inputs:
        tensor.reads.append(step.last)
    return inputs


def _event(step: _ShownStep) -> dict[str, Any]:
    arguments = {"name": step.name, "op": step.op} | {f"input{k}": name for k, name in enumerate(step.inputs)}
    return {
        "ph": "X", "cat": "Op", "name": step.op, "pid": step.pid, "tid": step.lane, "ts": step.begin,
        "dur": step.end - step.begin, "args": arguments,
    }  # fmt: skip


def _flow(name: str, number: int, source: _ShownStep, target: _ShownStep) -> Iterator[dict[str, Any]]:
    """An arrow from the end of one step to the beginning of another."""
    for phase, step, time in (("s", source, source.end), ("t", target, target.begin)):
        yield {
            "ph": phase, "cat": "DataFlow", "name": name, "pid": step.pid, "tid": step.lane, "ts": time, "id": number,
        }  # fmt: skip


def _began(tensor: _Lifetime) -> Iterator[dict[str, Any]]:
    step = tensor.producer
    yield _tensor_event("N", tensor, step.begin, step.lane)
    snapshot = {"snapshot": {"tensor_description": tensor.description}}
    yield {**_tensor_event("O", tensor, step.last, step.lane), "args": snapshot}


def _tensor_event(phase: str, tensor: _Lifetime, time: int, lane: int) -> dict[str, Any]:
    return {
        "ph": phase, "cat": "Tensor", "name": tensor.name, "pid": tensor.producer.pid + 1, "tid": lane, "ts": time,
        "id": tensor.number,
    }  # fmt: skip


def _counters(tensors: list[_Lifetime], maximums: dict[str, AllocationMaximum]) -> Iterator[dict[str, Any]]:
    """The bytes of each allocator over time; adds the most of each to `maximums`."""
    changes: dict[str, list[tuple[int, int, str]]] = {}
    for tensor in tensors:
        of_allocator = changes.setdefault(tensor.allocator, [])
        of_allocator += [
            (tensor.producer.begin, tensor.size, tensor.name),
            (tensor.ended, -tensor.size, tensor.name),
        ]
    for allocator, of_allocator in changes.items():
        held, live, most = 0, defaultdict[str, int](int), AllocationMaximum(0, 0, set())
        for time, size, name in sorted(of_allocator):
            held += size
            live[name] += size
            if held > most.num_bytes:
                most = AllocationMaximum(time, held, {name for name, of_name in live.items() if of_name})
            yield {
                "ph": "C", "cat": "Memory", "name": allocator, "pid": 0, "tid": 0, "ts": time,
                "args": {allocator: held},
            }  # fmt: skip
        maximums[allocator] = most
