"""Parked daemon threads that take work over: made on demand, reused, never joined; those not needed end.

HELPERS                           run a job each
spread(work, count, threads)      work(0), work(1) ... of one op over large arrays, on this thread and helpers
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from typing import Any

from inlay._src.base.interpreter import floating
from inlay._src.base.interpreter.forking import in_child, new_lock
from inlay._src.base.tuning import TUNING


class Helpers:
    """Parked daemon threads, handed work last-in first-out; a new one is made when none is parked."""

    def __init__(self) -> None:
        self.parked: list[tuple[Any, list[Any]]] = []

    def submit(self, job: Callable[[], None]) -> None:
        """Lets a thread run `job`; RuntimeError if no thread can be had."""
        try:
            lock, box = self.parked.pop()
        except IndexError:
            lock, box = threading.Lock(), []
            lock.acquire()
            threading.Thread(target=self._loop, args=(lock, box), name="inlay-helper", daemon=True).start()
        box.append(job)
        lock.release()

    def _loop(self, lock: Any, box: list[Any]) -> None:
        while True:
            if not lock.acquire(timeout=TUNING.helper_idle_seconds):
                try:
                    self.parked.remove((lock, box))
                except ValueError:  # somebody has just taken this thread, and is about to give it its job
                    lock.acquire()
                else:
                    return
            job = box.pop()
            job()
            del job
            self.parked.append((lock, box))


HELPERS = Helpers()


def _after_fork() -> None:
    """A forked child has none of the parent's threads: start afresh."""
    global HELPERS
    HELPERS = Helpers()


in_child(_after_fork)


# ---------------------------------------------------------------- one op

THREADS = "INLAY_INTRA_OP_THREADS"
"""The environment variable that says how many threads work on one op; worker processes are started with 1."""


def _nothing(turn: int) -> None:
    raise AssertionError(f"turn {turn} of work that is done")


class _SharedWork:
    """Something to be done `count` times, by the next free thread."""

    def __init__(self, work: Callable[[int], None], count: int) -> None:
        self._work, self._count = work, count
        self._turns = itertools.count()
        self._lock = new_lock()
        self._left = count
        self._error: BaseException | None = None
        self._done = threading.Lock()  # held until all is done
        if count:
            self._done.acquire()

    def take_part(self) -> None:
        """Does what nobody else has begun; returns when there is nothing left to begin."""
        done = 0
        while (turn := next(self._turns)) < self._count:
            try:
                if self._error is None:
                    self._work(turn)
            except BaseException as error:
                self._error = error
            done += 1
        with self._lock:
            self._left -= done
            if done and not self._left:
                self._done.release()

    def help(self) -> None:
        """Takes part on a thread of its own."""
        before = floating.silence(floating.SILENT)
        try:
            self.take_part()
        finally:
            floating.restore(before)

    def finish(self) -> None:
        """Waits for the others; raises what failed first."""
        self._done.acquire()
        self._work = _nothing  # a thread that comes late must not keep arrays alive
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None


def _usual_threads() -> int:
    setting = os.environ.get(THREADS, "")
    return int(setting) if setting.isdecimal() and int(setting) else len(os.sched_getaffinity(0))


_USUAL = _usual_threads()
_asked = 0
"""The number that a program asked for, or 0: see `thread_settings`."""


def for_one_op() -> int:
    """The number of threads that one op may have, the caller's counted."""
    return _asked or _USUAL


def spread(work: Callable[[int], None], count: int, threads: int = 0) -> None:
    """Calls `work(0)` to `work(count - 1)`, each once, in no order, on several threads.

    Args:
      work: writes what it makes where no other call does. It runs without floating-point reports.
      count: the number of calls.
      threads: on how many at most, the caller's counted; 0: as many as may be.

    Raises:
      BaseException: the exception of a call; no further one is begun then.
    """
    helpers = min(threads or for_one_op(), count) - 1
    if helpers < 1:
        for turn in range(count):
            work(turn)
        return
    shared = _SharedWork(work, count)
    for _ in range(helpers):
        try:
            HELPERS.submit(shared.help)
        except RuntimeError:  # no more threads can be had: this one does it all
            break
    shared.take_part()
    shared.finish()
