"""Threads of this process: an executor for functions that wait, and for those that release the interpreter's lock.

    start ─▶ waiting ──a place is free──▶ running on a parked thread ─▶ the next one that waits
                            ▲                        │ makes calls of its own
                            └── lends its place ◀────┘

    call    WAITING ──take──▶ RUNNING ──▶ OVER    `leave` makes it OVER, once; the caller of `leave` settles its future:
               └───────────────────────────▲      the thread that ran it, the alarm of its time limit, or a canceler
    place   free ──take──▶ held ──enter, of an inner call──▶ lent ──leave, of the last inner call──▶ held

All of these change under the lock of `_Places`; futures are settled outside of it.

A pool has `workers` places. A call whose function makes calls of the same pool lends them its place until they have
ended, as it does nothing but wait for them meanwhile; they go first. So calls that nest deeper than there are places
do not wait for one another. A call that nobody waits for any more, because it was cancelled or its time was up, gives
its place up as well: a thread cannot be stopped, so its function goes on in the background and the result is dropped.

The function runs in a copy of the caller's context. The threads are those of `interpreter.threads`: they are made on
demand, serve the thread that needs one, and end when they were not needed for a while.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
import functools
import numbers
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import alarms
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.interpreter.forking import in_child, new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.misuse import explained
from inlay._src.core.executor import Call, Executor, NotifyingFuture

_PLACE: contextvars.ContextVar[_CallPlace | None] = contextvars.ContextVar("inlay_place", default=None)
"""The place of the call whose function is running."""


class _CallPlace:
    """A call's right to run. All fields are guarded by the lock of its `places`.

    Attributes:
      places: the places to which it belongs.
      lender: the place, among the same ones, of the innermost enclosing call.
      held: whether it counts as taken.
      inner: the number of unfinished calls that its call made; while there are any, it is lent to them.
      over: whether the call has ended, or nobody waits for it any more.
    """

    __slots__ = ("around", "held", "inner", "lender", "over", "places")

    def __init__(self, places: _Places, around: _CallPlace | None) -> None:
        self.places, self.around = places, around
        self.held, self.inner, self.over = False, 0, False
        while around is not None and (around.places is not places or around.over):
            around = around.around
        self.lender = around


class _Places:
    """The right to run calls: at most `most` at a time."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.lock = new_lock()
        self.held: int = 0
        self.waiting: deque[_Job] = deque()
        self.jobs: set[_Job] = set()  # calls that have not ended
        self.closed: bool = False

    def enter(self, job: _Job) -> None:
        """A call wants a place."""
        self.jobs.add(job)
        lender = job.place.lender
        if lender is None or lender.over:
            self.waiting.append(job)
            return
        lender.inner += 1
        self._give_up(lender)
        self.waiting.appendleft(job)

    def take(self) -> _Job | None:
        """The call that gets a place now, if there is one."""
        while self.waiting and self.held < self.most:
            job = self.waiting.popleft()
            if not job.place.over:
                job.place.held = True
                self.held += 1
                return job
        return None

    def leave(self, job: _Job) -> bool:
        """A call has ended, or nobody waits for it any more; whether that is news."""
        place = job.place
        if place.over:
            return False
        place.over = True
        self.jobs.discard(job)
        self._give_up(place)
        lender = place.lender
        if lender is not None and lender.inner:
            lender.inner -= 1
            if not lender.inner and not lender.over:  # more than `most` for a moment, rather than one that waits
                lender.held = True
                self.held += 1
        return True

    def _give_up(self, place: _CallPlace) -> None:
        if place.held:
            place.held = False
            self.held -= 1


class _Job(NotifyingFuture):
    """A call, and the future of what it gives. Until it has ended it can be cancelled."""

    def __init__(self, call: Call, pool: Threads, places: _Places) -> None:
        super().__init__()
        self.call: Call = call
        self.pool: Threads = pool
        self.place: _CallPlace = _CallPlace(places, _PLACE.get())
        self.context: contextvars.Context | None = contextvars.copy_context()
        self.thread: int = 0

    def cancel(self) -> bool:
        """Lets nobody wait for the call; one that runs goes on, and its result is dropped."""
        with PutOff():
            with self.place.places.lock:
                left = self.place.places.leave(self)
            if not left:
                return self.cancelled()
            super().cancel()
            self.pool._go_on(self.place.places)
        return True


