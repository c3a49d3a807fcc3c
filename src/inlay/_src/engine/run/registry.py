"""The registry of lowerings: every way to run a plan that is faster than the reference interpreter.

A lowering says of which plans it makes something else than the interpreter runs, and makes it. `Executable` chooses
among those of the group "source"; `docs/execution.md` lists all; `tests/conformance/test_runners.py` holds each against
the interpreter on random plans.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Lowered:
    """A plan in the form in which a lowering runs it.

    Attributes:
      function: runs every step on (cells, armed run or None) and returns the number of the step not yet run; None while
        it is being written.
      private: fetched cells whose value nobody else can hold, known together with the function.
    """

    __slots__ = ("function", "private")

    def __init__(self, function: Callable[..., Any] | None, private: frozenset[int] = frozenset()) -> None:
        self.function = function
        self.private = private

    def write_for_runs(self, count: int) -> None:
        """Writes as much of the function as so many interpreted runs pay for, if it is written in chunks."""


@dataclass(frozen=True, slots=True)
class Lowering:
    """An entry of the registry.

    Attributes:
      name: the field's term for it, unique.
      group: which question it answers: "source", "part of a source", "schedule", "values", "compiler".
      description: one sentence.
      applies: whether it runs something of a bound plan, an `Executable`, otherwise than the interpreter does.
      make: lowers such a plan.
      exact: whether its results equal those of the interpreter in every bit.
    """

    name: str
    group: str
    description: str
    applies: Callable[[Any], bool]
    make: Callable[[Any], Lowered]
    exact: bool = True


LOWERINGS: dict[str, Lowering] = {}
"""Every lowering by name, in the order in which they are declared."""


def declare(lowering: Lowering) -> Lowering:
    """Adds an entry.

    Raises:
      ValueError: if there is one of that name.
    """
    if lowering.name in LOWERINGS:
        raise ValueError(f"there is a lowering named {lowering.name!r}")
    LOWERINGS[lowering.name] = lowering
    return lowering
