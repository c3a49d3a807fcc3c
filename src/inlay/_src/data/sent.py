"""Functions of elements in other processes: sent once, called on several elements at a time.

    Sent        the whole function as it travels: its plan, the host functions and programs that this needs, and the
                values that it captures
    SentChain   the functions of maps in a row, mostly one, as an executor calls them and knows them by their digest
    Elsewhere   works as calls of an executor: (numbers of the first element, draws, columns) ─▶ columns of results

Elements in a row travel as columns: small arrays of one dtype and shape as one array, all else as a list, whose large
arrays an executor moves in its own way. A work should take long enough for the way there to matter little, so what the
function takes is measured there, and how many elements make a work follows.
"""

from __future__ import annotations

import pickle
import time
import weakref
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.span_chunks import Activity
from inlay._src.base.spans import SPANS, new_flow, now
from inlay._src.base.tuning import TUNING
from inlay._src.cluster import payload as payloads
from inlay._src.core import context
from inlay._src.core.executor import Call, Executor
from inlay._src.core.state import Cell
from inlay._src.data.draws import Draw, with_draws
from inlay._src.data.element import Values
from inlay._src.data.working import Failure, Landed, Run, Way, Work, outcome_of, performed
from inlay._src.engine.run.lowering.joined import StepFailed
from inlay._src.host import bodies
from inlay._src.host.executors import outcome
from inlay._src.ops.seeds import RandomState
from inlay._src.programs.program import RUNNING, Program

_HERE = ("localhost", 0)


class Sent:
    """A function of elements as it travels.

    Args:
      label: the function's name and definition.
      payload: its plan and what this needs, as bytes.
      captured: the values of the plan's last parameters; those of draws are None.
    """

    def __init__(self, label: str, payload: bytes, captured: Sequence[Any]) -> None:
        self.label, self.payload, self.captured = label, payload, tuple(captured)
        self._program: Any = None

    def __reduce__(self) -> Any:
        return Sent, (self.label, self.payload, self.captured)

    def opened(self, draws: Sequence[Draw]) -> Run:
        """The function, where it arrived.

        Args:
          draws: the draws of the iteration.
        """
        program = self._program = self._program or _opened(self.payload)
        return with_draws(program, self.captured, draws) if draws else program.repeated(self.captured)


class SentChain:
    """Functions of which each takes what the one before it gives, as they travel.

    Args:
      parts: the functions.

    Attributes:
      label: their names and definitions.
    """

    def __init__(self, parts: Sequence[Sent]) -> None:
        self.parts = tuple(parts)
        self.label: str = ", then ".join(part.label for part in parts)

    def __reduce__(self) -> Any:
        return SentChain, (self.parts,)

    def __call__(
        self, firsts: Sequence[int], draws: Sequence[Sequence[Draw]], count: int, columns: Sequence[Any], start: int
    ) -> Any:
        """Runs on elements in a row.

        Args:
          firsts: the number of the first one at each function.
          draws: the draws of each function in the iteration.
          count: the number of elements.
          columns: their values; see `columns`.
          start: the function that takes them, by its place.

        Returns:
          Seconds that it took; columns of the results that there are; errors as triples of the element's place, the
          function's place, and bytes.
        """
        began = time.perf_counter()
        with context.using(RUNNING):
            runs = [
                (part, self.parts[part].opened(draws[part]), firsts[part]) for part in range(start, len(self.parts))
            ]

            def run(values: Values, index: int) -> Values:
                for part, function, first in runs:
                    try:
                        values = function(values, first + index)
                    except errors.PASS_THROUGH:
                        raise
                    except BaseException as error:
                        raise StepFailed(part, error) from error
                return values

            results = performed(run, 0, rows(columns, count))
        seconds = time.perf_counter() - began
        failed = [
            (i, error.part, outcome.packed_failure(error.error))
            for i, result in enumerate(results)
            if result.__class__ is Failure and isinstance(error := result.error, StepFailed)
        ]
        return seconds, columns_of([r for r in results if r.__class__ is not Failure]), failed