@export("Threads")
class Threads(Executor):
    """Runs host functions on threads of this process, several at a time: `executor=tf.Threads(workers=8, timeout=2.0)`.

    Use it for functions that wait (for files, sockets, other programs) or release the global interpreter lock, as NumPy
    does in long computations. On a free-threaded Python every function gains. A function may call through the same
    pool without waiting for its workers. It is a `concurrent.futures.Executor` too.

    Args:
      workers: the number of calls that run at a time; None is four more than there are cores, at most 32.
      timeout: the maximum duration of a call in seconds. Then the caller gets a `DeadlineExceededError`. A thread
        cannot be stopped, so the function continues in the background, and its result is dropped.
      initializer: called once on each thread before the pool's first call there.
      initargs: its arguments.

    Raises:
      ValueError: if `workers` or `timeout` is not positive.
    """

    here = True

    def __init__(
        self,
        workers: int | None = None,
        timeout: float | None = None,
        initializer: Callable[..., Any] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        for name, value in (("workers", workers), ("timeout", timeout)):
            if value is not None and not isinstance(value, numbers.Real):
                raise TypeError(f"Threads: {name} must be a number, got {value!r}")
        if workers is not None and workers < 1:
            raise ValueError(f"Threads: workers must be at least 1, got {workers!r}")
        if timeout is not None and not timeout > 0:
            raise ValueError(f"Threads: timeout must be a positive number of seconds, got {timeout!r}")
        self.workers: int = min(32, (os.cpu_count() or 1) + 4) if workers is None else workers
        self.timeout = timeout
        self._initializer, self._initargs = initializer, initargs
        self._initialized = threading.local()
        self._places = _Places(self.workers)
        _POOLS.add(self)

    def __repr__(self) -> str:
        limit = "" if self.timeout is None else f", timeout={self.timeout!r}"
        return f"Threads(workers={self.workers}{limit})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A function that captures a pool and travels has one like it where it arrives."""
        return Threads, (self.workers, self.timeout, self._initializer, self._initargs)

    def start(self, call: Call) -> Future[Any]:
        places = self._places
        job = _Job(call, self, places)
        try:
            with PutOff():
                with places.lock:
                    if places.closed:
                        raise errors.refused(
                            errors.FailedPreconditionError,
                            RuntimeError,
                            f"{self!r} was shut down: it takes no more calls. Make another one",
                        )
                    places.enter(job)
                self._go_on(places)
        except BaseException:  # the refusal, or Ctrl-C
            if job in places.jobs:
                job.cancel()
            raise
        return job

    @explained
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more calls.

        Args:
          wait: whether to return only when those that were taken have ended.
          cancel_futures: whether to cancel those that wait for a worker.
        """
        places = self._places
        with places.lock:
            places.closed = True
            jobs, waiting = list(places.jobs), list(places.waiting)
        if cancel_futures:
            for job in waiting:
                job.cancel()
        if wait:
            concurrent.futures.wait(jobs)

    def pending(self) -> list[str]:
        with self._places.lock:
            jobs = list(self._places.jobs)
        return [
            f"{job.call.description}: {f'runs on thread {job.thread}' if job.thread else 'waits for a worker'}"
            for job in jobs
        ]

    def _go_on(self, places: _Places) -> None:
        """Gives places that are free to calls that wait."""
        while True:
            with places.lock:
                job = places.take()
            if job is None:
                return
            try:
                parked.HELPERS.submit(functools.partial(self._work, job))
            except RuntimeError as error:
                self._settle(job, None, _no_thread(self, error))

    def _work(self, job: _Job | None) -> None:
        """A thread's part: a call, and those that wait, as long as there are any."""
        while job is not None:
            places = job.place.places
            self._perform(job)
            del job
            with places.lock:
                job = places.take()

    def _perform(self, job: _Job) -> None:
        context, job.context = job.context, None
        assert context is not None
        job.thread = threading.get_ident()
        value, failure, alarm = None, None, None
        try:
            if self.timeout is not None:
                alarm = alarms.ALARMS.after(self.timeout, functools.partial(self._late, job))
            value = context.run(self._call, job)
        except BaseException as error:
            failure = error
        if alarm is not None:
            alarm.cancel()
        self._settle(job, value, failure)
        del job, value, failure  # the traceback of a failure has this frame

    def _call(self, job: _Job) -> Any:
        _PLACE.set(job.place)
        if self._initializer is not None and not hasattr(self._initialized, "done"):
            self._initializer(*self._initargs)
            self._initialized.done = True
        call = job.call
        del job  # the traceback of a failure has this frame
        return call.function(*call.args, **call.kwargs)

    def _settle(self, job: _Job, value: Any, failure: BaseException | None) -> None:
        """Settles the future of a call, unless it is settled."""
        with job.place.places.lock:
            left = job.place.places.leave(job)
        if not left:
            return
        if failure is None:
            job.set_result(value)
        else:
            job.set_exception(failure)

    def _late(self, job: _Job) -> None:
        late = errors.DeadlineExceededError(
            None, None, overdue(job.call.label, self.timeout, "it goes on in the background")
        )
        self._settle(job, None, late)
        self._go_on(job.place.places)


def overdue(label: str, timeout: float | None, what: str) -> str:
    """The message for a call that took longer than its executor allows. Its further course is in `what`."""
    return (
        f"{label} did not end within {timeout:g} s, the timeout of its executor; {what}, and its result is dropped "
        "(inlay explain deadline)"
    )


def _no_thread(pool: Threads, error: RuntimeError) -> errors.OpError:
    refusal = errors.ResourceExhaustedError(None, None, f"{pool!r} cannot have another thread now: {error}")
    refusal.__cause__ = error
    return refusal


_POOLS: weakref.WeakSet[Threads] = weakref.WeakSet()


def _after_fork() -> None:
    """A forked child has none of the parent's threads: calls that were running there do not end here."""
    for pool in list(_POOLS):
        closed = pool._places.closed
        pool._places = _Places(pool.workers)
        pool._places.closed = closed


in_child(_after_fork)
