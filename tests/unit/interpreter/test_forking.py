"""Locks are free in a forked child, unless the thread that forked holds them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from inlay._src.base.interpreter import forking

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")

SETUP = """
import gc, os, threading
from inlay._src.base.interpreter import collector, forking

def in_child(check):
    child = os.fork()
    if child == 0:
        try:
            os._exit(0 if check() else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

def held_by_another(lock):
    taken, go_on = threading.Event(), threading.Event()
    def hold():
        with lock:
            taken.set()
            go_on.wait(30)
    threading.Thread(target=hold).start()
    taken.wait(30)
    return go_on.set
"""


def _fresh(code: str) -> None:
    """Runs code in an interpreter of its own: what other tests loaded may warn of forks."""
    done = subprocess.run(
        [sys.executable, "-c", SETUP + textwrap.dedent(code)], capture_output=True, text=True, timeout=50
    )
    assert done.returncode == 0, done.stderr


@forks
@pytest.mark.parametrize("make", ["new_lock", "new_rlock"])
def test_a_lock_that_another_thread_held_is_free_in_the_child_only(make: str) -> None:
    _fresh(f"""
        lock = forking.{make}()
        end = held_by_another(lock)
        try:
            in_child(lambda: lock.acquire(timeout=1))
            assert not lock.acquire(blocking=False)
        finally:
            end()
    """)


@forks
def test_a_re_entrant_lock_that_the_forking_thread_holds_stays_its_own() -> None:
    _fresh("""
        lock = forking.new_rlock()
        def check():
            lock.release()  # as the `with` block of the parent will
            return lock.acquire(timeout=1)
        with lock:
            in_child(check)
    """)


@forks
def test_actions_run_in_a_child_in_the_order_they_were_given_and_never_in_the_parent() -> None:
    _fresh("""
        seen = []
        forking.in_child(lambda: seen.append(1))
        forking.in_child(lambda: seen.append(2))
        in_child(lambda: seen == [1, 2])
        assert seen == []
    """)


@forks
def test_a_child_forked_while_collection_is_paused_collects_again() -> None:
    _fresh("""
        with collector.paused():
            in_child(gc.isenabled)
            assert not gc.isenabled()
        assert gc.isenabled()
    """)


@forks
def test_a_child_forked_while_another_thread_pauses_may_pause_too() -> None:
    _fresh("""
        end = held_by_another(collector.paused())
        def check():
            with collector.paused():
                inside = gc.isenabled()
            return not inside and gc.isenabled()
        try:
            in_child(check)
        finally:
            end()
    """)


@forks
def test_caches_go_on_in_a_child_with_what_the_parent_kept() -> None:
    _fresh("""
        from inlay._src.base.interpreter.caches import BoundedCache
        cache = BoundedCache("mine", 2)
        cache["a"] = 1
        def check():
            cache["b"], cache["c"] = 2, 3
            return dict(cache) == {"b": 2, "c": 3}
        in_child(check)
        assert dict(cache) == {"a": 1}
    """)


def test_locks_work_as_locks() -> None:
    lock, again = forking.new_lock(), forking.new_rlock()
    with lock:
        assert not lock.acquire(blocking=False)
    with again, again:
        pass
    assert lock.acquire(blocking=False)
    lock.release()


def test_a_lock_nobody_has_any_more_is_forgotten() -> None:
    before = len(forking._LOCKS)
    made = [forking.new_lock() for _ in range(10)]
    assert len(forking._LOCKS) == before + 10
    del made
    assert len(forking._LOCKS) == before
