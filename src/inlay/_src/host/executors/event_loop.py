"""One thread with an event loop, where `async def` functions run.

    start ─▶ arrived ──the loop wakes up──▶ a task ─▶ the future
                                             │ cancelled if nobody waits for it any more, or its time is up

    QUEUED ──begin──▶ RUNNING ──end, late──▶ OVER
       └──cancel, before it began: its coroutine is closed──▶ OVER

`task`, `alarm`, `over` and the coroutine are touched by the loop's thread alone; others ask it by `soon`. The future is
settled by the thread that sets `over`, unless it was cancelled: `Future` decides that under its own lock.

There is one loop in a process, made when the first function needs it, so that what such functions keep (connections,
locks) stays usable from call to call. Hundreds of calls are in flight at a time: each is a task of that loop, in a copy
of its caller's context. The thread is a daemon, and lasts as long as the process.

A call never waits where its own loop would have to go on meanwhile: that is an error, which says what to do. Where a
loop of the caller's runs, as in every cell of a notebook, the caller's thread waits and that loop stands still; a
function that awaits something of that loop is refused.
"""

from __future__ import annotations

import atexit
import contextvars
import functools
import inspect
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from types import FunctionType
from typing import Any

from inlay._src.base import errors
from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.forking import in_child, new_lock
from inlay._src.base.interpreter.interrupts import PutOff
from inlay._src.core.executor import Call, Executor, NotifyingFuture
from inlay._src.host.executors.threads import overdue


def asynchronous(function: Any) -> bool:
    """Whether what a function returns must be awaited: a coroutine function, or what wraps, binds or is one."""
    if function.__class__ is FunctionType and not function.__dict__:
        return bool(function.__code__.co_flags & inspect.CO_COROUTINE)
    while isinstance(function, functools.partial):
        function = function.func
    inner = inspect.unwrap(getattr(function, "__func__", function))
    return inspect.iscoroutinefunction(inner) or (callable(inner) and inspect.iscoroutinefunction(type(inner).__call__))


class Awaited:
    """A coroutine function as a plain one: a call runs the coroutine to its end, on the thread that calls.

    Args:
      function: the coroutine function.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.function = function

    @property
    def _identity(self) -> Any:
        try:
            hash(self.function)
        except TypeError:
            return id(self.function)
        return self.function

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Awaited) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _a_loop_runs_here():  # one thread runs one loop
            label = getattr(self, "__qualname__", repr(self.function))
            return loop_of(None).run(Call(self, args, kwargs, label=label))
        result = self.function(*args, **kwargs)
        if not inspect.isawaitable(result):
            return result
        ended = _ended(result)
        import asyncio

        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            value, failure = runner.run(ended, context=contextvars.copy_context())
        if failure is None:
            return value
        try:
            raise failure
        finally:
            del failure  # its traceback has this frame


def awaited(function: Any) -> Any:
    """A function that can be called as it is: `Awaited` of one that is asynchronous."""
    return Awaited(function) if asynchronous(function) else function


async def _ended(awaitable: Any) -> tuple[Any, BaseException | None]:
    """The outcome of an awaitable: a value and None, or None and its exception, which then does not end the loop."""
    try:
        return await awaitable, None
    except BaseException as error:
        return None, error


def _close(*coroutines: Any) -> None:
    """Closes coroutines that did not start."""
    for coroutine in coroutines:
        if inspect.iscoroutine(coroutine):
            coroutine.close()


def _a_loop_runs_here() -> bool:
    """Whether an event loop is running on this thread, as in every cell of a notebook."""
    loaded = sys.modules.get("asyncio.events")
    return loaded is not None and loaded._get_running_loop() is not None


_OF_ANOTHER_LOOP = ("attached to a different loop", "is bound to a different event loop")
"""Parts of asyncio's messages about futures, locks and queues of another loop."""


