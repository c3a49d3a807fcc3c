"""`RunOptions(timeout_in_ms=...)`, `ConfigProto(operation_timeout_in_ms=...)`: what a late run has done is done."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1


def options(milliseconds: int) -> Any:
    return v1.RunOptions(timeout_in_ms=milliseconds)


def test_variables_written_before_the_deadline_stay_written() -> None:
    go_on = threading.Event()
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=1.0)
        session.run(v.initializer)
        with tf.control_dependencies([v.assign(5.0)]):
            late = tf.numpy_function(lambda: np.float32(go_on.wait(20)), [], tf.float32)
        with tf.control_dependencies([late]):
            last = v.assign(9.0)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(last, options=options(80))
        go_on.set()
        time.sleep(0.05)
        assert session.run(v) == 5.0  # nothing starts after the deadline


# ---------------------------------------------------------------- of every run of a session


def test_every_run_of_a_session_ends_at_the_deadline_of_its_configuration() -> None:
    go_on = threading.Event()
    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(operation_timeout_in_ms=80)) as session:
        late = tf.numpy_function(lambda: np.float32(go_on.wait(20)), [], tf.float32)
        queue = tf.queue.FIFOQueue(1, tf.float32)
        taken = queue.dequeue()
        waiting: list[Any] = [
            lambda: session.run(late),
            lambda: session.run(late),  # one that looks like an earlier run
            lambda: session.run(taken),
            lambda: session.run({"a": [taken]}, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)),
            late.eval,
            session.make_callable(taken),
        ]
        for run in waiting:
            with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting for notification"):
                run()
        go_on.set()
        session.run(queue.enqueue(3.0))
        assert session.run(taken) == 3.0  # none of those that gave up took it


def test_the_options_of_a_run_come_before_the_configuration() -> None:
    asked = threading.Event()

    def answers() -> Any:
        return np.float32(asked.wait(0.5))

    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(operation_timeout_in_ms=20)) as session:
        assert session.run(tf.numpy_function(answers, [], tf.float32), options=options(30_000)) == 0.0


def test_a_session_without_a_bound_runs_on_the_callers_thread() -> None:
    def where() -> Any:
        return np.int64(threading.get_ident())

    for config in (None, v1.ConfigProto(), v1.ConfigProto(operation_timeout_in_ms=-1)):
        with tf.Graph().as_default(), v1.Session(config=config) as session:
            assert session.run(tf.numpy_function(where, [], tf.int64)) == threading.get_ident()
