"""Datasets whose workers die, whose loops are left, and whose programs are interrupted."""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

Dataset = tf.data.Dataset
PATIENCE = 30.0


def eventually(holds: Any) -> bool:
    latest = time.monotonic() + PATIENCE
    while time.monotonic() < latest:
        if holds():
            return True
        time.sleep(0.01)
    return False


def children() -> set[int]:
    """The processes that this one started and that still run."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and fields[0] != "Z":
            found.add(int(status.parent.name))
    return found


def body(x: Any) -> Any:
    """A tenth of a millisecond of pure Python."""
    total = 0
    for i in range(800):
        total += i * i
    return np.int64(x * 2)


@pytest.mark.timeout(300)
def test_workers_that_are_killed_lose_nothing() -> None:
    before = children()
    chance = random.Random(7)
    with tf.Processes(workers=2) as pool:
        dataset = Dataset.range(12_000).map(
            lambda x: tf.numpy_function(body, [x], tf.int64, stateful=False), num_parallel_calls=2, executor=pool
        )
        found, kills, iterator = [], 0, iter(dataset)
        next_kill = chance.randrange(200, 900)
        for value in iterator:
            found.append(int(value))
            if kills < 10 and len(found) >= next_kill:
                workers = sorted(children() - before)
                if workers:
                    try:
                        os.kill(chance.choice(workers), signal.SIGKILL)
                    except ProcessLookupError:  # a worker that was killed before, and reaped since it was listed
                        continue
                    kills += 1
                next_kill = len(found) + chance.randrange(300, 1100)
    assert kills == 10
    assert found == [2 * i for i in range(12_000)]
    assert eventually(lambda: children() == before)


def kill_at(wrong: int) -> Any:
    def die(x: Any) -> Any:
        if x == wrong:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    return die


@pytest.mark.parametrize("stateful", [True, False])
def test_an_element_that_kills_its_worker_is_named(stateful: bool) -> None:
    with tf.Processes(workers=2) as pool:
        dataset = Dataset.range(8).map(
            lambda x: tf.numpy_function(kill_at(3), [x], tf.int64, stateful=stateful), executor=pool
        )
        iterator, found, told = iter(dataset), list[int](), list[str]()
        while True:
            try:
                found.append(int(next(iterator)))
            except StopIteration:
                break
            except tf.errors.UnavailableError as error:
                told.append(str(error))
    said = "not run again, as the function may have effects" if stateful else "and so was the one that ran it again"
    assert any("element 3 of ParallelMapDataset:1" in text and said in text for text in told)
    assert len(found) + len(told) == 8
    assert found == sorted(found)
    if not stateful:
        assert found == [0, 1, 2, 4, 5, 6, 7]


@pytest.mark.usefixtures("nothing_old")
def test_loops_that_are_left_leave_nothing() -> None:
    before, threads = children(), set(threading.enumerate())
    with tf.Processes(workers=2) as pool:
        dataset = (
            Dataset.range(100_000)
            .map(lambda x: tf.numpy_function(body, [x], tf.int64), num_parallel_calls=2, executor=pool)
            .map(lambda x: x + 1, num_parallel_calls=2)
            .prefetch(4)
        )
        for turn in range(50):
            iterator = iter(dataset)
            for i, value in enumerate(iterator):
                assert int(value) == 2 * i + 1
                if i == turn % 7:
                    break
            cursor = iterator._cursor
            del iterator
            gc.collect()
            assert eventually(lambda cursor=cursor: not cursor._producing)
    assert eventually(lambda: children() == before)
    assert [t for t in set(threading.enumerate()) - threads if not t.daemon] == []


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import inlay as tf

def body(x):
    total = 0
    for i in range(3000):
        total += i
    return np.int64(x)

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start tests with Ctrl-C ignored
pool = tf.Processes(workers=2)
kinds = [
    dict(num_parallel_calls=2),
    dict(num_parallel_calls=2, executor=pool),
]
again = interrupted = 0

# Ctrl-C is pressed again if Python drops the exception, as it does in the callback of a weak reference.
def press(pause, ended):
    global again
    presses = 0
    while not ended.wait(pause):
        os.kill(os.getpid(), signal.SIGINT)
        again += presses > 0
        presses, pause = presses + 1, 5

for turn in range(20):
    dataset = tf.data.Dataset.range(10**9).map(lambda x: tf.numpy_function(body, [x], tf.int64), **kinds[turn % 2])
    if turn % 4 > 1:
        dataset = dataset.prefetch(2)
    iterator = iter(dataset)
    assert int(next(iterator)) == 0
    begin = time.monotonic()
    ended = threading.Event()
    keys = threading.Thread(target=press, args=(0.02 + 0.003 * turn, ended))
    try:
        keys.start()
        seen = 0
        for value in iterator:
            seen += 1
            assert int(value) == seen, (int(value), seen)
    except KeyboardInterrupt:
        interrupted += 1
    ended.set()
    keys.join()
    assert time.monotonic() - begin < 20
    iterator.close()
print("interrupted", interrupted, "again", again, flush=True)
"""


