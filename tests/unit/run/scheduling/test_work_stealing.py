"""The take-over, step by step: who starts what once a run is shared."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, cast

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.tuning import TUNING
from inlay._src.engine.run.scheduling import work_stealing

BOUND = 30.0


def test_stateful_functions_overlap_only_beside_one_that_blocks() -> None:
    """Many quick ones while the caller's first is slow: they run one after another beside it."""
    active, most = [0], [0]
    lock = threading.Lock()

    def f(pause: float) -> Any:
        with lock:
            active[0] += 1
            most[0] = max(most[0], active[0])
        time.sleep(pause)
        with lock:
            active[0] -= 1
        return np.float32(0)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(lambda p=p: f(p), [], tf.float32) for p in [0.05] + [0.0] * 10]
        session.run(calls)
    assert most[0] < 11  # 2 on a machine that is not overloaded


def test_every_step_runs_exactly_once_however_late_the_takeover_comes() -> None:
    for pause in (0.0, 0.0004, 0.0008, 0.0012, 0.002, 0.005):
        counts = [0] * 12

        def f(i: int, counts: list[int] = counts, pause: float = pause) -> Any:
            counts[i] += 1
            time.sleep(pause)
            return np.float32(i)

        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            calls = [tf.numpy_function(lambda i=i, f=f: f(i), [], tf.float32, stateful=bool(i % 3)) for i in range(12)]
            total = tf.add(calls[0], calls[1])
            for c in calls[2:]:
                total = total + c
            p = tf.compat.v1.placeholder(tf.float32, [])
            with tf.control_dependencies([p]):
                values = [
                    tf.numpy_function(lambda x, i=i, f=f: f(i), [p], tf.float32, stateful=bool(i % 3))
                    for i in range(12)
                ]
            for _ in range(5):
                counts[:] = [0] * 12
                assert session.run(values, {p: 0.0}) == list(range(12))
                assert counts == [1] * 12


def test_a_stopped_run_starts_nothing_more() -> None:
    stop = work_stealing.Stop()
    ran: list[int] = []

    def f(i: int) -> Any:
        ran.append(i)
        if i == 1:
            stop.stop(tf.errors.CancelledError(None, None, "enough"))
        return np.float32(i)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(lambda i=i: f(i), [], tf.float32) for i in range(4)]
        made = session.executable(calls)
    with pytest.raises(tf.errors.CancelledError, match="enough"):
        work_stealing.execute(made.steps, made.calls, made.template.copy(), stop)
    assert ran == [0, 1]
    with pytest.raises(tf.errors.CancelledError, match="enough"):  # those to come as well
        work_stealing.execute(made.steps, made.calls, made.template.copy(), stop)
    assert ran == [0, 1]


def test_the_monitor_sleeps_when_nothing_runs_and_holds_nothing() -> None:
    barrier = threading.Barrier(2)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        session.run([tf.numpy_function(lambda: np.int64(barrier.wait(BOUND)), [], tf.int64) for _ in range(2)])
    end = time.monotonic() + BOUND
    while not work_stealing.MONITOR.asleep and time.monotonic() < end:
        time.sleep(0.01)
    assert work_stealing.MONITOR.asleep and work_stealing.MONITOR.armed == {}


def test_helpers_are_reused() -> None:
    def run() -> None:
        barrier = threading.Barrier(4)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            session.run([tf.numpy_function(lambda: np.int64(barrier.wait(BOUND)), [], tf.int64) for _ in range(4)])

    def helpers() -> int:
        return sum(t.name == "inlay-helper" for t in threading.enumerate())

    for _ in range(5):
        run()
    before = helpers()
    for _ in range(20):
        run()
    assert helpers() <= before + 4


def test_a_run_goes_on_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[int] = []

    def refuse(job: Any) -> None:
        refused.append(1)
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(parked.HELPERS, "submit", refuse)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(lambda i=i: (time.sleep(0.03), np.float32(i))[1], [], tf.float32) for i in range(3)]
        for _ in range(3):
            assert session.run(calls) == [0.0, 1.0, 2.0]
    assert refused


def test_a_late_look_tells_nothing_until_every_run_had_its_turn() -> None:
    monitor, turn = work_stealing._Monitor(), sys.getswitchinterval()
    monitor.armed = {k: cast("work_stealing.Armed", None) for k in range(3)}
    assert not monitor._in_vain(TUNING.poll_late_seconds / 2, 0.0), (
        "the monitor was in time: whatever stands still is blocked"
    )
    assert monitor._in_vain(TUNING.poll_late_seconds * 2, 7 * turn), "four threads may have computed two turns each"
    assert not monitor._in_vain(TUNING.poll_late_seconds * 2, 9 * turn)


def test_a_run_goes_on_beside_a_blocked_step_while_other_threads_compute() -> None:
    met, ended = threading.Barrier(2), threading.Event()

    def meet(value: Any) -> Any:
        met.wait(30)
        return value

    def compute() -> None:
        while not ended.is_set():
            sum(range(100))

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        ys = [tf.compat.v1.py_func(meet, [x], tf.float32) for _ in range(2)]
        threads = [threading.Thread(target=compute, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            assert [y.tolist() for y in session.run(ys, {x: [1.0, 2.0]})] == [[1.0, 2.0]] * 2
        finally:
            ended.set()
            for thread in threads:
                thread.join(30)
