"""Results against the declaration: dtypes, shapes, structure; also where an input holds NaN."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.core import context
from inlay._src.core.tensor import EagerTensor
from inlay._src.inspection.checking.observations import Observations, SampleCalls
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.subject import Recorded, Sample, code_of
from inlay._src.inspection.checking.tracing import lines_run, raised_at, returning_line

NAME = "declaration"
_EXPLAINED = re.compile(r"\s*\(inlay explain [\w-]+\)")
_RETURN = "Return what Tout and output_shapes declare, or declare what the function returns."


def check(observations: Observations) -> Iterator[Finding]:
    """Every sample gives results of the declared dtypes, shapes and structure, and so does one with NaN in it."""
    failed = [call for call in observations.calls if call.error is not None]
    wrong = [
        (_of_error(observations, call, call.first, call.error), call.index) for call in failed if call.error is not None
    ]
    for finding in dict.fromkeys(finding for finding, _ in wrong):
        numbers = [str(index) for other, index in wrong if other == finding]
        samples = f"sample {numbers[0]}" if len(numbers) == 1 else f"samples {', '.join(numbers)}"
        yield replace(finding, seen=f"{samples}: {finding.seen}")
    if observations.good and _promises_shapes(observations):
        yield from _with_nan(observations, observations.good[0])


def _of_error(observations: Observations, call: SampleCalls, recorded: Recorded, error: Exception) -> Finding:
    subject = observations.subject
    if recorded.raised or not subject.api:
        cause = error.__cause__ or error
        seen = f"it raises {type(cause).__name__}: {_first_line(cause)}"
        raising = raised_at(cause.__traceback__) or subject.where
        return Finding(NAME, seen, raising, "Give samples that the function accepts, or correct the function.")
    lines = str(error).splitlines()
    advice = [line.strip() for line in lines[1:] if line.startswith("  ") and not _is_frame(line)]
    remedy = _EXPLAINED.sub("", advice[0]) if advice else _RETURN
    where = returning_line(observations.again(call), code_of(subject.function)) if recorded.args else None
    return Finding(NAME, _EXPLAINED.sub("", lines[0]), where or subject.where, remedy)


def _is_frame(line: str) -> bool:
    return line.lstrip().startswith(("returned by", "raised in", "called by", "inputs:", "[[{{"))


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [""])[0]


def _promises_shapes(observations: Observations) -> bool:
    """Whether a declared shape says more than nothing, so that a result can break it."""
    subject = observations.subject
    return bool(subject.api) and (subject.options.output_shapes is not None or "shape=" in repr(subject.tout))


def _with_nan(observations: Observations, call: SampleCalls) -> Iterator[Finding]:
    """A function may refuse NaN; if it returns, its results are as declared."""
    most = 4 * lines_run(observations.again(call)) + 10_000
    for number, value in enumerate(call.sample):
        if not isinstance(value, EagerTensor) or not value.dtype.is_floating or not np.size(value):
            continue
        array = np.array(value)
        array.reshape(-1)[0] = np.nan
        sample = Sample((*call.sample[:number], EagerTensor(array, value.dtype), *call.sample[number + 1 :]))
        other, recorded = SampleCalls(call.index, sample), Recorded()
        error = _raised(observations, sample, recorded, most)
        if error is not None and not recorded.raised:
            other.first = recorded
            finding = _of_error(observations, other, recorded, error)
            yield replace(finding, seen=f"sample {call.index} with NaN in input {number}: {finding.seen}")


def _raised(observations: Observations, sample: Any, recorded: Recorded, most: int) -> Exception | None:
    """The exception of a call, which is ended after so many lines: an iteration may not end for NaN."""
    raised: list[Exception] = []

    def run() -> None:
        try:
            with context.using(context.EAGER), np.errstate(all="ignore"):
                observations.subject.call(sample, observations.subject.observed(recorded))
        except Exception as error:
            raised.append(error)

    lines_run(run, most)
    return raised[0] if raised else None
