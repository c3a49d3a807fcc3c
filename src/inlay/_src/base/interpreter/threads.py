"""Parked daemon threads that take work over: made on demand, reused, never joined; those not needed end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from inlay._src.base.interpreter.forking import in_child
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
