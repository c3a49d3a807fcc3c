"""A breakpoint in a function is reached through a pseudo-terminal, and nothing else prints at its prompt."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

PREAMBLE = """
import pdb  # loaded at the breakpoint, it could take so long that the run goes on elsewhere meanwhile
import time
import numpy as np
import inlay as tf

def first(x):
    print("first begins")
    {before}
    breakpoint()
    y = x + np.float32(1)
    print("first ends")
    return y

def second(x):
    print("second runs")
    return x

def third():
    print("third runs")
    return np.float32(3)
"""
GRAPH = """
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    p = tf.compat.v1.placeholder(tf.float32)
    a = tf.{api}(first, [p], tf.float32)
    b = tf.{api}(second, [p], tf.float32)
    c = tf.{api}(third, [], tf.float32{stateless})
    print("result", [float(v) for v in session.run([a, b, c], {{p: 41.0}})])
"""
EAGER = """
x = tf.constant(41.0)
print("result", [float(tf.{api}(f, i, tf.float32)) for f, i in ((first, [x]), (second, [x]), (third, []))])
"""


class Terminal:
    """A program of its own on a pseudo-terminal."""

    def __init__(self, program: Path) -> None:
        # Not pty.fork: hooks at fork (JAX has one) would run in a process that only wants to become another.
        self.fd, theirs = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONBREAKPOINT"}
        command = [sys.executable, str(program)]
        self.process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)
        self.seen = ""

    def until(self, text: str, after: int = 0) -> None:
        """Reads until `text` was printed after position `after`."""
        end = time.monotonic() + 30
        while text not in self.seen[after:]:
            ready, _, _ = select.select([self.fd], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"waiting for {text!r}, seen:\n{self.seen}"
            try:
                more = os.read(self.fd, 4096).decode()
            except OSError:  # the other end was closed
                more = ""
            assert more, f"the program ended before {text!r}, seen:\n{self.seen}"
            self.seen += more.replace("\r\n", "\n")

    def quiet(self, seconds: float) -> str:
        """What is printed within some time."""
        start = len(self.seen)
        while select.select([self.fd], [], [], seconds)[0]:
            self.seen += os.read(self.fd, 4096).decode().replace("\r\n", "\n")
        return self.seen[start:]

    def say(self, line: str) -> None:
        os.write(self.fd, f"{line}\n".encode())

    def close(self) -> int:
        status = self.process.wait()
        os.close(self.fd)
        return status


@pytest.mark.parametrize("api", ["py_function", "numpy_function", "py_func"])
@pytest.mark.parametrize("mode", ["eager", "graph", "graph with a stateless function"])
def test_a_breakpoint_is_reached_and_prints_come_in_order(mode: str, api: str, tmp_path: Path) -> None:
    stateless = ", stateful=False" if "stateless" in mode else ""
    body = EAGER.format(api=api) if mode == "eager" else GRAPH.format(api=api, stateless=stateless)
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PREAMBLE.format(before="pass")) + textwrap.dedent(body))
    terminal = Terminal(program)
    terminal.until("(Pdb) ")
    assert terminal.quiet(0.3) == ""  # the other functions stand still
    assert "second" not in terminal.seen.split("breakpoint()")[0].replace("first begins", "")
    at = len(terminal.seen)
    terminal.say("p x")
    terminal.until("(Pdb) ", at)
    assert "41.0" in terminal.seen[at:]
    at = len(terminal.seen)
    terminal.say("n")  # stepping, too, holds the others still
    terminal.until("(Pdb) ", at)
    assert terminal.quiet(0.1) == ""
    at = len(terminal.seen)
    terminal.say("c")
    terminal.until("result", at)
    terminal.until("]\n", at)
    assert terminal.close() == 0
    printed = [line for line in terminal.seen.splitlines() if line.endswith(("begins", "ends", "runs"))]
    if stateless:  # folded while the plan is made, before anything runs
        assert printed == ["third runs", "first begins", "first ends", "second runs"]
    else:
        assert printed == ["first begins", "first ends", "second runs", "third runs"]
    assert "result [42.0, 41.0, 3.0]" in terminal.seen


def test_nothing_more_starts_at_the_prompt_of_a_run_that_is_already_shared(tmp_path: Path) -> None:
    """The first function blocks long enough to be taken over before it stops at its breakpoint."""
    body = """
        import threading
        def slow():
            time.sleep(0.4)
            print("slow ends")
            return np.float32(0)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            p = tf.compat.v1.placeholder(tf.float32)
            calls = [tf.numpy_function(first, [p], tf.float32), tf.numpy_function(slow, [], tf.float32)]
            with tf.control_dependencies([calls[1]]):
                calls.append(tf.numpy_function(second, [p], tf.float32))
                calls.append(tf.numpy_function(second, [p + 1.0], tf.float32, stateful=False))
            print("result", len(session.run(calls, {p: 41.0})), "values")
    """
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PREAMBLE.format(before="time.sleep(0.05)")) + textwrap.dedent(body))
    terminal = Terminal(program)
    terminal.until("(Pdb) ")
    terminal.until("slow ends\n")  # it had started before the breakpoint; what waits for it could start now
    assert terminal.quiet(0.5) == ""
    at = len(terminal.seen)
    terminal.say("p x")
    terminal.until("(Pdb) ", at)
    assert "second runs" not in terminal.seen
    terminal.say("c")
    terminal.until("result 4 values\n", at)
    assert terminal.close() == 0
