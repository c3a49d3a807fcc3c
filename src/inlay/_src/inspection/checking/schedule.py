"""Threads that take turns at lines of the user's code, in an order that a seed decides.

    thread 0  ──line──┐                  ┌──line──…
    thread 1          └──line──line──┐   │
    thread 2                         └───┘        one runs, the others wait for the baton

A race between two lines is met whenever the seed switches there, on any machine. A thread that holds the baton and
waits for a lock of another one gives it up after a moment, so that a function with locks of its own goes on.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from inlay._src.base.interpreter.conditions import Condition
from inlay._src.inspection.checking.tracing import is_users

_PATIENCE = 0.02  # seconds until the baton is taken from a thread that reached no line
_MOST_STEPS = 3_000


class Schedule:
    """One order of turns.

    Args:
      count: the number of threads.
      seed: decides the order.
      opcodes: whether threads may also change within a line.
    """

    def __init__(self, count: int, seed: int, opcodes: bool) -> None:
        self._random = random.Random(seed)
        self._opcodes, self._odds = opcodes, 0.15 if opcodes else 0.5
        self._changed = Condition()
        self._running = set(range(count))
        self._turn, self._steps = self._random.randrange(count), 0

    def run(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Runs each task on a thread of its own; a task that raises has its exception as its result."""
        results: list[Any] = [None] * len(tasks)

        def work(number: int) -> None:
            self._pause(number)
            sys.settrace(lambda frame, event, argument: self._begin(number, frame))
            try:
                results[number] = tasks[number]()
            except Exception as error:
                results[number] = error
            finally:
                sys.settrace(None)
                self._leave(number)

        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(len(tasks))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return results

    def _begin(self, number: int, frame: FrameType) -> Any:
        if not is_users(frame.f_code.co_filename) or self._steps > _MOST_STEPS:
            return None
        frame.f_trace_opcodes = self._opcodes

        def step(frame: FrameType, event: str, argument: Any) -> Any:
            if self._steps > _MOST_STEPS:
                frame.f_trace = None
                return None
            self._step(number)
            return step

        return step

    def _step(self, number: int) -> None:
        with self._changed:
            self._steps += 1
            if self._turn == number and self._random.random() < self._odds:
                self._turn = self._random.choice(sorted(self._running))
                self._changed.notify_all()
        self._pause(number)

    def _pause(self, number: int) -> None:
        """Waits for the turn of a thread."""
        with self._changed:
            while self._turn != number and self._steps <= _MOST_STEPS:
                steps = self._steps
                if not self._changed.wait(_PATIENCE) and steps == self._steps:
                    self._turn = number  # the holder waits for something itself

    def _leave(self, number: int) -> None:
        with self._changed:
            self._running.discard(number)
            if self._turn == number and self._running:
                self._turn = self._random.choice(sorted(self._running))
            self._changed.notify_all()


def at_once(tasks: Sequence[Callable[[], Any]], interval: float) -> list[Any]:
    """Runs tasks on threads that begin together and change as often as the interpreter can.

    Args:
      tasks: one for each thread.
      interval: seconds after which the interpreter changes the thread.
    """
    results: list[Any] = [None] * len(tasks)
    barrier = threading.Barrier(len(tasks))

    def work(number: int) -> None:
        barrier.wait()
        try:
            results[number] = tasks[number]()
        except Exception as error:
            results[number] = error

    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(len(tasks))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    return results
