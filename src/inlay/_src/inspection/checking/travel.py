"""What a function captures, and whether it can be sent to another process."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import FunctionType

from inlay._src.host import bodies
from inlay._src.inspection.checking.reachable import described
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.trial import Skipped, Trial

NAME = "travel"
_MOST_CAPTURES = 12
_LARGE = 16 << 20


def check(trial: Trial) -> Iterator[Finding]:
    """A function whose executor is in another process can be sent there, and is not large."""
    if not trial.subject.leaves_the_process:
        raise Skipped("its executor runs it in this process")
    reason = obstacle(trial)
    if reason is not None:
        yield Finding(
            NAME,
            f"it cannot be sent to another process: {reason}",
            trial.subject.where,
            "Make the object in the function or in tf.Processes(initializer=), or pass its data as an input.",
        )
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        size = len(bodies.body_of(trial.subject.called).data)
    for warning in caught:
        seen = str(warning.message).partition("(inlay explain")[0]
        yield Finding(NAME, seen.strip(), trial.subject.where, "Take the generator as an argument: rng=SEED.")
    if size > _LARGE:
        yield Finding(
            NAME,
            f"it is {size:,} bytes when it is sent, once to each worker",
            trial.subject.where,
            "Pass large arrays as inputs, which travel in shared memory, or load them in tf.Processes(initializer=).",
        )


def obstacle(trial: Trial) -> str | None:
    """The reason that keeps the function in its process; None if it can be sent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bodies.body_of(trial.subject.called)
    except Exception as error:
        text = str(error).partition("\n")[0].partition(" (inlay explain")[0]
        return text.partition("cannot be sent to another process: ")[2] or text
    return None


def captures(trial: Trial) -> list[str]:
    """The objects that the function reaches, with their sizes; the rest is counted."""
    parts = ("item ", "entry ")  # of containers, which have a row of their own
    objects = [(place, v) for place, v in trial.reach.objects if place and not isinstance(v, FunctionType)]
    rows = [f"{place}: {described(v)}" for place, v in objects if not place.startswith(parts)]
    if len(rows) > _MOST_CAPTURES:
        rows[_MOST_CAPTURES:] = [f"{len(rows) - _MOST_CAPTURES} more objects"]
    return rows
