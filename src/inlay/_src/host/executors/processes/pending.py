"""A pending call, and the receivers of outcomes: the future of one call, or the batch of many."""

from __future__ import annotations

import abc
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from typing import Any, Protocol

from inlay._src.base import errors
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.spans import now
from inlay._src.core.executor import Batch, ExecutionPullback, NotifyingFuture
from inlay._src.host import bodies
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.wire import PacketKind

Outcome = tuple[Any, BaseException | None]
"""A value and None, or None and an exception."""


def delivered(answer: Outcome) -> Any:
    """The value of an outcome, or its error raised."""
    value, error = answer
    if error is None:
        return value
    try:
        raise error
    finally:
        del error, answer  # the traceback refers to this frame


class Pool(Protocol):
    """The interface of a pool to the receivers of its calls: see `Dispatcher`."""

    forgotten: bool

    def cancelled(self, calls: Sequence[Pending]) -> None:
        """The calls were cancelled."""

    def read(self, batch: CallBatch) -> bool:
        """Reads answers in the thread of a caller; see `Batch.read`."""

    def interrupt(self, batch: CallBatch) -> None:
        """Ends that, if it is for this batch."""


class Receiver(abc.ABC):
    """Receives the outcomes of calls: each once, although it may be told twice."""

    @abc.abstractmethod
    def receive(self, ended: Sequence[tuple[Pending, Outcome]]) -> None:
        """Takes outcomes; those of cancelled calls, and those that it has, are dropped."""

    @abc.abstractmethod
    def withdraw(self, pending: Pending) -> None:
        """Cancels a call; the code that waits for it gets an error."""


class Pending:
    """A call that a pool should run, or runs.

    Attributes:
      kind: the kind of its packet.
      packed: the payload.
      label: the function's name, for messages.
      op: the op that calls.
      body: the function, None for a pull.
      repeatable: whether it may be run again.
      keeps: whether it leaves a pullback with its result.
      again: computes that pullback once more, in another worker; None if that may do harm.
      receiver: receives the outcome; None if the thread of the caller reads the answer.
      position: its position among the calls of the receiver.
      flow: its number in traces; 0 if spans are not recorded.
      runs: the number of times that it began in a worker that was lost.
      starts: the number of its workers that ended before they were ready.
      cancelled: the time of its cancellation, or None.
    """

    __slots__ = (
        "again", "body", "cancelled", "flow", "keeps", "kind", "label", "op", "packed", "position", "receiver",
        "repeatable", "runs", "starts",
    )  # fmt: skip

    def __init__(self, kind: PacketKind, packed: wire.PackedValue, label: str, op: str, keeps: bool) -> None:
        self.kind, self.packed = kind, packed
        self.label, self.op, self.keeps = label, op, keeps
        self.body: bodies.Body | None = None
        self.repeatable: bool = False
        self.again: Callable[[], ExecutionPullback] | None = None
        self.receiver: Receiver | None = None
        self.runs = self.starts = self.flow = self.position = 0
        self.cancelled: float | None = None

    @property
    def pinned(self) -> bool:
        """Whether only one worker can run it."""
        return self.kind == PacketKind.PULL

    @property
    def unwanted(self) -> bool:
        """Whether nobody waits for it."""
        return self.cancelled is not None or self.receiver is None

    @property
    def description(self) -> str:
        """The op and the function, for messages."""
        return f"op '{self.op}', function {self.label}" if self.op else f"function {self.label}"


