"""Elementwise steps in a row as one: large arrays go through all of them block by block.

A chain of steps over large arrays spends its time on memory: each step fetches what the one before it stored. A block
stays in the cache from the first step to the last, needs no new memory, and other cores work on other blocks. What a
chain makes is what its steps make; where it cannot be divided, they run one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inlay.core.opdef import Effect
from inlay.interpreter import blocks
from inlay.interpreter.caches import Cache
from inlay.plan.plan import Feed, Plan, Step, with_frees
from inlay.types.dtypes import bool_

LONGEST = 256
"""Steps of a chain at most: its function is written as one."""
Written = Callable[[Plan], Callable[..., "Sequence[Any]"]]


class Chain:
    """Steps that run as one on large arrays.

    Attributes:
      steps: what it stands for.
      ins: the cells that it reads, constants of more than one element among them.
      outs: the cells that it leaves.
      gone: the cells from outside that nobody reads after it.
    """

    __slots__ = ("_consts", "_function", "_written", "gone", "ins", "outs", "steps")
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    gone: tuple[int, ...]

    def __init__(self, steps: Sequence[Step], consts: dict[int, Any], written: Written) -> None:
        self.steps = tuple(steps)
        made = {step.outs[0] for step in steps}
        read = dict.fromkeys(c for step in steps for c in step.ins if c not in made)
        freed = {c for step in steps for c in step.frees}
        self._consts = tuple((c, consts[c]) for c in read if c in consts)
        self.ins = tuple(c for c in read if c not in consts)
        self.outs = tuple(step.outs[0] for step in steps if step.outs[0] not in freed)
        self.gone = tuple(c for c in freed if c not in made)
        self._written = written
        self._function: Callable[..., Sequence[Any]] | None = None

    def __call__(self, *values: Any) -> list[np.ndarray] | None:
        """What it leaves, from what it reads; None where the steps have to run one by one."""
        function = self._function
        if function is None:
            feeds = tuple(Feed(cell, "", False) for cell in self.ins)
            slots = 1 + max((*self.ins, *self.outs, *(c for s in self.steps for c in (*s.ins, *s.outs))))
            plan = Plan(slots, feeds, (), self._consts, self.steps, self.outs, (), concurrent=False)
            function = self._function = self._written(replace(plan, steps=with_frees(plan.steps, plan.kept)))
        try:
            return blocks.elementwise(function, values)
        except Exception:  # the step that fails is found, and its error worded, one by one
            return None


def chains(plan: Plan, written: Written) -> dict[int, Chain]:
    """The chains of a plan, by the index of their first step.

    Args:
      plan: any plan.
      written: makes a function of the values of the feeds of a plan of kernels.
    """
    small = {cell: value for cell, value in plan.consts if getattr(value, "ndim", 1) == 0}
    found: dict[int, Chain] = {}
    start = 0
    steps = plan.steps
    while start < len(steps):
        end = start
        while end < len(steps) and end - start < LONGEST and _in_chain(steps[end]):
            end += 1
        if end - start > 1:
            chain = Chain(steps[start:end], small, written)
            if chain.outs and chain.ins:
                found[start] = chain
        start = max(end, start + 1)
    return found


def _in_chain(step: Step) -> bool:
    return _ELEMENTWISE[step.opdef] and _on_its_own(step)


def _on_its_own(step: Step) -> bool:
    numbers = all(d.is_numeric or d is bool_ for d in (*step.in_dtypes, *step.dtypes))
    return numbers and step.outs[0] != -1 and not (step.host or step.stateful or step.checks or step.device)


_ELEMENTWISE: Cache[Any, bool] = Cache(
    "ops that chains may have",
    4096,
    lambda op: op.elementwise and op.bind is None and op.effect is Effect.PURE and not op.many,
)
