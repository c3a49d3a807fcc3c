"""`RunOptions(timeout_in_ms=...)`: what a late run has done is done."""

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
