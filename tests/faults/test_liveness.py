"""Nothing hangs: functions that wait for one another, nested runs, barriers, deadlines."""

from __future__ import annotations

import contextvars
import queue
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.faults import stress

BOUND = 30.0  # seconds; a hang, not a speed


def in_time(job: Any) -> Any:
    """The job's result; it fails if it takes longer than the bound."""
    began = time.monotonic()
    result = job()
    assert time.monotonic() - began < BOUND
    return result


def join(threads: list[threading.Thread]) -> None:
    for t in threads:
        t.start()
    for t in threads:
        t.join(BOUND)
        assert not t.is_alive()


def two_functions(first: str, handed: queue.Queue[Any]) -> list[Any]:
    """A giver and a taker in the default graph; which is created first is the caller's choice."""

    def give() -> Any:
        handed.put(np.float32(42), timeout=BOUND)
        handed.put(np.float32(43), timeout=BOUND)  # the queue holds one: this waits for the taker
        return np.float32(1)

    def take() -> Any:
        return handed.get(timeout=BOUND) + handed.get(timeout=BOUND)

    makers = [give, take] if first == "giver" else [take, give]
    calls = [tf.compat.v1.py_func(f, [], tf.float32) for f in makers]
    return calls if first == "giver" else calls[::-1]


@pytest.mark.parametrize("first", ["giver", "taker"])
def test_two_functions_hand_a_value_through_a_queue_in_one_run(first: str) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = two_functions(first, queue.Queue(1))
        for _ in range(5):
            assert in_time(lambda: session.run(calls)) == [1.0, 85.0]


@pytest.mark.parametrize("first", ["giver", "taker"])
def test_the_same_while_eight_threads_ask_the_session(first: str) -> None:
    with tf.Graph().as_default() as graph:
        slot = tf.compat.v1.placeholder(tf.int32)
        queues = [queue.Queue(1) for _ in range(8)]

        def give(i: Any) -> Any:
            queues[i].put(np.float32(i), timeout=BOUND)
            queues[i].put(np.float32(i), timeout=BOUND)
            return np.float32(0)

        def take(i: Any) -> Any:
            return queues[i].get(timeout=BOUND) + queues[i].get(timeout=BOUND)

        order = [give, take] if first == "giver" else [take, give]
        calls = {f.__name__: tf.compat.v1.py_func(f, [slot], tf.float32) for f in order}
    session = tf.compat.v1.Session(graph=graph)
    got: list[Any] = []

    def ask(i: int) -> None:
        for _ in range(5):
            got.append((i, float(session.run(calls, {slot: i})["take"])))

    join([threading.Thread(target=ask, args=(i,)) for i in range(8)])
    assert sorted(got) == sorted((i, 2.0 * i) for i in range(8) for _ in range(5))


@pytest.mark.parametrize("parties", [2, 5, 16, 64])
@pytest.mark.parametrize("stateful", [True, False])
def test_a_barrier_between_the_functions_of_one_run_meets(parties: int, stateful: bool) -> None:
    barrier = threading.Barrier(parties)

    def meet(i: Any) -> Any:
        barrier.wait(BOUND)
        return i

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.int32)
        calls = [tf.numpy_function(meet, [p + i], tf.int32, stateful=stateful) for i in range(parties)]
        assert in_time(lambda: session.run(calls, {p: 0})) == list(range(parties))


def test_functions_wait_for_one_another_through_an_event_against_creation_order() -> None:
    """The first is blocked on the last, and those between depend on it."""
    event = threading.Event()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:

        def wait() -> Any:
            assert event.wait(BOUND)
            return np.float32(1)

        def release() -> Any:
            event.set()
            return np.float32(2)

        first = tf.numpy_function(wait, [], tf.float32)
        behind = tf.numpy_function(lambda x: x + np.float32(10), [first], tf.float32)
        last = tf.numpy_function(release, [], tf.float32)
        assert in_time(lambda: session.run([first, behind, last])) == [1.0, 11.0, 2.0]


def test_a_kernel_behind_a_blocked_function_does_not_wait_for_it() -> None:
    event = threading.Event()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        blocked = tf.numpy_function(lambda: np.float32(event.wait(BOUND)), [], tf.float32)
        through = tf.numpy_function(lambda x: (event.set(), x)[1], [p * 2.0 + 1.0], tf.float32)
        assert in_time(lambda: session.run([blocked, through], {p: 3.0})) == [1.0, 7.0]


@pytest.mark.parametrize("depth", [1, 3])
def test_runs_nest_on_one_session(depth: int) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        level = tf.constant(1.0)
        for _ in range(depth):
            inner = level
            level = tf.compat.v1.py_func(lambda inner=inner: session.run(inner) + np.float32(1), [], tf.float32)
        assert in_time(lambda: session.run(level)) == 1.0 + depth


