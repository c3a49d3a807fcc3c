"""`Processes`: functions run in warm worker processes, at most once unless they may be repeated.

    caller ─ run ────────────▶ takes an idle WorkerProcess, sends a Packet, reads the answer itself: no other thread
           ─ start_many ─▶ CallScheduler: queue; then reads answers itself, as long as it waits for its batch
           ─ start ──────▶ CallScheduler: queue ─▶ Dispatcher: its thread reads answers, completes futures
                                  │ ▲
                        requests  │ │  answers            sockets of whole packets; large arrays in memory
                                  ▼ │                     segments without a name (`wire`)
                               Child, in each worker process: reads one request, runs it, answers
                                  └─ the pullbacks that it keeps; a `RemotePullback` in the pool's process reaches them

Workers are started when they are needed, up to `workers`: a plain interpreter that imports nothing of the program's
own, so no `if __name__ == "__main__"` is needed. A function is sent once to each worker, which caches it by its digest.

Short calls are sent ahead of time, a few to each worker; calls that wait together share a message. A worker reads a
message only to run its calls, and the pool can read the same socket: it takes back the messages that were not read when
another worker is idle. A call is marked as begun just before it runs, also within a message, and its answer is in
memory that the pool shares as soon as it ends; the answers to the calls of one message are sent together, about every
millisecond. The pool therefore knows of every call whether it began and whether it ended, and runs those that did not
begin elsewhere when their worker died. A call that began there and did not end is run again if it is repeatable, at
most `retries` times; else it fails.

A worker ends with this process, whatever ends that: the kernel kills it when its lifeline is cut. In a forked child the
pool starts afresh. A worker that calls a pool has one of its own; deeper than that, calls run in the worker itself.
"""

from __future__ import annotations

import atexit
import itertools
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.interpreter.forking import in_child, new_lock
from inlay._src.base.misuse import explained
from inlay._src.core.executor import Batch, Call, Executor, NotifyingFuture
from inlay._src.host import bodies
from inlay._src.host.executors import outcome
from inlay._src.host.executors.processes.options import DEEPEST, DEPTH, START_SECONDS, PoolOptions, shut_down


