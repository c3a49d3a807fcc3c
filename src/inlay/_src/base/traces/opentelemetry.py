"""A trace as spans of OpenTelemetry.

A recording is exported when it has ended: starting and ending a live span of OpenTelemetry takes longer than a call of
a host function.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.span_chunks import Span
from inlay._src.base.spans import now
from inlay._src.base.traces.recording import RECORDING

_ATTRIBUTE = (str, bool, int, float)


@export("profiler.export_to_opentelemetry")
def export_to_opentelemetry(tracer: Any = None, spans: Sequence[Span] | None = None) -> int:
    """Gives the spans of a recording to OpenTelemetry, with parents as they were nested; needs `opentelemetry-api`.

    Args:
      tracer: the tracer; None takes that of the provider in force, called "inlay".
      spans: the spans, such as `trace.spans`; None takes those of the last recording.

    Returns:
      The number of spans that were exported. Counters are not.

    Raises:
      ImportError: if there is no `opentelemetry` package.
    """
    from opentelemetry import trace

    tracer = tracer or trace.get_tracer("inlay")
    spans = RECORDING.current() if spans is None else spans
    epoch = time.time_ns() - now()  # times of OpenTelemetry are since 1970
    opened: dict[tuple[str, int, int], list[tuple[Span, Any]]] = {}
    calls: dict[int, Any] = {}
    exported = 0
    ends: list[tuple[Any, int]] = []
    for span in spans:
        if span.activity.category == "counter":
            continue
        stack = opened.setdefault((span.process.host, span.process.pid, span.thread[0]), [])
        while stack and stack[-1][0].end < span.end and stack[-1][0].end <= span.begin:
            stack.pop()
        flow = span.details.get("flow")
        around = stack[-1][1] if stack else calls.get(flow) if flow is not None else None
        context = None if around is None else trace.set_span_in_context(around)
        live = tracer.start_span(
            span.activity.name, context=context, start_time=span.begin + epoch, attributes=_attributes(span)
        )
        if flow is not None and span.activity.category == "submit":
            calls[flow] = live
        if span.activity.category != "async":
            stack.append((span, live))
        ends.append((live, span.end + epoch))
        exported += 1
    for live, end in ends:
        live.end(end_time=end)
    return exported


def _attributes(span: Span) -> dict[str, Any]:
    """The details of a span as attributes."""
    details = {**dict(span.activity.details), **span.details}
    facts = {f"inlay.{name}": v if isinstance(v, _ATTRIBUTE) else str(v) for name, v in details.items()}
    return {
        **facts, "inlay.category": span.activity.category, "process.pid": span.process.pid,
        "host.name": span.process.host, "thread.id": span.thread[0], "thread.name": span.thread[1],
    }  # fmt: skip
