"""Queue programs end: without a thread that is left, however they end, and no run waits for ever."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
BOUND = 30.0  # seconds; a hang, not a speed


def runner_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """Every test has a graph of its own, and ends without a thread that it started."""
    before = set(threading.enumerate())
    with tf.Graph().as_default():
        yield
    for thread in set(threading.enumerate()) - before:
        if thread.name not in ("inlay-helper", "inlay-monitor"):  # parked ones wait for the next run
            thread.join(BOUND)
            assert not thread.is_alive(), thread.name


def started(job: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """A thread that runs a job, and its result or error."""
    found: list[Any] = []

    def run() -> None:
        try:
            found.append(job())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, found


def ended(thread: threading.Thread, found: list[Any]) -> Any:
    thread.join(BOUND)
    assert not thread.is_alive()
    return found[0]


def until(condition: Callable[[], bool]) -> None:
    """Waits for an event that is bound to come."""
    end = time.monotonic() + BOUND
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def waiting(sess: Any, queue: Any) -> int:
    """How many operations wait for a queue of a session."""
    state = sess.run(queue.queue_ref)
    return len(state._entering) + len(state._leaving)


def sizes_of_a_source() -> Any:
    """Batches of what a Python function reads."""
    number = v1.train.range_input_producer(100, shuffle=False).dequeue()
    return v1.train.shuffle_batch(
        [v1.py_func(lambda n: np.float32(n), [number], tf.float32)], 4, 16, 4, num_threads=3, shapes=[[]]
    )


# ---------------------------------------------------------------- programs


def test_a_program_that_ends_well() -> None:
    batch = sizes_of_a_source()
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = v1.train.start_queue_runners(sess, coord)
        for _ in range(5):
            sess.run(batch)
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=BOUND)
    assert runner_threads() == []


def test_an_error_in_the_main_thread() -> None:
    batch = sizes_of_a_source()
    coord = v1.train.Coordinator()
    with pytest.raises(KeyError, match="main"), v1.Session() as sess:
        threads = v1.train.start_queue_runners(sess, coord)
        try:
            sess.run(batch)
            raise KeyError("main")
        finally:
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=BOUND)
    assert runner_threads() == []


def test_an_error_in_a_runner_ends_those_that_wait() -> None:
    calls: list[int] = []

    def breaks(n: np.int32) -> np.float32:
        calls.append(int(n))
        if n == 7:
            raise ValueError("broken source")
        return np.float32(n)

    number = v1.train.range_input_producer(100, shuffle=False).dequeue()
    batch = v1.train.batch([v1.py_func(breaks, [number], tf.float32)], 4, shapes=[[]])
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = v1.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                sess.run(batch)
        with pytest.raises(ValueError, match="broken source"):
            coord.join(threads, stop_grace_period_secs=BOUND)
    assert runner_threads() == [] and 7 in calls


def test_a_session_that_is_closed_ends_all_that_wait_for_it() -> None:
    q = v1.FIFOQueue(1, tf.int32, shapes=[[]])
    put, take, many = q.enqueue(1), q.dequeue(), q.dequeue_many(9)
    reader = v1.TextLineReader().read(v1.FIFOQueue(1, tf.string))
    sess = v1.Session()
    sess.run(put)
    jobs = [started(lambda f=f: sess.run(f)) for f in (put, put, reader)]  # type: ignore[misc]
    until(lambda: waiting(sess, q) == 2)
    sess.close()
    other = v1.Session()
    jobs += [started(lambda f=f: other.run(f)) for f in (take, many)]  # type: ignore[misc]
    until(lambda: waiting(other, q) == 2)
    other.close()
    for job in jobs:
        error = ended(*job)
        assert isinstance(error, (tf.errors.CancelledError, RuntimeError)), error


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_program_without_a_coordinator_ends_with_its_session() -> None:
    batch = sizes_of_a_source()
    with v1.Session() as sess:
        threads = v1.train.start_queue_runners(sess)
        sess.run(batch)
    for thread in threads:
        thread.join(BOUND)
    assert runner_threads() == []


def test_an_interpreter_ends_while_runners_wait() -> None:
    program = """
        import inlay as tf, threading
        q = None
        with tf.Graph().as_default():
            n = tf.train.range_input_producer(10, shuffle=False).dequeue()
            batch = tf.train.batch([tf.py_func(lambda k: k, [n], tf.int32)], 2, shapes=[[]])
            sess = tf.Session()
            coord = tf.train.Coordinator()
            tf.train.start_queue_runners(sess, coord)
            print(sess.run(batch).tolist())
        assert any(t.name.startswith("QueueRunnerThread") for t in threading.enumerate())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=2 * BOUND
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[0, 1]", "")


# ---------------------------------------------------------------- runs that wait


def test_a_run_that_waits_stops_no_other() -> None:
    q = v1.FIFOQueue(1, tf.int32)
    take, put = q.dequeue(), q.enqueue(4)
    called = v1.py_func(lambda: np.int32(2), [], tf.int32)
    with v1.Session() as sess:
        job = started(lambda: sess.run(take))
        until(lambda: waiting(sess, q) == 1)
        assert sess.run(called) == 2
        sess.run(put)
        assert ended(*job) == 4


