"""Anyone's executor: what it refuses, and what is cancelled."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import threading
import time
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.host.executors.selection import resolve_executor

BOUND = 30.0  # seconds; a hang, not a speed


def processes() -> concurrent.futures.Executor:
    return concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("make", [concurrent.futures.ThreadPoolExecutor, processes])
def test_a_pool_that_was_shut_down_is_refused(make: Any) -> None:
    pool = make()
    pool.shutdown()
    with pytest.raises(
        RuntimeError, match=r"(?s)takes no calls: cannot schedule new futures after shutdown.*op 'PyFunc'"
    ):
        tf.numpy_function(lambda: np.float32(1), [], tf.float32, executor=pool)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = tf.numpy_function(lambda: np.float32(1), [], tf.float32, executor=pool, name="late")
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"(?s)takes no calls.*op 'late'"):
            session.run(y)


def test_a_pool_that_lost_a_worker_is_unavailable() -> None:
    with processes() as pool:
        for match in ("died", "takes no more calls"):  # the call that was in flight, and the next
            with pytest.raises(tf.errors.UnavailableError, match=f"a worker of .*{match}") as caught:
                tf.numpy_function(lambda: os._exit(3), [], tf.float32, executor=pool)
            assert isinstance(caught.value, concurrent.futures.process.BrokenProcessPool)


def test_cancelling_a_call_takes_it_from_the_pool() -> None:
    class Waiting(concurrent.futures.Executor):
        """Begins nothing."""

        def __init__(self) -> None:
            self.futures: list[concurrent.futures.Future[Any]] = []

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> concurrent.futures.Future[Any]:
            self.futures.append(concurrent.futures.Future())
            return self.futures[-1]

    pool = Waiting()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(lambda: np.float32(1), [], tf.float32, executor=pool) for _ in range(2)]
        for fetch, count in ((calls, 2), (calls[0], 1)):
            allowed, submitted = 50, 0
            while submitted < count:  # on a busy machine a deadline may pass before the calls are submitted
                before = len(pool.futures)
                with pytest.raises(tf.errors.DeadlineExceededError):
                    session.run(fetch, options=tf.compat.v1.RunOptions(timeout_in_ms=allowed))
                allowed, submitted = 2 * allowed, len(pool.futures) - before
    until = time.monotonic() + BOUND
    while not all(future.cancelled() for future in pool.futures) and time.monotonic() < until:
        time.sleep(0.001)
    assert all(future.cancelled() for future in pool.futures)


def test_the_deadline_of_a_run_holds_though_a_standard_thread_cannot_be_stopped() -> None:
    gate = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(1) as pool, tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = tf.py_function(lambda: gate.wait(BOUND), [], tf.bool, executor=pool)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(
                [y, tf.py_function(lambda: True, [], tf.bool)], options=tf.compat.v1.RunOptions(timeout_in_ms=50)
            )
        gate.set()


def test_one_pool_is_one_executor() -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        assert resolve_executor(pool, "test") is resolve_executor(pool, "test")
        assert repr(resolve_executor(pool, "test")).startswith("Futures(<concurrent.futures.thread.ThreadPoolExecutor")


def test_calls_within_calls_of_a_pool_of_threads_do_not_wait_for_its_threads() -> None:
    with concurrent.futures.ThreadPoolExecutor(1) as pool:

        def nested(depth: Any) -> Any:
            if not depth:
                return depth
            with tf.Graph().as_default(), tf.compat.v1.Session() as session:
                inner = [tf.numpy_function(nested, [depth - np.int32(1)], tf.int32, executor=pool) for _ in range(2)]
                return np.int32(sum(session.run(inner)) + 1)

        assert tf.numpy_function(nested, [np.int32(4)], tf.int32, executor=pool) == 15
