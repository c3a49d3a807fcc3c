"""An executor for tests: functions travel as bodies, arguments and results as bytes, and stay in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from inlay._src.core.executor import Call, Executor
from inlay._src.host import bodies
from inlay._src.host.executors import outcome


class Loopback(Executor):
    """Runs each call on a thread of its own, on what comes out of the bytes.

    Attributes:
      calls: the calls it was given.
      most: how many of them ran at once at most.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.most = self._running = 0
        self._lock = threading.Lock()
        self._held: threading.Event | None = None

    def start(self, call: Call) -> Future[Any]:
        body, arguments = bodies.body_of(call.function), outcome.packed(call)
        future: Future[Any] = Future()
        with self._lock:
            self.calls.append(call)

        def run() -> None:
            with self._lock:
                self._running += 1
                self.most = max(self.most, self._running)
            if self._held is not None:
                self._held.wait(30)
            try:
                done = outcome.perform(body, arguments, call.keep)
            finally:
                with self._lock:
                    self._running -= 1
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(outcome.opened(done))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, daemon=True).start()
        return future

    @contextmanager
    def held(self) -> Iterator[None]:
        """Calls that start in the block wait until its end."""
        self._held = threading.Event()
        try:
            yield
        finally:
            self._held.set()
            self._held = None
