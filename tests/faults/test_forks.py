"""A forked child may use what it inherited, whatever other threads of the parent were doing at the moment."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")

SETUP = """
import multiprocessing, os, signal, sys, threading, time
import numpy as np
import inlay as tf

with tf.Graph().as_default() as graph:
    v = tf.Variable(np.float32(0))
    step = v.assign_add(1.0)
    host = tf.numpy_function(lambda x: x + np.float32(1), [step], tf.float32)
    noise = tf.random.uniform([2], seed=1)
session = tf.compat.v1.Session(graph=graph)
session.run(v.initializer)
eager = tf.Variable(np.float32(0))

@tf.function
def traced(x):
    if x > 0:
        x = x * 2.0
    return x + eager.assign_add(1.0)

def use():
    "Runs, builds and traces: what takes locks."
    before = session.run(v)
    assert session.run(host) == before + 2
    assert session.run([host, noise])[0] == before + 3
    with graph.as_default():
        assert session.run(v * 0.0 + 1.0) == 1.0
    eager.assign(0.0)
    assert float(traced(tf.constant(2.0))) == 5.0
    both = [tf.numpy_function(lambda: np.float32(1), [], tf.float32) for _ in range(2)]
    assert [float(b) for b in both] == [1.0, 1.0]
    tf.random.uniform([2], seed=3)

def in_child(what):
    "Runs a function in a forked child; its exit status."
    child = os.fork()
    if not child:
        signal.alarm(20)
        try:
            what()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]
"""


def script(folder: Path, text: str) -> str:
    """Runs a program of its own: its forks must not copy the test runner. AutoGraph needs its source in a file."""
    program = folder / "program.py"
    program.write_text(SETUP + textwrap.dedent(text))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=50)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_locks_that_another_thread_held_are_free_in_the_child(tmp_path: Path) -> None:
    text = """
    from inlay._src.base.interpreter import forking
    from inlay._src.engine.run.scheduling import work_stealing
    held, done = threading.Event(), threading.Event()
    def hold():
        locks = [*forking._LOCKS, work_stealing.MONITOR.lock]
        assert len(locks) > 5
        for lock in locks:
            lock.acquire()
        held.set()
        done.wait()
        for lock in locks:
            lock.release()
    holder = threading.Thread(target=hold)
    holder.start()
    held.wait()
    print("child", in_child(use))
    done.set()
    holder.join()
    use()
    print("parent")
    """
    assert script(tmp_path, text) == "child 0\nparent\n"


def test_a_function_that_another_thread_was_tracing_is_traced_in_the_child(tmp_path: Path) -> None:
    text = """
    tracing, go_on, main = threading.Event(), threading.Event(), os.getpid()
    @tf.function
    def slow_to_trace(x):
        if os.getpid() == main:
            tracing.set()
            go_on.wait()
        return x + 1.0
    tracer = threading.Thread(target=slow_to_trace, args=(tf.constant(1.0),))
    tracer.start()
    tracing.wait()
    def child():
        assert float(slow_to_trace(tf.constant(1.0))) == 2.0
    print("child", in_child(child))
    go_on.set()
    tracer.join()
    print(float(slow_to_trace(tf.constant(1.0))))
    """
    assert script(tmp_path, text) == "child 0\n2.0\n"


def test_a_child_forked_while_its_own_thread_traces_finishes_the_trace(tmp_path: Path) -> None:
    text = """
    children = []
    @tf.function
    def forks(x):
        children.append(os.fork())
        return x + 1.0
    if float(forks(tf.constant(1.0))) != 2.0:
        os._exit(3)
    if not children[0]:
        signal.alarm(20)
        ok = float(forks(tf.constant([1.0, 2.0]))[1]) == 3.0 if len(children) == 1 else True
        os._exit(0 if ok else 4)
    print("child", os.waitpid(children[0], 0)[1])
    """
    assert script(tmp_path, text) == "child 0\n"


@pytest.mark.parametrize("how", ["fork", "multiprocessing"])
def test_children_forked_while_another_thread_runs_steps(how: str, tmp_path: Path) -> None:
    text = f"""
    how = {how!r}
    stop = threading.Event()
    def run():
        while not stop.is_set():
            session.run([host, noise])
            with graph.as_default():
                tf.constant(1.0)
            eager.assign_add(1.0)
    def use_and_exit():
        signal.alarm(20)
        use()
    runner = threading.Thread(target=run)
    runner.start()
    codes = []
    for _ in range(15):
        time.sleep(0.002)
        if how == "fork":
            codes.append(in_child(use))
        else:
            child = multiprocessing.get_context("fork").Process(target=use_and_exit)
            child.start()
            child.join()
            codes.append(child.exitcode)
    stop.set()
    runner.join()
    print(set(codes))
    """
    assert script(tmp_path, text) == "{0}\n"


def test_garbage_is_collected_in_the_child_of_a_moment_when_it_was_not_in_the_parent(tmp_path: Path) -> None:
    text = """
    import gc
    from inlay._src.base.interpreter import collector
    paused, done = threading.Event(), threading.Event()
    def pause():
        with collector.paused():
            paused.set()
            done.wait()
    pauser = threading.Thread(target=pause)
    pauser.start()
    paused.wait()
    def child():
        assert gc.isenabled()
        with collector.paused():
            assert not gc.isenabled()
        assert gc.isenabled()
    print("child", in_child(child))
    def from_within():
        with collector.paused():
            print("within", in_child(child))
    done.set()
    pauser.join()
    from_within()
    print(gc.isenabled())
    """
    assert script(tmp_path, text) == "child 0\nwithin 0\nTrue\n"


def test_executors_that_were_used_and_shut_down_before_do_not_matter_to_the_child(tmp_path: Path) -> None:
    text = """
    def call(executor):
        return float(tf.numpy_function(lambda: np.float32(3), [], tf.float32, executor=executor))
    makers = [tf.Threads, lambda: tf.Processes(workers=1)]
    before = [make() for make in makers]
    lasting = [*(make() for make in makers), "threads", "processes"]
    for executor in (*before, *lasting):
        assert call(executor) == 3.0
    for executor in before:
        executor.shutdown()
    def child():
        for executor in lasting:
            assert call(executor) == 3.0
        for executor in before:
            try:
                call(executor)
            except RuntimeError as error:
                assert "shut down" in str(error), error
            else:
                raise AssertionError(executor)
    print("child", in_child(child))
    child()
    """
    assert script(tmp_path, text) == "child 0\n"


def test_a_child_has_the_threads_of_blas_that_its_parent_had() -> None:
    """It was forked while another thread computed a convolution, for which BLAS is held to one."""
    pytest.importorskip("threadpoolctl")
    code = """
        import os, threading
        import numpy
        from threadpoolctl import threadpool_info
        from inlay._src.base.interpreter import blas

        def threads():
            return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

        before = threads()
        inside, forked = threading.Event(), threading.Event()

        def work():
            with blas.one_thread():
                inside.set()
                forked.wait(30)

        thread = threading.Thread(target=work)
        thread.start()
        inside.wait(30)
        assert set(threads()) == {1}
        child = os.fork()
        if not child:
            os._exit(threads() != before)
        _, status = os.waitpid(child, 0)
        forked.set()
        thread.join()
        print(os.waitstatus_to_exitcode(status), threads() == before)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0", "True"], done.stderr
