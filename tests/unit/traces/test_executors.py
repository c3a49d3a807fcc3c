"""Spans of calls that executors run: on threads, on an event loop, in worker processes, for datasets."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.span_chunks import Span


def of(spans: Sequence[Span], category: str, name: str = "") -> list[Span]:
    return [s for s in spans if s.activity.category == category and name in ("", s.activity.name)]


def triple(x: Any) -> Any:
    return x * 3


def ops_within(x: Any) -> Any:
    return tf.square(x) + 1.0


def dies(x: Any) -> Any:
    time.sleep(0.02)
    os._exit(1)


async def waits(x: Any) -> Any:
    await asyncio.sleep(0.001)
    return x


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_call_is_submitted_run_and_accepted_under_one_number(kind: str) -> None:
    with tf.Threads(2) if kind == "threads" else tf.Processes(2) as pool, tf.profiler.trace() as recorded:
        for k in range(5):
            assert int(tf.numpy_function(triple, [tf.constant(k)], tf.int32, executor=pool)) == 3 * k
    runs = of(recorded.spans, "host", "triple")
    assert len(runs) == 5
    submits = {s.details["flow"]: s for s in of(recorded.spans, "submit")}
    accepts = {s.details["flow"]: s for s in of(recorded.spans, "accept")}
    for run in runs:
        submit, accept = submits[run.details["flow"]], accepts[run.details["flow"]]
        assert submit.begin <= run.begin <= run.end <= accept.end
        assert (run.process.pid == os.getpid()) == (kind == "threads")
        assert run.process.error == 0  # one clock for all processes of a machine


def test_a_worker_sends_the_spans_within_its_calls() -> None:
    with tf.Processes(1) as pool:
        call = tf.function(lambda x: tf.py_function(ops_within, [x], tf.float32, executor=pool))
        assert float(call(tf.constant(3.0))) == 10.0  # the worker knows the function before it is told to record
        with tf.profiler.trace() as recorded:
            assert float(call(tf.constant(3.0))) == 10.0
        (run,) = of(recorded.spans, "host", "ops_within")
        inner = [s for s in recorded.spans if s.process.pid == run.process.pid and s is not run]
        assert [s.activity.name for s in inner] == ["Square", "AddV2"]
        assert all(run.begin <= s.begin <= s.end <= run.end for s in inner)
        with tf.profiler.trace() as later:
            pass
        assert float(call(tf.constant(3.0))) == 10.0
    assert not of(later.spans, "host")


def test_the_span_of_a_lost_worker_is_closed_and_marked(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    with tf.Processes(1) as pool, tf.profiler.trace(path) as recorded:
        with pytest.raises(tf.errors.UnavailableError):
            tf.numpy_function(dies, [tf.constant(1)], tf.int32, executor=pool)
        tf.numpy_function(triple, [tf.constant(1)], tf.int32, executor=pool)
    (lost,) = of(recorded.spans, "host", "dies")
    assert lost.details["lost"] == "the worker died"
    assert lost.end >= lost.begin
    (event,) = [e for e in json.loads(path.read_text())["traceEvents"] if e["name"] == "dies" and e["cat"] == "host"]
    assert event["args"]["lost"] == "the worker died"
    assert len(of(recorded.spans, "host", "triple")) == 1


def test_a_coroutine_is_an_event_of_its_own() -> None:
    with tf.profiler.trace() as recorded:
        tf.py_function(waits, [tf.constant(1)], tf.int32)
    (span,) = of(recorded.spans, "async", "waits")
    assert span.end - span.begin >= 1_000_000


@pytest.mark.parametrize("executor", [None, "threads", "processes"])
def test_each_call_of_a_dataset_is_seen_once(executor: Any, tmp_path: Path) -> None:
    dataset = tf.data.Dataset.range(20).map(
        lambda x: tf.numpy_function(triple, [x], tf.int64),
        num_parallel_calls=None if executor is None else 2,
        executor=executor,
    )
    with tf.profiler.trace(tmp_path / "run.json.gz") as recorded:
        values = [int(x) for x in dataset.batch(5).prefetch(1).unbatch()]
    assert values == [3 * k for k in range(20)]
    assert len(of(recorded.spans, "host", "triple")) == 20
    stages = Counter(s.activity.name for s in of(recorded.spans, "stage"))
    assert stages["Range"] == 21
    assert stages["Map" if executor is None else "ParallelMap"] == 21
    own = {row.name: row.calls for row in recorded.summary().functions}
    assert own["triple"] == 20


def test_a_call_within_a_program_of_jax_is_seen_once() -> None:
    jax = pytest.importorskip("jax")
    op = tf.jax.op(triple, lambda x: x, mode="numpy")
    program = jax.jit(lambda x: op(op(x)))
    x = jax.numpy.ones(4)
    assert float(program(x)[0]) == 9.0
    with tf.profiler.trace() as recorded:
        assert float(program(x)[0]) == 9.0
    assert len(of(recorded.spans, "host", "triple")) == 2
    with tf.profiler.trace() as later:
        pass
    assert float(program(x)[0]) == 9.0
    assert not of(later.spans, "host")
