"""The benchmark of the span recorder: every case is recorded as it says, and its line shows the price."""

from __future__ import annotations

import pytest

import inlay as tf
from benchmarks import tables, tracing

CATEGORIES = {"step of a plan": "step", "host call in a plan": "host", "eager host call": "host", "eager op": "op"}


@pytest.mark.parametrize("title", list(tracing.cases()))
def test_a_run_leaves_as_many_spans_as_it_counts(title: str) -> None:
    run, count = tracing.cases()[title]
    for _ in range(20):
        run()
    with tf.profiler.trace() as recorded:
        run()
    assert len([s for s in recorded.spans if s.activity.category == CATEGORIES[title]]) == count


def test_an_entry_has_the_price_of_one_step() -> None:
    run, count = tracing.cases()["step of a plan"]
    entry = tracing.measure("step of a plan", run, count, 2, 0.005)
    assert entry["on"]["median"] > 0
    assert "goal at most 0.3" in tracing.line(entry)
    memory = {"title": "memory", "spans": 10, "megabytes": 2.0, "goal": 100.0}
    assert len(tables.tracing_table({"step of a plan": entry, "memory": memory})) == 4
    assert tracing.line(memory) == "memory: 2.0 MB per million spans; goal at most 100"


@pytest.mark.parametrize("title", ["memory", "memory of runs with one step"])
def test_the_memory_of_spans_is_measured_in_a_process_of_its_own(title: str) -> None:
    entry = tracing.memory(title, 50_000)
    assert entry["title"] == title
    assert 0 <= entry["megabytes"] < tracing.MEMORY_GOAL


def test_each_form_leaves_spans() -> None:
    for title, make in tracing.FORMS.items():
        run = make()
        with tf.profiler.trace() as recorded:
            run()
        assert recorded.spans, title
