"""Resident memory as a part of the soak goes on, and its bound in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.timing import resident_mb

WARM_UP = 0.25  # share of the count after which memory may not grow any more


def own() -> dict[str, float]:
    """The resident memory of this process, in MB."""
    return {"resident": resident_mb()}


class Memory:
    """What is resident after warm-up, and how much more there ever was.

    Args:
      count: how often the part does what it does.
      sizes: what there is now, in MB, by what it is.
    """

    def __init__(self, count: int, sizes: Callable[[], dict[str, float]] = own) -> None:
        self._from, self._sizes = count * WARM_UP, sizes
        self.at_start = sum(sizes().values())
        self.warm: dict[str, float] | None = None
        self.most: dict[str, float] = {}
        self.total = 0.0

    def look(self, done: int) -> None:
        """Takes a sample."""
        if done < self._from:
            return
        now = self._sizes()
        self.warm = self.warm or now
        self.most = {name: max(mb, self.most.get(name, mb)) for name, mb in now.items()}
        self.total = max(self.total, sum(now.values()))

    def figures(self) -> dict[str, Any]:
        """What the ledger keeps. `grown_mb` is the most seen above the level after warm-up, `grown` by what it is."""
        warm = self.warm
        if warm is None:
            return {"start_mb": self.at_start, "grown_mb": None}
        level = sum(warm.values())
        grown = {name: mb - warm.get(name, 0.0) for name, mb in self.most.items()}
        return {"start_mb": self.at_start, "warm_mb": level, "grown_mb": self.total - level, "grown": grown}


def bounded(count: int, seconds: float, chunk: int) -> Iterator[range]:
    """Ranges that cover `count`, until the time is up."""
    end = time.monotonic() + seconds
    for start in range(0, count, chunk):
        if time.monotonic() > end:
            return
        yield range(start, min(start + chunk, count))
