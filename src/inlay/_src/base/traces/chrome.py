"""Spans in the Trace Event Format, for Perfetto and chrome://tracing.

Source: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU

    X        a span                        b, e     a coroutine, which others interleave
    bind_id  of an event: the call that    C        a counter
             the arrow through it is of
    M        names of processes and threads; `metadata` has the error of each clock, and the time that is 0

Perfetto shows neither labels of processes nor `metadata`: there the name of a process has the error of its clock.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from inlay._src.base.span_chunks import Process, Span

_OUT: dict[str, Any] = {"flow_out": True}
_THROUGH: dict[str, Any] = {"flow_in": True, "flow_out": True}
_ARROWS = {
    "submit": _OUT,
    "host": _THROUGH,
    "work": _THROUGH,
    "async": _THROUGH,
    "run": _THROUGH,
    "accept": {"flow_in": True},
}
"""Category of a span with a flow -> whether arrows end and begin there."""


def write(path: str, spans: Sequence[Span], dropped: int = 0) -> None:
    """Writes spans to a file, compressed if its name ends in `.gz`."""
    opened = gzip.open(path, "wt", encoding="utf-8") if path.endswith(".gz") else open(path, "w", encoding="utf-8")
    with opened as file:
        write_to(file, spans, dropped)


def write_to(file: io.TextIOBase | Any, spans: Sequence[Span], dropped: int = 0) -> None:
    """Writes spans to a text file, event by event."""
    file.write('{"displayTimeUnit": "ms", "metadata": ')
    json.dump(_metadata(spans, dropped), file)
    file.write(', "traceEvents": [')
    for number, event in enumerate(events(spans)):
        file.write(",\n" if number else "\n")
        json.dump(event, file, default=str)
    file.write("\n]}\n")


def _metadata(spans: Sequence[Span], dropped: int) -> dict[str, Any]:
    """The facts of a whole trace."""
    pids = _pids(spans)
    clocks = [
        {"pid": pids[key], "host": p.host, "offset_ns": p.offset, "error_ns": p.error}
        for key, p in _processes(spans).items()
    ]
    return {"clocks": clocks, "dropped_spans": dropped, "origin_ns": _origin(spans)}


def _origin(spans: Sequence[Span]) -> int:
    """The time of the clock of this process that is 0 in the trace."""
    return spans[0].begin if spans else 0


def events(spans: Sequence[Span]) -> Iterator[dict[str, Any]]:
    """The events of spans, which are ordered by their begin: times are microseconds since the first one.

    Times since the start of the machine can be too large for a number that is exact to the nanosecond.
    """
    pids = _pids(spans)
    yield from _names(spans, pids)
    origin, sent = _origin(spans), 0
    for number, span in enumerate(spans):
        activity, details = span.activity, span.details
        place = {"pid": pids[_key(span.process)], "tid": span.thread[0]}
        begin, duration = (span.begin - origin) / 1e3, (span.end - span.begin) / 1e3
        if activity.category == "counter":
            yield {"name": activity.name, "ph": "C", "ts": begin, **place, "args": {"value": details["value"]}}
            continue
        arguments = {**dict(activity.details), **details}
        head = {"name": activity.name, "cat": activity.category, "ts": begin, **place}
        flow, arrows = details.get("flow"), _ARROWS.get(activity.category)
        # as text: JavaScript's numbers have 53 bits
        arrow = {"bind_id": hex(flow), **arrows} if flow and arrows else {}
        if activity.category == "async":
            head["id2"] = {"local": hex(number)}  # of this process, not of the whole trace
            yield {**head, **arrow, "ph": "b", "args": arguments}
            yield {**head, "ph": "e", "ts": begin + duration}
        else:
            yield {**head, **arrow, "ph": "X", "dur": duration, "args": arguments}
        if "bytes" in details:
            sent += details["bytes"]
            yield {"name": "bytes sent", "ph": "C", "ts": begin, **place, "args": {"value": sent}}


def _key(process: Process) -> tuple[str, int]:
    return process.host, process.pid


def _pids(spans: Sequence[Span]) -> dict[tuple[str, int], int]:
    """Process -> the number that it has in the trace: its own, unless processes of two machines have the same."""
    pids: dict[tuple[str, int], int] = {}
    for span in spans:
        key = _key(span.process)
        if key not in pids:
            number = span.process.pid
            while number in pids.values():
                number += 1 << 22
            pids[key] = number
    return pids


def _processes(spans: Sequence[Span]) -> dict[tuple[str, int], Process]:
    """The processes of spans. Of one whose spans were aligned several times it is the one of the largest error."""
    processes: dict[tuple[str, int], Process] = {}
    for process in dict.fromkeys(span.process for span in spans):
        known = processes.setdefault(_key(process), process)
        if process.error > known.error:
            processes[_key(process)] = process
    return processes


def _names(spans: Sequence[Span], pids: dict[tuple[str, int], int]) -> Iterator[dict[str, Any]]:
    """The events that name processes and threads, and tell the error of clocks."""
    for order, (key, process) in enumerate(_processes(spans).items()):
        pid = pids[key]
        error = f"clock error at most {process.error / 1e3:.1f} us" if process.error else "clock of this machine"
        name = f"{process.name} on {process.host}" + (f", {error}" if process.error else "")
        yield {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}
        yield {"name": "process_labels", "ph": "M", "pid": pid, "args": {"labels": error}}
        yield {"name": "process_sort_index", "ph": "M", "pid": pid, "args": {"sort_index": order}}
    for key, (number, name) in dict.fromkeys((_key(span.process), span.thread) for span in spans):
        yield {"name": "thread_name", "ph": "M", "pid": pids[key], "tid": number, "args": {"name": name}}
