"""A pending call, and its future."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from inlay._src.base import errors
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.core.executor import ExecutionPullback, NotifyingFuture
from inlay._src.host import bodies
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.wire import PacketKind


class Pool(Protocol):
    """The interface of a pool to the futures of its calls: see `Dispatcher`."""

    forgotten: bool

    def cancelled(self, pending: Pending) -> None:
        """The call was cancelled."""


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
      future: its future; None if the thread of the caller reads the answer.
      flow: its number in traces; 0 if spans are not recorded.
      runs: the number of times that it began in a worker that was lost.
      starts: the number of its workers that ended before they were ready.
      cancelled: the time of its cancellation, or None.
    """

    __slots__ = (
        "again", "body", "cancelled", "flow", "future", "keeps", "kind", "label", "op", "packed", "repeatable",
        "runs", "starts",
    )  # fmt: skip

    def __init__(self, kind: PacketKind, packed: wire.PackedValue, label: str, op: str, keeps: bool) -> None:
        self.kind, self.packed = kind, packed
        self.label, self.op, self.keeps = label, op, keeps
        self.body: bodies.Body | None = None
        self.repeatable: bool = False
        self.again: Callable[[], ExecutionPullback] | None = None
        self.future: CallFuture | None = None
        self.runs = self.starts = self.flow = 0
        self.cancelled: float | None = None

    @property
    def pinned(self) -> bool:
        """Whether only one worker can run it."""
        return self.kind == PacketKind.PULL

    @property
    def description(self) -> str:
        """The op and the function, for messages."""
        return f"op '{self.op}', function {self.label}" if self.op else f"function {self.label}"


class CallFuture(NotifyingFuture):
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
                self._pool.cancelled(pending)
        return cancelled

    def set_result(self, result: Any) -> None:
        super().set_result(result)
        self._pending = None

    def set_exception(self, exception: BaseException | None) -> None:
        super().set_exception(exception)
        self._pending = None

    def result(self, timeout: float | None = None) -> Any:
        """The result of the call; see `Future.result`."""
        pending = self._pending
        if self._pool.forgotten and pending is not None and not self.done():
            raise errors.FailedPreconditionError(
                None, None, f"{pending.label} runs for the process that this one was forked from"
            )
        return super().result(timeout)