@pytest.mark.timeout(200)
def test_ctrl_c_ends_loops_and_leaves_nothing() -> None:
    before = children()
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, timeout=150, check=False, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    *interrupted, again = done.stdout.split()
    assert interrupted == ["interrupted", "20", "again"], (done.stdout, done.stderr[-3000:])
    assert int(again) <= done.stderr.count("Exception ignored"), (done.stdout, done.stderr[-3000:])
    assert eventually(lambda: children() == before)


ENDS = """
import numpy as np, sys, time
import inlay as tf
ds = tf.data.Dataset.range(10**9).map(lambda x: tf.numpy_function(lambda v: v, [x], tf.int64), {how}).prefetch(8)
it = iter(ds)
for _ in range(20):
    next(it)
print("end", flush=True)
"""


@pytest.mark.parametrize("how", ["num_parallel_calls=4", "executor='processes'", "num_parallel_calls=-1"])
def test_the_end_of_the_program_ends_all(how: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDS.format(how=how)], capture_output=True, timeout=60, check=False, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


@pytest.mark.parametrize("how", [{}, {"num_parallel_calls": 2}, {"executor": "processes"}])
def test_functions_that_write_into_their_input_change_no_element(how: dict[str, Any]) -> None:
    def spoil(v: Any) -> Any:
        v[:] = -1
        return v

    rows = np.arange(12.0).reshape(4, 3)
    source = Dataset.from_tensor_slices(rows)
    both = source.map(lambda x: (x, tf.numpy_function(spoil, [x], tf.float64)), **how)
    for _ in range(2):
        for i, (kept, gone) in enumerate(both.as_numpy_iterator()):
            np.testing.assert_array_equal(kept, np.arange(12.0).reshape(4, 3)[i])
            np.testing.assert_array_equal(gone, [-1.0, -1.0, -1.0])
    np.testing.assert_array_equal(rows, np.arange(12.0).reshape(4, 3))


def test_a_reused_buffer_does_not_change_elements_that_were_given() -> None:
    buffer = np.zeros(3)

    def reuse(v: Any) -> Any:
        buffer[:] = v
        return buffer

    dataset = Dataset.range(5).map(lambda x: tf.numpy_function(reuse, [x], tf.float64)).prefetch(3)
    assert [v.tolist() for v in dataset.as_numpy_iterator()] == [[float(i)] * 3 for i in range(5)]


def resident() -> float:
    """Resident memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_what_came_from_workers_is_freed_when_it_was_used() -> None:
    with tf.Processes(workers=2) as pool:
        dataset = Dataset.range(400).map(lambda x: tf.fill([480, 640, 3], tf.cast(x % 255, tf.uint8)), executor=pool)
        iterator = iter(dataset)
        gc.collect()
        gc.disable()  # cycles would only be freed now and then: by then they hold hundreds of images
        try:
            for _ in range(50):
                next(iterator)
            before = resident()
            for _ in range(300):  # 276 MB
                next(iterator)
            assert resident() - before < 50
        finally:
            gc.enable()
        iterator.close()
