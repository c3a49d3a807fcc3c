"""The threads that work on one op over large arrays, while NumPy leaves the interpreter.

    spread(work, count, threads)      work(0), work(1) ... on this thread and its helpers
    ThreadChoice                      on how many threads one place of the program is fastest: estimated, then measured

Two threads share caches and the interpreter in ways that differ from machine to machine: an estimate of one machine is
wrong by half on another. So each place measures both ways and keeps the faster one.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from inlay._src.base.interpreter import floating
from inlay._src.base.interpreter import threads as helping
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.tuning import TUNING

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
        self._done = threading.Event()

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
            if not self._left:
                self._done.set()

    def help(self) -> None:
        """Takes part on a thread of its own."""
        before = floating.silence(floating.SILENT)
        try:
            self.take_part()
        finally:
            floating.restore(before)

    def finish(self) -> None:
        """Waits for the others; raises what failed first."""
        self._done.wait()
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


class OpThreads:
    """A context for work on a number of threads, which is its value.

    Attributes:
      threads: the number.
      measured: whether the work is measured.
    """

    __slots__ = ("threads",)
    measured = False

    def __init__(self, threads: int) -> None:
        self.threads = threads

    def __enter__(self) -> int:
        return self.threads

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        pass


ONE_THREAD = OpThreads(1)
"""The context of work that is too small for a choice."""


class ThreadChoice:
    """On how many threads one place of the program works: the caller's alone, or all that one op may have.

    Each magnitude of work is a state machine of its own, in a dictionary whose operations are atomic:

        estimated ─▶ trial ─ both ways measured ─▶ settled ─ many runs later ─▶ trial ...

    Any thread may move it. Two that do so at once measure or count a run too few or too many, and no result depends on
    that.
    """

    __slots__ = ("_states",)

    def __init__(self) -> None:
        self._states: dict[tuple[int, int], _ThreadTrial | _Settled] = {}

    def over(self, work: float, calls: float) -> OpThreads:
        """A context for the whole of the work; its value is the number of threads.

        Args:
          work: the nanoseconds that it takes on one thread, about.
          calls: the number of NumPy's calls, about.
        """
        threads = _asked or _USUAL
        saved = work - work / threads
        if threads == 1 or saved <= TUNING.thread_wakeup_ns / 2:
            return ONE_THREAD
        if not TUNING.thread_trials:
            return OpThreads(threads if _pays(work, calls, threads) else 1)
        key = threads, math.frexp(work)[1]
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = _ThreadTrial(threads, _pays(work, calls, threads), TUNING.thread_review_runs)
        elif isinstance(state, _Settled):
            state.runs -= 1
            if state.runs > 0:
                return state.context
            state = self._states[key] = _ThreadTrial(threads, state.context.threads > 1, 8 * state.first)
        elif state.settled:
            state = self._states[key] = _Settled(state.settled, state.review)
            return state.context
        return state.run(work)


class _Settled:
    """A choice that holds for a number of runs.

    Attributes:
      context: the context of each.
      first: the number of runs.
      runs: the number of runs that are left.
    """

    __slots__ = ("context", "first", "runs")

    def __init__(self, threads: int, runs: int) -> None:
        self.context, self.first, self.runs = OpThreads(threads), runs, runs


def _pays(work: float, calls: float, threads: int) -> bool:
    """Whether several threads are faster, by the figures of the machine where they were measured."""
    return work - work / threads > TUNING.thread_wakeup_ns + calls * TUNING.interpreter_switch_ns


class _ThreadTrial:
    """Streaks of runs on several threads and on one, by turns: `TUNING.thread_trials` runs each, two of either kind.

    The first run of a streak is not counted: its arrays lie in the cache of another core. The medians of the others
    decide. `_lock` guards the numbers and the times; `settled` is written once.

    Args:
      threads: the number of several threads.
      several: whether they come first, which is what is thought to be faster.
      review: the number of runs for which the result will hold.

    Attributes:
      settled: the faster number of threads; 0 until the trial ends.
    """

    __slots__ = ("_lock", "_runs", "_streaks", "_times", "review", "settled")

    def __init__(self, threads: int, several: bool, review: int) -> None:
        self._lock = new_lock()
        self._streaks = (threads, 1) * 2 if several else (1, threads) * 2
        self._times: dict[int, list[float]] = {threads: [], 1: []}
        self._runs = self.settled = 0
        self.review = review

    def run(self, work: float) -> _MeasuredThreads:
        """A context that measures the next run."""
        with self._lock:
            streak, place = divmod(self._runs, TUNING.thread_trials)
            self._runs += 1
        return _MeasuredThreads(self, self._streaks[streak % len(self._streaks)], work, place > 0)

    def measured(self, threads: int, share: float) -> None:
        """Counts a run that took `share` of its estimate."""
        with self._lock:
            self._times[threads].append(share)
            if self._runs >= len(self._streaks) * TUNING.thread_trials and all(self._times.values()):
                medians = {way: sorted(times)[len(times) // 2] for way, times in self._times.items()}
                several = max(medians)
                self.settled = self.settled or (several if medians[several] < TUNING.thread_gain * medians[1] else 1)


class _MeasuredThreads(OpThreads):
    """One run of a trial. A run that fails has no time.

    Args:
      trial: the trial.
      threads: the number of threads.
      work: the estimate, in nanoseconds.
      counts: whether its time counts.
    """

    __slots__ = ("_begin", "_counts", "_trial", "_work")
    measured = True

    def __init__(self, trial: _ThreadTrial, threads: int, work: float, counts: bool) -> None:
        super().__init__(threads)
        self._trial, self._work, self._counts = trial, work, counts

    def __enter__(self) -> int:
        self._begin = time.perf_counter_ns()
        return self.threads

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None and self._counts:
            self._trial.measured(self.threads, (time.perf_counter_ns() - self._begin) / self._work)


def spread(work: Callable[[int], None], count: int, threads: int = 0) -> None:
    """Calls `work(0)` to `work(count - 1)`, each once, in no order, on several threads.

    Args:
      work: writes what it makes where no other call does. It runs without floating-point reports.
      count: the number of calls.
      threads: on how many at most, the caller's counted; 0: as many as may be.

    Raises:
      BaseException: the exception of a call; no further one is begun then.
    """
    helpers = min(threads or _asked or _USUAL, count) - 1
    if helpers < 1:
        for turn in range(count):
            work(turn)
        return
    shared = _SharedWork(work, count)
    for _ in range(helpers):
        try:
            helping.HELPERS.submit(shared.help)
        except RuntimeError:  # no more threads can be had: this one does it all
            break
    shared.take_part()
    shared.finish()