@export("Processes")
class Processes(Executor):
    """Runs functions in worker processes of this machine: `tf.py_function(f, [x], tf.int32, executor=tf.Processes(4))`.

    Arrays are passed in shared memory. Output and log records of a function appear in this process, with the name of
    its op. If a worker dies, the error names the probable cause, and a new worker replaces it.

    Args:
      workers: the maximum number of processes; None is one per core that this process may use.
      initializer: called in each worker before anything else.
      initargs: its arguments.
      environment: additional environment variables of the workers. Numeric libraries are limited to
        one thread per worker (`OMP_NUM_THREADS` and its like) unless it says otherwise.
      memory_limit: the maximum resident memory of a worker in bytes. A worker above it is killed; its call fails.
      timeout: the maximum duration of a call in seconds. A worker that takes longer is killed; its call fails.
      retries: the number of times that a repeatable call (`stateful=False`) is run again if its worker is lost.
      start_timeout: seconds that a worker may take until it is ready, `initializer` included; one that takes longer is
        killed and another one started. After three in a row the call that waited for them fails.

    Raises:
      ValueError: if a number is out of range.
    """

    def __init__(
        self,
        workers: int | None = None,
        initializer: Callable[..., Any] | None = None,
        initargs: Sequence[Any] = (),
        environment: Mapping[str, str] | None = None,
        memory_limit: int | None = None,
        timeout: float | None = None,
        retries: int = 2,
        start_timeout: float = START_SECONDS,
    ) -> None:
        for name, value, least in (("workers", workers, 1), ("memory_limit", memory_limit, 1), ("retries", retries, 0)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
                raise ValueError(f"tf.Processes: {name} must be an int of at least {least}, got {value!r}")
        for name, seconds in (("timeout", timeout), ("start_timeout", start_timeout)):
            if not (seconds > 0 if seconds is not None else name == "timeout"):
                raise ValueError(f"tf.Processes: {name} must be a positive number of seconds, got {seconds!r}")
        if initializer is not None and not callable(initializer):
            raise TypeError(f"tf.Processes: initializer must be callable, got {initializer!r}")
        self._options = PoolOptions(
            workers,
            initializer,
            tuple(initargs),
            dict(environment or {}),
            memory_limit,
            timeout,
            retries,
            start_timeout,
        )
        self.timeout = timeout
        self.workers: Any = workers or len(os.sched_getaffinity(0))
        self._begin()
        _POOLS.add(self)

    def _begin(self) -> None:
        from inlay._src.host.executors.processes.dispatcher import (
            PoolDispatcher,  # now: a fork must not come upon an import
        )

        self._make = PoolDispatcher
        self._dispatcher: Any = None
        self._closed = False
        self._lock = new_lock()
        self._depth = int(os.environ.get(DEPTH, 0))

    def __reduce__(self) -> Any:
        return Processes, tuple(self._options)

    def __repr__(self) -> str:
        options = zip(PoolOptions._fields, self._options, PoolOptions(), strict=True)
        return f"Processes({', '.join(f'{name}={value!r}' for name, value, default in options if value != default)})"

    # ---- calls

    def start(self, call: Call) -> Future[Any]:
        if self._depth >= DEEPEST:
            return _in_place(call)
        return (self._dispatcher or self._started()).start(call)  # type: ignore[no-any-return]

    def start_many(self, calls: Sequence[Call]) -> Batch:
        if self._depth >= DEEPEST:
            return super().start_many(calls)
        return (self._dispatcher or self._started()).start_many(calls)  # type: ignore[no-any-return]

    def run(self, call: Call) -> Any:
        if self._depth >= DEEPEST:
            return _in_place(call).result()
        return (self._dispatcher or self._started()).run(call)

    def map(
        self, fn: Callable[..., Any], *iterables: Any, timeout: float | None = None, chunksize: int = 1
    ) -> Iterator[Any]:
        """Calls a function on the items of iterables; see `concurrent.futures.Executor.map`.

        Args:
          fn: the function.
          *iterables: its arguments, one iterable for each.
          timeout: seconds until the last result must be there.
          chunksize: the number of items that one call takes; more than one is faster for items below a millisecond.
        """
        if chunksize < 2:
            return super().map(fn, *iterables, timeout=timeout)
        items = list(zip(*iterables, strict=False))
        chunks = [items[k : k + chunksize] for k in range(0, len(items), chunksize)]
        return itertools.chain.from_iterable(super().map(_ChunkedFunction(fn), chunks, timeout=timeout))

    @explained
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Takes no more calls, and ends the workers when those that were started are done.

        Args:
          wait: whether to wait for that.
          cancel_futures: whether queued calls are cancelled.
        """
        with self._lock:
            self._closed, dispatcher = True, self._dispatcher
        if dispatcher is not None:
            dispatcher.shutdown(wait, cancel_futures)

    def pending(self) -> list[str]:
        return [] if self._dispatcher is None else self._dispatcher.pending()  # type: ignore[no-any-return]

    def _started(self) -> Any:
        """The dispatcher, made when there is the first call."""
        with self._lock:
            if self._closed:
                raise shut_down(repr(self))
            if self._dispatcher is None:
                self._dispatcher = self._make(self._options, self._depth + 1, repr(self))
                weakref.finalize(self, self._dispatcher.release).atexit = False
            return self._dispatcher


class _ChunkedFunction:
    """Calls a function on several items."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__qualname__ = getattr(function, "__qualname__", repr(function))

    def __call__(self, items: Sequence[tuple[Any, ...]]) -> list[Any]:
        return [self.function(*item) for item in items]


def _in_place(call: Call) -> Future[Any]:
    """Runs a call in this process as if it was another: on a stack and on arguments of its own."""
    data, body = outcome.packed(call), bodies.body_of(call.function)
    future = NotifyingFuture()

    def work() -> None:
        performed = outcome.perform(body, data, call.keep)
        future.settle(lambda: outcome.opened(performed))

    threading.Thread(target=work, name="inlay-call", daemon=True).start()
    return future


_POOLS: weakref.WeakSet[Processes] = weakref.WeakSet()


def _after_fork() -> None:
    """A forked child has none of the parent's workers: its pools start afresh."""
    for pool in list(_POOLS):
        if pool._dispatcher is not None:
            pool._dispatcher.forget()
        pool._dispatcher = None


in_child(_after_fork)


@atexit.register
def _at_exit() -> None:
    """Calls that nobody waited for end with the process."""
    for pool in list(_POOLS):
        if pool._dispatcher is not None:
            pool._dispatcher.end()
