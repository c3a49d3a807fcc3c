"""The captures of a function, and its way to another process."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from types import FunctionType

import numpy as np

from inlay._src.host import bodies
from inlay._src.inspection.checking.observations import Observations, Skipped
from inlay._src.inspection.checking.reachable import described
from inlay._src.inspection.checking.report import Finding

NAME = "travel"
_MOST_CAPTURES = 12
_LARGE = 16 << 20
_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)


def check(observations: Observations) -> Iterator[Finding]:
    """A function whose executor is in another process can be sent there, and is not large."""
    if not observations.subject.leaves_the_process:
        raise Skipped("its executor runs it in this process")
    reason = obstacle(observations)
    if reason is not None:
        yield Finding(
            NAME,
            f"it cannot be sent to another process: {reason}",
            observations.subject.where,
            "Make the object in the function or in tf.Processes(initializer=), or pass its data as an input.",
        )
        return
    for place, value in observations.reach.objects:
        if isinstance(value, _GENERATORS):
            yield Finding(
                NAME,
                f"it draws from {place} ({type(value).__name__}), and every worker draws equal numbers from its copy",
                observations.subject.where,
                "Take the generator as an argument: rng=SEED passes one to each call.",
            )
    size = len(bodies.body_of(observations.subject.called).data)
    if size > _LARGE:
        yield Finding(
            NAME,
            f"it is {size:,} bytes when it is sent, once to each worker",
            observations.subject.where,
            "Pass large arrays as inputs, which travel in shared memory, or load them in tf.Processes(initializer=).",
        )


def obstacle(observations: Observations) -> str | None:
    """The reason that keeps the function in its process; None if it can be sent."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            bodies.body_of(observations.subject.called)
    except Exception as error:
        text = str(error).partition("\n")[0].partition(" (inlay explain")[0]
        return text.partition("cannot be sent to another process: ")[2] or text
    return None


def captures(observations: Observations) -> list[str]:
    """The objects that the function reaches, with their sizes; the rest is counted."""
    parts = ("item ", "entry ")  # of containers, which have a row of their own
    objects = [(place, v) for place, v in observations.reach.objects if place and not isinstance(v, FunctionType)]
    rows = [f"{place}: {described(v)}" for place, v in objects if not place.startswith(parts)]
    if len(rows) > _MOST_CAPTURES:
        rows[_MOST_CAPTURES:] = [f"{len(rows) - _MOST_CAPTURES} more objects"]
    return rows
