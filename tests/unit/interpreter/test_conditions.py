"""Conditions and events: what `threading`'s do, and a lock that no interrupt leaves held."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from inlay._src.base.interpreter.conditions import Condition, Event
from tests.faults.interrupts import Interrupt

BOUND = 30.0


def beside(work: Callable[[], Any]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def waiting(condition: Condition, count: int) -> None:
    """Returns when so many threads wait."""
    until = time.monotonic() + BOUND
    while time.monotonic() < until:
        with condition:
            if len(condition._waiters) == count:
                return
        time.sleep(0.001)
    raise AssertionError("they never came")


def test_it_is_a_lock_that_a_thread_may_take_twice() -> None:
    condition = Condition()
    with condition, condition:
        assert condition.acquire(False)
        condition.release()
        taken: list[bool] = []
        beside(lambda: taken.append(condition.acquire(False))).join(BOUND)
        assert taken == [False]
    beside(lambda: taken.append(condition.acquire(False))).join(BOUND)
    assert taken == [False, True]


def test_those_that_came_first_go_on_first() -> None:
    condition, order = Condition(), []

    def wait(number: int) -> None:
        with condition:
            assert condition.wait()
            order.append(number)

    threads = []
    for number in range(4):
        threads.append(beside(lambda number=number: wait(number)))
        waiting(condition, number + 1)
    for left, count in ((3, 1), (1, 2)):
        with condition:
            condition.notify(count)
        waiting(condition, left)
        for thread in threads[: 4 - left]:
            thread.join(BOUND)
    with condition:
        condition.notify_all()
        condition.notify()  # nobody is left
    threads[3].join(BOUND)
    assert order[0] == 0 and sorted(order[1:3]) == [1, 2] and order[3] == 3


@pytest.mark.parametrize("timeout", [0.01, 0, -1])
def test_a_wait_ends_at_its_limit(timeout: float) -> None:
    condition = Condition()
    with condition:
        assert not condition.wait(timeout)
        assert not condition.wait_for(lambda: False, timeout)
        assert condition.wait_for(lambda: 3, timeout) == 3  # type: ignore[arg-type,comparison-overlap]
    assert not condition._waiters and not condition._is_owned()


def test_who_does_not_own_the_lock_once_does_not_wait() -> None:
    condition = Condition()
    with pytest.raises(RuntimeError, match="does not own"):
        condition.wait(0.01)
    assert not condition._is_owned()
    with pytest.raises(RuntimeError, match="more than once"), condition, condition:
        condition.wait(0.01)
    assert not condition._is_owned() and not condition._waiters


def test_an_event_lets_all_go_on() -> None:
    event, gone = Event(), []
    assert not event.is_set() and not event.wait(0.01)
    threads = [beside(lambda: gone.append(event.wait(BOUND))) for _ in range(3)]
    event.set()
    for thread in threads:
        thread.join(BOUND)
    assert gone == [True] * 3 and event.is_set() and event.wait()
    event.clear()
    assert not event.is_set()


FORK = """
import os, threading
from inlay._src.base.interpreter.conditions import new_condition
condition, taken, leave = new_condition(), threading.Event(), threading.Event()
def hold():
    with condition:
        taken.set()
        leave.wait()
holder = threading.Thread(target=hold)
holder.start()
taken.wait()
child = os.fork()
if not child:
    os._exit(0 if condition.acquire(False) else 1)
leave.set()
holder.join()
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_the_lock_is_free_in_a_forked_child() -> None:
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], timeout=BOUND).returncode == 0


def interrupted(work: Callable[[], Any], number: int) -> bool:
    """Runs `work` on this thread with a SIGINT at one of its places; False if it has fewer places."""
    interrupt, before = Interrupt(number), sys.gettrace()
    try:
        sys.settrace(interrupt)
        work()
    except KeyboardInterrupt:
        assert interrupt.place
    finally:
        sys.settrace(before)
    return bool(interrupt.place)


def is_free(condition: Condition) -> bool:
    """Whether another thread gets the lock."""
    taken: list[bool] = []

    def take() -> None:
        with condition:
            taken.append(True)

    beside(take)
    until = time.monotonic() + BOUND
    while not taken and time.monotonic() < until:
        time.sleep(0.001)
    return taken == [True]


@pytest.mark.parametrize("notified", [True, False])
def test_an_interrupt_leaves_the_lock_free_and_nobody_in_the_line(notified: bool) -> None:
    condition, event, done = Condition(), Event(), threading.Event()

    def work() -> None:
        with condition:
            condition.wait(BOUND if notified else 0.0)
        with condition:
            condition.notify_all()
        event.wait(0.0)
        event.set()
        event.wait()

    def notify() -> None:
        while not done.wait(0.001):
            with condition:
                condition.notify_all()

    helper = beside(notify) if notified else None
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        number = 1
        while interrupted(work, number):
            assert is_free(condition) and is_free(event._changed)
            assert not any(waiter.locked() for waiter in condition._waiters)  # a released one is passed over
            event.clear()
            number += 1
    finally:
        signal.signal(signal.SIGINT, handler)
        done.set()
    if helper is not None:
        helper.join(BOUND)
    assert number > 15
