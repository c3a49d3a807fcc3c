"""Alarms: actions at a later time, on one daemon thread that is made when the first is set."""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections.abc import Callable
from typing import Any

from inlay._src.base.interpreter.conditions import new_condition
from inlay._src.base.interpreter.forking import in_child


class Alarm:
    """An action to come."""

    __slots__ = ("_action", "_alarms")

    def __init__(self, alarms: Alarms, action: Callable[[], Any]) -> None:
        self._alarms, self._action = alarms, action

    _action: Callable[[], Any] | None

    def cancel(self) -> None:
        """Lets the action not happen, and drops it."""
        self._action = None
        self._alarms.cancelled += 1

    def ring(self) -> None:
        """Does the action, unless it was cancelled."""
        action, self._action = self._action, None
        if action is not None:
            action()


class Alarms:
    """The alarms of a process, earliest first. Actions are short, raise nothing and wait for nothing.

    Attributes:
      cancelled: about how many of those that are set were cancelled.
    """

    def __init__(self) -> None:
        self.cancelled: int = 0
        self._turn = new_condition()
        self._set: list[tuple[float, int, Alarm]] = []
        self._count = itertools.count()
        self._running = False

    def after(self, seconds: float, action: Callable[[], Any]) -> Alarm:
        """Sets an alarm.

        Args:
          seconds: the delay.
          action: the function to call then.
        """
        alarm = Alarm(self, action)
        with self._turn:
            if self.cancelled > len(self._set) // 2 + 64:
                self._set = [entry for entry in self._set if entry[2]._action is not None]
                heapq.heapify(self._set)
                self.cancelled = 0
            entry = (time.monotonic() + seconds, next(self._count), alarm)
            heapq.heappush(self._set, entry)
            if not self._running:
                threading.Thread(target=self._loop, name="inlay-alarms", daemon=True).start()
                self._running = True
            elif self._set[0] is entry:
                self._turn.notify()
        return alarm

    def _loop(self) -> None:
        while True:
            with self._turn:
                while not self._set or self._set[0][0] > time.monotonic():
                    self._turn.wait(self._set[0][0] - time.monotonic() if self._set else None)
                alarm = heapq.heappop(self._set)[2]
            alarm.ring()
            del alarm


ALARMS = Alarms()


def _after_fork() -> None:
    """A forked child has none of the parent's threads: start afresh."""
    global ALARMS
    ALARMS = Alarms()


in_child(_after_fork)
