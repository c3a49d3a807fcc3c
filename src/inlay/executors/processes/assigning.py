"""Which worker gets which call: the queue of a pool, its workers, and who owns which of them.

A worker is idle, owned by a caller who reads its answers himself (`direct`), or served by the thread of the pool. All
of this is guarded by `lock`, under which nothing of the user's is run.
"""

from __future__ import annotations

import os
import select
import time
from collections import deque
from typing import Any

from inlay import bodies, errors
from inlay.executors.processes import output
from inlay.executors.processes.options import Options, shut_down
from inlay.executors.processes.pending import Pending
from inlay.executors.processes.wire import Kind
from inlay.executors.processes.worker import Worker
from inlay.interpreter.forking import new_lock

AHEAD_SECONDS, MOST_AHEAD = 0.02, 64
"""How much work is given to a worker ahead of time: so long, but so many calls at most."""
AHEAD_BYTES = 1 << 20
"""A call with more than that is given to nobody ahead of time."""
STARTS, BACKOFF_SECONDS = 3, 0.1
"""How many workers in a row may die before they are ready until calls are told, and the first pause between them."""

Finished = tuple[Any, BaseException | None]


class Assigning:
    """The queue and the workers of a pool.

    Args:
      options: what was asked for.
      depth: how many workers stand above those of this pool, themselves counted.
      name: what messages call the pool.

    Attributes:
      lock: guards the rest.
      queue: calls that no worker was given.
      workers: by the descriptor of their answers.
      idle: those that have nothing to do, the last used last.
      direct: those that a caller owns.
      finished: calls whose futures are to be told, with what they gave.
      mean: seconds that calls took of late.
      failed: how many workers in a row died before they were ready.
      not_before: when the next may be started.
      pausing: whether a call waits for that.
      open: whether calls are taken.
      epoll: the workers that the thread serves, and `wake`.
      wake: wakes the thread.
    """

    wake: Any
    epoll: Any
    open: bool
    pausing: bool
    not_before: Any
    failed: int
    mean: float
    lock: Any

    def __init__(self, options: Options, depth: int, name: str) -> None:
        self._options, self._depth, self._name = options, depth, name
        self._most = options.workers or (len(os.sched_getaffinity(0)) if depth == 1 else 1)
        self.limited: bool = options.timeout is not None or options.memory_limit is not None
        function = options.initializer
        self._initializer = None if function is None else (tuple(bodies.body_of(function)), options.initargs)
        self.lock = new_lock()
        self.queue: deque[Pending] = deque()
        self.workers: dict[int, Worker] = {}
        self.idle: list[Worker] = []
        self.direct: set[Worker] = set()
        self.finished: deque[tuple[Pending, Finished]] = deque()
        self.mean = 0.001
        self.failed, self.not_before, self.pausing, self.open = 0, 0.0, False, True
        self.epoll = select.epoll()
        self.wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.epoll.register(self.wake, select.EPOLLIN)

    def check_open(self) -> None:
        """Raises what says so if no more calls are taken."""
        if not self.open:
            raise shut_down(self._name)

    def taken(self) -> Worker | None:
        """A worker for the caller alone; None if all are busy."""
        while True:
            with self.lock:
                self.check_open()
                if self.queue:
                    return None
                if self.idle:
                    return self.own(self.idle.pop())
                if len(self.workers) >= self._most:
                    return None
                wait = self.not_before - time.monotonic()
                if wait <= 0:
                    return self.own(self._new_worker())
            time.sleep(wait)

    def own(self, worker: Worker) -> Worker:
        self.direct.add(worker)
        if worker.armed:
            self.epoll.unregister(worker.fileno)
            worker.armed = False
        if self.limited or not worker.ready:
            self.notify()
        return worker

    def _new_worker(self) -> Worker:
        """A worker that was started; ResourceExhaustedError if the system has no room for one."""
        setup = {"initializer": self._initializer, "levels": output.levels()}
        try:
            worker = Worker(setup, self._options.environment, self._depth)
        except OSError as error:
            text = f"no worker process can be started: {error}. There are {len(self.workers)} of this pool"
            raise errors.ResourceExhaustedError(None, None, text) from error
        self.workers[worker.fileno] = worker
        return worker

    def _with_room(self, size: int) -> Worker | None:
        """The worker to give the next call to, which has so many bytes of arrays; None if it has to wait."""
        if self.idle:
            return self.idle.pop()
        if len(self.workers) < self._most:
            before, self.pausing = self.pausing, time.monotonic() < self.not_before
            if not self.pausing:
                return self._new_worker()
            if not before:
                self.notify()
        if size > AHEAD_BYTES:
            return None
        most = 1 + max(1, min(MOST_AHEAD, int(AHEAD_SECONDS / max(self.mean, 1e-6))))
        served = [w for w in self.workers.values() if w not in self.direct and len(w.calls) < most]
        return min(served, key=lambda w: len(w.calls), default=None)

    def feed(self) -> None:
        """Gives calls of the queue to workers that have room."""
        while True:
            while self.queue:
                pending = self.queue.popleft()
                if pending.future is None or pending.future.cancelled():
                    continue
                try:
                    worker = self._with_room(pending.packed.size)
                    if worker is None:
                        self.queue.appendleft(pending)
                        return
                    try:
                        worker.give(pending)
                    finally:
                        self.settle(worker)
                except BlockingIOError:
                    self.queue.appendleft(pending)
                    return
                except errors.ResourceExhaustedError as error:
                    self.finished.append((pending, (None, error)))
            if not self.idle or not self.take_back():
                return

    def take_back(self) -> bool:
        """Takes calls that the busiest worker has not begun back into the queue; whether there were any."""
        busy = [w for w in self.workers.values() if w.ready and len(w.calls) > 1 and w not in self.direct]
        if not busy:
            return False
        worker = max(busy, key=lambda w: len(w.calls))
        found = [worker.calls.pop(number) for number in worker.take_back() if number in worker.calls]
        for pending in reversed(found):
            (worker.pinned if pending.kind == Kind.PULL else self.queue).appendleft(pending)
        self.settle(worker)
        return bool(found)

    def settle(self, worker: Worker) -> None:
        """A worker is idle, or served by the thread."""
        if worker.fileno not in self.workers:
            return
        try:
            while worker.pinned:
                worker.give(worker.pinned[0])
                worker.pinned.popleft()
        except BlockingIOError:
            pass
        except errors.ResourceExhaustedError as error:
            self.finished.append((worker.pinned.popleft(), (None, error)))
        if not worker.calls:
            if worker not in self.idle:
                self.idle.append(worker)
            return
        if not worker.armed:
            self.epoll.register(worker.fileno, select.EPOLLIN)
            worker.armed = True
        if self.limited or not worker.ready:
            self.notify()

    def leave(self, worker: Worker) -> bool:
        """A worker has ended, and belongs to nobody; whether that was not known."""
        known = self.workers.get(worker.fileno) is worker
        if known:
            del self.workers[worker.fileno]
        self.direct.discard(worker)
        if worker in self.idle:
            self.idle.remove(worker)
        if worker.armed:
            self.epoll.unregister(worker.fileno)
            worker.armed = False
        return known

    def not_started(self, worker: Worker) -> BaseException | None:
        """A worker died before it was ready. The next one is started after a pause; an error if that goes on."""
        self.failed += 1
        self.not_before = time.monotonic() + BACKOFF_SECONDS * 2 ** (self.failed - 1)
        if self.failed < STARTS:
            return None
        count, self.failed = self.failed, 0
        return errors.UnavailableError(
            None, None, f"{count} worker processes in a row did not start; the last one {worker.epitaph()}"
        )

    def notify(self) -> None:
        """Has the thread look."""
        try:
            os.eventfd_write(self.wake, 1)
        except OSError:
            pass  # the thread has ended