def _opened(payload: bytes) -> Any:
    arrived = pickle.loads(payload)
    return payloads.ReceivedProgram("a function of elements", arrived.plan, payloads.ReceivedTables(arrived))


def sent(program: Program, label: str, captured: Sequence[Any]) -> Sent:
    """A function as it travels.

    Args:
      program: the program of the function.
      label: its name and definition.
      captured: the values of the program's last parameters.

    Raises:
      InvalidArgumentError, TypeError: naming what it captures that cannot travel.
    """
    for value in captured:
        _check_travels(value, label)
    for host in program.graph.host_functions.values():
        bodies.body_of(host.fn)  # says by name what a function captures
    constants = [None if isinstance(value, RandomState) else value for value in captured]
    return Sent(label, payloads.packed(program.plan, program.graph, _HERE), constants)


def _check_travels(value: Any, label: str) -> None:
    what = None
    if isinstance(value, Cell):
        what = (
            f"variable '{value.name}'",
            "its value is in this process: read it before, or make it part of the element",
        )
    elif isinstance(value, RandomState):
        if value.kept:
            what = (
                "a random Generator",
                "its state is in this process: draw with tf.random.stateless_uniform or the like",
            )
    elif not isinstance(value, (np.ndarray, np.generic, bytes)):
        what = f"a {type(value).__name__}", "it stays in this process"
    if what is not None:
        text = f"{label} cannot be sent to another process: it captures {what[0]}; {what[1]}"
        raise errors.refused(errors.InvalidArgumentError, TypeError, text)


# ---------------------------------------------------------------- columns


def columns_of(elements: Sequence[Values]) -> list[Any]:
    """The values of elements, component by component: an array with a row for each, or a list."""
    return [_column(values) for values in zip(*elements, strict=True)]


def _column(values: Sequence[Any]) -> Any:
    first = values[0]
    kind = getattr(first, "dtype", None)
    if not isinstance(kind, np.dtype) or kind.kind not in "biufc" or first.nbytes > TUNING.sent_row_bytes:
        return list(values)
    if not all(getattr(v, "dtype", None) == kind and v.shape == first.shape for v in values):
        return list(values)
    return np.array(values, kind)


def rows(columns: Sequence[Any], count: int) -> list[Values]:
    """The elements of columns."""
    return list(map(list, zip(*columns, strict=True))) if columns else [[] for _ in range(count)]


# ---------------------------------------------------------------- works