def test_both_ends_in_one_run() -> None:
    one, two = v1.FIFOQueue(1, tf.int32), v1.FIFOQueue(1, tf.int32)
    first = one.dequeue()
    with tf.control_dependencies([two.dequeue()]):
        last = tf.identity(first) + 1
    puts = [v1.py_func(lambda: np.int32(0), [], tf.int32), two.enqueue(2), one.enqueue(1)]
    with v1.Session() as sess:
        for _ in range(5):
            assert sess.run([last, *puts])[0] == 2


def test_a_function_may_fill_the_queue_that_its_run_waits_for() -> None:
    q = v1.FIFOQueue(1, tf.int32)
    x = v1.placeholder(tf.int32)
    put, take = q.enqueue(x), q.dequeue()
    with v1.Session() as sess:
        filled = v1.py_func(lambda: sess.run(put, {x: 6}) or np.int32(0), [], tf.int32)
        assert sess.run([take, filled]) == [6, 0]


@pytest.mark.parametrize("first", ["waits", "fails"])
def test_a_step_that_fails_ends_one_that_waits(first: str) -> None:
    def fails() -> Any:
        raise ValueError("broken")

    q = v1.FIFOQueue(1, tf.int32)
    made = {}
    for name in (first, {"waits": "fails", "fails": "waits"}[first]):
        made[name] = q.dequeue() if name == "waits" else v1.py_func(fails, [], tf.int32)
    refused = v1.Assert(False, ["refused"])
    with v1.Session() as sess:
        assert isinstance(ended(*started(lambda: sess.run([made["waits"], made["fails"]]))), ValueError)
        assert isinstance(ended(*started(lambda: sess.run([made["waits"], refused]))), tf.errors.InvalidArgumentError)
        assert waiting(sess, q) == 0
        sess.run(q.enqueue(1))  # nobody else takes it
        assert sess.run(q.size()) == 1


def test_a_deadline_ends_a_run_that_waits_and_takes_nothing() -> None:
    q = v1.FIFOQueue(4, tf.int32, shapes=[[]])
    many, put = q.dequeue_many(3), q.enqueue_many([[1, 2]])
    key = v1.TextLineReader().read(v1.FIFOQueue(1, tf.string))
    with v1.Session() as sess:
        sess.run(put)
        for fetched in (many, key):
            with pytest.raises(tf.errors.DeadlineExceededError):
                sess.run(fetched, options=v1.RunOptions(timeout_in_ms=20))
        until(lambda: waiting(sess, q) == 0)
        assert sess.run(q.size()) == 2


def test_a_branch_and_a_loop_that_wait_end_with_their_session() -> None:
    q = v1.FIFOQueue(1, tf.int32, shapes=[[]])
    choice = v1.placeholder_with_default(True, [])
    branch = tf.cond(choice, q.dequeue, lambda: tf.constant(0))
    loop = tf.while_loop(lambda i: i < 3, lambda i: i + q.dequeue(), [0])
    for fetched in (branch, loop):
        sess = v1.Session()
        job = started(lambda: sess.run(fetched))  # noqa: B023 - it ends before the next one
        until(lambda: waiting(sess, q) == 1)  # noqa: B023
        sess.close()
        assert isinstance(ended(*job), tf.errors.CancelledError)


def test_ctrl_c_ends_a_run_that_waits() -> None:
    program = """
        import os, signal, threading, time
        import inlay as tf
        with tf.Graph().as_default():
            q = tf.FIFOQueue(1, tf.int32)
            take = q.dequeue()
            with tf.Session() as sess:
                def interrupt():
                    state = sess.run(q.queue_ref)
                    while not state._leaving:
                        time.sleep(0.001)
                    time.sleep(0.01)
                    os.kill(os.getpid(), signal.SIGINT)
                threading.Thread(target=interrupt).start()
                try:
                    sess.run(take)
                except KeyboardInterrupt:
                    print("interrupted", len(sess.run(q.queue_ref)._leaving))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=2 * BOUND
    )
    assert (done.returncode, done.stdout.strip()) == (0, "interrupted 0"), done.stderr


def test_many_producers_and_consumers_lose_nothing() -> None:
    q = v1.FIFOQueue(3, tf.int32, shapes=[[]])
    x = v1.placeholder(tf.int32, [None])
    put, take = q.enqueue_many([x]), q.dequeue_many(4)
    with v1.Session() as sess:
        numbers = np.arange(400, dtype=np.int32).reshape(8, 10, 5)
        givers = [started(lambda rows=rows: [sess.run(put, {x: r}) for r in rows]) for rows in numbers]  # type: ignore
        takers = [started(lambda: [sess.run(take).tolist() for _ in range(25)]) for _ in range(4)]
        for giver in givers:
            ended(*giver)
        found = [n for taker in takers for batch in ended(*taker) for n in batch]
    assert sorted(found) == list(range(400))
