"""Schedules of the real process pool: random programs whose threads are interrupted at random lines.

`PoolDispatcher`, `CallScheduler`, `Workers`, `WorkerProcess`, `Child`, packets and futures are the real ones. The
`scheduler` simulates the rest: locks, sockets, epoll, threads, the clock, and processes, which are threads that can be
killed at any point. A program calls in person and by futures, pulls, cancels, kills workers and shuts the pool down.
Every value is compared, every stateful call counted, and at the end no worker, no call and no thread may be left.
"""

from __future__ import annotations

import operator
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np

from inlay import errors
from inlay._src.base.tuning import TUNING
from inlay._src.core.executor import Call
from inlay._src.host.executors.processes import (
    answer_reader,
    answers_page,
    child,
    dispatcher,
    ownership,
    pending,
    scheduling,
    slots,
    wire,
    worker,
)
from inlay._src.host.executors.processes.options import PoolOptions
from inlay._src.host.executors.processes.ownership import Owned, WorkerState
from inlay._src.host.executors.processes.pending import CallFuture
from inlay._src.host.executors.processes.wire import PacketKind
from tests.faults.scheduler import Channel, Killed, ScheduledLock, ScheduledOs, ScheduledSocket, Scheduler

TRACED = frozenset(
    str(module.__file__) for module in (scheduling, dispatcher, answer_reader, ownership, pending, worker)
)
EXECUTED: Counter[int] = Counter()
"""How often each call of the schedule that runs was executed."""
RUNNING: list[Scheduler] = []
"""The schedule that runs."""
RETAINED: list[Any] = []
"""The arrays that functions of the schedule retained, and the numbers of their calls."""


def negated(number: int) -> int:
    """A call that takes some time: the negated number."""
    EXECUTED[number] += 1
    (scheduler,) = RUNNING
    if scheduler.random.random() < 0.7:
        scheduler.wait(lambda: False, scheduler.random.choice((0.0001, 0.001, 0.02)))
    return -number


def negated_array(array: Any) -> Any:
    """The same for an array of one number, which it retains now and then."""
    (scheduler,) = RUNNING
    number = int(array[0])
    result = np.full(array.shape, negated(number))
    if scheduler.random.random() < 0.4:
        RETAINED.append((array, number))
    return result


class Kept:
    """A pullback that multiplies."""

    def __init__(self, by: int) -> None:
        self.by = by

    def pull(self, seeds: Any, keep: bool) -> Any:
        """See `inlay._src.core.executor.ExecutionPullback`."""
        return [seeds[0] * self.by], None


class Multiplied:
    """A call that leaves a pullback."""

    def __call__(self, number: int) -> int:
        """The negated number."""
        return negated(number)

    def kept(self, number: int) -> Any:
        """The negated number, and a pullback that multiplies by the number."""
        return [negated(number)], Kept(number)


MULTIPLIED = Multiplied()


class _Page(bytearray):
    def close(self) -> None:
        pass


class _KilledPage(answers_page.AnswersPage):
    """The page of a process, which writes nothing once it was killed, and begins no call."""

    def __init__(self, page: bytearray, scheduler: Scheduler, dead: Callable[[], bool]) -> None:
        super().__init__(page)
        self._scheduler, self._dead = scheduler, dead

    def begin(self, number: int) -> None:
        self._live()
        super().begin(number)

    def defer(self, kind: int, number: int, packed: wire.PackedValue, seconds: float) -> bool:
        self._live()
        return super().defer(kind, number, packed, seconds)

    def _live(self) -> None:
        self._scheduler.point()
        if self._dead():
            raise Killed


class _Process:
    """A simulated process: a thread that serves a `Child`."""

    def __init__(self, scheduler: Scheduler, requests: Channel, answers: Channel, page: bytearray) -> None:
        self.returncode: int | None = None
        self.pid = random.randrange(1 << 30)
        self._scheduler, self._answers = scheduler, answers
        self._dead = False
        ends = [ScheduledSocket(scheduler, channel, lambda: self._dead) for channel in (requests, answers)]
        self._child = _Child(*ends, _KilledPage(page, scheduler, lambda: self._dead))  # type: ignore[arg-type]
        self.task = scheduler.spawn("worker", self._serve, traced=False)

    def _serve(self) -> None:
        status = 1
        try:
            self._child.serve()
            status = 0
        except Killed:
            status = -9
        finally:
            self.returncode = status
            self._answers.closed = True
            self._child._slots.close()

    def kill(self) -> None:
        self._dead = True
        self._answers.closed = True

    def wait(self, seconds: float | None = None) -> int:
        if not self._scheduler.wait(lambda: self.task.done or self._dead, seconds):
            raise worker.subprocess.TimeoutExpired("worker", seconds or 0)
        self.returncode = -9 if self._dead else self.returncode
        assert self.returncode is not None
        return self.returncode