class Elsewhere(Way):
    """Calls of an executor.

    Args:
      executor: the executor of the calls.
      chain: the functions.
      draws: the draws of each in the iteration.
      calls: the requested number of concurrent tasks.
      repeatable: whether an element that was lost may be run again.
    """

    size: Any

    def __init__(
        self, executor: Executor, chain: SentChain, draws: Sequence[Sequence[Draw]], calls: int, repeatable: bool
    ) -> None:
        self._executor, self._chain, self._draws = executor, chain, tuple(map(tuple, draws))
        self._repeatable, self._each = repeatable, 0.0
        self._flows: weakref.WeakKeyDictionary[Future[Any], int] = weakref.WeakKeyDictionary()
        workers = executor.workers or calls
        self.most: Any = calls if workers > calls else calls + workers  # what waits hides the way there and back
        self.label: Any = f"{executor!r}, {calls} at once"

    def begin(self, work: Work, landed: Landed) -> None:
        try:
            work.token = [self._started(work.firsts, work.elements, work, landed)]
        except errors.PASS_THROUGH:
            raise
        except BaseException as error:
            work.results, work.over = [Failure(error)] * len(work.elements), True

    def _started(self, firsts: Sequence[int], elements: Sequence[Values], work: Work, landed: Landed) -> Future[Any]:
        args = (firsts, self._draws, len(elements), columns_of(elements), work.part)
        again = self._repeatable and self._executor.apart
        flow, begin = (new_flow(), now()) if SPANS.on else (0, 0)
        future = self._executor.start(Call(self._chain, args, label=self._chain.label, repeatable=again, flow=flow))
        if flow:
            SPANS.add(self._activity("submit"), begin, now(), {"flow": flow})
            self._flows[future] = flow
        future.add_done_callback(lambda _: landed.put(work))
        return future

    def end(self, work: Work, landed: Landed) -> None:
        """See `Way.end`. The work of a lost worker is run again, each element by itself, if that does no harm."""
        futures: list[Future[Any]] = work.token or []
        if not futures or not all(future.done() for future in futures):
            return
        if not work.deaths and self._repeatable and _is_lost(futures[0]):
            work.deaths = 1
            try:
                work.token = [
                    self._started([first + i for first in work.firsts], [values], work, landed)
                    for i, values in enumerate(work.elements)
                ]
                return
            except errors.PASS_THROUGH:
                raise
            except BaseException as error:
                work.results = [Failure(error)] * len(work.elements)
        else:
            results = [self._results(future, work) for future in futures]
            work.results = results[0] if len(results) == 1 and not work.deaths else [r[0] for r in results]
        work.token, work.over = None, True

    def _activity(self, category: str) -> Activity:
        facts = (("function", self._chain.label), ("executor", repr(self._executor)))
        return Activity(self._chain.label.split(" ", 1)[0], category, facts)

    def _results(self, future: Future[Any], work: Work) -> list[Any]:
        flow, begin = self._flows.pop(future, 0), now()
        try:
            return self._accepted(future, work)
        finally:
            if flow and SPANS.on:
                SPANS.add(self._activity("accept"), begin, now(), {"flow": flow})

    def _accepted(self, future: Future[Any], work: Work) -> list[Any]:
        outcome = outcome_of(future, work)
        if outcome and outcome[0].__class__ is Failure:
            lost = outcome[0].error
            if isinstance(lost, errors.UnavailableError):
                return [Failure(_told(lost, work))] * len(outcome)
            return outcome
        seconds, columns, failed = outcome
        count = 1 if work.deaths else len(work.elements)
        work.seconds += seconds
        results: list[Any] = rows(columns, count - len(failed))
        self._measured(seconds / count, work.elements[0], results[0] if results else [])
        for place, part, data in failed:
            results.insert(place, Failure(StepFailed(part, _failure(data))))
        return results

    def _measured(self, each: float, *values: Values) -> None:
        """Records the time and the sizes of one element, from which the number of elements per work follows."""
        self._each = min(each, self._each * 1.5) if self._each else each
        size = int(self._executor.call_seconds / max(self._each, 1e-9))
        bytes_each = max(sum(getattr(v, "nbytes", TUNING.sent_row_bytes) for v in part) for part in values) or 1
        self.size = max(1, min(size, TUNING.sent_elements, TUNING.sent_elements_bytes // bytes_each))

    def cancel(self, works: Sequence[Work]) -> None:
        for work in works:
            for future in work.token or ():
                future.cancel()


def _is_lost(future: Future[Any]) -> bool:
    return not future.cancelled() and isinstance(future.exception(), errors.UnavailableError)


def _told(lost: errors.OpError, work: Work) -> errors.OpError:
    if work.deaths:
        text = "the worker that ran this element was lost, and so was the one that ran it again"
    else:
        text = "the worker that ran this element was lost; it is not run again, as the function may have effects"
    refused = errors.UnavailableError(None, None, f"{text}: {lost.message}")
    refused.__cause__ = lost
    return refused


def _failure(data: bytes) -> BaseException:
    try:
        outcome.opened(data)
    except BaseException as error:
        return error
    raise AssertionError("a failure was opened and raised nothing")