class CallFuture(NotifyingFuture, Receiver):
    """The future of a call. Cancelling it also ends a call that runs, if it does not end soon."""

    def __init__(self, pool: Pool, pending: Pending) -> None:
        super().__init__()
        self._pool = pool
        self._pending: Pending | None = pending  # until there is a result: the two refer to one another

    def cancel(self) -> bool:
        """Cancels the call; whether it was cancelled."""
        with PutOff():
            pending, cancelled = self._pending, super().cancel()
            if cancelled and pending is not None and pending.cancelled is None:
                self._pool.cancelled([pending])
        return cancelled

    def receive(self, ended: Sequence[tuple[Pending, Outcome]]) -> None:
        """See `Receiver`."""
        ((_, (value, error)),) = ended
        if self._pending is None or not self.set_running_or_notify_cancel():
            return
        if error is None:
            self.set_result(value)
        else:
            self.set_exception(error)
        self._pending = None

    def withdraw(self, pending: Pending) -> None:
        """See `Receiver`."""
        self.cancel()

    def result(self, timeout: float | None = None) -> Any:
        """The result of the call; see `Future.result`."""
        pending = self._pending
        if self._pool.forgotten and pending is not None and not self.done():
            raise errors.FailedPreconditionError(
                None, None, f"{pending.label} runs for the process that this one was forked from"
            )
        return super().result(timeout)


class CallBatch(Batch, Receiver):
    """Calls that were started together.

    Args:
      pool: the pool.
      count: the number of calls; `add` puts them at their positions.

    Attributes:
      news: whether calls have ended since the last `read`, or it should end.
    """

    readable = True

    def __init__(self, pool: Pool, count: int) -> None:
        self._pool = pool
        self._calls: list[Pending | None] = [None] * count
        self._outcomes: list[Outcome | None] = [None] * count
        self._times = [0] * count
        self._lock = new_lock()
        self._listener: Callable[[Sequence[int]], None] | None = None
        self._unheard: list[int] = []
        self._reader: object = None
        self.news = False

    def add(self, position: int, pending: Pending) -> None:
        """Puts a call at a position."""
        pending.receiver, pending.position = self, position
        self._calls[position] = pending

    def add_failed(self, position: int, error: BaseException) -> None:
        """Puts a call that cannot be sent at a position."""
        self._unheard.append(position)
        self._outcomes[position] = None, error

    def receive(self, ended: Sequence[tuple[Pending, Outcome]]) -> None:
        """See `Receiver`."""
        heard, came = [], now()
        with self._lock:
            for pending, outcome in ended:
                position = pending.position
                if self._calls[position] is not None:
                    self._calls[position], self._outcomes[position], self._times[position] = None, outcome, came
                    heard.append(position)
            listener = self._listener
            if listener is None:
                self._unheard += heard
        if listener is not None and heard:
            listener(heard)
        self.interrupt()

    def withdraw(self, pending: Pending) -> None:
        """See `Receiver`."""
        self._pool.cancelled([pending])
        self.receive([(pending, (None, CancelledError(f"{pending.label}: the pool was shut down")))])

    def listen(self, ended: Callable[[Sequence[int]], None]) -> None:
        """See `Batch`."""
        with self._lock:
            self._listener, unheard = ended, self._unheard
            self._unheard = []
        if unheard:
            ended(unheard)

    def result(self, position: int) -> Any:
        """See `Batch`."""
        outcome, self._outcomes[position] = self._outcomes[position], None
        assert outcome is not None
        try:
            return delivered(outcome)
        finally:
            del outcome  # the traceback of its error refers to this frame

    def ended_at(self, position: int) -> int:
        """See `Batch`."""
        return self._times[position]

    def cancel(self) -> None:
        """See `Batch`."""
        with PutOff():
            with self._lock:
                calls = [pending for pending in self._calls if pending is not None]
                self._calls = [None] * len(self._calls)
            self._pool.cancelled(calls)
            self.interrupt()

    def read(self) -> bool:
        """See `Batch`."""
        self._reader = threading.current_thread()
        try:
            return self._pool.read(self)
        finally:
            self._reader, self.news = None, False

    def interrupt(self) -> None:
        """See `Batch`."""
        self.news = True
        if self._reader is not None and self._reader is not threading.current_thread():
            self._pool.interrupt(self)
