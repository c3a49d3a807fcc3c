"""Anyone's `concurrent.futures.Executor`: the standard pools, loky's, Dask's.

A pool of threads gets the function itself, in the caller's context. Calls that its functions make in it run on threads
of inlay, because its own threads may all be waiting for them. Any other executor is assumed to run in another process:
each call sends the body of the function, which a worker caches by its digest, and a failure comes back as data, so that
an exception which does not pickle is reported as well.

A pool that was shut down, or lost a worker, refuses calls with a RuntimeError of some class. It arrives as an error of
`errors` that is an instance of that class too.
"""

from __future__ import annotations

import concurrent.futures
import contextvars
from concurrent.futures import Future
from typing import Any

from inlay._src.base import errors
from inlay._src.base.misuse import explained
from inlay._src.core.executor import Call, Executor, NotifyingFuture
from inlay._src.host import bodies
from inlay._src.host.executors import outcome
from inlay._src.host.executors.threads import Threads

_RETRYING = {"ClientExecutor"}
"""Executors that run a call again if a worker is lost, by the name of their class: Dask's, whose scheduler does."""


_WITHIN: contextvars.ContextVar[frozenset[Executor]] = contextvars.ContextVar("inlay_within", default=frozenset())
"""The pools of threads in whose calls a function runs."""


class Futures(Executor):
    """Another executor's calls.

    Args:
      pool: the executor; its owner shuts it down.
    """

    def __init__(self, pool: concurrent.futures.Executor) -> None:
        self._pool = pool
        self._threads = isinstance(pool, concurrent.futures.ThreadPoolExecutor)
        self._beside: Threads | None = None
        self.may_repeat: bool = type(pool).__name__ in _RETRYING

    @property
    def here(self) -> bool:  # type: ignore[override]
        return self._threads

    def __repr__(self) -> str:
        return f"Futures({self._pool!r})"

    def start(self, call: Call) -> Future[Any]:
        """See `Executor.start`.

        Raises:
          FailedPreconditionError: if the pool was shut down.
          UnavailableError: if it has lost a worker, and with it all others.
        """
        if self._threads:
            if self in _WITHIN.get():
                self._beside = self._beside or Threads(getattr(self._pool, "_max_workers", None))
                return self._beside.start(call)
            return self._sent(contextvars.copy_context().run, self._called, call)
        body, arguments = bodies.body_of(call.function), outcome.packed(call)
        return _opened(self._sent(outcome.perform, body, arguments, call.keep), self._pool)

    def _called(self, call: Call) -> Any:
        """Runs a call on a thread of the pool."""
        _WITHIN.set(_WITHIN.get() | {self})
        return call.function(*call.args, **call.kwargs)

    def _sent(self, *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            return self._pool.submit(*args, **kwargs)
        except concurrent.futures.BrokenExecutor as error:
            raise _lost(self._pool, error) from error
        except RuntimeError as error:
            text = f"{self._pool!r} takes no calls: {error}. Give the function another executor"
            raise errors.refused(errors.FailedPreconditionError, type(error), text) from error

    @explained
    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shuts the other executor down."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _lost(pool: concurrent.futures.Executor, error: BaseException) -> errors.OpError:
    """The error of a pool whose worker died."""
    text = f"a worker of {pool!r} died, and the pool takes no more calls: {error}. Give the function another executor"
    return errors.refused(errors.UnavailableError, type(error), text)


def _opened(sent: Future[Any], pool: concurrent.futures.Executor) -> Future[Any]:
    """The future of a call, from the future of its pickled outcome; cancelling the one cancels the other."""
    future = NotifyingFuture()

    def arrived(done: Future[Any]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(outcome.opened(done.result()))
        except concurrent.futures.BrokenExecutor as error:
            lost = _lost(pool, error)
            lost.__cause__ = error
            future.set_exception(lost)
        except BaseException as error:
            future.set_exception(error)

    sent.add_done_callback(arrived)
    future.add_done_callback(lambda done: sent.cancel() if done.cancelled() else None)
    return future