def _explained(failure: BaseException, label: str) -> BaseException:
    """The exception of a coroutine; an error of inlay if it awaited an object of its caller's blocked loop."""
    if not isinstance(failure, RuntimeError) or not any(text in str(failure) for text in _OF_ANOTHER_LOOP):
        return failure
    stuck = _stuck(label, "on the loop that it needs, whose tasks, locks or queues it awaits")
    stuck.__cause__ = failure
    return stuck


def _stuck(label: str, where: str) -> errors.OpError:
    return errors.refused(
        errors.FailedPreconditionError,
        RuntimeError,
        f"{label} is asynchronous, and its caller would wait for it {where}. In an `async def`, await the "
        "function itself, or let a thread wait: `await asyncio.to_thread(tf.py_function, f, [x], tf.float32)`, "
        "`await asyncio.to_thread(session.run, y)` (inlay explain waits-for-itself)",
    )


class _Flight(NotifyingFuture):
    """A call on the loop, and the future of what it gives. Until it has ended it can be cancelled.

    `task`, `alarm` and `over` belong to the loop's thread.
    """

    def __init__(self, call: Call, timeout: float | None) -> None:
        super().__init__()
        self.call: Call = call
        self.timeout: float | None = timeout
        self.within_a_loop: bool = _a_loop_runs_here()
        self.context: contextvars.Context = contextvars.copy_context()
        self.coroutine: Any = None
        self.loop: _Loop | None = None
        self.task: Any = None
        self.alarm: Any = None
        self.over: bool = False

    def cancel(self) -> bool:
        """Lets nobody wait for the call, and cancels its coroutine."""
        with PutOff():
            if not super().cancel():
                return False
            if self.loop is not None:
                self.loop.soon(self.give_up)
            return True

    def begin(self) -> None:
        """Makes the task."""
        loop = self.loop
        assert loop is not None
        if self.done():
            self._close_coroutine()
            return
        loop.flights.add(self)
        if self.timeout is not None:
            self.alarm = loop.events.call_later(self.timeout, self.late)
        self.task = loop.events.create_task(self.coroutine[0], context=self.context)
        self.task.add_done_callback(self.end)

    def end(self, task: Any) -> None:
        """The task has ended."""
        self.task = None
        self._close_coroutine()  # one whose task was cancelled before its first step was not begun
        if self.loop is not None:
            self.loop.flights.discard(self)
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None
        if self.over:
            return
        self.over = True
        if not self.set_running_or_notify_cancel():
            return
        if task.cancelled():  # before it began, or the loop ends
            self.set_exception(errors.CancelledError(None, None, f"{self.call.label} was cancelled"))
            return
        value, failure = task.result()
        if failure is None:
            self.set_result(value)
        else:
            self.set_exception(_explained(failure, self.call.label) if self.within_a_loop else failure)

    def _close_coroutine(self) -> None:
        coroutine, self.coroutine = self.coroutine, None
        _close(*coroutine)

    def late(self) -> None:
        """The time is up."""
        self.alarm = None
        if not self.over:
            self.over = True
            if self.set_running_or_notify_cancel():
                text = overdue(self.call.label, self.timeout, "its coroutine is cancelled")
                self.set_exception(errors.DeadlineExceededError(None, None, text))
        self.give_up()

    def give_up(self) -> None:
        """Cancels the task."""
        if self.task is not None:
            self.task.cancel()


