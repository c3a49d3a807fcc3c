"""The logger by TensorFlow 1's names."""

from __future__ import annotations

import logging
import subprocess
import sys

import pytest

import inlay as tf

PROGRAM = """
import inlay as tf
tf.logging.info("not yet")
tf.logging.set_verbosity(tf.logging.INFO)
tf.logging.set_verbosity(tf.logging.INFO)
tf.logging.info("%d steps", 3)
tf.logging.flush()
"""


def test_a_program_that_set_up_nothing_sees_what_it_asked_for() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert done.stderr == "INFO:inlay:3 steps\n"


def test_levels_and_counts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="inlay")
    for i in range(4):
        tf.logging.log_every_n(tf.logging.INFO, "every %d", 2, i)
        tf.logging.log_first_n(tf.logging.INFO, "first %d", 1, i)
    tf.logging.log_if(tf.logging.INFO, "no", False)
    tf.logging.vlog(10, "fine %s", "print")
    tf.logging.TaskLevelStatusMessage("status")
    told = [record.getMessage() for record in caplog.records]
    assert told == ["every 0", "first 0", "every 2", "fine print", "status"]
    assert tf.get_logger() is logging.getLogger("inlay")
