"""A plan cut into parts, one for each task of a cluster that runs some of it. Plan in, parts out; data only.

    a step's task   that of the variable that it takes, or of the pullback or list, which cannot travel; else the task
                    that its node was placed on; else the target's own
    a part          steps of one task between the same crossings to other tasks: the inputs of a step from its own task
                    are made in the same part or an earlier one, those from another task in an earlier part

So a part starts when what it reads is there, runs as one plan without waiting, and parts need one another in one
direction only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inlay._src.base import errors
from inlay._src.core.tables import references
from inlay._src.engine.plan.build import is_concurrent
from inlay._src.engine.plan.plan import Feed, Plan, Step, with_frees

Task = tuple[str, int]
"""A job's name and the number of one of its tasks."""


@dataclass(frozen=True, slots=True)
class Part:
    """The steps that one task runs without waiting for others.

    Attributes:
      task: the task.
      plan: its steps as a plan. Its feeds are the cells `ins`, then `found`; its fetches are `outs`, then `left`.
      ins: the cells of the whole plan that it is given.
      found: those that an earlier part of the task left for it: they hold what cannot travel.
      outs: those that it gives to others.
      left: those that it leaves for later parts of the task.
      after: the parts that must have ended before it although they give it nothing, by index.
    """

    task: Task
    plan: Plan
    ins: tuple[int, ...]
    found: tuple[int, ...]
    outs: tuple[int, ...]
    left: tuple[int, ...]
    after: tuple[int, ...]


def parted(plan: Plan, task_of: Callable[[str, str], Task], homes: Mapping[Any, str]) -> list[Part]:
    """The parts of a plan, each after those that it needs.

    Args:
      plan: as `build` made it.
      task_of: the task that a device string means, for a step of a name; it refuses what is not there.
      homes: reference to a variable -> the device that its handle was placed on.

    Raises:
      InvalidArgumentError: for a step that takes variables of several tasks.
    """
    tasks = _tasks(plan, task_of, homes)
    stages: list[int] = []
    for k, step in enumerate(plan.steps):
        ahead = [stages[w] + (tasks[w] != tasks[k]) for w in step.waits]
        stages.append(max(ahead, default=0))
    groups: dict[tuple[int, Task], list[int]] = {}
    for k in sorted(range(len(stages)), key=lambda k: (stages[k], k)):
        groups.setdefault((stages[k], tasks[k]), []).append(k)
    where = {k: i for i, group in enumerate(groups.values()) for k in group}
    cut = _Cut(plan, where)
    return [cut.part(i, task, group) for i, ((_, task), group) in enumerate(groups.items())]


def _tasks(plan: Plan, task_of: Callable[[str, str], Task], homes: Mapping[Any, str]) -> list[Task]:
    """The task of each step."""
    bound = {cell: (task_of(homes.get(key, ""), key.key), f"variable {key.key}") for cell, key in plan.resources}
    tasks: list[Task] = []
    for step in plan.steps:
        owners = {bound[c][0]: bound[c][1] for c in step.ins if c in bound}
        if len(owners) > 1:
            held = " and ".join(f"{what} of {text(task)}" for task, what in owners.items())
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Cannot colocate '{step.name}' ({step.op}), defined at {step.site}: it takes {held}. Read what it "
                f"needs of one of them first, or place them on one task\n  [[{{{{node {step.name}}}}}]]",
            )
        task = next(iter(owners), None) or task_of(step.asked, step.name)
        tasks.append(task)
        for cell, kind in zip(step.outs, step.dtypes, strict=False):
            if cell != -1 and kind._kind in "rv":
                bound[cell] = task, f"what '{step.name}' leaves"
    return tasks


def text(task: Task) -> str:
    """A task as part of a device string."""
    return f"/job:{task[0]}/task:{task[1]}"


class _Cut:
    """Makes the plans of groups of steps."""

    def __init__(self, plan: Plan, where: Mapping[int, int]) -> None:
        self.plan, self.where = plan, where
        self.readers: dict[int, set[int]] = {}  # cell -> parts that read it
        for k, step in enumerate(plan.steps):
            for cell in step.ins:
                self.readers.setdefault(cell, set()).add(where[k])
        self.fetched = set(plan.fetches)
        self.resident = {cell for cell, _ in (*plan.consts, *plan.resources)}
        self.names = {f.slot: f.name for f in plan.feeds}
        self.staying = {
            c for s in plan.steps for c, d in zip(s.outs, s.dtypes, strict=False) if d._kind in "rv" and c != -1
        } - self.fetched
        self.writer = {c: k for k, step in enumerate(plan.steps) for c in step.outs if c != -1}

    def part(self, i: int, task: Task, group: Sequence[int]) -> Part:
        """Part `i`: the steps of a group."""
        steps = [self.plan.steps[k] for k in group]
        written = {c for s in steps for c in s.outs if c != -1}
        read = dict.fromkeys(c for s in steps for c in s.ins)
        entering = [c for c in read if c not in written and c not in self.resident]
        ins, fixed = self._sorted(entering)
        outs, left = self._sorted(
            dict.fromkeys(c for s in steps for c in s.outs if c in written and self._leaves(c, i))
        )
        position = {k: at for at, k in enumerate(group)}
        placed = [
            replace(s, waits=tuple(position[w] for w in s.waits if w in position), asked=local(s.asked))
            for s in steps
        ]  # fmt: skip
        supplied = {self.where[self.writer[c]] for c in ins if c in self.writer}
        ahead = {self.where[w] for s in steps for w in s.waits} - {i} - supplied
        plan = replace(
            self.plan,
            feeds=tuple(Feed(c, self.names.get(c, f"cell {c}"), False) for c in (*ins, *fixed)),
            resources=tuple((c, key) for c, key in self.plan.resources if c in read),
            consts=tuple((c, value) for c, value in self.plan.consts if c in read),
            fetches=(*outs, *left),
            concurrent=is_concurrent(placed),
            programs=_needed(self.plan.programs, steps),
        )
        plan = replace(plan, steps=with_frees(placed, plan.lasting))
        return Part(task, plan, ins, fixed, outs, left, tuple(sorted(ahead)))

    def _sorted(self, cells: Iterable[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Cells that travel, and those that stay on their task."""
        cells = list(cells)
        return tuple(c for c in cells if c not in self.staying), tuple(c for c in cells if c in self.staying)

    def _leaves(self, cell: int, i: int) -> bool:
        """Whether a cell that part `i` writes is fetched, or read by another part."""
        return cell in self.fetched or bool(self.readers.get(cell, set()) - {i})


def _needed(programs: Mapping[str, Any], steps: Iterable[Step]) -> dict[str, Any]:
    """Those of the programs that the steps run."""
    keys = {r.key for s in steps for r in references(s.attrs) if r.table == "functions"}
    return {key: program for key, program in programs.items() if key in keys}


def local(device: str) -> str:
    """The device of a task that a device string means, without the task."""
    at = device.find("/device:")
    return device[at:] if at >= 0 else ""
