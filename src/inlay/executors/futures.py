"""Anyone's `concurrent.futures.Executor`: the standard pools, loky's, Dask's.

A pool of threads gets the function itself, in the caller's context. Any other is taken to run in another process: the
function travels as its body with every call, where it is found by its digest once it was there, and a failure comes
back as data, so that an exception which does not pickle is still told.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
from concurrent.futures import Future
from typing import Any

from inlay import bodies
from inlay.executors import outcome
from inlay.executors.executor import Call, Executor

_RETRYING = {"ClientExecutor"}
"""Executors that run a call again if a worker is lost, by the name of their class: Dask's, whose scheduler does."""


class Futures(Executor):
    """Another executor's calls.

    Args:
      pool: the executor; who made it shuts it down.
    """

    def __init__(self, pool: concurrent.futures.Executor) -> None:
        self._pool = pool
        self._threads = isinstance(pool, concurrent.futures.ThreadPoolExecutor)
        self.may_repeat: bool = type(pool).__name__ in _RETRYING

    @property
    def here(self) -> bool:  # type: ignore[override]
        """See `Executor`."""
        return self._threads

    def start(self, call: Call) -> Future[Any]:
        """See `Executor.start`."""
        if self._threads:
            return self._pool.submit(contextvars.copy_context().run, call.function, *call.args, **call.kwargs)
        sent = self._pool.submit(outcome.perform, bodies.body_of(call.function), outcome.packed(call), call.keep)
        return _opened(sent)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shuts the other executor down."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _opened(sent: Future[Any]) -> Future[Any]:
    """A future of what a call gives, from one of its outcome as it was sent back."""
    made: Future[Any] = Future()

    def arrived(done: Future[Any]) -> None:
        if not made.set_running_or_notify_cancel():
            return
        try:
            made.set_result(outcome.opened(done.result()))
        except BaseException as error:
            made.set_exception(error)

    sent.add_done_callback(arrived)
    return made
