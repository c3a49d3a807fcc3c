"""Spans in the Trace Event Format, for Perfetto and chrome://tracing.

Source: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU

    X        a span                        b, e     a coroutine, which others interleave
    s, t, f  the arrow of one call         C        a counter
    M        names of processes and threads; `metadata` has the error of each clock
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any

from inlay._src.base.spans import Process, Span

_FLOW = {"submit": "s", "host": "t", "work": "t", "async": "t", "run": "t", "accept": "f"}
"""Category of a span with a flow -> the phase of the arrow's event in it."""


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
    processes = dict.fromkeys(span.process for span in spans)
    return {
        "clocks": [{"pid": p.pid, "host": p.host, "offset_ns": p.offset, "error_ns": p.error} for p in processes],
        "dropped_spans": dropped,
    }


def events(spans: Sequence[Span]) -> Iterator[dict[str, Any]]:
    """The events of spans, which are ordered by their begin."""
    pids = _pids(spans)
    yield from _names(spans, pids)
    sent = 0
    for number, span in enumerate(spans):
        activity, details = span.activity, span.details
        place = {"pid": pids[_key(span.process)], "tid": span.thread[0]}
        begin, duration = span.begin / 1e3, (span.end - span.begin) / 1e3  # microseconds
        if activity.category == "counter":
            yield {"name": activity.name, "ph": "C", "ts": begin, **place, "args": {"value": details["value"]}}
            continue
        arguments = {**dict(activity.details), **details}
        head = {"name": activity.name, "cat": activity.category, "ts": begin, **place}
        if activity.category == "async":
            yield {**head, "ph": "b", "id": number, "args": arguments}
            yield {**head, "ph": "e", "id": number, "ts": begin + duration}
        else:
            yield {**head, "ph": "X", "dur": duration, "args": arguments}
        flow = details.get("flow")
        phase = _FLOW.get(activity.category)
        if flow and phase:
            ending = {"bp": "e"} if phase == "f" else {}
            yield {**head, "name": "call", "cat": "call", "ph": phase, "id": flow, **ending}
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


def _names(spans: Sequence[Span], pids: dict[tuple[str, int], int]) -> Iterator[dict[str, Any]]:
    """The events that name processes and threads, and tell the error of clocks."""
    processes = {_key(span.process): span.process for span in spans}
    for order, (key, process) in enumerate(processes.items()):
        pid = pids[key]
        name = f"{process.name} on {process.host}"
        error = f"clock error at most {process.error / 1e3:.1f} us" if process.error else "clock of this machine"
        yield {"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}}
        yield {"name": "process_labels", "ph": "M", "pid": pid, "args": {"labels": error}}
        yield {"name": "process_sort_index", "ph": "M", "pid": pid, "args": {"sort_index": order}}
    for key, (number, name) in dict.fromkeys((_key(span.process), span.thread) for span in spans):
        yield {"name": "thread_name", "ph": "M", "pid": pids[key], "tid": number, "args": {"name": name}}
