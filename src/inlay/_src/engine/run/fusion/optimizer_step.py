"""The fused optimizer step: consecutive updates of small variables by one rule run as one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.ops import joint_updates
from inlay._src.ops.updating import RULES


class FusedUpdate:
    """Updates of different variables by one rule, with the same numbers, as one.

    Attributes:
      steps: the fused updates.
      ins: the cells of the plan that it reads, in the order in which it is called with their values: variables, then
        their first slots, and so on; gradients; the shared inputs.
    """

    __slots__ = ("_groups", "_rule", "ins", "steps")

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps: tuple[Step, ...] = tuple(steps)
        self._rule = RULES[steps[0].opdef]
        states = [step.ins[kind] for kind in range(self._rule.cells) for step in steps]
        place = self._rule.cells + self._rule.gradient
        common = (*steps[0].ins[self._rule.cells : place], *steps[0].ins[place + 1 :])
        self.ins: tuple[int, ...] = (*states, *[step.ins[place] for step in steps], *common)
        self._groups: list[list[int]] | None = None

    def __call__(self, *values: Any) -> Collection[int]:
        """Updates those variables that are small, unless one of their updates may fail.

        Returns:
          The places of the steps that are left to be run.
        """
        count, states = len(self.steps), len(self.steps) * self._rule.cells
        if self._groups is None:
            self._groups = joint_updates.groups_of(values[:count])
        return joint_updates.update(
            self._rule,
            values[:states],
            values[states : states + count],
            values[states + count :],
            self.steps[0].attrs,
            self._groups,
        )


def fused_updates(plan: Plan) -> dict[int, list[FusedUpdate]]:
    """The fused steps that replace consecutive updates, by the index of the first update.

    Only rows that have something in common are found, and only of different variables.
    """
    starts: dict[int, list[FusedUpdate]] = {}
    start, steps = 0, plan.steps
    while start < len(steps):
        end, changed = start, set[int]()
        while end < len(steps) and _joins(steps[end]) and changed.isdisjoint(held := _states(steps[end])):
            changed.update(held)
            end += 1
        alike: dict[Any, list[Step]] = {}
        for step in steps[start:end]:
            alike.setdefault(_key(step), []).append(step)
        if len(alike) < end - start:
            starts[start] = [FusedUpdate(some) for some in alike.values()]
        start = max(end, start + 1)
    return starts


def _joins(step: Step) -> bool:
    return step.opdef in RULES and not (step.host or step.stateful or step.device)


def _states(step: Step) -> tuple[int, ...]:
    return step.ins[: RULES[step.opdef].cells]


def _key(step: Step) -> Any:
    """The key of updates that can be fused: everything but the variable, its slots and its gradient."""
    rule = RULES[step.opdef]
    place = rule.cells + rule.gradient
    others = (*step.ins[rule.cells : place], *step.ins[place + 1 :])
    return step.opdef.name, step.in_dtypes, others, tuple(sorted(step.attrs.items()))