def test_parallel_functions_each_run_the_session_they_are_in() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32)
        leaf = tf.compat.v1.py_func(lambda x: x * np.float32(2), [p], tf.float32)
        middle = [
            tf.compat.v1.py_func(lambda x, i=i: session.run(leaf, {p: x + np.float32(i)}), [p], tf.float32)
            for i in range(4)
        ]
        top = tf.compat.v1.py_func(lambda x: np.float32(sum(session.run(middle, {p: x}))), [p], tf.float32)
        assert in_time(lambda: session.run([top, *middle], {p: 1.0})) == [20.0, 2.0, 4.0, 6.0, 8.0]


def test_a_session_inside_a_function_inside_a_session() -> None:
    def own(x: Any) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as inner:
            p = tf.compat.v1.placeholder(tf.float32)
            return inner.run(tf.py_function(lambda v: v * v, [p], tf.float32), {p: x})

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant(3.0)
        got = session.run([tf.numpy_function(own, [x + i], tf.float32) for i in range(3)])
    assert got == [9.0, 16.0, 25.0]


def test_functions_see_the_callers_context_also_on_another_thread() -> None:
    who = contextvars.ContextVar("who", default="nobody")
    barrier = threading.Barrier(3)
    seen: list[Any] = []

    def look() -> Any:
        barrier.wait(BOUND)
        seen.append((who.get(), tf.executing_eagerly()))
        return np.float32(0)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(look, [], tf.float32) for _ in range(3)]
        who.set("caller")
        session.run(calls)
    assert seen == [("caller", True)] * 3


def test_an_error_in_one_function_reaches_the_caller_while_another_runs() -> None:
    release = threading.Event()
    started: list[str] = []

    def fails() -> Any:
        started.append("fails")
        raise ValueError("boo")

    def slow() -> Any:
        started.append("slow")
        assert release.wait(BOUND)
        return np.float32(0)

    def never() -> Any:
        started.append("never")
        return np.float32(0)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        first = tf.numpy_function(lambda: (time.sleep(0.05), np.float32(0))[1], [], tf.float32)
        a = tf.numpy_function(slow, [], tf.float32)
        b = tf.numpy_function(fails, [], tf.float32)
        with tf.control_dependencies([a]):
            c = tf.numpy_function(never, [], tf.float32)
        threading.Timer(0.3, release.set).start()
        with pytest.raises(ValueError, match="boo"):
            in_time(lambda: session.run([first, a, b, c]))
    release.set()
    time.sleep(0.05)
    assert "never" not in started


@pytest.mark.parametrize("fault", [KeyboardInterrupt, SystemExit])
def test_the_wish_to_stop_passes_from_a_helper_thread(fault: Any) -> None:
    barrier = threading.Barrier(2)

    def meet(raises: bool) -> Any:
        barrier.wait(BOUND)
        if raises:
            raise fault()
        return np.float32(0)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(lambda r=r: meet(r), [], tf.float32) for r in (False, True)]
        with pytest.raises(fault):
            in_time(lambda: session.run(calls))


# ---------------------------------------------------------------- deadlines, closing


@pytest.mark.parametrize("functions", [1, 2])
def test_a_deadline_returns_while_the_function_still_runs(functions: int) -> None:
    release = threading.Event()
    started: list[int] = []

    def slow(i: int) -> Any:
        started.append(i)
        release.wait(BOUND)
        return np.float32(i)

    with tf.Graph().as_default() as graph:
        calls = [tf.numpy_function(lambda i=i: slow(i), [], tf.float32) for i in range(functions)]
        with tf.control_dependencies(calls):
            after = tf.numpy_function(lambda: slow(99), [], tf.float32)
    session = tf.compat.v1.Session(graph=graph)
    options = tf.compat.v1.RunOptions(timeout_in_ms=200)
    try:
        with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting for notification") as caught:
            in_time(lambda: session.run(after, options=options))
        assert "did not end within 0.2 s" in str(caught.value)
        assert not release.is_set()
    finally:
        release.set()
    time.sleep(0.1)
    assert 99 not in started  # nothing further started once the deadline had passed
    assert session.run(after) == 99.0  # and the session is as good as new
    assert session.run(after, options=options) == 99.0


def test_a_function_may_need_a_lock_that_the_caller_holds_until_the_deadline() -> None:
    lock = threading.Lock()

    def needs() -> Any:
        with lock:
            return np.float32(1)

    with tf.Graph().as_default() as graph:
        y = tf.numpy_function(needs, [], tf.float32)
    session = tf.compat.v1.Session(graph=graph)
    with lock, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(y, options=tf.compat.v1.RunOptions(timeout_in_ms=100))
    assert session.run(y) == 1.0


