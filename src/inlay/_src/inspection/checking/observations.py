"""`Observations`: the calls that all checks share, two with each sample, and the changes between them."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from inlay._src.core import context
from inlay._src.host.bodies.pickling import pickler_class
from inlay._src.inspection.checking.comparison import Values, same, values_of
from inlay._src.inspection.checking.reachable import Reach, reach_of
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.snapshot import Change, Snapshot, process_changes, process_state
from inlay._src.inspection.checking.subject import Recorded, Sample, Subject


class Skipped(Exception):
    """A check does not apply; the text is the reason."""


@dataclass(slots=True)
class SampleCalls:
    """The two calls with one sample.

    Attributes:
      index: the number of the sample.
      sample: its inputs.
      first, second: the arguments and the returned object of each call.
      results: the accepted results of each call; None for a call that failed.
      error: the exception of the first call.
    """

    index: int
    sample: Sample
    first: Recorded = field(default_factory=Recorded)
    second: Recorded = field(default_factory=Recorded)
    results: list[Values | None] = field(default_factory=lambda: [None, None])
    error: Exception | None = None


@dataclass(slots=True)
class Observations:
    """The observations that the checks judge.

    Attributes:
      subject: the function.
      reach: the objects that it reaches after the first pass.
      cold: the function as it was before the first call, pickled; None if it cannot be.
      calls: the calls of each sample.
      changes: the changes that the second pass made in the objects that the function reaches.
      process: the changes that the calls made in the process.
      seconds: the duration of the longest call.
    """

    subject: Subject
    reach: Reach
    cold: bytes | None
    calls: list[SampleCalls]
    changes: list[Change]
    process: list[Change]
    seconds: float

    @property
    def good(self) -> list[SampleCalls]:
        """The samples whose call returned what is declared."""
        return [call for call in self.calls if call.error is None]

    @property
    def repeatable(self) -> bool:
        """Whether both calls of every sample gave the same."""
        return all(same(*call.results) for call in self.good)  # type: ignore[arg-type]

    def expected(self) -> list[Values]:
        """The results of the good samples.

        Raises:
          Skipped: if no sample is good, or equal calls give different results by right.
        """
        if not self.good:
            raise Skipped("no call returns what is declared")
        if not self.repeatable:
            raise Skipped("equal calls give different results")
        return [call.results[1] for call in self.good]  # type: ignore[misc]

    def again(self, call: SampleCalls) -> Callable[[], Any]:
        """The function itself on the arguments of a call, fresh ones each time."""

        def run() -> Any:
            args, kwargs = call.first.arguments_again() if self.subject.api else (list(call.sample), {})
            return self.subject.called(*args, **kwargs)

        return run


def observations_of(subject: Subject) -> Observations:
    """Makes the calls that all checks share."""
    cold = _pickled(subject.called)
    calls = [SampleCalls(index, sample) for index, sample in enumerate(subject.samples)]
    process, seconds = process_state(), 0.0
    for call in calls:
        began = time.perf_counter()
        _make(subject, call, call.first, 0)
        seconds = max(seconds, time.perf_counter() - began)
    reach = reach_of(subject.function)
    changes: dict[str, Change] = {}
    for call in calls:
        if call.error is None:
            before = Snapshot(reach)  # of each call: the last one may leave what it met
            _make(subject, call, call.second, 1)
            for change in before.changes():
                changes.setdefault(change.place, change)
    return Observations(subject, reach, cold, calls, list(changes.values()), process_changes(process), seconds)


def _make(subject: Subject, call: SampleCalls, recorded: Recorded, number: int) -> None:
    function = subject.observed(recorded) if subject.api else None
    try:
        with context.using(context.EAGER):
            call.results[number] = values_of(subject.call(call.sample, function))
    except Exception as error:
        call.error = error


def _pickled(function: Any) -> bytes | None:
    file = io.BytesIO()
    try:
        pickler_class()(file).dump(function)
    except Exception:  # `travel` reports why
        return None
    return file.getvalue()


Check = Callable[[Observations], Iterator[Finding]]
"""A check: it yields findings, or raises `Skipped`."""
