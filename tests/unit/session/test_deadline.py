"""`RunOptions(timeout_in_ms=...)`: a run that is late ends, whatever its functions do; one in time is as without."""

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


@pytest.mark.parametrize("milliseconds", [0, 60_000])
def test_a_run_in_time_gives_what_it_gives_without(milliseconds: int) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        got = session.run({"y": x * 2.0, "op": tf.no_op()}, {x: [1, 2]}, options=options(milliseconds))
        assert got["y"].tolist() == [2, 4] and got["op"] is None


def test_the_error_says_how_long_and_is_the_timeout_class() -> None:
    go_on = threading.Event()
    with tf.Graph().as_default(), v1.Session() as session:
        slow = tf.numpy_function(lambda: go_on.wait(20), [], tf.bool)
        start = time.monotonic()
        with pytest.raises(tf.errors.DeadlineExceededError, match="did not end within 0.05 s") as caught:
            session.run(slow, options=options(50))
        assert time.monotonic() - start < 10 and caught.value.error_code == tf.errors.DEADLINE_EXCEEDED
        go_on.set()
        assert session.run(slow)  # the session is usable


def test_errors_of_a_limited_run_are_those_of_the_function() -> None:
    def wrong() -> Any:
        raise KeyError("inside")

    with tf.Graph().as_default(), v1.Session() as session:
        y = tf.numpy_function(wrong, [], tf.float32)
        with pytest.raises(KeyError, match="inside"):
            session.run(y, options=options(60_000))


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


def test_the_body_sees_the_callers_context() -> None:
    import contextvars

    name: contextvars.ContextVar[str] = contextvars.ContextVar("name", default="none")
    name.set("caller")
    with tf.Graph().as_default(), v1.Session() as session:
        y = tf.numpy_function(lambda: name.get(), [], tf.string)
        assert session.run(y, options=options(60_000)) == b"caller"
