"""`Threads`: places, nested calls, time limits, shutting down."""

from __future__ import annotations

import concurrent.futures
import contextvars
import pickle
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import alarms

BOUND = 30.0  # seconds; a hang, not a speed


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Keeps functions busy until it is set, at the latest at the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def eventually(holds: Any) -> bool:
    until = time.monotonic() + BOUND
    while not holds() and time.monotonic() < until:
        time.sleep(0.001)
    return bool(holds())


def test_it_is_a_standard_executor() -> None:
    with tf.Threads(workers=3) as pool:
        assert isinstance(pool, concurrent.futures.Executor)
        assert pool.submit(divmod, 7, 2).result(BOUND) == (3, 1)
        assert list(pool.map(pow, [2, 3], [5, 2])) == [32, 9]
        assert isinstance(pool.submit(lambda: 1 / 0).exception(BOUND), ZeroDivisionError)
    assert repr(tf.Threads(3, timeout=2.0)) == "Threads(workers=3, timeout=2.0)"


@pytest.mark.parametrize("bad", [{"workers": 0}, {"timeout": 0.0}, {"timeout": -1.0}, {"timeout": float("nan")}])
def test_options_that_make_no_sense_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"Threads: {next(iter(bad))} must be"):
        tf.Threads(**bad)


def test_a_function_that_captures_a_pool_and_travels_has_one_like_it_there() -> None:
    made = pickle.loads(pickle.dumps(tf.Threads(workers=3, timeout=2.0)))
    assert repr(made) == "Threads(workers=3, timeout=2.0)" and made.submit(abs, -1).result(BOUND) == 1


def test_no_more_calls_run_at_a_time_than_there_are_workers(gate: threading.Event) -> None:
    running: list[int] = []
    most: list[int] = []

    def body(i: int) -> int:
        running.append(i)
        most.append(len(running))
        gate.wait(BOUND)
        running.remove(i)
        return i

    pool = tf.Threads(workers=2)
    futures = [pool.submit(body, i) for i in range(8)]
    assert eventually(lambda: len(running) == 2)
    waiting = [line for line in pool.pending() if line.endswith("waits for a worker")]
    assert len(pool.pending()) == 8 and len(waiting) == 6
    gate.set()
    assert [f.result(BOUND) for f in futures] == list(range(8))
    assert max(most) == 2 and pool.pending() == []


@pytest.mark.parametrize("workers", [1, 3])
def test_calls_that_nest_deeper_than_there_are_workers_end(workers: int) -> None:
    pool = tf.Threads(workers=workers)

    def nested(depth: Any) -> Any:
        if not depth:
            return depth
        return tf.numpy_function(nested, [depth - np.int32(1)], tf.int32, executor=pool).numpy() + np.int32(1)

    assert tf.numpy_function(nested, [np.int32(100)], tf.int32, executor=pool) == 100


def test_calls_that_nest_through_two_pools_and_runs_end() -> None:
    pools = [tf.Threads(workers=1), tf.Threads(workers=1)]

    def nested(depth: Any) -> Any:
        if not depth:
            return depth
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            both = [
                tf.numpy_function(nested, [depth - np.int32(1)], tf.int32, executor=pools[depth % 2]) for _ in range(2)
            ]
            return np.int32(sum(session.run(both)) + 1)

    assert tf.numpy_function(nested, [np.int32(6)], tf.int32, executor=pools[0]) == 2**6 - 1


def test_a_call_that_lends_its_place_has_it_back() -> None:
    pool = tf.Threads(workers=1)
    assert pool.submit(lambda: pool.submit(lambda: 1).result(BOUND) + 1).result(BOUND) == 2
    assert pool._places.held == 0 and not pool._places.jobs
    order: list[str] = []
    began, go_on = threading.Event(), threading.Event()

    def outer() -> None:
        began.set()
        go_on.wait(BOUND)
        pool.submit(order.append, "inner").result(BOUND)
        order.append("outer")

    first = pool.submit(outer)
    assert began.wait(BOUND)
    second = pool.submit(order.append, "next")
    go_on.set()
    first.result(BOUND)
    second.result(BOUND)
    assert order.index("inner") < order.index("outer") and order.index("inner") < order.index("next")


def test_a_call_that_takes_too_long_is_given_up_and_its_place_is_free(gate: threading.Event) -> None:
    ended: list[str] = []

    def slow() -> Any:
        gate.wait(BOUND)
        ended.append("the function itself")
        return np.float32(1)

    pool = tf.Threads(workers=1, timeout=0.05)
    with pytest.raises(tf.errors.DeadlineExceededError, match="did not end within 0.05 s, the timeout of its executor"):
        tf.numpy_function(slow, [], tf.float32, executor=pool)
    assert ended == []
    assert tf.numpy_function(lambda: np.float32(2), [], tf.float32, executor=pool) == 2.0
    gate.set()
    assert eventually(lambda: ended == ["the function itself"])
    assert eventually(lambda: pool._places.held == 0)


