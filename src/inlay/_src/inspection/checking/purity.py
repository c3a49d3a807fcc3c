"""Promises of `stateful=False`: equal calls give equal results, write nothing, and draw from no shared generator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from inlay._src.inspection.checking.comparison import difference, same
from inlay._src.inspection.checking.observations import Observations, SampleCalls, Skipped
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.snapshot import GENERATORS, Change
from inlay._src.inspection.checking.tracing import functions_called, line_of_change, raised_at

REPETITION, STATE = "repetition", "state"
_STATEFUL = "the function is declared stateful"

_SOURCES = {
    "clock": ("time.time", "time.time_ns", "time.monotonic", "time.perf_counter", "time.process_time", "datetime.now",
              "datetime.datetime.now", "type.now", "type.utcnow", "type.today", "datetime.today", "time.localtime"),
    "entropy of the system": ("posix.urandom", "os.urandom", "posix.getrandom", "SystemRandom.getrandbits"),
}  # fmt: skip
_DO_RANDOM = "Pass a generator to each call with rng=SEED, or declare stateful=True."


def check_repetition(observations: Observations) -> Iterator[Finding]:
    """Equal calls give equal results."""
    if not observations.subject.pure:
        raise Skipped(_STATEFUL)
    for call in observations.good:
        first, second = call.results
        if first is None or second is None or same(first, second):
            continue
        cause, remedy = _cause(observations, call)
        seen = f"equal calls differ: {difference(second, first, 'before it was')} (sample {call.index}){cause}"
        yield Finding(REPETITION, seen, _where(observations, call), remedy)
        return


def _cause(observations: Observations, call: SampleCalls) -> tuple[str, str]:
    """The source of the difference, if one is known, and the remedy."""
    drawn = next((c.place for c in _changes(observations) if c.place in [f"the {g}" for g in GENERATORS]), None)
    if drawn is not None:
        return f"; it draws from {drawn}", _DO_RANDOM
    names = functions_called(observations.again(call))
    for source, functions in _SOURCES.items():
        used = next((name for name in functions if name in names), None)
        if used is not None:
            remedy = _DO_RANDOM if "entropy" in source else "Take the time as an input, or declare stateful=True."
            return f"; it reads the {source} ({used})", remedy
    places = ", ".join(change.place for change in observations.changes)
    return (
        f"; it changes {places}" if places else ""
    ), "Make the result depend on the inputs only, or declare stateful=True."


def _where(observations: Observations, call: SampleCalls) -> str:
    for change in _changes(observations):
        if where := line_of_change(observations.again(call), change.probe):
            return where
    return observations.subject.where


def _changes(observations: Observations) -> list[Change]:
    return [*observations.changes, *observations.process]


def check_state(observations: Observations) -> Iterator[Finding]:
    """A function that is declared pure writes nowhere; no function changes settings of the process."""
    for change in observations.process:
        drawn = change.place.removeprefix("the ") in GENERATORS
        if drawn and not observations.subject.pure:
            continue
        remedy = _DO_RANDOM if drawn else "Restore the setting before the function returns: it holds for all threads."
        yield Finding(STATE, f"{change.place} {change.text}", _line(observations, change), remedy)
    if observations.subject.pure:
        for change in observations.changes:
            yield Finding(
                STATE,
                f"it writes into {change.place}: {change.text}",
                _line(observations, change),
                "Return the value, or declare stateful=True: a call that is merged, folded or sent to a worker "
                "does not write it.",
            )
        yield from _writes_of_equal_values(observations)
    elif not observations.process:
        raise Skipped(f"{_STATEFUL}, and changes no setting of the process")


def _writes_of_equal_values(observations: Observations) -> Iterator[Finding]:
    """Writes into arrays that leave them as they were: while the arrays are read-only, the function raises."""
    written = {change.place for change in observations.changes}
    for place, array in observations.reach.objects:
        if not isinstance(array, np.ndarray) or place in written or not array.flags.writeable:
            continue
        array.flags.writeable = False
        try:
            for call in observations.good:
                observations.again(call)()
        except Exception as error:
            if "read-only" in str(error):
                seen = f"it writes into {place}, values that are there already"
                where = raised_at(error.__traceback__) or observations.subject.where
                yield Finding(STATE, seen, where, "Use an array of the call itself, or declare stateful=True.")
        finally:
            array.flags.writeable = True


def _line(observations: Observations, change: Change) -> str:
    calls: list[Any] = observations.good
    for call in calls:
        if where := line_of_change(observations.again(call), change.probe):
            return where
    return observations.subject.where
