"""Several plans as one: each takes what the one before it gives.

    plan 0 ─▶ mark 0 ─▶ plan 1 ─▶ mark 1 ─▶ … ─▶ last plan

Between two plans stands a step that marks the first as done: nothing of the next one starts before it, and whoever has
the cells of a run that failed sees by the marks how far it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inlay.core.opdef import OpDef
from inlay.interpreter.source import Source
from inlay.plan.build import is_concurrent
from inlay.plan.plan import Feed, Plan, Step, with_frees
from inlay.plan.step_call import Cells, StepCall
from inlay.run.executable import Executable
from inlay.types import dtypes


class Joined:
    """Plans as one.

    Args:
      parts: the plans, bound; none uses state of a session.
      given: how many of the first feeds of each part are what the part before it fetches.

    Attributes:
      executable: runs all. Its feeds are those of the first part, then the other feeds of the second, and so on; its
        fetches are those of the last part, then the marks.
      cells: for each part, the cell of the whole in which each of its own cells is.
    """

    __slots__ = ("_calls", "_consts", "_feeds", "_marks", "_slots", "_steps", "cells", "executable")

    def __init__(self, parts: Sequence[Executable], given: Sequence[int]) -> None:
        self._slots = 0
        self._feeds: list[Feed] = []
        self._consts: list[tuple[int, Any]] = []
        self._steps: list[Step] = []
        self._calls: list[StepCall] = []
        self._marks: list[int] = []
        self.cells: list[list[int]] = []
        fetched: tuple[int, ...] = ()
        for part, count in zip(parts, given, strict=True):
            if self.cells:
                self._mark()
            fetched = self._add(part, fetched, count)
        plan = Plan(
            self._slots,
            tuple(self._feeds),
            (),
            tuple(self._consts),
            tuple(self._steps),
            (*fetched, *self._marks),
            (),
            is_concurrent(self._steps),
        )
        self.executable: Executable = Executable(
            replace(plan, steps=with_frees(plan.steps, plan.kept)), calls=self._calls
        )

    def _cell(self) -> int:
        self._slots += 1
        return self._slots - 1

    def _mark(self) -> None:
        """A step that says that all before it ran."""
        cell = self._cell()
        waits = tuple(range(len(self._steps)))
        host = bool(self._steps) and self._steps[-1].host  # as its neighbour: user code and kernels run differently
        step = Step("done", _MARK, {}, (), (cell,), (), (dtypes.bool_,), waits=waits, host=host)
        self._steps.append(step)
        self._calls.append(_Mark())
        self._marks.append(cell)

    def _add(self, part: Executable, fetched: Sequence[int], count: int) -> tuple[int, ...]:
        """Adds a part that takes the cells `fetched`; the cells that it gives."""
        plan, first = part.plan, len(self._steps)
        taken = dict(zip(part.feeds, fetched, strict=False)) if self.cells else {}
        assert not self.cells or len(taken) == count == len(fetched)
        cells = [taken[c] if c in taken else self._cell() for c in range(plan.slots)]
        self.cells.append(cells)
        self._feeds += [replace(feed, slot=cells[feed.slot]) for feed in plan.feeds if feed.slot not in taken]
        self._consts += [(cells[cell], part.template[cell]) for cell, _ in plan.consts]
        behind = (first - 1,) if self._marks else ()
        for step in plan.steps:
            self._steps.append(
                replace(
                    step,
                    ins=tuple(cells[c] for c in step.ins),
                    outs=tuple(c if c == -1 else cells[c] for c in step.outs),
                    waits=(*behind, *(first + w for w in step.waits)),
                )
            )
        self._calls += part.calls
        return tuple(cells[c] for c in plan.fetches)

    def done(self, cells: Sequence[Any]) -> int:
        """How many parts ran to their end, by the cells of a run that failed."""
        return sum(cells[mark] is not None for mark in self._marks)


class _Mark(StepCall):
    """The step of a mark."""

    __slots__ = ()
    writes_source = True

    def __call__(self, *values: Any) -> bool:
        return True

    def source(self, step: Step, cells: Cells, source: Source) -> None:
        """See `StepCall.source`."""
        source.write(f"{cells[step.outs[0]]} = True")


_MARK = OpDef("Mark", lambda xp: True, (), (dtypes.bool_,), bind=lambda step, tables: _Mark())