def test_closing_a_session_cancels_its_runs_when_their_function_ends() -> None:
    started, release = threading.Event(), threading.Event()

    def slow() -> Any:
        started.set()
        release.wait(BOUND)
        return np.float32(1)

    with tf.Graph().as_default() as graph:
        y = tf.numpy_function(slow, [], tf.float32)
    session = tf.compat.v1.Session(graph=graph)
    caught: list[Any] = []

    def ask() -> None:
        try:
            session.run(y)
        except Exception as error:
            caught.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert started.wait(BOUND)
    session.close()
    release.set()
    thread.join(BOUND)
    assert [type(e).__name__ for e in caught] == ["CancelledError"]
    assert "Run call was cancelled" in str(caught[0])


# ---------------------------------------------------------------- run_inline


def test_run_inline_keeps_every_function_on_the_callers_thread() -> None:
    threads: list[int] = []

    def f(*_: Any) -> Any:
        threads.append(threading.get_ident())
        time.sleep(0.02)
        return np.float32(0)

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        calls = [tf.numpy_function(f, [], tf.float32) for _ in range(4)]
        with tf.debugging.run_inline():
            session.run(calls)
        assert threads == [threading.get_ident()] * 4
        tf.debugging.run_inline()
        session.run(calls)
        tf.debugging.run_inline(False)
        assert threads == [threading.get_ident()] * 8


# ---------------------------------------------------------------- other processes


def script(text: str, *, timeout: float = BOUND) -> str:
    """What a Python program of its own prints; it must end by itself, without an error."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


PAIR = """
import os, queue, signal, sys, threading, time
import numpy as np
import inlay as tf

handed = queue.Queue(1)
def give():
    handed.put(np.float32(1)); handed.put(np.float32(2)); return np.float32(0)
def take():
    return handed.get(timeout=20) + handed.get(timeout=20)
with tf.Graph().as_default() as graph:
    calls = [tf.numpy_function(give, [], tf.float32), tf.numpy_function(take, [], tf.float32)]
session = tf.compat.v1.Session(graph=graph)
"""


def test_a_forked_child_runs_graphs_after_the_parent_did() -> None:
    text = PAIR + textwrap.dedent("""
        assert session.run(calls) == [0, 3]
        for _ in range(3):
            child = os.fork()
            if not child:
                signal.alarm(20)
                ok = session.run(calls) == [0, 3] and float(tf.py_function(lambda x: x + 1, [1.0], tf.float32)) == 2
                os._exit(0 if ok else 1)
            assert os.waitpid(child, 0)[1] == 0
        assert session.run(calls) == [0, 3]
        print("both")
    """)
    assert script(text) == "both\n"


def test_a_child_forked_inside_a_function_runs_graphs() -> None:
    text = PAIR + textwrap.dedent("""
        def forks():
            child = os.fork()
            if not child:
                signal.alarm(20)
                os._exit(0 if session.run(calls) == [0, 3] else 1)
            return np.int64(os.waitpid(child, 0)[1])
        with graph.as_default():
            both = [tf.numpy_function(forks, [], tf.int64) for _ in range(2)]
        print(session.run(both))
    """)
    assert script(text) == "[np.int64(0), np.int64(0)]\n"


@pytest.mark.parametrize("case", ["one function", "two functions", "eager", "with a deadline"])
def test_ctrl_c_interrupts_a_blocked_function(case: str) -> None:
    text = PAIR + textwrap.dedent(f"""
        case = {case!r}
        forever = threading.Event()
        def block(*_):
            forever.wait(25)
            return np.float32(0)
        with graph.as_default():
            blocked = [tf.numpy_function(block, [], tf.float32) for _ in range(2 if case == "two functions" else 1)]
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may start tests with Ctrl-C ignored
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        try:
            if case == "eager":
                tf.numpy_function(block, [], tf.float32)
            elif case == "with a deadline":
                session.run(blocked, options=tf.compat.v1.RunOptions(timeout_in_ms=24000))
            else:
                session.run(blocked)
        except KeyboardInterrupt:
            assert time.monotonic() - began < 20
            forever.set()
            assert session.run(calls) == [0, 3]
            print("interrupted")
    """)
    assert script(text) == "interrupted\n"


def test_the_interpreter_exits_while_helpers_are_parked_or_blocked() -> None:
    text = PAIR + textwrap.dedent("""
        assert session.run(calls) == [0, 3]
        with graph.as_default():
            blocked = [tf.numpy_function(lambda: (time.sleep(60), np.float32(0))[1], [], tf.float32) for _ in "ab"]
        try:
            session.run(blocked, options=tf.compat.v1.RunOptions(timeout_in_ms=50))
        except tf.errors.DeadlineExceededError:
            print("left")
    """)
    assert script(text) == "left\n"


# ---------------------------------------------------------------- stress


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_neither_hang_nor_mix_values(seed: int) -> None:
    assert stress.run(seed * 1000).wrong == []


def test_many_random_programs_at_once_neither_hang_nor_mix_values() -> None:
    reports = stress.at_once(range(77_000, 77_120))
    assert [wrong for report in reports for wrong in report.wrong] == []
    assert sum(report.failures_on_purpose for report in reports) > 0
