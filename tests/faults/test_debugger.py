"""A breakpoint in a function is reached through a pseudo-terminal, and nothing else starts at its prompt.

How long a function runs before its run is handed over to another thread is a matter of timing. The tests decide it:
the programs hold the watcher of runs back until the test, or an event in the program, lets it look.
"""

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
import os
import sys
import threading
import time
import numpy as np
import inlay as tf
from inlay._src.engine.run.scheduling import work_stealing

class Clock:
    may_look = threading.Event()  # the watcher of runs takes its first look when this is set
    monotonic = time.monotonic

    @staticmethod
    def sleep(seconds):
        Clock.may_look.wait()
        time.sleep(seconds)

work_stealing.time = Clock
log = os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY | os.O_APPEND)
slow_runs, slow_may_end = threading.Event(), threading.Event()

def first(x):
    os.write(log, b"first begins\\n")
    {before}
    breakpoint()
    y = x + np.float32(1)
    os.write(log, b"first ends\\n")
    return y

def second(x):
    os.write(log, b"second runs\\n")
    return x

def third():
    os.write(log, b"third runs\\n")
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
    """A program of its own on a pseudo-terminal. Its functions log: what they print could come amid a prompt."""

    def __init__(self, program: Path) -> None:
        self.log = program.with_suffix(".log")
        # Not pty.fork: hooks at fork (JAX has one) would run in a process that only wants to become another.
        self.fd, theirs = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONBREAKPOINT"}
        command = [sys.executable, str(program), str(self.log)]
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

    def events(self) -> list[str]:
        """What the functions logged so far, in order."""
        return self.log.read_text().splitlines()

    def say(self, line: str) -> None:
        os.write(self.fd, f"{line}\n".encode())

    def close(self) -> int:
        status = self.process.wait()
        os.close(self.fd)
        return status


def program_in(folder: Path, body: str, before: str) -> Path:
    program = folder / "program.py"
    program.write_text(textwrap.dedent(PREAMBLE.format(before=before)) + textwrap.dedent(body))
    return program


APIS = pytest.mark.parametrize("api", ["py_function", "numpy_function", "py_func"])


@APIS
@pytest.mark.parametrize("mode", ["eager", "graph", "graph with a stateless function"])
def test_a_breakpoint_is_reached_and_functions_run_in_order(mode: str, api: str, tmp_path: Path) -> None:
    stateless = ", stateful=False" if "stateless" in mode else ""
    body = EAGER.format(api=api) if mode == "eager" else GRAPH.format(api=api, stateless=stateless)
    terminal = Terminal(program_in(tmp_path, body, "pass"))
    terminal.until("(Pdb) ")
    assert "second runs" not in terminal.events()
    before = terminal.events()
    at = len(terminal.seen)
    terminal.say("Clock.may_look.set()")  # the run is watched from now on, and its first function blocks
    terminal.until("(Pdb) ", at)
    assert terminal.quiet(0.3) == ""
    assert terminal.events() == before  # the other functions stand still
    at = len(terminal.seen)
    terminal.say("p x")
    terminal.until("(Pdb) ", at)
    assert "41.0" in terminal.seen[at:]
    at = len(terminal.seen)
    terminal.say("n")  # stepping, too, holds the others still
    terminal.until("(Pdb) ", at)
    assert terminal.quiet(0.1) == ""
    assert terminal.events() == before
    at = len(terminal.seen)
    terminal.say("c")
    terminal.until("result", at)
    terminal.until("]\n", at)
    assert terminal.close() == 0
    if stateless:  # folded while the plan is made, before anything runs
        assert terminal.events() == ["third runs", "first begins", "first ends", "second runs"]
    else:
        assert terminal.events() == ["first begins", "first ends", "second runs", "third runs"]
    assert "result [42.0, 41.0, 3.0]" in terminal.seen


@APIS
def test_a_breakpoint_is_usable_whenever_the_run_is_handed_over(api: str, tmp_path: Path) -> None:
    """The watcher looks from the start: the others may run before the prompt or after it."""
    body = "Clock.may_look.set()" + GRAPH.format(api=api, stateless="")
    terminal = Terminal(program_in(tmp_path, body, "time.sleep(0.01)"))
    terminal.until("(Pdb) ")
    at = len(terminal.seen)
    terminal.say("p x")
    terminal.until("41.0", at)
    terminal.say("c")
    terminal.until("]\n", at)
    assert terminal.close() == 0
    assert sorted(terminal.events()) == ["first begins", "first ends", "second runs", "third runs"]
    assert "result [42.0, 41.0, 3.0]" in terminal.seen


def test_nothing_more_starts_at_the_prompt_of_a_run_that_is_already_shared(tmp_path: Path) -> None:
    """The first function waits until the run was handed over, and stops at its breakpoint then."""
    body = """
        Clock.may_look.set()
        def slow():
            slow_runs.set()
            slow_may_end.wait()
            os.write(log, b"slow ends\\n")
            return np.float32(0)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            p = tf.compat.v1.placeholder(tf.float32)
            calls = [tf.numpy_function(first, [p], tf.float32), tf.numpy_function(slow, [], tf.float32)]
            with tf.control_dependencies([calls[1]]):
                calls.append(tf.numpy_function(second, [p], tf.float32))
                calls.append(tf.numpy_function(second, [p + 1.0], tf.float32, stateful=False))
            print("result", len(session.run(calls, {p: 41.0})), "values")
    """
    terminal = Terminal(program_in(tmp_path, body, "slow_runs.wait()"))
    terminal.until("(Pdb) ")
    at = len(terminal.seen)
    terminal.say("slow_may_end.set()")
    terminal.until("(Pdb) ", at)
    end = time.monotonic() + 30
    while terminal.events() == ["first begins"]:  # it had started before the breakpoint
        assert time.monotonic() < end
        time.sleep(0.01)
    assert terminal.quiet(0.5) == ""
    assert terminal.events() == ["first begins", "slow ends"]  # what waits for it could start now, and does not
    at = len(terminal.seen)
    terminal.say("p x")
    terminal.until("(Pdb) ", at)
    assert "41.0" in terminal.seen[at:]
    assert "second runs" not in terminal.events()
    terminal.say("c")
    terminal.until("result 4 values\n", at)
    assert terminal.close() == 0
