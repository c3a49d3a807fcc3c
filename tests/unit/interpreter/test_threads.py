"""Daemon threads that take work over: made on demand and reused."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.threads import Helpers
from inlay._src.base.tuning import TUNING

BOUND = 30.0  # seconds; a hang, not a speed


def eventually(holds: Any) -> bool:
    until = time.monotonic() + BOUND
    while not holds() and time.monotonic() < until:
        time.sleep(0.001)
    return bool(holds())


def _done(event: threading.Event) -> None:
    assert event.wait(20)


def test_work_is_done_on_another_thread() -> None:
    seen: list[int] = []
    done = threading.Event()
    Helpers().submit(lambda: (seen.append(threading.get_ident()), done.set()))  # type: ignore[func-returns-value]
    _done(done)
    assert seen != [threading.get_ident()]


def test_a_thread_whose_work_is_done_takes_the_next() -> None:
    helpers, seen = Helpers(), []
    for _ in range(5):
        done = threading.Event()

        def job(done: threading.Event = done) -> None:
            seen.append(threading.get_ident())
            done.set()

        helpers.submit(job)
        _done(done)
        time.sleep(0.02)
    assert len(set(seen)) == 1


def test_work_that_overlaps_gets_a_thread_each() -> None:
    helpers, barrier, seen = Helpers(), threading.Barrier(4), []

    def job() -> None:
        barrier.wait(20)
        seen.append(threading.get_ident())

    for _ in range(3):
        helpers.submit(job)
    barrier.wait(20)
    for _ in range(200):
        if len(seen) == 3:
            break
        time.sleep(0.01)
    assert len(set(seen)) == 3


def test_the_threads_are_daemons_and_named() -> None:
    done, found = threading.Event(), []

    def job() -> None:
        found.append(threading.current_thread())
        done.set()

    Helpers().submit(job)
    _done(done)
    assert found[0].daemon and found[0].name == "inlay-helper"


def test_a_job_is_not_kept_alive_by_the_thread_that_did_it() -> None:
    import weakref

    class Job:
        def __init__(self) -> None:
            self.done = threading.Event()

        def __call__(self) -> None:
            self.done.set()

    job = Job()
    done, kept = job.done, weakref.ref(job)
    Helpers().submit(job)
    _done(done)
    del job
    for _ in range(100):
        if kept() is None:
            break
        time.sleep(0.01)
    assert kept() is None


def test_a_thread_that_is_not_needed_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "helper_idle_seconds", 0.01)
    helpers, threads = parked.Helpers(), []
    done = threading.Event()
    for _ in range(4):
        helpers.submit(lambda: (threads.append(threading.current_thread()), done.wait(BOUND)))  # type: ignore[arg-type]
    done.set()
    assert eventually(lambda: len(threads) == 4 and not any(t.is_alive() for t in threads))
    assert helpers.parked == []
    again = threading.Event()
    helpers.submit(again.set)
    assert again.wait(BOUND)


def test_threads_that_end_just_when_they_are_needed_lose_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "helper_idle_seconds", 0.0005)
    helpers, done = parked.Helpers(), threading.Semaphore(0)
    for i in range(300):
        helpers.submit(done.release)
        assert done.acquire(timeout=BOUND)
        time.sleep(0.0004 + 0.0000005 * i)
