"""Several plans as one: each takes what the one before it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.plan import Feed, Plan, Step, renumbered, with_frees
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.lowering.functions import Make, of_values


class StepFailed(Exception):
    """A step of joined plans failed.

    Attributes:
      part: the index of its plan.
      error: its error, with its place.
    """

    def __init__(self, part: int, error: BaseException) -> None:
        super().__init__(part, error)
        self.part, self.error = part, error


class Joined:
    """Plans as one.

    Args:
      parts: the plans, bound: `joinable` holds of each.
      given: per part, the number of its first feeds that are fetched from the part before it.

    Attributes:
      plan, calls: all steps, and what they call. Its feeds are those of the first part, then the other feeds of the
        second, and so on.
    """

    __slots__ = ("_consts", "_feeds", "_part", "_slots", "_steps", "calls", "plan")

    def __init__(self, parts: Sequence[Executable], counts: Sequence[int]) -> None:
        self._slots = 0
        self._feeds: list[Feed] = []
        self._consts: list[tuple[int, Any]] = []
        self._steps: list[Step] = []
        self.calls: list[StepCall] = []
        self._part: list[int] = []  # which one each step is of
        fetched: tuple[int, ...] = ()
        for number, (part, count) in enumerate(zip(parts, counts, strict=True)):
            fetched = self._add(number, part, dict(zip(part.feeds[:count], fetched, strict=True)) if number else {})
        feeds, consts = tuple(self._feeds), tuple(self._consts)
        plan = Plan(self._slots, feeds, (), consts, tuple(self._steps), fetched, (), concurrent=False)
        self.plan: Plan = replace(plan, steps=with_frees(plan.steps, plan.lasting))

    def _add(self, number: int, part: Executable, taken: dict[int, int]) -> tuple[int, ...]:
        """Adds a part, some of whose cells are there; the cells of what it fetches."""
        plan, first = part.plan, len(self._steps)
        cells = {cell: taken[cell] if cell in taken else self._slots + cell for cell in range(plan.slots)}
        self._slots += plan.slots
        self._feeds += [replace(feed, slot=cells[feed.slot]) for feed in plan.feeds if feed.slot not in taken]
        self._consts += [(cells[cell], part.template[cell]) for cell, _ in plan.consts]
        self._steps += renumbered(plan.steps, cells, first)
        self._part += [number] * len(plan.steps)
        self.calls += part.calls
        return tuple(cells[c] for c in plan.fetches)

    def of_values(self, count: int) -> Make:
        """The plan as a function of the values of the first `count` feeds; see `functions.of_values`.

        The function raises `StepFailed` for an error of a step.
        """
        part = self._part
        return of_values(self.plan, self.calls, count, lambda step, error: StepFailed(part[step], error))


def joinable(parts: Sequence[Executable]) -> bool:
    """Whether plans can be one: no other thread takes their runs over, and together they are not too large."""
    return sum(len(p.steps) for p in parts) <= TUNING.written_steps and all(p.is_written for p in parts)
