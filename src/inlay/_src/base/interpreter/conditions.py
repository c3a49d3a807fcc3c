"""Condition variables and events whose lock an interrupt never leaves held.

`threading.Condition.__enter__` is a Python function. A signal handler may raise between the line that acquires the lock
and the block that would release it: then no other thread gets the lock any more, and one that settles a future for the
interrupted thread waits for ever. The interpreter runs handlers of signals at calls of Python functions, after calls of
C functions and at the ends of loops. `with` on a lock itself has none of these between the acquisition and the block.
"""

from __future__ import annotations

import _thread
import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from inlay._src.base.interpreter.forking import free_in_child

_T = TypeVar("_T")
if TYPE_CHECKING:  # the stubs of the standard library say that nothing derives from `_thread.RLock`

    class _RLock:
        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool: ...
        def release(self) -> None: ...
        def __enter__(self) -> bool: ...
        def __exit__(
            self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None, /
        ) -> None: ...
        def _is_owned(self) -> bool: ...
else:
    _RLock = _thread.RLock


class Condition(_RLock):
    """A condition variable that is its own lock, used as `threading.Condition` is.

    An exception of a signal handler leaves the lock as the `with` statement of the interrupted thread expects it.
    """

    def __init__(self) -> None:
        self._waiters: deque[_thread.LockType] = deque()

    def wait(self, timeout: float | None = None) -> bool:
        """Releases the lock until another thread notifies, and acquires it again.

        Args:
          timeout: the longest wait in seconds; None is without limit.

        Returns:
          Whether it was notified.

        Raises:
          RuntimeError: if the thread does not own the lock, or owns it more than once.
        """
        waiter = _thread.allocate_lock()
        waiter.acquire()
        longest = -1 if timeout is None else min(max(timeout, 0.0), threading.TIMEOUT_MAX)
        notified = False
        try:
            self._waiters.append(waiter)
            notified = self.released(lambda: waiter.acquire(True, longest))
        finally:
            if not notified and waiter in self._waiters:
                self._waiters.remove(waiter)
        return notified

    def released(self, work: Callable[[], _T]) -> _T:
        """Releases the lock, calls `work`, and acquires the lock again; returns the result.

        Raises:
          RuntimeError: if the thread does not own the lock, or owns it more than once.
        """
        if not self._is_owned():
            raise RuntimeError("a thread that does not own the lock of a condition waits for it")
        try:
            self.release()
            if self._is_owned():
                self.acquire()
                raise RuntimeError("a thread that owns the lock of a condition more than once waits for it")
            return work()
        finally:
            try:
                if not self._is_owned():
                    self.acquire()
            except BaseException:  # of a handler, on either side of the acquisition
                if not self._is_owned():
                    self.acquire()
                raise

    def wait_for(self, predicate: Callable[[], bool], timeout: float | None = None) -> bool:
        """Waits until `predicate()` is true, or `timeout` seconds have passed; returns its last result."""
        until = None if timeout is None else time.monotonic() + timeout
        while not (result := predicate()):
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                break
            self.wait(left)
        return result

    def notify(self, count: int = 1) -> None:
        """Lets as many as `count` of the threads that wait go on, those that came first."""
        while self._waiters and count > 0:
            if self._waiters[0].locked():  # else an interrupt came between its release and its removal
                self._waiters[0].release()
                count -= 1
            self._waiters.popleft()

    def notify_all(self) -> None:
        """Lets all threads that wait go on."""
        self.notify(len(self._waiters))


class Event:
    """A flag that threads wait for, used as `threading.Event` is."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._is_set = False

    def is_set(self) -> bool:
        """Whether the flag is set."""
        return self._is_set

    def set(self) -> None:
        """Sets the flag, and lets all threads that wait for it go on."""
        with self._changed:
            self._is_set = True
            self._changed.notify_all()

    def clear(self) -> None:
        """Takes the flag back."""
        self._is_set = False

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the flag is set, as long as `timeout` seconds; returns whether it is."""
        with self._changed:
            return self._is_set or self._changed.wait_for(self.is_set, timeout)


def new_condition() -> Condition:
    """A condition whose lock is free in a forked child, unless the thread that forked owns it."""
    return free_in_child(Condition())
