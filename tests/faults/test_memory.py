"""What is dropped is freed: functions with their graphs, eager calls with everything they touched."""

from __future__ import annotations

import gc
import os
import weakref
from typing import Any

import numpy as np
import pytest

import inlay as tf

PAGE = os.sysconf("SC_PAGE_SIZE")


class Body:
    """A host function that can be watched."""

    def __call__(self, x: Any) -> Any:
        return x


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * PAGE


@pytest.mark.parametrize("ran", [False, True])
def test_a_thousand_graphs_leave_no_function_alive(ran: bool) -> None:
    alive: list[weakref.ref[Any]] = []

    def one(i: int) -> None:
        body, other = Body(), Body()
        alive.extend([weakref.ref(body), weakref.ref(other)])
        with tf.Graph().as_default() as graph:
            x = tf.constant([float(i)])
            between = tf.compat.v1.py_func(other, [x], tf.float32)
            y = tf.py_function(body, [between], tf.float32)
            dy = tf.gradients(y, between)
        if ran:
            with tf.compat.v1.Session(graph=graph) as session:
                session.run([y, dy])

    for i in range(1000 if not ran else 300):
        one(i)
    gc.collect()
    assert sum(ref() is not None for ref in alive) == 0


def test_a_graph_that_is_kept_keeps_its_functions_and_a_session_keeps_its_graph() -> None:
    body = Body()
    ref = weakref.ref(body)
    with tf.Graph().as_default() as graph:
        y = tf.py_function(body, [1.0], tf.float32)
    session = tf.compat.v1.Session(graph=graph)
    del body, graph
    gc.collect()
    assert ref() is not None and session.run(y) == 1.0
    del session, y
    gc.collect()
    assert ref() is None


def test_an_eager_function_dies_with_its_last_reference_without_a_collection() -> None:
    gc.collect()
    gc.disable()
    try:
        for api in (tf.py_function, tf.numpy_function, tf.compat.v1.py_func):
            body = Body()
            ref = weakref.ref(body)
            api(body, [np.float32(1)], tf.float32)
            del body
            assert ref() is None
    finally:
        gc.enable()


def test_a_failing_call_keeps_nothing_once_its_error_is_dropped() -> None:
    class Raises(Body):
        def __call__(self, x: Any) -> Any:
            raise ValueError("boo")

    def one() -> weakref.ref[Any]:
        body = Raises()
        with pytest.raises(ValueError, match="boo"):
            tf.py_function(body, [1.0], tf.float32)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session, pytest.raises(ValueError, match="boo"):
            session.run(tf.py_function(body, [1.0], tf.float32))
        return weakref.ref(body)

    refs = [one() for _ in range(20)]
    gc.collect()
    assert sum(ref() is not None for ref in refs) == 0


def test_inputs_and_results_of_a_run_are_freed_with_the_run() -> None:
    seen: list[weakref.ref[Any]] = []

    def f(x: Any) -> Any:
        seen.append(weakref.ref(x))
        y = x + 1
        seen.append(weakref.ref(y))
        return y

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        total = tf.numpy_function(f, [tf.numpy_function(f, [p], tf.float32)], tf.float32)[0]
        slow = tf.numpy_function(lambda: (__import__("time").sleep(0.02), np.float32(0))[1], [], tf.float32)
        for _ in range(3):
            session.run([total, slow], {p: np.ones(3, np.float32)})  # the run is shared with helpers
    import time

    end = time.monotonic() + 10
    while any(ref() is not None for ref in seen) and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
    assert len(seen) == 12 and sum(ref() is not None for ref in seen) == 0


def calls(count: int, tape: bool) -> None:
    x = tf.constant([1.0, 2.0])
    for i in range(count):
        closure = [i]

        def body(v: Any, closure: Any = closure) -> Any:
            return v * 2.0

        if tape:
            with tf.GradientTape() as recording:
                recording.watch(x)
                y = tf.py_function(body, [x], tf.float32)
            recording.gradient(y, x)
        else:
            tf.py_function(body, [x], tf.float32)
            tf.numpy_function(body, [x], tf.float32)


@pytest.mark.parametrize("tape", [False, True])
def test_a_few_thousand_eager_calls_grow_by_nothing(tape: bool) -> None:
    """TensorFlow leaks tens of kilobytes per call: 3,000 calls would show as 100 MB."""
    calls(500, tape)
    before = resident()
    calls(3000, tape)
    assert resident() - before < 4 << 20


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("tape", [False, True])
def test_a_hundred_thousand_eager_calls_grow_by_less_than_five_megabytes(tape: bool) -> None:
    calls(2000, tape)
    before = resident()
    calls(100_000, tape)
    assert resident() - before < 5 << 20


def test_session_runs_grow_by_nothing_however_shapes_vary() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        y = tf.py_function(lambda v: v * 2.0, [p], tf.float32)
        both = [y, tf.gradients(y, p)[0]]

        def work(count: int) -> None:
            for i in range(count):
                session.run(both, {p: np.ones(i % 50, np.float32)})

        work(300)
        before = resident()
        work(2000)
        assert resident() - before < 4 << 20
        assert len(session._plans) == 1
