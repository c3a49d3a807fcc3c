"""The scheduler of a pool: the queue of calls, their assignment to workers, and the start of workers.

A call goes to an idle worker, else to a new one while there are fewer than `workers`, else ahead of time to the worker
with the fewest calls. When a worker runs out of work, calls that another has not begun return to the queue. The lock of
the `Workers`, whose states `ownership` describes, guards the scheduler.
"""

from __future__ import annotations

import itertools
import os
import time
from collections import deque
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.tuning import TUNING
from inlay._src.host import bodies
from inlay._src.host.executors.processes import output, wire
from inlay._src.host.executors.processes.options import PoolOptions, shut_down
from inlay._src.host.executors.processes.ownership import Workers, WorkerState
from inlay._src.host.executors.processes.pending import Outcome, Pending
from inlay._src.host.executors.processes.worker import WorkerProcess

MESSAGES = 2
"""The messages to each worker into which a queue is divided: one that was read cannot be taken back."""
STARTS, BACKOFF_SECONDS, MOST_BACKOFF_SECONDS = 3, 0.1, 2.0
"""Calls fail after so many consecutive workers ended before they were ready; the shortest and the longest pause."""


class CallScheduler:
    """The queue of a pool, and the assignment of its calls to workers.

    Args:
      options: the options of the pool.
      depth: the nesting depth of the workers of this pool.
      name: the name of the pool in messages.

    Attributes:
      workers: the workers and their states; `workers.lock` guards the rest.
      most: the maximum number of workers.
      queue: calls that are not assigned to a worker.
      finished: calls whose futures should be settled, with their outcomes.
      mean: the moving average of the seconds of a call.
      failed: the number of consecutive workers that ended before they were ready.
      not_before: the time before which no worker is started.
      pausing: whether a call waits for that.
      blocked: whether a worker had no room for a request; the thread tries again soon.
      open: whether calls are taken.
    """

    def __init__(self, options: PoolOptions, depth: int, name: str) -> None:
        self._options, self._depth, self._name = options, depth, name
        self.most = options.workers or (len(os.sched_getaffinity(0)) if depth == 1 else 1)
        self._numbers = itertools.count(1)
        self.limited: bool = options.timeout is not None or options.memory_limit is not None
        function = options.initializer
        self._initializer = None if function is None else (tuple(bodies.body_of(function)), options.initargs)
        self.queue: deque[Pending] = deque()
        self.finished: deque[tuple[Pending, Outcome]] = deque()
        self.workers: Workers[WorkerProcess] = Workers(self.limited, self._refused)
        self.lock: Any = self.workers.lock
        self.mean: float = 0.001
        self.failed, self.not_before, self.pausing, self.blocked, self.open = 0, 0.0, False, False, True

    def check_open(self) -> None:
        """Raises FailedPreconditionError after the shutdown."""
        if not self.open:
            raise shut_down(self._name)

    def lent(self, owner: Pending) -> WorkerProcess | None:
        """A worker for a call whose own thread will read the answer; None if all are busy."""
        while True:
            with PutOff(), self.lock:
                self.check_open()
                if self.queue:
                    return None
                if not self.workers.idle and len(self.workers) >= self.most:
                    return None
                wait = 0.0 if self.workers.idle else self.not_before - time.monotonic()
                if wait <= 0:
                    worker = self.workers.idle[-1] if self.workers.idle else self._new_worker()
                    self.workers.lend(worker, owner)
                    return worker
            time.sleep(wait)

    def _new_worker(self) -> WorkerProcess:
        """A worker that was started; ResourceExhaustedError if the system has no room for one."""
        setup = {"initializer": self._initializer, "levels": output.levels()}
        try:
            worker = WorkerProcess(setup, self._options.environment, self._depth, self._numbers)
        except OSError as error:
            text = f"no worker process can be started: {error}. There are {len(self.workers)} of this pool"
            raise errors.ResourceExhaustedError(None, None, text) from error
        self.workers.add(worker)
        return worker

    def _with_room(self, size: int) -> WorkerProcess | None:
        """The worker for the next call, which has so many bytes of arrays; None if it has to wait."""
        if self.workers.idle:
            return self.workers.idle[-1]
        if len(self.workers) < self.most:
            before, self.pausing = self.pausing, time.monotonic() < self.not_before
            if not self.pausing:
                return self._new_worker()
            if not before:
                self.workers.notify()
        if size > TUNING.sent_ahead_bytes:
            return None
        most = self._ahead
        served = [
            worker
            for worker in self.workers.in_states(WorkerState.SERVED, WorkerState.READ)
            if worker.ready and not worker.ended and len(worker.calls) < most
        ]
        return min(served, key=lambda worker: len(worker.calls), default=None)

    @property
    def _ahead(self) -> int:
        """The number of calls that a worker may have."""
        return 1 + max(1, min(TUNING.sent_ahead_calls, int(TUNING.sent_ahead_seconds / max(self.mean, 1e-6))))

    def _batch(self, worker: WorkerProcess, most: int) -> list[Pending]:
        """The first calls of the queue, as many as one message to this worker should have: at least one."""
        most = min(most, self._ahead - len(worker.calls), int(TUNING.batch_seconds / max(self.mean, 1e-6)))
        calls = [self.queue[0]]
        size = wire.batched_size(calls[0].packed)
        for pending in itertools.islice(self.queue, 1, max(most, 1)):
            size += wire.batched_size(pending.packed)
            if size > wire.MOST_INLINE or pending.unwanted:
                break
            calls.append(pending)
        return calls

    def feed(self, messages: int = MESSAGES) -> None:
        """Gives calls of the queue to workers that have room.

        Args:
          messages: the number of messages that the queue is for each worker.
        """
        while True:
            most = -(-len(self.queue) // (messages * self.most))
            while self.queue:
                if not self._feed_first(self.queue[0], most):
                    return
            if not self.workers.idle or not self.take_back():
                return

    def _feed_first(self, pending: Pending, most: int) -> bool:
        """Gives the first calls of the queue to a worker, up to so many; whether there was one with room."""
        placed = int(pending.unwanted)
        try:
            if not placed:
                worker = self._with_room(pending.packed.size)
                if worker is None:
                    return False
                calls = self._batch(worker, most)
                try:
                    self.workers.give(worker, *calls)
                    self.blocked = False
                finally:  # Ctrl-C may come at any point: the calls are in one place then, too
                    if pending in worker.calls.values():  # pinned calls may have followed it
                        placed = len(calls)
        except BlockingIOError:
            if not self.blocked:
                self.blocked = True
                self.workers.notify()
            return False
        except errors.ResourceExhaustedError as error:
            self._refused(pending, error)
            placed = 1
        finally:
            for _ in range(placed):
                self.queue.popleft()
        return True

    def _refused(self, pending: Pending, error: BaseException) -> None:
        self.finished.append((pending, (None, error)))

    def take_back(self) -> bool:
        """Takes calls that the busiest worker has not begun back into the queue; whether there were any."""
        busy = [w for w in self.workers.in_states(WorkerState.SERVED, WorkerState.READ) if w.ready and len(w.calls) > 1]
        if not busy:
            return False
        worker = max(busy, key=lambda worker: len(worker.calls))
        calls = self.workers.take_back(worker)
        self.queue.extendleft(reversed(calls))
        return bool(calls)

    def recall(self) -> tuple[list[Pending], list[WorkerProcess]]:
        """Takes back all calls that no worker has begun, at the end of the pool.

        Returns:
          The calls, and the workers that were not ready and have no call left. Those may not have read their setup, or
          be in an initializer that takes long.
        """
        while self.take_back():
            pass
        idle = []
        for worker in self.workers.in_states(WorkerState.SERVED, WorkerState.READ):
            if not worker.ready:  # as far as was read: it may run its first call by now
                self.queue.extendleft(reversed(self.workers.take_back(worker)))
                if not worker.calls:
                    idle.append(worker)
        calls = list(self.queue)
        self.queue.clear()
        return calls, idle

    def not_started(self, worker: WorkerProcess) -> dict[Pending, Outcome]:
        """A worker ended before it was ready; the outcomes of the calls that fail by it.

        Calls fail that so many workers in a row were given and did not start for. If workers end by themselves before
        they are ready, and none is, the next one will do so too: then all calls of the queue fail.
        """
        self.failed += 1
        self.not_before = time.monotonic() + min(BACKOFF_SECONDS * 2 ** (self.failed - 1), MOST_BACKOFF_SECONDS)
        calls = list(worker.calls.values())
        for pending in calls:
            pending.starts += 1
        hopeless = self.failed >= STARTS and worker.ended_itself and not any(w.ready for w in self.workers)
        failing = [pending for pending in calls if hopeless or pending.starts >= STARTS]
        if hopeless:
            failing += self.queue
            self.queue.clear()
        if not failing:
            return {}
        error = errors.UnavailableError(
            None, None, f"{self.failed} worker processes in a row did not start; the last one {worker.epitaph()}"
        )
        self.failed = 0
        return dict.fromkeys(failing, (None, error))
