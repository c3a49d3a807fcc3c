"""Work stealing without a pool: the caller runs its plan inline; when a step blocks, helpers take over other steps.

    caller    runs steps in order and marks each before it starts ("cursor"). Between steps it looks whether the run
              was taken over; if so it joins the others in `Shared.work`.
    monitor   one daemon thread for the process. It looks at the armed runs every `poll_seconds`; a cursor that has not
              moved since the last look means a step blocks: the monitor shares the run. On a shared run it lets more
              stateful steps start while all that run are stuck, and adds helpers.
    helpers   parked daemon threads, made on demand and reused; each runs ready steps of one shared run in a copy of
              the caller's context.

Protocol (both sides see each other's writes in order): the monitor sets `taken`, then reads the
cursor k: step k is the caller's. The caller sets its cursor, then reads `taken`: if it is set, the caller has not
started the step its cursor names. So the caller runs step k exactly once, before or after it notices, and every later
step belongs to the thread that takes it from the shared ready list. A caller that leaves early (an error,
Ctrl-C) marks its run under the monitor's lock, under which runs are shared: afterwards no thread shares its run.

A step blocks if two looks found it running; while threads compute and keep the interpreter, looks are rarer. Stateful
steps start in creation order, one at a time; another may start only while all that run are blocked, and the end of one
takes the permission back. If none may start in that order because it waits for a blocked one, the earliest ready one
starts instead. While a thread of the run is in a debugger nothing more starts. No lock is held while a step runs.

The first error ends the run: nothing further starts, and the caller raises it as soon as it is not inside user code
itself. Steps that wait for other runs are cancelled; those that user code blocks in helpers end in the background, and
their results are dropped.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter import debugger
from inlay._src.base.interpreter.forking import in_child
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.plan import Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run import reference
from inlay._src.engine.run.scheduling.history import History
from inlay._src.engine.run.scheduling.shared_run import Shared


@dataclass(slots=True, eq=False, weakref_slot=True)
class Armed:
    """One run that may be taken over."""

    steps: Sequence[Step]
    calls: Sequence[StepCall]
    cells: list[Any]
    history: History = field(default_factory=History)
    cursor: int = -1
    seen: int = -2
    taken: bool = False
    ended: BaseException | None = None  # why nothing further may start
    shared: Shared | None = None
    caller: int = field(default_factory=threading.get_ident)
    context: contextvars.Context = field(default_factory=contextvars.copy_context)
    waiting: set[Future[Any]] = field(default_factory=set)  # what its steps wait for of other runs

    def end(self, error: BaseException) -> None:
        """Lets nothing further start."""
        with PutOff():
            with MONITOR.lock:  # the monitor shares runs under this lock
                if self.ended is None:
                    self.ended = error
                self.taken = True
                shared = self.shared
            if shared is not None:
                shared.abandon(error)
            else:
                self.cancel_waiting()

    def cancel_waiting(self) -> None:
        """The run has ended early: its steps wait for nothing any more."""
        with MONITOR.lock:
            waiting = list(self.waiting)
        for future in waiting:
            future.cancel()

    def _error(self) -> BaseException | None:
        """The error that ended the run early."""
        return self.ended if self.ended is not None or self.shared is None else self.shared.error

    def wait(self, future: Future[Any]) -> None:
        """Waits in a step for what another run does, until this one ends.

        Raises:
          BaseException: the error that ended this run early.
        """
        with MONITOR.lock:  # `cancel_waiting` comes after the error, so that one of the two sees the other
            self.waiting.add(future)
        try:
            if self._error() is not None:
                future.cancel()
            future.exception()
        except concurrent.futures.CancelledError:
            if (error := self._error()) is not None:
                raise error from None
            raise
        finally:
            self.waiting.discard(future)


class Stop:
    """Ends a run from another thread: calls of executors are cancelled, other steps in progress go on, and nothing
    further starts."""

    def __init__(self) -> None:
        self._error: BaseException | None = None
        self._runs: set[Armed] = set()
        self._lock = threading.Lock()

    def add(self, run: Armed) -> None:
        """Puts a run under this stop."""
        with self._lock:
            self._runs.add(run)
            error = self._error
        if error is not None:
            run.end(error)

    def remove(self, run: Armed) -> None:
        """A run has ended."""
        with self._lock:
            self._runs.discard(run)

    def check(self) -> None:
        """A check within long steps, such as between the iterations of a loop: raises the error that ended the run."""
        if self._error is not None:
            raise self._error

    def stop(self, error: BaseException) -> None:
        """Ends the runs under this stop with `error`, and those to come."""
        with PutOff():
            with self._lock:
                self._error, runs = error, list(self._runs)
            for run in runs:
                run.end(error)


_STOP: contextvars.ContextVar[Stop | None] = contextvars.ContextVar("inlay_stop", default=None)
under: Callable[[Stop], Any] = _STOP.set
"""Puts the runs of this context under a stop, those that are part of another one too."""
stop_in_force: Callable[[], Stop | None] = _STOP.get


_RUN: contextvars.ContextVar[Armed | None] = contextvars.ContextVar("inlay_run", default=None)
run_in_force: Callable[[], Armed | None] = _RUN.get
"""The run that a step belongs to, or the one around it; None for those that nobody can take over or end."""


class _TakenOver(Exception):
    """The step that the cursor names belongs to another thread."""


def _inline(run: Armed) -> int:
    """The caller's steps in order, until the end or until the run is taken over; returns the step not yet run."""

    def run_step(step: Step, call: StepCall, cells: list[Any]) -> None:
        run.cursor += 1
        if run.taken:
            raise _TakenOver
        reference.run_step(step, call, cells)

    try:
        reference.execute(run.steps, run.calls, run.cells, run_step)
    except _TakenOver:
        return run.cursor
    run.cursor = len(run.steps)
    return run.cursor


