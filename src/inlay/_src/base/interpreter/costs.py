"""The cost of NumPy's loops, which decides the number of threads for an array: estimated from sizes, then measured.

The estimates are of the cache of one core (AVX-512, NumPy 2). Two threads share caches and the interpreter in ways that
differ from machine to machine: an estimate of one machine is wrong by half on another. So each place of the program, a
`ThreadChoice`, measures one thread and several and keeps the faster way. What it chooses costs time, never a bit of a
result.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.interpreter.threads import for_one_op
from inlay._src.base.tuning import TUNING

QUICK, PASSES, COMPUTED, HALF, COMPLEX = 0.025, 0.05, 0.125, 2.0, 4.0
"""Nanoseconds per byte: one loop at the speed of memory, a few, one that computes; of 16 bits, of complex numbers."""

_QUICK = frozenset({
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.absolute, np.square, np.maximum, np.minimum, np.floor,
    np.ceil, np.rint, np.trunc, np.conjugate, np.equal, np.not_equal, np.less, np.less_equal, np.greater,
    np.greater_equal, np.logical_and, np.logical_or, np.logical_not, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
    np.invert, np.isnan, np.isinf, np.isfinite,
})  # fmt: skip

_COMPILED_WELL = _QUICK | {np.sqrt, np.reciprocal, np.sign}
"""XLA's exponentials, logarithms and `tanh` take one and a half to three times as long as NumPy's; its sines, powers
and `log1p` two to ten times."""


def is_compiled_well(ufunc: Any) -> bool:
    """Whether XLA's loop for the CPU takes no longer than NumPy's."""
    return ufunc in _COMPILED_WELL


def computes_long(kernel: Any) -> bool:
    """Whether a kernel of inlay says that it takes long for an element; those of 64 bits do better than XLA's."""
    return getattr(kernel, "each", 0) >= 1


def is_quick(ufunc: Any) -> bool:
    """Whether a loop of NumPy's is done as soon as its elements are fetched; no kernel of inlay is."""
    return ufunc in _QUICK


def nanoseconds(function: Any, dtype: np.dtype[Any]) -> float:
    """Per element of its result, of an elementwise function.

    Args:
      function: a ufunc, or a kernel of several; it may say what it takes (`blocks.in_blocks`).
      dtype: the type that it computes with.
    """
    each = getattr(function, "each", None)
    if each is not None:
        return each / 4 * dtype.itemsize  # type: ignore[no-any-return]
    if dtype.itemsize == 2 and dtype.kind not in "iu":  # no core computes with these: they are converted
        return HALF * 2
    if function in _QUICK:
        return QUICK * dtype.itemsize
    if not isinstance(function, np.ufunc):
        return PASSES * dtype.itemsize
    return (COMPLEX if dtype.kind == "c" else COMPUTED) * dtype.itemsize


# ---------------------------------------------------------------- measured


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
        threads = for_one_op()
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
