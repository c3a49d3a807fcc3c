"""How a case is timed: a `Timed` makes a number of calls and says how many seconds they took."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from typing import Any

Timed = Callable[[int], float]
Builder = Callable[[Any], Timed]


def loop(call: Callable[[], Any]) -> Timed:
    """Times `call()` repeated in a plain loop.

    Args:
      call: the whole of what is measured, without arguments.
    """

    def timed(calls: int) -> float:
        rounds = itertools.repeat(None, calls)
        start = time.perf_counter()
        for _ in rounds:
            call()
        return time.perf_counter() - start

    return timed


def staged(prepare: Callable[[], Callable[[], Any]]) -> Timed:
    """Times only what `prepare()` returns, prepared afresh for every call."""

    def timed(calls: int) -> float:
        seconds = 0.0
        for _ in range(calls):
            call = prepare()
            start = time.perf_counter()
            call()
            seconds += time.perf_counter() - start
        return seconds

    return timed


def control(_: Any) -> Timed:
    """The control case: Python and nothing else. It exposes a slow machine, and processes that differ."""

    def body(value: int) -> int:
        return value + 1

    def call() -> int:
        value = 0
        for _ in range(1000):
            value = body(value)
        return value

    return loop(call)


def resident_mb() -> float:
    """Resident memory of this process, in MB."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
