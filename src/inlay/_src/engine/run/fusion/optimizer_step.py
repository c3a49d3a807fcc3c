"""The fused optimizer step: consecutive updates of small variables by one rule run as one.

An update is an op of an optimizer, or a chain of steps that means the same as a rule (`update_chains`).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.run.fusion.update_chains import StepUpdate, chained_updates
from inlay._src.ops import joint_updates, updating
from inlay._src.ops.updating import RULES


class FusedUpdate:
    """Updates of different variables by one rule, with the same numbers, as one.

    Attributes:
      updates: the steps of each fused update: one step, or a chain.
      ins: the cells of the plan that it reads, in the order in which it is called with their values: variables, then
        their first slots, and so on; gradients; the shared inputs.
    """

    __slots__ = ("_attrs", "_chained", "_groups", "_large", "_rule", "ins", "updates")

    def __init__(self, updates: Sequence[StepUpdate]) -> None:
        self.updates: tuple[tuple[Step, ...], ...] = tuple([update.steps for update in updates])
        first = updates[0]
        self._rule, self._attrs = first.rule, first.attrs
        self._chained = not is_rule(first.steps)
        states = [update.states[kind] for kind in range(self._rule.cells) for update in updates]
        self.ins: tuple[int, ...] = (*states, *[update.gradient for update in updates], *first.others)
        self._groups: list[list[int]] | None = None
        self._large: list[int] = []  # chains that are faster in blocks

    @property
    def steps(self) -> list[Step]:
        """The steps of all updates."""
        return [step for steps in self.updates for step in steps]

    def __call__(self, *values: Any) -> Collection[int]:
        """Updates those variables that are faster updated as one, or in blocks, unless one of their updates may fail.

        Returns:
          The places of the updates that are left to be run.
        """
        count, rule = len(self.updates), self._rule
        if self._groups is None:
            self._choose(values[:count])
        if not (self._groups or self._large):
            return range(count)
        states, gradients = values[: count * rule.cells], values[count * rule.cells : count * (rule.cells + 1)]
        others = values[count * (rule.cells + 1) :]
        left = joint_updates.update(rule, states, gradients, others, self._attrs, self._groups)
        for k in self._large:
            if updating.change_if_plain(rule, states[k::count], (gradients[k], *others)):
                left.discard(k)
        return left

    def _choose(self, cells: Sequence[Any]) -> None:
        """Chooses the way of each update by the sizes of its variable; see `joint_updates.groups_of`."""
        if self._chained:
            each = TUNING.update_step_elements * (len(self.updates[0]) - TUNING.update_share_steps)
            dims = [cell.dims for cell in cells] if len(self.updates[0]) >= TUNING.update_block_steps else []
            sizes = [math.prod(d) if d and None not in d else 0 for d in dims]
            self._large = [k for k, size in enumerate(sizes) if size >= TUNING.blocked_elements]
        else:
            each = TUNING.update_call_elements
        self._groups = joint_updates.groups_of(cells, each)


def fused_updates(plan: Plan, once: Collection[str] = ()) -> dict[int, list[FusedUpdate]]:
    """The fused steps that replace consecutive updates, by the index of the first update.

    Only updates that have something in common are found, or that are chains, and only of different variables.

    Args:
      plan: the plan.
      once: the names of steps of a loop that run in its first iteration alone.
    """
    updates = dict(_rules(plan))
    chains = chained_updates(plan, once)
    updates.update((start, chain) for start, chain in chains if len(chain.steps) > TUNING.update_share_steps)
    starts: dict[int, list[FusedUpdate]] = {}
    start = 0
    while start < len(plan.steps):
        end, changed, alike = start, set[int](), dict[Any, list[StepUpdate]]()
        while (update := updates.get(end)) is not None and changed.isdisjoint(update.states):
            changed.update(update.states)
            alike.setdefault(_key(update), []).append(update)
            end += len(update.steps)
        if any(len(some) > 1 or not is_rule(some[0].steps) for some in alike.values()):
            starts[start] = [FusedUpdate(some) for some in alike.values()]
        start = max(end, start + 1)
    return starts


def is_rule(steps: Sequence[Step]) -> bool:
    """Whether an update is the op of a rule."""
    return steps[0].opdef in RULES


def _rules(plan: Plan) -> Iterator[tuple[int, StepUpdate]]:
    for k, step in enumerate(plan.steps):
        rule = RULES.get(step.opdef)
        if rule is not None and not (step.host or step.stateful or step.device):
            place = rule.cells + rule.gradient
            others = (*step.ins[rule.cells : place], *step.ins[place + 1 :])
            yield k, StepUpdate((step,), rule, step.ins[: rule.cells], step.ins[place], others, step.attrs)


def _key(update: StepUpdate) -> Any:
    """The key of updates that can be fused: everything but the variable, its slots and its gradient."""
    types = update.steps[0].in_dtypes if is_rule(update.steps) else ()
    return update.rule.update, types, update.others, tuple(sorted(update.attrs.items()))