def test_time_spent_waiting_for_a_worker_does_not_count(gate: threading.Event) -> None:
    pool = tf.Threads(workers=1, timeout=BOUND)
    first = pool.submit(gate.wait, BOUND)
    second = pool.submit(lambda: 2)
    assert not second.done()
    gate.set()
    assert first.result(BOUND) and second.result(BOUND) == 2


def test_a_call_that_was_cancelled_is_not_begun_or_its_result_is_dropped(gate: threading.Event) -> None:
    pool, ran = tf.Threads(workers=1), []
    busy = pool.submit(gate.wait, BOUND)
    waiting = pool.submit(ran.append, 1)
    assert waiting.cancel() and waiting.cancelled() and waiting.cancel()
    assert busy.cancel()
    with pytest.raises(concurrent.futures.CancelledError):
        busy.result(BOUND)
    assert pool.submit(lambda: 3).result(BOUND) == 3  # the place of the one that goes on is free
    assert ran == []
    done = pool.submit(lambda: 4)
    assert done.result(BOUND) == 4 and not done.cancel()


def test_a_pool_that_was_shut_down_takes_no_calls(gate: threading.Event) -> None:
    pool = tf.Threads(workers=1)
    running, waiting = pool.submit(gate.wait, BOUND), pool.submit(lambda: 1)
    pool.shutdown(wait=False, cancel_futures=True)
    assert waiting.cancelled() and not running.done()
    with pytest.raises(RuntimeError, match="was shut down"):
        pool.submit(lambda: 1)
    with pytest.raises(
        tf.errors.FailedPreconditionError, match=r"(?s)was shut down: it takes no more calls.*op 'later'"
    ):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            session.run(tf.numpy_function(lambda: 1.0, [], tf.float32, name="later", executor=pool))
    gate.set()
    pool.shutdown()
    assert running.done()


def test_the_context_of_the_caller_is_that_of_the_function() -> None:
    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="nobody")

    def body() -> bytes:
        found = name.get()
        name.set("the function's own")
        return found.encode()

    token = name.set("the caller")
    try:
        assert tf.numpy_function(body, [], tf.string, executor="threads") == b"the caller"
        assert name.get() == "the caller"
    finally:
        name.reset(token)


def test_the_initializer_runs_once_on_each_thread() -> None:
    here = threading.local()
    made: list[int] = []

    def initialize(value: int) -> None:
        made.append(threading.get_ident())
        here.value = value

    pool = tf.Threads(workers=2, initializer=initialize, initargs=(7,))
    values = [f.result(BOUND) for f in [pool.submit(lambda: (here.value, threading.get_ident())) for _ in range(20)]]
    assert {v for v, _ in values} == {7} and {t for _, t in values} <= set(made)
    assert len(made) == len(set(made))


def test_exceptions_do_not_keep_the_call_alive() -> None:
    import gc
    import weakref

    class Big:
        pass

    def body(big: Big) -> None:
        raise ValueError("no")

    pool, big = tf.Threads(workers=1), Big()
    gone = weakref.ref(big)
    gc.disable()
    try:
        future = pool.submit(body, big)
        assert isinstance(future.exception(BOUND), ValueError)
        assert eventually(lambda: not pool._places.jobs)
        del future, big
        assert eventually(lambda: gone() is None), "without the garbage collector"
    finally:
        gc.enable()


def test_independent_calls_of_one_run_overlap() -> None:
    meet = threading.Barrier(3)

    def body(i: Any) -> Any:
        meet.wait(BOUND)
        return i

    with tf.Graph().as_default(), tf.compat.v1.Session() as session, tf.Threads(workers=3) as pool:
        calls = [tf.numpy_function(body, [np.int32(i)], tf.int32, executor=pool) for i in range(3)]
        assert session.run(calls) == [0, 1, 2]


def test_a_call_fails_whose_time_limit_cannot_be_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(*_: Any) -> None:
        raise RuntimeError("can't start new thread")

    pool = tf.Threads(1, timeout=100.0)
    with monkeypatch.context() as patch:
        patch.setattr(alarms.ALARMS, "after", no_thread)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            pool.submit(pow, 2, 2).result(30)
    assert pool.submit(pow, 2, 2).result(30) == 4
