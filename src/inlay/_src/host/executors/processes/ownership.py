"""The ownership of a worker process: its states, and every transition between them.

              lend                       give
    DIRECT ◀──────── IDLE ────────────────────────────────▶ SERVED ──┐ give, take_back
       │             ▲  ▲ │                                  │ ▲ │ ▲─┘
       └──give_back──┤  │ └─────────start_reading──────┐     │ │ └─take_back, the last call──▶ IDLE
                     │  │                              ▼     │ │
                     │  └──stop_reading, no calls──── READ ◀─┘ │ start_reading
                     │                                └────────┘ stop_reading, calls left
                     └ SERVED instead if it was given a pinned call, or has ended

    any ──remove──▶ ENDED

    state   | reads its answers | writes requests, changes `calls` | can be given calls of the queue
    --------+-------------------+----------------------------------+--------------------------------
    IDLE    | nobody            | the holder of the lock           | yes
    DIRECT  | its `owner`       | its `owner`, without the lock    | no; a pinned call waits
    SERVED  | nobody            | the holder of the lock           | yes
    READ    | its reader        | the holder of the lock           | yes
    ENDED   | nobody            | nobody                           | no

The reader of a worker is the pool's thread, or a caller who waits for answers and attends the workers meanwhile: the
thread hears of answers only while nobody attends them.

Each transition is a method of `Workers` that runs under its lock and checks the state it starts from. The order of a
worker's answers is that of its requests: an answer with another number than that of the first open call is a
`ProtocolError`, and the worker is killed. Numbers are unique in a pool and rise from request to request, which the
worker checks on its side.
"""

from __future__ import annotations

import abc
import contextlib
import enum
import os
import select
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from inlay._src.base import errors
from inlay._src.base.interpreter.descriptors import Descriptor
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.host.executors.processes.pending import Pending


class WorkerState(enum.Enum):
    """The ownership of a worker; see the module."""

    IDLE = "idle"
    DIRECT = "direct"
    SERVED = "served"
    READ = "read"
    ENDED = "ended"


class ProtocolError(Exception):
    """An answer belongs to another call than the one that the worker has to answer."""


class Answer(Protocol):
    """An answer, as its worker's calls are closed by it.

    Attributes:
      number: the request that it answers.
      retained: whether the function retained an array in the slot of the request.
    """

    @property
    def number(self) -> int: ...
    @property
    def retained(self) -> bool: ...


class Owned(abc.ABC):
    """The part of a worker that its states guard.

    Attributes:
      state: its ownership; only `Workers` changes it.
      owner: the call whose thread reads the answers while it is DIRECT, else None.
      reader: the last reader of its answers, and the calls that were unanswered when it began.
      calls: the unanswered calls, by the number of the request, in order.
      pinned: calls that only this worker can run, waiting for their turn.
      armed: whether the pool's thread polls its answers.
      ready: whether it has begun to take calls.
      ended: the reason for which this side ended it; "" if it did not.
      fileno: descriptor of its answers.
    """

    fileno: int

    def __init__(self) -> None:
        self.state = WorkerState.IDLE
        self.owner: Pending | None = None
        self.reader: tuple[object, Sequence[Pending]] = None, ()
        self.calls: dict[int, Pending] = {}
        self.pinned: deque[Pending] = deque()
        self.armed = self.ready = False
        self.ended = ""

    @abc.abstractmethod
    def give(self, *calls: Pending) -> None:
        """Sends calls in one packet. They are among `calls` from then on, or none is.

        Raises:
          BlockingIOError: if it has too many already.
          ResourceExhaustedError: if there is no room for the arrays of the call, which is alone.
        """

    @abc.abstractmethod
    def take_back(self) -> list[int]:
        """Takes back the requests that it has not read; the numbers of the calls among them."""

    def answered(self, answers: Sequence[Answer]) -> list[Pending]:
        """Closes the calls that these answers belong to.

        Raises:
          ProtocolError: if they are not for the first open calls; none is closed then.
        """
        numbers = [answer.number for answer in answers]
        for number, expected in zip(numbers, [*self.calls, *[0] * len(numbers)], strict=False):
            if number != expected:
                due = f"to request {expected}" if expected else "none, as no call is open"
                raise ProtocolError(f"it answered request {number}, where its next answer is {due}")
        return [self.calls.pop(number) for number in numbers]


W = TypeVar("W", bound=Owned)


