"""Memory: writes into inputs, and results that share memory with inputs, globals or earlier results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from inlay._src.base.types import nest
from inlay._src.core.tensor import EagerTensor
from inlay._src.inspection.checking.comparison import difference, same
from inlay._src.inspection.checking.observations import Observations, SampleCalls, Skipped
from inlay._src.inspection.checking.report import Finding
from inlay._src.inspection.checking.snapshot import state_of
from inlay._src.inspection.checking.subject import Recorded, code_of
from inlay._src.inspection.checking.tracing import line_of_change, returning_line

INPUTS, ALIASES = "inputs", "aliases"
_EFFORT = 10_000  # steps that NumPy may take to find out whether two arrays overlap


def check_inputs(observations: Observations) -> Iterator[Finding]:
    """The arguments are after the call what they were before."""
    if not observations.subject.api:
        raise Skipped("a function of tensors receives no arrays")
    reported: set[int] = set()
    for call in observations.calls:
        for number, (value, copy) in enumerate(zip(call.first.values, call.first.copies, strict=True)):
            if number in reported or not isinstance(value, (np.ndarray, EagerTensor)):
                continue
            if text := _written(value, copy):
                reported.add(number)
                yield Finding(
                    INPUTS,
                    f"it writes into input {number}: {text} (sample {call.index})",
                    _writing_line(observations, call, number) or observations.subject.where,
                    "Copy the input before you write into it. inlay hands out a copy unless copy=False is declared, "
                    "but TensorFlow and other callers do not.",
                )


def _written(value: Any, copy: Any) -> str | None:
    now = np.asarray(value)
    return None if same([now], [copy]) else difference([now], [copy], "was").replace("the result", "it")


def _writing_line(observations: Observations, call: SampleCalls, number: int) -> str | None:
    args, kwargs = call.first.arguments_again()
    value = [*args, *kwargs.values()][number]
    return line_of_change(lambda: observations.subject.called(*args, **kwargs), lambda: state_of(value))


def check_aliases(observations: Observations) -> Iterator[Finding]:
    """A result is memory of its own: no input, no global, no earlier result."""
    if not observations.subject.api:
        raise Skipped("a function of tensors returns no arrays")
    owned = [(f"{place}", v) for place, v in observations.reach.objects if isinstance(v, np.ndarray) and v.ndim]
    for call in observations.good:
        finding = _alias_of(observations, call, owned)
        if finding is not None:
            yield finding
            return


def _alias_of(observations: Observations, call: SampleCalls, owned: list[tuple[str, Any]]) -> Finding | None:
    inputs = [(f"input {i}", v) for i, v in enumerate(call.first.values) if isinstance(v, np.ndarray)]
    for number, result in enumerate(_arrays(call.first)):
        for place, array in (*inputs, *owned):
            if _overlap(result, array):
                what = place if result.shape == array.shape else f"a view of {place}"
                return _finding(observations, call, number, f"is {what}", place)
    earlier = _arrays(call.first)
    for number, result in enumerate(_arrays(call.second)):
        if any(_overlap(result, array) for array in earlier):
            return _finding(observations, call, number, "has the memory of an earlier result", "a buffer")
    return None


def _finding(observations: Observations, call: SampleCalls, number: int, text: str, place: str) -> Finding:
    where = returning_line(observations.again(call), code_of(observations.subject.function))
    return Finding(
        ALIASES,
        f"output {number} {text} (sample {call.index})",
        where or observations.subject.where,
        f"Return a copy. A later write into {place} would change a result that somebody else holds, and inlay copies "
        "such a result at each call.",
    )


def _arrays(recorded: Recorded) -> list[Any]:
    """The arrays among the returned objects that can be written into or were written into."""
    return [leaf for leaf in nest.flatten(recorded.returned) if isinstance(leaf, np.ndarray) and leaf.size]


def _overlap(one: Any, other: Any) -> bool:
    if not np.may_share_memory(one, other):
        return False
    try:
        return bool(np.shares_memory(one, other, max_work=_EFFORT))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True