class _Child(child.Child):
    def _begin(self, setup: dict[str, Any], number: int) -> None:
        wire.outgoing(PacketKind.READY, number, wire.pack(None)).send(self._answers)


def _worker_class(scheduler: Scheduler, system: ScheduledOs) -> type[worker.WorkerProcess]:
    class ScheduledWorker(worker.WorkerProcess):
        def __init__(self, setup: Any, environment: Any, depth: int, numbers: Iterator[int]) -> None:
            Owned.__init__(self)
            requests, answers = Channel(room=6), Channel(room=6)
            self._requests: Any = ScheduledSocket(scheduler, requests)
            self._unread: Any = ScheduledSocket(scheduler, requests)
            self._answers: Any = ScheduledSocket(scheduler, answers)
            system.sockets[self._answers.fileno()] = self._answers
            page = _Page(answers_page.PAGE)
            self._page = answers_page.AnswersPage(page)
            self._lifeline = self._words = None
            self._process: Any = _Process(scheduler, requests, answers, page)
            self.pid = self._process.pid
            self._set_up(setup, numbers)

        def last_words(self) -> str:
            return ""

        def stopped_for(self) -> float:
            return 0.0

    return ScheduledWorker


def _future_class(scheduler: Scheduler) -> type[CallFuture]:
    class ScheduledFuture(CallFuture):
        def result(self, timeout: float | None = None) -> Any:
            scheduler.wait(self.done)
            return super().result(0)

    return ScheduledFuture


@contextmanager
def simulated(scheduler: Scheduler) -> Iterator[None]:
    """Has the modules of the pool stand on a scheduler."""
    system = ScheduledOs(scheduler)
    with ExitStack() as stack:

        def put(module: Any, **names: Any) -> None:
            for name, value in names.items():
                stack.enter_context(mock.patch.object(module, name, value))

        put(ownership, os=system, select=system, new_lock=lambda: ScheduledLock(scheduler))
        put(scheduling, time=system, WorkerProcess=_worker_class(scheduler, system))
        put(dispatcher, time=system, threading=system, CallFuture=_future_class(scheduler))
        put(answer_reader, time=system)
        put(pending, threading=system, new_lock=lambda: ScheduledLock(scheduler))
        put(worker, time=system)
        put(child, time=system, BoundedCache=lambda name, most: {})  # one process has one: here are several
        put(TUNING, sent_array_bytes=256, slot_bytes=3 * slots.LEAST)
        yield


