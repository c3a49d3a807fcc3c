"""The registry of lowerings: every other way to run a plan than step by step by the reference interpreter.

A lowering says of which plans it runs something otherwise than the interpreter, and makes the form that it runs.
`Executable` chooses one of the group "source"; `docs/execution.md` lists all of them; the agreement tests hold each
against the interpreter on random plans (`tests/conformance/test_runners.py`). Most are declared in `lowerings`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

GROUPS = {
    "source": "the plan as generated source",
    "values": "the plan as a function of values",
    "part": "steps within generated source",
    "schedule": "the threads and executors that run the steps",
    "device": "another compiler or processor",
}
"""Group -> the question that its lowerings answer."""


class Lowered:
    """A plan in the form in which a lowering runs it.

    Attributes:
      function: runs every step on (cells, armed run or None) and returns the number of the step not yet run; None while
        it is being written.
      private: fetched cells whose value is uniquely referenced, known together with the function.
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
      group: one of `GROUPS`.
      description: one sentence.
      applies: whether it runs something of a bound plan, an `Executable`, otherwise than the interpreter does.
      make: lowers such a plan; the second argument is the tables of its graph, for one that binds another plan.
      exact: whether its results equal those of the interpreter in every bit.
      defined_by: of one that a step chooses itself: the same plan lowered without it. None: the interpreter defines it.
    """

    name: str
    group: str
    description: str
    applies: Callable[[Any], bool]
    make: Callable[[Any, Any], Lowered]
    exact: bool = True
    defined_by: Callable[[Any, Any], Lowered] | None = None


LOWERINGS: dict[str, Lowering] = {}
"""Every lowering by name, in the order in which they are declared."""


def declare(lowering: Lowering) -> Lowering:
    """Adds an entry.

    Raises:
      ValueError: if there is one of that name, or no such group.
    """
    if lowering.name in LOWERINGS or lowering.group not in GROUPS:
        raise ValueError(f"the lowering {lowering.name!r} of group {lowering.group!r} cannot be declared")
    LOWERINGS[lowering.name] = lowering
    return lowering
