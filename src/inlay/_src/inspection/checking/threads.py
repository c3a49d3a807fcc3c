"""Eight threads call the function at once; each gets the result that it gets alone."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inlay._src.core import context
from inlay._src.inspection.checking.comparison import Values, difference, same, values_of
from inlay._src.inspection.checking.observations import Observations, SampleCalls
from inlay._src.inspection.checking.reachable import reach_of
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.schedule import Schedule, at_once
from inlay._src.inspection.checking.snapshot import Snapshot
from inlay._src.inspection.checking.tracing import line_of_change

NAME = "threads"
_THREADS, _SCHEDULES, _ROUNDS = 8, 4, 4
_SLOW = 0.02  # seconds of a call above which one schedule and one round are made
_SWITCH = 1e-6


def check(observations: Observations) -> Iterator[Finding]:
    """The results of eight threads are those of one."""
    expected = observations.expected()
    calls = observations.good
    slow = observations.seconds > _SLOW
    order = [k % len(calls) for k in range(_THREADS)]
    tasks = [functools.partial(_values, observations, calls[k]) for k in order]
    for seed in range(1 if slow else _SCHEDULES):
        results = Schedule(_THREADS, seed, opcodes=bool(seed % 2)).run(tasks)
        if finding := _judged(observations, order, results, expected):
            yield finding
            return
    for number in range(1 if slow else _ROUNDS):
        shifted = order[number:] + order[:number]
        repeated = [functools.partial(_all_values, observations, calls[k:] + calls[:k]) for k in shifted]
        rows = at_once(repeated, _SWITCH)
        for k, row in zip(shifted, rows, strict=True):
            values = row if isinstance(row, list) else [row] * len(calls)
            wanted = [*range(len(calls))][k:] + [*range(len(calls))][:k]
            if finding := _judged(observations, wanted, values, expected):
                yield finding
                return


def _values(observations: Observations, call: SampleCalls) -> Values:
    with context.using(context.EAGER):
        return values_of(observations.subject.call(call.sample))


def _all_values(observations: Observations, calls: Sequence[SampleCalls]) -> list[Values]:
    return [_values(observations, call) for call in calls]


def _judged(
    observations: Observations, order: Sequence[int], results: Sequence[Any], expected: Sequence[Values]
) -> Finding | None:
    for k, got in zip(order, results, strict=True):
        index = observations.good[k].index
        if isinstance(got, Exception):
            return _finding(
                observations, f"beside other threads sample {index} raises {type(got).__name__}: {_line(got)}"
            )
        if not same(got, expected[k]):
            text = difference(got, expected[k], "alone it is")
            return _finding(observations, f"beside other threads {text} (sample {index})")
    return None


def _line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


def _finding(observations: Observations, seen: str) -> Finding:
    places, where = _shared(observations)
    cause = f"; every call writes into {', '.join(places)}" if places else ""
    remedy = (
        "Give each call memory of its own (a local variable, threading.local()), or hold a lock around the use of "
        "shared objects."
    )
    return Finding(NAME, f"{seen}{cause}", where or observations.subject.where, remedy)


def _shared(observations: Observations) -> tuple[list[str], str | None]:
    """The objects that calls write into, and the first line that does."""
    places: list[str] = []
    where: str | None = None
    for call in observations.good:
        run = observations.again(call)
        before = Snapshot(reach_of(observations.subject.function))
        _ignoring_errors(run)
        for change in before.changes():
            if change.place not in places:
                places.append(change.place)
                where = where or _first_line(observations, change.probe)
    return places, where


def _first_line(observations: Observations, probe: Callable[[], Any]) -> str | None:
    return next((line for call in observations.good if (line := line_of_change(observations.again(call), probe))), None)


def _ignoring_errors(run: Callable[[], Any]) -> None:
    try:
        run()
    except Exception:  # the threads' results are judged, not this call
        pass
