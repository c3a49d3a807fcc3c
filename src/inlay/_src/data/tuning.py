"""AUTOTUNE: where a function of elements runs is measured while it is iterated, and said.

    inline ──▶ quick? that is it ──▶ threads ──▶ other processes, if they may be ──▶ the cheapest of them

The cost of a way is the time in which it had work, divided by the number of its elements: a slow consumer makes no way
look slow. Every element that is measured is one that is wanted, so nothing is computed twice.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.tuning import TUNING
from inlay._src.data.element import Values
from inlay._src.data.working import Inline, Landed, Way, Work


class _Trial:
    """The measurements of one strategy."""

    def __init__(self, way: Way, warm: int) -> None:
        self.way, self._warm = way, warm
        self.elements = 0
        self._spans: list[tuple[float, float]] = []

    def add(self, work: Work, begin: float, end: float) -> None:
        if self._warm:
            self._warm -= 1
            return
        self._spans.append((begin, end))
        self.elements += len(work.elements)

    @property
    def busy(self) -> float:
        """Seconds in which there was something to do."""
        total, latest = 0.0, 0.0
        for begin, end in sorted(self._spans):
            total += max(0.0, end - max(begin, latest))
            latest = max(latest, end)
        return total

    @property
    def cost(self) -> float:
        """Seconds per element. One after the other they have a median, which a busy machine moves least."""
        if isinstance(self.way, Inline):
            return statistics.median(end - begin for begin, end in self._spans)
        return self.busy / max(self.elements, 1)

    @property
    def over(self) -> bool:
        """Whether enough was measured."""
        return self.elements >= TUNING.trial_elements or (
            self.elements >= TUNING.trial_least_elements and self.busy >= TUNING.trial_seconds
        )


class Tuned(Way):
    """The way that costs least.

    Args:
      run: the function, for `Inline`.
      pooled: makes the way on threads, of how many.
      elsewhere: makes the way in other processes, or returns None if the function cannot go there; None where they are
        not to be used.
      cores: the number of threads that may compute.
    """

    def __init__(
        self,
        run: Callable[[Values, int], Any],
        pooled: Callable[[int], Way],
        elsewhere: Callable[[], Way | None] | None,
        cores: int,
    ) -> None:
        self._pooled, self._elsewhere, self._cores = pooled, elsewhere, cores
        self._trial: _Trial | None = _Trial(Inline(run), TUNING.trial_warm_elements)
        self._done: list[_Trial] = []
        self._chosen: Way = self._trial.way
        self._computes = 0.0
        self._reason = ""

    @property
    def most(self) -> int:  # type: ignore[override]
        """See `Way`."""
        return self._chosen.most

    @property
    def size(self) -> int:  # type: ignore[override]
        """See `Way`."""
        return self._chosen.size

    @property
    def label(self) -> str:  # type: ignore[override]
        """The choice, and its reason."""
        costs = ", ".join(f"{t.way.label} {t.cost * 1e6:.0f} us" for t in self._done)
        if self._trial is not None:
            return f"AUTOTUNE measures {self._trial.way.label}" + (f" ({costs})" if costs else "")
        return f"AUTOTUNE picked {self._chosen.label} ({costs} per element{self._reason})"

    def begin(self, work: Work, landed: Landed) -> None:
        trial, way = self._trial, self._chosen
        if trial is None:
            work.way = way
            way.begin(work, landed)
            return
        work.way = way
        work.began = time.perf_counter()
        processor = time.thread_time()
        way.begin(work, _Stamping(landed))
        if isinstance(way, Inline) and trial.elements:
            computed = (time.thread_time() - processor) / max(work.ended - work.began, 1e-9)
            self._computes = max(self._computes, computed)

    def end(self, work: Work, landed: Landed) -> None:
        work.way.end(work, landed)
        trial = self._trial
        if trial is None or not work.over or work.way is not trial.way:
            return
        trial.add(work, work.began, work.ended)
        if trial.over:
            self._next(trial)

    def _next(self, trial: _Trial) -> None:
        """The next trial, or the choice."""
        self._done.append(trial)
        count = len(self._done)
        inline = self._done[0].cost
        if count == 1 and inline >= TUNING.thread_element_seconds:
            self._try(self._pooled(TUNING.waiting_calls if self._computes < TUNING.waiting_share else self._cores))
        elif count == 2 and (way := self._way_elsewhere(inline)) is not None:
            self._try(way)
        else:
            self._choose()

    def _way_elsewhere(self, inline: float) -> Way | None:
        """The way in other processes, if it may cost less than threads."""
        if inline < TUNING.process_element_seconds or not self._gains_little():
            return None
        way = None if self._elsewhere is None else self._elsewhere()
        if way is None:
            self._reason = "; threads gain little, and the function may have effects or captures what stays here"
        return way

    def _gains_little(self) -> bool:
        return self._done[1].cost > self._done[0].cost * 0.75

    def _try(self, way: Way) -> None:
        self._chosen = way
        self._trial = _Trial(way, 2 * way.most)

    def _choose(self) -> None:
        self._trial = None
        best = self._done[0]
        for trial in self._done[1:]:
            if trial.cost < best.cost * TUNING.strategy_gain:
                best = trial
        self._chosen = best.way

    def cancel(self, works: Sequence[Work]) -> None:
        for work in works:
            if work.way is not None:
                work.way.cancel([work])

    def close(self) -> None:
        for trial in (*self._done, *([] if self._trial is None else [self._trial])):
            trial.way.close()


class _Stamping:
    """Notes when a work landed."""

    __slots__ = ("_landed",)

    def __init__(self, landed: Landed) -> None:
        self._landed = landed

    def put(self, item: Any) -> None:
        """Passes it on."""
        item.ended = time.perf_counter()
        self._landed.put(item)


def cores(budget: int | None) -> int:
    """The number of threads that may compute."""
    return int(budget or os.cpu_count() or 1)
