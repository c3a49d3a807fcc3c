"""Execution strategies of a parallel stage: inline, threaded, asynchronous, remote.

    Inline    at once, by the caller that asks for the next element
    Pooled    on threads of this process
    Begun     by the caller, but not while an executor runs a host function of the plan: so a thousand calls of an
              `async def` are in flight without a thread for each

A `Work` is begun in the consumer's thread, lands in a queue from whichever thread ends it, and is ended in the
consumer's thread again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from inlay._src.base import errors
from inlay._src.core import context
from inlay._src.core.executor import Call, Executor
from inlay._src.data.element import Values
from inlay._src.host.executors.threads import Threads
from inlay._src.programs.program import RUNNING

Run = Callable[[Values, int], Any]
"""The function of one element: takes its values and its index, gives the values of the result."""


class Landed(Protocol):
    """A queue of works to be ended."""

    def put(self, item: Any) -> None:
        """Adds one."""


class Failure:
    """The error of one element, in place of its result."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Work:
    """Consecutive elements that are worked on together.

    Args:
      firsts: the number of the first one at each function that is called in a row; most works have one function.
      elements: their values.
      part: the function that takes these values, by its place in the row.

    Attributes:
      results: a result or a `Failure` for each, once it is over.
      seconds: the total time in the function.
      token: the state that its way keeps for it.
      deaths: the number of workers that were lost with it.
      way, began, ended: where it is worked on, and when, while that is measured.
    """

    __slots__ = ("began", "deaths", "elements", "ended", "firsts", "over", "part", "results", "seconds", "token", "way")

    def __init__(
        self, firsts: tuple[int, ...], elements: list[Values], results: list[Any] | None = None, part: int = 0
    ) -> None:
        self.firsts, self.elements, self.part = firsts, elements, part
        self.results: list[Any] = results or []
        self.over: bool = results is not None
        self.seconds, self.deaths = 0.0, 0
        self.token: Any = None
        self.way: Any = None
        self.began = self.ended = 0.0


class Way:
    """One way in which elements are worked on.

    Attributes:
      label: its name.
      most: the limit on tasks in flight.
      size: the present number of elements per task.
    """

    label: str = ""
    most: int = 1
    size: int = 1

    def begin(self, work: Work, landed: Landed) -> None:
        """Begins a work. When there is something to do for it, the work is put into `landed`."""
        raise NotImplementedError

    def end(self, work: Work, landed: Landed) -> None:
        """Goes on with a work that landed: it is over, or lands again."""
        work.over = True

    def cancel(self, works: Sequence[Work]) -> None:
        """Nobody waits for these works any more."""

    def close(self) -> None:
        """There will be no more works."""


def performed(run: Run, first: int, elements: Sequence[Values]) -> list[Any]:
    """The result or the `Failure` of each element."""
    results: list[Any] = []
    for index, values in enumerate(elements, first):
        try:
            results.append(run(values, index))
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            results.append(Failure(error))
    return results


class Inline(Way):
    """At once.

    Args:
      run: the function.
    """

    label = "inline"

    def __init__(self, run: Run) -> None:
        self._run = run

    def begin(self, work: Work, landed: Landed) -> None:
        start = time.perf_counter()
        work.results = performed(self._run, work.firsts[0], work.elements)
        work.seconds = time.perf_counter() - start
        landed.put(work)


class Pooled(Way):
    """On threads.

    Args:
      run: the function.
      calls: the number of concurrent tasks.
      label: the function's name and definition.
      executor: the executor of the calls; None makes one.
    """

    def __init__(self, run: Run, calls: int, label: str, executor: Executor | None) -> None:
        self._run, self._function = run, label
        self.most = calls
        self.label: Any = f"threads({calls})" if executor is None else f"{executor!r}, {calls} at once"
        self._own = Threads(workers=calls) if executor is None else None
        self._executor = executor or self._own

    def begin(self, work: Work, landed: Landed) -> None:
        assert self._executor is not None
        work.token = self._executor.start(Call(self._perform, (work,), label=self._function))
        work.token.add_done_callback(lambda _: landed.put(work))

    def _perform(self, work: Work) -> list[Any]:
        start = time.perf_counter()
        with context.using(RUNNING):
            results = performed(self._run, work.firsts[0], work.elements)
        work.seconds = time.perf_counter() - start
        return results

    def end(self, work: Work, landed: Landed) -> None:
        work.results = outcome_of(work.token, work)
        work.token, work.over = None, True

    def cancel(self, works: Sequence[Work]) -> None:
        for work in works:
            if work.token is not None:
                work.token.cancel()

    def close(self) -> None:
        if self._own is not None:
            self._own.shutdown(wait=False, cancel_futures=True)


def outcome_of(future: Future[Any], work: Work) -> list[Any]:
    """The results of a work, or for each of its elements what happened to all.

    Raises:
      KeyboardInterrupt, SystemExit: if one of its functions raised that.
    """
    try:
        return future.result()  # type: ignore[no-any-return]
    except errors.PASS_THROUGH:
        raise
    except BaseException as error:
        return [Failure(error)] * len(work.elements)


class Begun(Way):
    """By the caller that asks, except for what executors run.

    Args:
      begin: makes an execution that gives the thread back; see `ResumableRun`.
      finish: the values of the result, from the values of the program.
      calls: the number of concurrent calls.
    """

    def __init__(self, begin: Callable[[int, Values], Any], finish: Callable[[Values], Values], calls: int) -> None:
        self._begin, self._finish = begin, finish
        self.most = calls
        self.label: Any = f"in flight({calls})"

    def begin(self, work: Work, landed: Landed) -> None:
        start = time.perf_counter()
        try:
            work.token = self._begin(work.firsts[0], work.elements[0]), None
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            work.results, work.over = [Failure(error)], True
            return
        self._advance(work, landed)
        work.seconds = time.perf_counter() - start

    def end(self, work: Work, landed: Landed) -> None:
        self._advance(work, landed)

    def _advance(self, work: Work, landed: Landed) -> None:
        run, _ = work.token
        try:
            future = run.advance()
            if future is not None:
                work.token = run, future
                future.add_done_callback(lambda _: landed.put(work))
                return
            work.results = [self._finish(run.results())]
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            work.results = [Failure(error)]
        work.token, work.over = None, True

    def cancel(self, works: Sequence[Work]) -> None:
        for work in works:
            if work.token is not None and work.token[1] is not None:
                work.token[1].cancel()
