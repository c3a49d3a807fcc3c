"""The table of a trace: own times, waiting, and the executor that would serve a function better."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.base.span_chunks import Activity, Span, host_activity
from inlay._src.base.spans import this_process
from inlay._src.base.traces.summary import FunctionRow

PROCESS, THREAD = this_process(), (1, "MainThread")


def span(activity: Activity, begin: float, end: float, **details: object) -> Span:
    """A span; times in milliseconds."""
    return Span(activity, int(begin * 1e6), int(end * 1e6), PROCESS, THREAD, details)


def function(name: str) -> Activity:
    return host_activity(f"op_{name}", f"{name} (train.py:1)")


def row(executor: str = "", mean: float = 2e-3, share: float | None = 1.0) -> FunctionRow:
    """A row of ten calls with this mean in seconds, and this share of the time on the processor."""
    measured = 0.0 if share is None else 10 * mean
    return FunctionRow(
        "f", "f (train.py:1)", executor, 10, 10 * mean, 10 * mean, cpu=(share or 0) * measured, measured=measured
    )


@pytest.mark.parametrize(
    ("figures", "advice"),
    [
        (row(), "tf.Processes(): it computes"),
        (row(share=None), "tf.Processes(): it computes"),
        (row(share=0.1), "tf.Threads(): it waits"),
        (row(mean=1e-4), ""),  # an executor would cost more than it gains
        (row("Threads(workers=2)"), "tf.Processes(), unless it releases the interpreter"),
        (row("Threads(workers=2)", share=0.1), ""),
        (row("Processes()", mean=5e-5), "in place: the way to a worker costs more than the call"),
        (row("Processes()"), ""),
        (row("RayExecutor()", mean=5e-5), "in place"),
    ],
)
def test_a_function_is_advised_by_the_time_and_the_kind_of_its_calls(figures: FunctionRow, advice: str) -> None:
    assert figures.advice.startswith(advice)
    assert bool(figures.advice) == bool(advice)


def test_own_time_leaves_out_host_functions_within_but_not_ops() -> None:
    spans = [
        span(Activity("train", "run"), 0, 100),
        span(Activity("PyFunc", "step", (("op", "EagerPyFunc"),)), 10, 90),
        span(function("outer"), 20, 80),
        span(Activity("MatMul", "op"), 25, 35),
        span(function("inner"), 40, 60),
    ]
    summary = tf.profiler.Summary(spans)
    assert {r.name: round(r.own * 1e3) for r in summary.functions} == {"outer": 40, "inner": 20}
    assert [(r.name, round(r.own * 1e3)) for r in summary.runs] == [("train", 20)]
    assert [(r.name, round(r.own * 1e3)) for r in summary.steps] == [("EagerPyFunc", 20)]
    assert [(r.name, round(r.own * 1e3)) for r in summary.ops] == [("MatMul", 10)]
    assert summary.seconds == pytest.approx(0.1)


def test_waiting_and_bytes_belong_to_the_call_of_their_number() -> None:
    submit = function("f")._replace(category="submit", details=(("executor", "Processes()"),))
    spans = [
        span(submit, 0, 1, flow=1, bytes=1_000_000),
        span(submit, 1, 2, flow=2, bytes=2_000_000),
        span(function("f"), 3, 4, flow=1),
        span(function("f"), 7, 8, flow=2, lost="the worker died"),
    ]
    (figures,) = tf.profiler.Summary(spans, dropped=3).functions
    assert (figures.calls, figures.sent, figures.lost) == (2, 3_000_000, 1)
    assert figures.wait == pytest.approx(0.007)
    text = str(tf.profiler.Summary(spans, dropped=3))
    assert "3 spans dropped" in text
    assert "3.0 MB" in text
    assert "f (train.py:1): 1 lost with a worker" in text


def test_a_trace_without_spans_has_a_table() -> None:
    assert str(tf.profiler.Summary([])) == "0.0 us recorded"