class Workers(Generic[W]):
    """The workers of a pool, and the transitions of their states.

    Args:
      limited: whether calls have a limit that the pool's thread has to watch.
      refused: receives pinned calls that cannot be sent, each with its error.

    Attributes:
      lock: guards all states; nothing of the user's runs under it.
      idle: the workers in state IDLE, the last used last.
      answers: the descriptors of armed workers, and of what interrupts a caller who attends them.
      epoll: the descriptors that the pool's thread polls: `answers` while nobody attends them, and `wake`.
      wake: wakes that thread; None once it has ended.
      attendant: the caller who attends the workers.
    """

    def __init__(self, limited: bool, refused: Callable[[Pending, BaseException], None]) -> None:
        self._limited, self._refused = limited, refused
        self._members: dict[int, W] = {}
        self.lock = new_lock()
        self.idle: list[W] = []
        self.answers, self.epoll = select.epoll(), select.epoll()
        self.wake: Descriptor | None = Descriptor(os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC))
        self._interrupt: Descriptor | None = Descriptor(os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC))
        self.answers.register(self._interrupt.number, select.EPOLLIN)
        self.epoll.register(self.wake.number, select.EPOLLIN)
        self.epoll.register(self.answers.fileno(), select.EPOLLIN)
        self.attendant: object = None

    def __len__(self) -> int:
        return len(self._members)

    def __iter__(self) -> Iterator[W]:
        """The workers that there are now; can be asked for without the lock."""
        return iter(list(self._members.values()))

    def wait(self, timeout: float | None) -> None:
        """Waits as the pool's thread, until answers that nobody attends have come, or `notify` was called."""
        for number, _ in self.epoll.poll(timeout):
            if self.wake is not None and number == self.wake.number:
                os.eventfd_read(number)

    def readable(self, attendant: object, timeout: float | None) -> list[W]:
        """The workers that have sent answers; waits until there are some, or `interrupt` was called."""
        ready: list[W] = []
        try:
            events = self.answers.poll(timeout)
        except ValueError:  # closed meanwhile: the pool has ended
            return ready
        for number, _ in events:
            if (worker := self._members.get(number)) is not None:
                ready.append(worker)
            elif self._interrupt is not None and number == self._interrupt.number:
                with self.lock, contextlib.suppress(BlockingIOError):  # an attendant that has left read it
                    if self.attendant is attendant:
                        os.eventfd_read(number)
        return ready

    def attend(self, attendant: object) -> bool:
        """Gives a caller the answers of all workers, unless another one has them; it waits with `readable`."""
        with PutOff(), self.lock:
            if self.attendant is not None or self.answers.closed:
                return False
            self.attendant = attendant
            self.epoll.modify(self.answers.fileno(), 0)
            return True

    def leave(self, attendant: object) -> None:
        """Ends that, if the caller has them."""
        with PutOff(), self.lock:
            if self.attendant is attendant:
                self.attendant = None
                if not self.epoll.closed:
                    self.epoll.modify(self.answers.fileno(), select.EPOLLIN)

    def interrupt(self, attendant: object) -> None:
        """Ends the `readable` of a caller, if it attends the workers."""
        with self.lock:
            if self.attendant is attendant and self._interrupt is not None:
                os.eventfd_write(self._interrupt.number, 1)

    def in_states(self, *states: WorkerState) -> list[W]:
        """The workers in one of some states."""
        return [worker for worker in self if worker.state in states]

    def owned_by(self, call: Pending) -> W | None:
        """The worker whose answers the thread of a call reads; None if there is none."""
        return next((worker for worker in self if worker.owner is call), None)

    # ---- transitions

    def add(self, worker: W) -> None:
        """A new worker becomes IDLE."""
        self._check(worker, WorkerState.IDLE)
        self._members[worker.fileno] = worker
        self.idle.append(worker)

    def lend(self, worker: W, owner: Pending) -> None:
        """IDLE -> DIRECT: the thread of a call reads and writes alone, until it gives the worker back."""
        self._move(worker, WorkerState.DIRECT, WorkerState.IDLE)
        worker.owner = owner
        self._disarm(worker)
        self._watch(worker)

    def give_back(self, worker: W, owner: Pending) -> None:
        """DIRECT -> IDLE; SERVED if it has calls, or has ended."""
        if worker.owner is not owner:
            raise _forbidden(worker, "given back by a call that does not own it")
        self._check(worker, WorkerState.DIRECT)
        worker.owner = None
        self._settle(worker)
        if worker.pinned:  # it had no room for them: the thread tries again
            self.notify()

    def give(self, worker: W, *calls: Pending) -> None:
        """IDLE, SERVED -> SERVED, READ -> READ: calls of the queue are sent; raises as `Owned.give` does."""
        self._check(worker, WorkerState.IDLE, WorkerState.SERVED, WorkerState.READ)
        try:
            worker.give(*calls)
        finally:
            if worker.state is not WorkerState.READ:
                self._settle(worker)

    def take_back(self, worker: W) -> list[Pending]:
        """SERVED -> SERVED, or IDLE if no calls are left, READ -> READ: takes back the calls that were not begun.

        Returns:
          Those that another worker may run; the others are pinned.
        """
        self._check(worker, WorkerState.SERVED, WorkerState.READ)
        calls = [worker.calls.pop(number) for number in worker.take_back()]
        worker.pinned.extendleft(pending for pending in reversed(calls) if pending.pinned)
        if worker.state is not WorkerState.READ:
            self._settle(worker)
        return [pending for pending in calls if not pending.pinned]

    def pin(self, worker: W, pending: Pending) -> None:
        """DIRECT, SERVED, READ stay: a call waits for this worker, and is sent when its state next settles."""
        self._check(worker, WorkerState.DIRECT, WorkerState.SERVED, WorkerState.READ)
        worker.pinned.append(pending)

    def send_pinned(self, worker: W) -> None:
        """SERVED -> SERVED, or IDLE: tries again to send pinned calls that it had no room for."""
        self._check(worker, WorkerState.SERVED)
        self._settle(worker)

    def start_reading(self, worker: W, reader: object = None) -> bool:
        """IDLE, SERVED -> READ: whether a reader may read, as the worker can be DIRECT, or another reader's, meanwhile.

        Args:
          worker: the worker.
          reader: an attendant; None is the pool's thread.
        """
        if worker.state not in (WorkerState.IDLE, WorkerState.SERVED):
            return False
        worker.reader = reader, list(worker.calls.values())
        self._move(worker, WorkerState.READ, WorkerState.IDLE, WorkerState.SERVED)
        return True

    def stop_reading(self, worker: W, answers: Sequence[Answer], ended: bool = False) -> list[Pending]:
        """READ -> SERVED, or IDLE if no calls are left; READ stays if it has ended. Closes and returns answered calls.

        Raises:
          ProtocolError: if these are not the calls it had to answer; the state is READ still.
        """
        self._check(worker, WorkerState.READ)
        calls = worker.answered(answers)
        if not ended:
            self._settle(worker)
        return calls

    def silence(self, worker: W) -> None:
        """READ stays: a worker has ended, which nobody need hear of any more."""
        self._check(worker, WorkerState.READ)
        self._disarm(worker)

    def remove(self, worker: W) -> None:
        """Any state -> ENDED."""
        self._move(
            worker, WorkerState.ENDED, WorkerState.IDLE, WorkerState.DIRECT, WorkerState.SERVED, WorkerState.READ
        )
        worker.owner = None
        self._disarm(worker)
        del self._members[worker.fileno]

    # ---- how they are done

    def _check(self, worker: W, *sources: WorkerState) -> None:
        if worker.state not in sources or not self.lock.locked():
            raise _forbidden(worker, f"asked for what takes {' or '.join(s.name for s in sources)} and the lock")

    def _move(self, worker: W, state: WorkerState, *sources: WorkerState) -> None:
        self._check(worker, *sources)
        if worker.state is WorkerState.IDLE and worker in self.idle:
            self.idle.remove(worker)
        worker.state = state
        if state is WorkerState.IDLE:
            self.idle.append(worker)

    def _settle(self, worker: W) -> None:
        """Sends pinned calls; then the worker is IDLE, or SERVED if it has calls or its end is still to be read."""
        try:
            while worker.pinned and not worker.ended:
                worker.give(worker.pinned[0])
                worker.pinned.popleft()
        except BlockingIOError:
            pass
        except errors.ResourceExhaustedError as error:
            self._refused(worker.pinned.popleft(), error)
        state = WorkerState.SERVED if worker.calls or worker.pinned or worker.ended else WorkerState.IDLE
        if state is not worker.state:
            self._move(worker, state, WorkerState.IDLE, WorkerState.DIRECT, WorkerState.SERVED, WorkerState.READ)
        if state is WorkerState.SERVED:
            self._arm(worker)
            self._watch(worker)

    def _arm(self, worker: W) -> None:
        if not worker.armed and not self.answers.closed:
            self.answers.register(worker.fileno, select.EPOLLIN)
            worker.armed = True

    def _disarm(self, worker: W) -> None:
        if worker.armed:
            if not self.answers.closed:
                self.answers.unregister(worker.fileno)
            worker.armed = False

    def _watch(self, worker: W) -> None:
        if self._limited or not worker.ready or worker.ended:
            self.notify()

    # ---- the pool's thread

    def notify(self) -> None:
        """Has the pool's thread look; nothing happens if it has ended, as futures and finalizers may still ask."""
        wake = self.wake  # stays open for as long as this refers to it
        if wake is not None:
            os.eventfd_write(wake.number, 1)

    def close(self) -> None:
        """Closes what the thread waits on."""
        self.epoll.close()
        self.answers.close()
        self.wake = self._interrupt = None


def _forbidden(worker: Owned, how: str) -> errors.OpError:
    return errors.InternalError(None, None, f"a worker process that is {worker.state.name} was {how}")