class _Loop:
    """A loop and its thread.

    Attributes:
      events: the loop.
      flights: the calls on it that have begun and not ended.
    """

    def __init__(self) -> None:
        import asyncio

        self.events: asyncio.AbstractEventLoop = asyncio.new_event_loop()
        self.flights: set[_Flight] = set()
        self._arrived: deque[Callable[[], None]] = deque()
        self._woken = False
        self._ending = False
        self.thread: threading.Thread = threading.Thread(target=self._run, name="inlay-event-loop", daemon=True)
        self.thread.start()

    def soon(self, action: Callable[[], None]) -> None:
        """Has an action done on the loop's thread; those that come while it is busy wake it up once."""
        self._arrived.append(action)
        if not self._woken:
            self._woken = True
            self.events.call_soon_threadsafe(self._take)

    def _take(self) -> None:
        self._woken = False
        while self._arrived:
            self._arrived.popleft()()

    def _run(self) -> None:
        while not self._ending:
            try:
                self.events.run_forever()
            except (KeyboardInterrupt, SystemExit):  # of a task that a function made: its own affair
                continue

    def end(self) -> None:
        """Cancels what is on the loop and ends its thread; waits a moment for both."""

        async def stop() -> None:
            import asyncio

            tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            self._ending = True
            self.events.stop()

        stopping: list[Any] = []
        self.soon(lambda: stopping.append(self.events.create_task(stop())))
        self.thread.join(1.0)
        if not self.thread.is_alive():
            self.events.close()


_loop: _Loop | None = None
_lock = new_lock()
_of_parents: list[_Loop] = []
"""Loops that a forked child inherited: closing one would take its parent's events away."""


def _the_loop() -> _Loop:
    global _loop
    loop = _loop
    if loop is None:
        with _lock:
            if _loop is None:
                _loop = _Loop()
                atexit.register(_loop.end)
            loop = _loop
    return loop


class EventLoop(Executor):
    """Runs coroutine functions on the loop of the process. A plain function runs where the call starts.

    Args:
      timeout: the seconds that a call may run; then the caller gets a `DeadlineExceededError` and the coroutine is
        cancelled. None is without limit.
    """

    here = True

    def __init__(self, timeout: float | None = None) -> None:
        self.timeout = timeout

    def __repr__(self) -> str:
        return "EventLoop()" if self.timeout is None else f"EventLoop(timeout={self.timeout!r})"

    def start(self, call: Call) -> Future[Any]:
        flight = _Flight(call, self.timeout)
        function = call.function
        if isinstance(function, Awaited):
            function = function.function
        try:
            result = flight.context.run(function, *call.args, **call.kwargs)
        except BaseException as error:
            flight.set_exception(error)
            return flight
        if not inspect.isawaitable(result):
            flight.set_result(result)
            return flight
        ended = _ended(result)
        loop = _the_loop()
        if threading.get_ident() == loop.thread.ident:
            _close(result, ended)
            raise _stuck(call.label, "on the thread of its own event loop, which cannot run it meanwhile")
        flight.loop, flight.coroutine = loop, (ended, result)
        try:
            loop.soon(flight.begin)
        except BaseException:  # Ctrl-C
            flight.cancel()
            raise
        return flight

    def pending(self) -> list[str]:
        loop = _loop
        return [] if loop is None else [_standing(flight) for flight in list(loop.flights)]


def _standing(flight: _Flight) -> str:
    """A description of a call in flight, with the line at which its coroutine waits."""
    coroutine = flight.task.get_coro() if flight.task is not None else None
    text = f"{flight.call.description}: on the event loop"
    frames = []
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None)
        if frame is not None and frame.f_globals.get("__name__") != __name__:
            frames.append(f"{frame.f_code.co_filename}:{frame.f_lineno} in {frame.f_code.co_name}")
        coroutine = getattr(coroutine, "cr_await", None)
    return f"{text}, awaits at {' < '.join(reversed(frames))}" if frames else text


_LIMITED: BoundedCache[float | None, EventLoop] = BoundedCache("event loops with a time limit", 64, EventLoop)


def loop_of(executor: Executor | None) -> EventLoop:
    """The event loop that runs a coroutine function, with the time limit of its executor in this process, if any."""
    return _LIMITED[None if executor is None else executor.timeout]


def _after_fork() -> None:
    """A forked child has none of the parent's threads: the next call makes a loop of its own."""
    global _loop
    if _loop is not None:
        atexit.unregister(_loop.end)
        _of_parents.append(_loop)
        _loop = None


in_child(_after_fork)
