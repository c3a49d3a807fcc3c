"""A program of every part, to be traced: a session, a `function`, a dataset with processes, executors, three servers.

Its host functions keep a journal of their own, a file with a line for each call, to which the trace is compared. One of
the servers is on a machine with another clock: see `another_machine`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.span_chunks import Span

v1 = tf.compat.v1
ELEMENTS = 40
"""Elements of the dataset."""
TASKS = ("/job:worker/task:0", "/job:worker/task:1", "/job:ps/task:0")
"""The tasks of the cluster, each on a node of its own; the last is on another machine."""
SHIFT = -4_321_000_000_000
"""Nanoseconds from the clock of this machine to the one of the other machine."""
MACHINE = "elsewhere"
"""The name of the other machine."""
_BOOT = "/proc/sys/kernel/random/boot_id"
_SITE = f"""
import builtins, io, os, time

def perf_counter_ns(real=time.perf_counter_ns):
    return real() + {SHIFT}

def opened(file, *args, real=builtins.open, **kwargs):
    return io.StringIO("the boot of another machine") if file == {_BOOT!r} else real(file, *args, **kwargs)

def uname(real=os.uname()):
    return os.uname_result((real[0], {MACHINE!r}, *real[2:]))

time.perf_counter_ns, builtins.open, os.uname = perf_counter_ns, opened, uname
"""


def another_machine(folder: Path) -> dict[str, str]:
    """The environment of Python processes that take themselves for another machine, whose clock is shifted.

    Args:
      folder: an empty folder. Python runs `sitecustomize` from it before anything else.
    """
    (folder / "sitecustomize.py").write_text(_SITE)
    return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])}


class Entry(NamedTuple):
    """A call of a host function, as the function itself saw it.

    Attributes:
      name: the function.
      pid, thread: where it ran.
      moment: nanoseconds of the machine's monotonic clock, within the call.
    """

    name: str
    pid: int
    thread: int
    moment: int


class Traced(NamedTuple):
    """A run of the program, and its trace.

    Attributes:
      path: the file of the trace.
      spans: the spans.
      journal: the calls of host functions, as these saw them.
      begin, end: of the run, in nanoseconds of the clock of this process.
    """

    path: Path
    spans: Sequence[Span]
    journal: Sequence[Entry]
    begin: int
    end: int


Note = Callable[[str], None]
"""Notes a call of the host function of that name."""


def noted(journal: Path) -> Note:
    """A function that adds a line to a journal, from any process and thread."""
    path = str(journal)

    def note(name: str) -> None:
        moment = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, f"{name} {os.getpid()} {threading.get_native_id()} {moment}\n".encode())
        os.close(file)

    return note


def entries(journal: Path) -> list[Entry]:
    """The lines of a journal."""
    lines = [line.split() for line in journal.read_text().splitlines()]
    return [Entry(name, int(pid), int(thread), int(moment)) for name, pid, thread, moment in lines]


def run(journal: Path, targets: Sequence[str], ray_address: str) -> None:
    """Runs the program.

    Args:
      journal: the file that its host functions write to.
      targets: of sessions on the servers of `TASKS`.
      ray_address: of the Ray cluster, whose other machine has the resource "elsewhere".
    """
    note = noted(journal)
    _in_a_session(note)
    _in_a_function(note)
    with tf.Processes(workers=2) as processes:
        _in_a_dataset(note, processes)
        _on_executors(note, processes, tf.RayExecutor(ray_address, num_cpus=0, resources={MACHINE: 0.01}))
        _killed(note, processes)
        _killed_once(note, processes, journal.with_name("was_killed"))
    _on_a_cluster(note, targets)
    _killed_on_a_cluster(note, targets[0])


def _in_a_session(note: Note) -> None:
    def in_session(x: Any) -> Any:
        note("in_session")
        return x * np.float32(2)

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [3])
        y = tf.reduce_sum(tf.numpy_function(in_session, [x + 1.0], tf.float32))
        for _ in range(6):
            assert session.run(y, {x: np.ones(3, np.float32)}) == 12.0


def _in_a_function(note: Note) -> None:
    def in_function(x: Any) -> Any:
        note("in_function")
        return x * 2.0 + 1.0

    def fails(x: Any) -> Any:
        note("fails")
        raise ValueError("as it should")

    @tf.function
    def body(x: Any) -> Any:
        for _ in tf.range(3):
            x = tf.cond(x > 0.0, lambda x=x: tf.py_function(in_function, [x], tf.float32), lambda x=x: x)
            x.set_shape([])
        return x

    for _ in range(4):
        body(tf.constant(1.0))
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        y = body(x)
    assert tape.gradient(y, x) == 8.0
    failing = tf.function(lambda x: tf.numpy_function(fails, [x + 1.0], tf.float32))
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="as it should"):
            failing(tf.constant(1.0))


def _in_a_dataset(note: Note, processes: Any) -> None:
    def in_dataset(x: Any) -> Any:
        note("in_dataset")
        return x + np.int64(1)

    dataset = tf.data.Dataset.range(ELEMENTS).map(
        lambda x: tf.numpy_function(in_dataset, [x * 2], tf.int64), executor=processes
    )
    batches = [b.numpy().tolist() for b in dataset.batch(8).prefetch(1)]
    assert sum(batches, []) == [2 * i + 1 for i in range(ELEMENTS)]


def _on_executors(note: Note, processes: Any, on_ray: Any) -> None:
    def in_worker(x: Any) -> Any:
        note("in_worker")
        return x + np.float32(1)

    def in_thread(x: Any) -> Any:
        note("in_thread")
        return x + np.float32(1)

    def in_task(x: Any) -> Any:
        note("in_task")
        return x + np.float32(1)

    async def awaited(x: Any) -> Any:
        note("awaited")
        return x + np.float32(1)

    with ThreadPoolExecutor(2) as threads:

        @tf.function
        def body(x: Any) -> Any:
            workers = [tf.numpy_function(in_worker, [x + float(i)], tf.float32, executor=processes) for i in range(5)]
            others = [tf.numpy_function(in_thread, [x], tf.float32, executor=threads) for _ in range(3)]
            others += [tf.numpy_function(in_task, [x], tf.float32, executor=on_ray) for _ in range(2)]
            others += [tf.numpy_function(awaited, [x], tf.float32) for _ in range(2)]
            return tf.add_n(workers + others)

        for _ in range(2):
            assert body(tf.constant(0.0)) == 22.0


def _killed(note: Note, processes: Any) -> None:
    def killed(x: Any) -> Any:
        note("killed")
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(tf.errors.UnavailableError, match="SIGKILL"):
        tf.numpy_function(killed, [tf.constant(1.0)], tf.float32, executor=processes)


def _killed_once(note: Note, processes: Any, mark: Path) -> None:
    def killed_once(x: Any) -> Any:
        note("killed_once")
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return x + np.float32(1)

    y = tf.numpy_function(killed_once, [tf.constant(1.0)], tf.float32, stateful=False, executor=processes)
    assert y == 2.0


def _on_a_cluster(note: Note, targets: Sequence[str]) -> None:
    def on_server(x: Any) -> Any:
        note("on_server")
        return x + np.float32(1)

    def in_worker_of_server(x: Any) -> Any:
        note("in_worker_of_server")
        return x + np.float32(1)

    def fails_on_server(x: Any) -> Any:
        note("fails_on_server")
        raise ValueError("as it should")

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [])
        y = x
        for task in TASKS:
            with tf.device(task):
                y = tf.numpy_function(on_server, [y * 2.0], tf.float32)
                y.set_shape([])
        with tf.device(TASKS[1]):
            failing = tf.numpy_function(fails_on_server, [x], tf.float32)
        with tf.device(TASKS[2]):  # worker processes of a server
            sent = tf.numpy_function(in_worker_of_server, [x], tf.float32, executor="processes")
        for target in targets:
            with v1.Session(target) as session:
                for _ in range(3):
                    assert session.run(y, {x: 1.0}) == 15.0
        with v1.Session(targets[0]) as session:
            assert [session.run(sent, {x: 1.0}) for _ in range(3)] == [2.0] * 3
        with v1.Session(targets[0]) as session, pytest.raises(tf.errors.InvalidArgumentError, match="as it should"):
            session.run(failing, {x: 1.0})


def _killed_on_a_cluster(note: Note, target: str) -> None:
    def killed_on_server() -> Any:
        note("killed_on_server")
        os.kill(os.getpid(), signal.SIGKILL)

    with tf.Graph().as_default(), tf.device(TASKS[1]):
        y = tf.numpy_function(killed_on_server, [], tf.float32)
        with v1.Session(target) as session, pytest.raises(tf.errors.UnavailableError, match="is gone"):
            session.run(y)


@contextlib.contextmanager
def servers(addresses: Sequence[str], ray_address: str) -> Iterator[list[str]]:
    """Servers of `TASKS` on three nodes; their targets."""
    first, second, third = addresses
    spec = tf.train.ClusterSpec({"worker": [first, second], "ps": [third]})
    where: list[tuple[str, int, dict[str, float]]] = [
        ("worker", 0, {}), ("worker", 1, {"second": 1}), ("ps", 0, {MACHINE: 1}),
    ]  # fmt: skip
    held = [tf.distribute.Server(spec, job, i, address=ray_address, resources=r) for job, i, r in where]
    yield [server.target for server in held]
    held.clear()
