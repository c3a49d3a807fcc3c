"""INLAY_STALL_SECONDS: what a program that stands still was doing."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

import inlay as tf
from inlay._src.engine.run.scheduling import stalls


def program(text: str, seconds: str = "0.2") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, stalls.VARIABLE: seconds}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SETUP) + textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=50,
        env=environment,
    )


SETUP = """
import asyncio, os, sys, threading, time
import numpy as np
import inlay as tf
go_on = threading.Event()
class Told:
    "Goes on once the report has been written."
    def __init__(self):
        self.text = ""
    def write(self, text):
        self.text += text
        if "thread " in self.text:
            go_on.set()
    def flush(self):
        pass
errors, sys.stderr = sys.stderr, Told()
def waits(x):
    assert go_on.wait(40)
    return x
async def waits_too(x):
    while not go_on.is_set():
        await asyncio.sleep(0.001)
    return x
graph = tf.Graph()
session = tf.compat.v1.Session(graph=graph)
"""


@pytest.mark.parametrize("hot", [0, 3])
def test_a_chain_that_stands_still(hot: int) -> None:
    text = f"""
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.numpy_function(waits, [x], tf.float32, name="stuck") + 1.0
    go_on.set()
    for _ in range({hot}):
        session.run(y, {{x: 1.0}})
    go_on.clear()
    sys.stderr.text = ""
    assert session.run(y, {{x: 1.0}}) == 2.0
    errors.write(sys.stderr.text)
    """
    done = program(text)
    assert done.returncode == 0, done.stderr
    told = done.stderr
    assert told.startswith("inlay: no step of any run has ended for 0.2 s (INLAY_STALL_SECONDS)\nrun 1 of 1:\n")
    assert "op 'stuck' (PyFunc) of function waits (<string>:" in told and "defined at <string>:" in told
    assert "runs on thread " in told and "(MainThread):" in told and "in waits" in told
    assert told.count("no step of any run") == 1


def test_a_run_that_executors_work_on() -> None:
    text = """
    pool = tf.Threads(workers=1)
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        first = tf.numpy_function(waits, [x], tf.float32, name="first", executor=pool)
        second = tf.numpy_function(waits, [x], tf.float32, name="second", executor=pool)
        third = tf.py_function(waits_too, [x], tf.float32, name="third")
        last = tf.numpy_function(lambda x: x, [first], tf.float32, name="last")
    assert session.run([first, second, third, last], {x: 1.0}) == [1.0] * 4
    errors.write(sys.stderr.text)
    """
    done = program(text)
    assert done.returncode == 0, done.stderr
    told = done.stderr
    assert "op 'first' (PyFunc) of function waits" in told and "runs in Threads(workers=1)" in told
    assert "op 'third' (EagerPyFunc) of function waits_too" in told and "runs in EventLoop()" in told
    assert "op 'last' (PyFunc)" in told and ": waits for 'first'" in told
    assert "executor Threads(workers=1):\n" in told
    assert ": runs on thread " in told and ": waits for a worker" in told
    assert "executor EventLoop():\n  op 'third', function waits_too" in told and "awaits at " in told


def test_runs_that_go_on_are_not_told() -> None:
    text = """
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.numpy_function(lambda x: (time.sleep(0.05), x)[1], [x], tf.float32, name="slow")
    for _ in range(20):
        assert session.run(y, {x: 1.0}) == 1.0
    errors.write(sys.stderr.text)
    """
    done = program(text, seconds="0.5")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_number_that_makes_no_sense_is_refused() -> None:
    text = """
    sys.stderr = errors
    with graph.as_default():
        session.run(tf.constant(1.0) + tf.compat.v1.placeholder_with_default(1.0, []))
    """
    done = program(text, seconds="soon")
    assert "ValueError: the environment variable INLAY_STALL_SECONDS must be a positive number" in done.stderr


def test_a_forked_child_watches_its_own_runs() -> None:
    text = """
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.numpy_function(waits, [x], tf.float32, name="stuck")
    go_on.set()
    session.run(y, {x: 1.0})
    go_on.clear()
    child = os.fork()
    if not child:
        sys.stderr.text = ""
        session.run(y, {x: 1.0})
        os._exit(0 if "op 'stuck'" in sys.stderr.text else 3)
    sys.exit(os.waitpid(child, 0)[1])
    """
    if hasattr(os, "fork"):
        assert program(text).returncode == 0


def test_nothing_is_watched_unless_it_is_asked_for() -> None:
    assert stalls.VARIABLE not in os.environ
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        session.run(tf.numpy_function(lambda: 1.0, [], tf.float64))
    assert not stalls.watched
