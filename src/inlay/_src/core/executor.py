"""Where host functions run: an executor takes a call and answers with a future.

    host.call ─▶ Call ─▶ Executor.start ─▶ Future ─▶ host.call accepts the result, or explains the failure
                              │
                threads       a pool of threads of this process
                event_loop    one thread with an event loop, for `async def`
                processes     warm worker processes, arrays in shared memory
                ray           a cluster
                futures       anyone's `concurrent.futures.Executor`

An executor knows nothing of ops. It runs a function on arguments, once unless the call may be repeated, and its future
gets what the function returned or raised: the exception itself, of its own class, with the traceback it had elsewhere
as its cause. A failure of the executor itself is one of `errors`: a worker that died (`UnavailableError`), a
time limit (`DeadlineExceededError`), memory (`ResourceExhaustedError`), something that cannot be sent
(`InvalidArgumentError`).
"""

from __future__ import annotations

import abc
import concurrent.futures
import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures._base import CANCELLED_AND_NOTIFIED
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from inlay._src.base.interpreter.conditions import Condition
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.base.spans import now


@dataclass(slots=True)
class Call:
    """A request to an executor.

    It never changes; it is not frozen because making one would take three times as long.

    Attributes:
      function: the function. An executor that is elsewhere sends it once and refers to it by its digest then.
      args, kwargs: its arguments, sent each time.
      op: the name of the op that calls, for what the function prints and for messages; "" if there is none.
      label: the function's name and definition.
      repeatable: whether a second run does no harm, so that one that was lost may be run again.
      keep: whether to call `function.kept(*args, **kwargs)` instead. It returns (result, `ExecutionPullback`): the
        second stays in its process, and the future receives (result, an `ExecutionPullback` that reaches it).
      flow: the number of the call in traces; 0 if spans are not recorded.
    """

    function: Callable[..., Any]
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    op: str = ""
    label: str = ""
    repeatable: bool = False
    keep: bool = False
    flow: int = 0

    @property
    def description(self) -> str:
        """The op and the function, for messages."""
        return f"op '{self.op}', function {self.label}" if self.op else f"function {self.label}"


class NotifyingFuture(Future[Any]):
    """A future whose cancellation `concurrent.futures.wait` and `as_completed` hear of at once.

    A plain future tells them when its executor next looks at it, which may be never: a call that was taken out of a
    queue, a worker or a cluster that has gone.

    Its lock is one that an interrupt of a thread never leaves held: the thread that settles the future, which serves
    other callers too, would wait for it for ever.
    """

    def __init__(self) -> None:
        super().__init__()
        self._condition: Any = Condition()

    def cancel(self) -> bool:
        """Cancels the call; whether it was cancelled."""
        with PutOff():  # callbacks end the call
            cancelled = super().cancel()
            if cancelled:
                self.set_running_or_notify_cancel()
        return cancelled

    def set_running_or_notify_cancel(self) -> bool:
        """See `Future`; the thread that cancels and the thread that settles the future may both say it."""
        with self._condition:
            return self._state != CANCELLED_AND_NOTIFIED and super().set_running_or_notify_cancel()

    def settle(self, outcome: Callable[[], Any]) -> None:
        """Gives the future what a function returns or raises, unless it was cancelled: then nobody asks for it."""
        if not self.set_running_or_notify_cancel():
            return
        try:
            self.set_result(outcome())
        except BaseException as error:
            self.set_exception(error)


