"""`Coordinator`: several threads that end together, and the first error of any of them."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.interpreter import messages
from inlay._src.base.interpreter.conditions import Event
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.core.eager.attributes import number

_CHECK_SECONDS = 1.0
"""The interval at which `join` checks whether its threads have ended by themselves."""


@export("train.Coordinator")
class Coordinator:
    """Ends several threads together.

    Each thread works while `should_stop()` is False. A call of `request_stop` ends them all and may pass an error:
    `join`, which waits for them, raises the first such error.

    Args:
      clean_stop_exception_types: classes of errors that end the threads and are not raised by `join`; None means
        `OutOfRangeError`, which says that the input is at its end.

    Raises:
      TypeError: if those are no classes of exceptions.
    """

    def __init__(self, clean_stop_exception_types: Iterable[type[BaseException]] | None = None) -> None:
        clean = (errors.OutOfRangeError,) if clean_stop_exception_types is None else clean_stop_exception_types
        self._clean: tuple[type[BaseException], ...] = tuple(clean)
        for cls in self._clean:
            if not isinstance(cls, type) or not issubclass(cls, BaseException):
                raise TypeError(f"Expected classes of exceptions as `clean_stop_exception_types`, not {cls!r}")
        self._lock = new_lock()
        self._stop = Event()
        self._error: BaseException | None = None
        self._joined = False
        self._registered: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to end.

        Args:
          ex: why: an exception that is being handled, or what `sys.exc_info()` gives. The first one is raised by
            `join`; it is raised at once if that is over.
        """
        with self._lock:
            error = ex[1] if isinstance(ex, tuple) and len(ex) == 3 else ex
            if error is not None and isinstance(error, self._clean):
                error = None
            elif error is not None and not isinstance(error, BaseException):
                error = ValueError(f"ex must be a tuple or sys.exc_info must return the current exception: {ex!r}")
            if self._joined:
                if error is not None:
                    raise error
                return
            if not self._stop.is_set():
                if error is not None and self._error is None:
                    messages.info("Error reported to Coordinator: %s, %s", type(error), error)
                    self._error = error
                self._stop.set()

    def clear_stop(self) -> None:
        """Forgets that a stop was requested, and why."""
        with self._lock:
            self._joined, self._error = False, None
            self._stop.clear()

    def should_stop(self) -> bool:
        """Whether a stop was requested."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A block whose error ends the threads, and goes no further here."""
        try:
            yield
        except BaseException:
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is requested.

        Args:
          timeout: the largest number of seconds; None is without limit.

        Returns:
          Whether it was.
        """
        return self._stop.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that `join` waits for."""
        with self._lock:
            self._registered.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended: by themselves, or after a stop was requested.

        Args:
          threads: threads besides those that were registered.
          stop_grace_period_secs: the seconds that they have to end after a stop was requested.
          ignore_live_threads: whether those that have not ended by then are let go on.

        Raises:
          RuntimeError: naming the threads that have not ended in time.
          Exception: the error that `request_stop` received.
        """
        with self._lock:
            waited = [*self._registered.union(threads or ())]
        while any(t.is_alive() for t in waited) and not self.wait_for_stop(_CHECK_SECONDS):
            pass
        if any(t.is_alive() for t in waited):
            end = time.monotonic() + number(stop_grace_period_secs, "stop_grace_period_secs")
            for thread in waited:
                thread.join(max(0.0, end - time.monotonic()))
        running = " ".join(t.name for t in waited if t.is_alive())
        with self._lock:
            self._joined, self._registered = True, set()
            if self._error is not None:
                raise self._error
        if running and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {running}")
        if running:
            messages.info("Coordinator stopped with threads still running: %s", running)

    @property
    def joined(self) -> bool:
        """Whether `join` is over."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises what `request_stop` was told, if it was."""
        with self._lock:
            if self._error is not None:
                raise self._error


@export("train.LooperThread")
class LooperThread(threading.Thread):
    """A thread that calls something again and again until its coordinator stops; an error stops the coordinator.

    Args:
      coord: the coordinator, which waits for the thread.
      timer_interval_secs: the seconds between two calls; None is none.
      target: the function; None calls `run_loop`, for classes made of this one.
      args, kwargs: its arguments.
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._called: Callable[[], Any] | None = (
            None if target is None else lambda: target(*(args or ()), **(kwargs or {}))
        )
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Sequence[Any] | None = None,
        kwargs: Mapping[str, Any] | None = None,
    ) -> LooperThread:
        """A thread that was started; see the class."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        """Runs the loop of the thread; an exception stops the coordinator."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                due = time.monotonic()
                while not self._coord.wait_for_stop(max(0.0, due - time.monotonic())):
                    due += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Is called first."""

    def stop_loop(self) -> None:
        """Is called at the end, unless there was an error."""

    def run_loop(self) -> None:
        """Is called again and again."""
        if self._called is not None:
            self._called()