def execute(
    steps: Sequence[Step],
    calls: Sequence[StepCall],
    cells: list[Any],
    stop: Stop | None = None,
    body: Any = None,
    history: History | None = None,
) -> None:
    """Runs a plan whose host steps do not all depend on one another. Same meaning as `reference.execute`.

    `stop` may end it early from another thread; `body` has the plan's steps as one function of (cells, run).
    """
    run = Armed(steps, calls, cells, history or History())
    before = _RUN.set(run)
    run.context.run(_RUN.set, run)  # where helpers run its steps
    try:
        if stop is not None:
            stop.add(run)
        if history is not None and history.blocks() and not run_inline.on:
            _share_at_once(run)
            MONITOR.arm(run)
            assert run.shared is not None
            run.shared.join(0)
            return
        MONITOR.arm(run)
        k = _inline(run) if body is None else body(cells, run)
        if k == len(steps) and not run.taken:
            return
        if history is not None:
            history.taken_over()
        with MONITOR.lock:  # the monitor shares runs under this lock
            shared, ended = run.shared, run.ended
        if shared is not None:
            shared.join(k)
        elif ended is not None and k < len(steps):
            raise ended
    except BaseException as error:
        run.end(error)
        raise
    finally:
        MONITOR.disarm(run)
        _RUN.reset(before)
        if stop is not None:
            stop.remove(run)


def _share_at_once(run: Armed) -> None:
    """Shares a run before its first step, with a helper for each host step that is ready beside another."""
    with MONITOR.lock:
        if run.ended is not None:
            raise run.ended
        run.taken = True
        shared = run.shared = Shared(run, -1)
    hosts = sum(run.steps[k].host and not run.calls[k].starts for k in shared.ready)
    shared.add_helpers(min(hosts - 1, TUNING.blocking_helpers))


class _Monitor:
    """The process's watcher of armed runs. It parks while there is none."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.armed: dict[int, Armed] = {}
        self.wake = threading.Semaphore(0)
        self.asleep = True
        self.started = False

    def arm(self, run: Armed) -> None:
        """Starts to watch a run."""
        self.armed[id(run)] = run
        if self.asleep:
            with PutOff(), self.lock:
                if self.asleep:
                    self.asleep = False
                    if not self.started:
                        self.started = True
                        threading.Thread(target=self._loop, name="inlay-monitor", daemon=True).start()
                    self.wake.release()

    def disarm(self, run: Armed) -> None:
        """Stops watching a run."""
        self.armed.pop(id(run), None)

    def _loop(self) -> None:
        while True:
            self.wake.acquire()
            idle, pause = 0, TUNING.poll_seconds
            last = time.monotonic()
            while True:
                asleep = time.monotonic()
                time.sleep(pause)
                now = time.monotonic()
                if self._in_vain(now - asleep - pause, now - last):
                    continue
                last = now
                any_armed, busy = self._look_at_all()
                idle = 0 if any_armed else idle + 1
                pause = TUNING.poll_seconds if busy else min(pause * 1.25, TUNING.poll_most_seconds)
                if idle > TUNING.idle_polls:
                    with self.lock:
                        if not self.armed:
                            self.asleep = True
                            break
                    idle = 0

    def _in_vain(self, late: float, since: float) -> bool:
        """Whether a look tells nothing if the monitor woke `late` by so many seconds, and `since` the last one.

        Threads that compute keep the interpreter from all others: a step that does not move may be waiting for nothing
        but its turn, as the monitor was. After two turns for every run what has not moved is blocked.
        """
        return late > TUNING.poll_late_seconds and since < 2 * (len(self.armed) + 1) * sys.getswitchinterval()

    def _look_at_all(self) -> tuple[bool, bool]:
        """(whether a run is armed, whether one had something to start). Keeps no reference to a run."""
        runs = list(self.armed.values())
        busy = False
        for run in runs:
            busy |= self._look_at(run)
        return bool(runs), busy

    def _look_at(self, run: Armed) -> bool:
        if run.ended is not None or (run.shared is not None and run.shared.over()):
            self.disarm(run)  # whatever its caller is doing, nothing further can start
            return False
        if run.shared is not None:
            return run.shared.look()
        cursor = run.cursor
        if cursor != run.seen or cursor < 0:
            run.seen = cursor
            return False
        if run_inline.on or debugger.holds(run.caller):
            return False
        with self.lock:
            if run.ended is not None:
                return False
            run.taken = True
            run.shared = Shared(run, run.cursor)
        run.shared.look()
        return True


@export("debugging.run_inline")
class run_inline:
    """Keeps every run on its caller's thread, step after step: `tf.debugging.run_inline()`.

    Every host function then runs there, asynchronous ones, those that an executor would run, and those of datasets
    that are iterated meanwhile, so that breakpoints and `pdb` work. Nothing is prefetched. Independent functions of one
    run no longer go on while another blocks, and the time limits of runs and executors do not hold. Called alone it
    holds until `run_inline(False)`; as a context manager it holds for the block.

    Args:
      on: whether runs stay inline.
    """

    on: bool = False

    def __init__(self, on: bool = True) -> None:
        self._before, run_inline.on = run_inline.on, bool(on)

    def __enter__(self) -> run_inline:
        return self

    def __exit__(self, *_: object) -> None:
        run_inline.on = self._before


MONITOR = _Monitor()


def _after_fork() -> None:
    """A forked child has none of the parent's threads: start afresh."""
    global MONITOR
    MONITOR = _Monitor()


in_child(_after_fork)