class Batch(abc.ABC):
    """Calls that an executor started together. Each ends once, and is referred to by its position among them.

    Attributes:
      readable: whether a thread may receive their ends itself, with `read`.
    """

    readable: ClassVar[bool] = False

    @abc.abstractmethod
    def listen(self, ended: Callable[[Sequence[int]], None]) -> None:
        """Sets the function that hears of calls that have ended: of some at once, of others as they end.

        Args:
          ended: receives their positions, in any thread.
        """

    @abc.abstractmethod
    def result(self, position: int) -> Any:
        """The result of a call that has ended; only the first request for it is answered, as nothing keeps it.

        Raises:
          BaseException: the function's exception, or the executor's.
        """

    @abc.abstractmethod
    def ended_at(self, position: int) -> int:
        """The time at which the end of a call was heard of, on the clock of spans."""

    @abc.abstractmethod
    def cancel(self) -> None:
        """Cancels the calls that have not ended. Nothing is heard of a call that was cancelled."""

    def read(self) -> bool:
        """Receives ends in the calling thread, until calls of the batch have ended, or `interrupt` was called.

        Returns:
          Whether it did; False if another thread receives them already.
        """
        return False

    def interrupt(self) -> None:  # noqa: B027 - nothing to do where nothing can be read
        """Ends a `read` of another thread, and the next one if there is none now."""


class FutureBatch(Batch):
    """Calls that were started each by itself.

    Args:
      futures: their futures.
    """

    def __init__(self, futures: Sequence[Future[Any]]) -> None:
        self._futures, self._times = futures, [0] * len(futures)

    def listen(self, ended: Callable[[Sequence[int]], None]) -> None:
        def heard(position: int, _: Future[Any]) -> None:
            self._times[position] = now()
            ended((position,))

        for position, future in enumerate(self._futures):
            future.add_done_callback(functools.partial(heard, position))

    def result(self, position: int) -> Any:
        return self._futures[position].result()

    def ended_at(self, position: int) -> int:
        return self._times[position]

    def cancel(self) -> None:
        for future in self._futures:
            future.cancel()


class ExecutionPullback(Protocol):
    """The pullback of an execution. It stays where that ran, or was sent back with the result."""

    def pull(self, seeds: Sequence[Any], keep: bool) -> tuple[list[Any], ExecutionPullback | None]:
        """Cotangents of the inputs of the execution.

        Args:
          seeds: a cotangent for each of its outputs, None where there is none.
          keep: whether the pull should be differentiated too.

        Returns:
          A cotangent per input, None where there is none; and the pullback of this pull if it should be kept: its
          inputs are those of the execution followed by the cotangents given, its outputs the cotangents returned.
        """


class Executor(concurrent.futures.Executor, abc.ABC):
    """Where host functions run. Also a standard executor: `submit` and `map` work.

    Attributes:
      here: whether functions run in this process, on the caller's own objects.
      apart: whether calls run on other machines, any of which may go away by no fault of the call that it runs.
      may_repeat: whether it runs a call that was lost again even if that is not repeatable. Functions with
        `stateful=True` are refused.
      timeout: the seconds that a call may run; None is without limit.
      workers: the number of calls that run at a time; None is not known.
      call_seconds: the duration of a call beside which its overhead matters little, where the caller can choose.
    """

    here: ClassVar[bool] = False
    apart: ClassVar[bool] = False
    may_repeat: bool = False
    timeout: float | None = None
    workers: int | None = None
    call_seconds: float = 0.003

    @abc.abstractmethod
    def start(self, call: Call) -> Future[Any]:
        """Starts a call; returns at once.

        Raises:
          errors.OpError: if the call cannot be sent.
        """

    def start_many(self, calls: Sequence[Call]) -> Batch:
        """Starts calls, none of which waits for another; returns at once.

        Returns:
          The calls. One that cannot be sent ends with the error.
        """
        futures: list[Future[Any]] = []
        try:
            for call in calls:
                try:
                    futures.append(self.start(call))
                except Exception as error:
                    futures.append(Future())
                    futures[-1].set_exception(error)
            return FutureBatch(futures)
        except BaseException:  # Ctrl-C
            for future in futures:
                future.cancel()
            raise

    def run(self, call: Call) -> Any:
        """Starts a call and waits for it; one that nobody waits for any more is cancelled.

        Raises:
          BaseException: the function's exception.
        """
        future = self.start(call)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def pending(self) -> list[str]:
        """A line of text on each call that has not ended, and on what each worker does; for who looks into a stall."""
        return []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Starts a call of a function with arguments, at most once."""
        return self.start(Call(fn, args, kwargs, label=getattr(fn, "__qualname__", repr(fn))))