class Program:
    """A random program, and what was wrong with its results.

    Args:
      seed: chooses the program and the schedule.
      make: makes the dispatcher.
    """

    def __init__(self, seed: int, make: Callable[..., dispatcher.PoolDispatcher] = dispatcher.PoolDispatcher) -> None:
        self.random = random.Random(seed)
        self.scheduler = Scheduler(seed, TRACED)
        self.kills = self.random.choice((0, 0, 0, 1, 2))
        self.workers = self.random.choice((1, 2, 2))
        self.make = make
        self.wrong: list[str] = []
        self.number = 0

    def run(self) -> list[str]:
        """What was wrong."""
        EXECUTED.clear()
        RETAINED.clear()
        RUNNING[:] = [self.scheduler]
        with simulated(self.scheduler):
            self.scheduler.spawn("main", self._main, traced=False)
            self.scheduler.run()
        wrong = self.wrong + self.scheduler.faults
        wrong += [f"call {number} was executed {count} times" for number, count in EXECUTED.items()
                  if count > 1 and not number % 2]  # fmt: skip
        wrong += [f"the array that call {n} retained became {a}" for a, n in RETAINED if (a != n).any()]
        return wrong

    def _main(self) -> None:
        pool = self.make(PoolOptions(self.workers, retries=5), 1, "the pool")
        targets = [self._callers, self._submitters, self._pullers] * 2
        chosen = self.random.sample(targets, self.random.choice((0, 2, 2, 3, 3)))
        tasks = [
            self.scheduler.spawn(f"{target.__name__[1:]}{k}", lambda target=target: target(pool))
            for k, target in enumerate(chosen)
        ]
        for _ in range(self.kills):
            self._kill(pool, lambda: all(task.done for task in tasks))
        self.scheduler.wait(lambda: all(task.done for task in tasks))
        calls = [self._call() for _ in range(self.random.choice((0, 3, 9)))]
        started = [pool.start(call) for call, _ in calls]
        cancels = self.random.random() < 0.5
        begins = self.random.random() < 0.7  # the first one, perhaps before its worker is known to be ready
        first = self.number - len(calls) + 1
        pause = self.random.choice((0.0, 0.0001, 0.001, 0.02))
        self.scheduler.wait(lambda: begins and bool(calls) and EXECUTED[first] > 0, 0.02 if begins else pause)
        pool.shutdown(wait=True, cancel_futures=cancels)
        for future, (call, expected) in zip(started, calls, strict=True):
            self._judge(expected, lambda future=future: future.result(0), cancelled=cancels)
            number = int(np.ravel(call.args[0])[0])
            if future.cancelled() and EXECUTED[number] and not self.kills:
                self.wrong.append(f"call {number} was cancelled and executed")
        left = [each.state.name for each in pool._calls.workers if each.state is not WorkerState.ENDED]
        if left or pool._calls.queue or pool._calls.finished:
            self.wrong.append(f"left: workers {left}, calls {list(pool._calls.queue)}")

    def _kill(self, pool: dispatcher.PoolDispatcher, over: Callable[[], bool]) -> None:
        """Kills a worker at some point, or in some state."""
        point = self.scheduler.points + self.random.randrange(1500)
        aim = self.random.choice((None, WorkerState.DIRECT, WorkerState.SERVED, WorkerState.READ, "pinned"))

        def aims() -> list[Any]:
            if self.scheduler.points < point:
                return []
            ready = [member for member in pool._calls.workers if member.ready]
            return [w for w in ready if aim is None or w.state is aim or (aim == "pinned" and w.pinned)]

        self.scheduler.wait(lambda: bool(aims()) or over())
        if found := aims():
            self.random.choice(found)._process.kill()

    def _call(self, function: Any = negated, keep: bool = False) -> tuple[Call, Any]:
        self.number += 1
        if function is negated and self.random.random() < 0.5:
            sent = np.full(64, self.number)
            return Call(negated_array, (sent,), label="f", repeatable=bool(self.number % 2)), -sent
        return Call(function, (self.number,), label="f", repeatable=bool(self.number % 2), keep=keep), -self.number

    def _judge(self, expected: Any, given: Callable[[], Any], cancelled: bool = False) -> None:
        try:
            value = given()
        except errors.UnavailableError as error:
            if not self.kills:
                self.wrong.append(f"nobody was killed: {error}")
        except dispatcher.CancelledError as error:
            if not cancelled:
                self.wrong.append(f"not cancelled: {error!r}")
        except Exception as error:
            self.wrong.append(f"{type(error).__name__}: {error}")
        else:
            if not np.array_equal(value, expected):
                self.wrong.append(f"{value!r} instead of {expected!r}")

    def _callers(self, pool: dispatcher.PoolDispatcher) -> None:
        for _ in range(self.random.randrange(1, 4)):
            call, expected = self._call()
            self._judge(expected, lambda call=call: pool.run(call))

    def _submitters(self, pool: dispatcher.PoolDispatcher) -> None:
        for _ in range(self.random.randrange(1, 3)):
            calls = [self._call() for _ in range(self.random.randrange(1, 7))]
            if self.random.random() < 0.5:
                self._wave(pool, calls)
                continue
            started = [pool.start(call) for call, _ in calls]
            futures = [(future, expected) for future, (_, expected) in zip(started, calls, strict=True)]
            cancelled = {k for k in range(len(futures)) if self.random.random() < 0.1 and futures[k][0].cancel()}
            for k, (future, expected) in enumerate(futures):
                self._judge(expected, future.result, cancelled=k in cancelled)

    def _wave(self, pool: dispatcher.PoolDispatcher, calls: list[tuple[Call, Any]]) -> None:
        """Starts calls together, and receives their ends as a run does, or lets the pool's thread receive them."""
        batch, left = pool.start_many([call for call, _ in calls]), set(range(len(calls)))
        batch.listen(left.difference_update)
        reads, gives_up = self.random.random() < 0.7, self.random.random() < 0.1
        while left and not gives_up:
            count = len(left)
            if not reads or not batch.read():
                self.scheduler.wait(lambda count=count: len(left) < count)
        if gives_up:
            batch.cancel()
            return
        for position, (_, expected) in enumerate(calls):
            self._judge(expected, lambda position=position: batch.result(position))

    def _pullers(self, pool: dispatcher.PoolDispatcher) -> None:
        call, expected = self._call(MULTIPLIED, keep=True)
        kept: list[Any] = []

        def forward() -> Any:
            value, pullback = pool.run(call)
            kept.append(pullback)
            return value

        self._judge([expected], forward)
        for seed in range(2, self.random.randrange(3, 6)):
            if kept:
                self._judge([operator.mul(-expected, seed)], lambda seed=seed: kept[0].pull([seed], False)[0])


def explore(
    seed: int, count: int, make: Callable[..., dispatcher.PoolDispatcher] = dispatcher.PoolDispatcher
) -> list[str]:
    """Runs schedules with consecutive seeds until one is wrong.

    Args:
      seed: the first seed.
      count: how many.
      make: makes the dispatcher.

    Returns:
      What was wrong with the first wrong one, with its seed.
    """
    for number in range(seed, seed + count):
        wrong = Program(number, make).run()
        if wrong:
            return [f"seed {number}: {each}" for each in wrong]
    return []
