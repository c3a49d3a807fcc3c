"""Sums over the iterations of a loop of linear functions, as the gradients of biases are: of the sums of their inputs.

    total + f(x1) + f(x2) + ...  ==  total + f(x1 + x2 + ...)

An addition in place costs less than a reduction and the addition of its result to the total. Both are equal to
rounding: an element of the result is the sum of the same numbers in another order, with as many additions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.opdef import Effect
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run import reference

_DTYPES = (dtypes.float32, dtypes.float64)  # narrower ones are wider on the way


class LinearSum(NamedTuple):
    """One of the sums.

    Attributes:
      carried: the number of the carried value that is the sum.
      addition: the index of the step that adds to it.
      applied: the index of the step that applies the linear function.
    """

    carried: int
    addition: int
    applied: int


class LinearSums:
    """The sums of linear functions that a program, repeated by a loop, adds to carried values: taken out of it.

    Attributes:
      plan: the program's plan without the steps of the sums; it fetches the inputs of the functions after all else.
      calls: of its steps.
      carried: the numbers of the carried values that are such sums.
      begins: of each, the call that begins the sum of one run of the loop.
    """

    __slots__ = ("begins", "calls", "carried", "plan")

    def __init__(self, plan: Plan, calls: Sequence[StepCall], sums: Sequence[LinearSum]) -> None:
        constants = dict(plan.consts)
        gone = {k for s in sums for k in (s.addition, s.applied)}
        left = [k for k in range(len(plan.steps)) if k not in gone]
        self.carried: tuple[int, ...] = tuple([s.carried for s in sums])
        fetches = [cell for j, cell in enumerate(plan.fetches) if j not in self.carried]
        fetches += [plan.steps[s.applied].ins[0] for s in sums]
        self.plan: Plan = replace(plan, steps=tuple([plan.steps[k] for k in left]), fetches=tuple(fetches))
        self.calls: tuple[StepCall, ...] = tuple([calls[k] for k in left])
        self.begins: list[BeginSum] = []
        for s in sums:
            step = plan.steps[s.applied]
            self.begins.append(BeginSum(step, calls[s.applied], [constants[c] for c in step.ins[1:]]))


class BeginSum(StepCall):
    """Begins the sum of a linear function in one run of a loop, from the carried value before the first iteration.

    Attributes:
      step, call: the step that applies the function, and its call.
      others: its further inputs, which are constants.
    """

    __slots__ = ("call", "others", "step")
    locates = True

    def __init__(self, step: Step, call: StepCall, others: Sequence[Any]) -> None:
        self.step, self.call, self.others = step, call, others

    def __call__(self, total: Any) -> RunningSum:
        return RunningSum(self, total)


class RunningSum:
    """The sum of a linear function in one run of a loop: a total, and inputs whose image is not in it yet."""

    __slots__ = ("_begun", "_count", "_held", "_total")

    def __init__(self, begun: BeginSum, total: Any) -> None:
        self._begun, self._total = begun, total
        self._held: Any = None  # the sum of inputs
        self._count = 0  # of them: the first one belongs to others, too

    def add(self, value: Any) -> None:
        """Adds the image of another input."""
        held = self._held
        if held is None or held.shape != value.shape or value.size > TUNING.summed_elements or not value.ndim:
            self._settle()
            self._held, self._count = value, 1
        elif self._count == 1:
            self._held, self._count = np.add(held, value), 2
        else:
            np.add(held, value, held)

    def total(self) -> Any:
        """The carried value after the last iteration."""
        self._settle()
        return self._total

    def _settle(self) -> None:
        if self._held is None:
            return
        begun, values = self._begun, (self._held, *self._begun.others)
        self._held = None
        try:
            self._total = np.add(self._total, begun.call(*values))
        except Exception as error:
            raise reference.of_step(error, begun.step, begun.call, values) from error.__cause__


def linear_sums(plan: Plan, calls: Sequence[StepCall], carried: int) -> LinearSums | None:
    """The sums of a program whose first feeds are carried values and whose fetches are the next ones, if it has any."""
    readers = Counter(cell for step in plan.steps for cell in step.ins) + Counter(plan.fetches)
    makers = {cell: k for k, step in enumerate(plan.steps) for cell in step.outs}
    constants = dict(plan.consts)
    sums: list[LinearSum] = []
    for j, (feed, fetch) in enumerate(zip(plan.feeds[:carried], plan.fetches, strict=True)):
        addition = makers.get(fetch, -1)
        if readers[feed.slot] != 1 or readers[fetch] != 1 or not (addition >= 0 and _adds(plan.steps[addition])):
            continue
        image = [cell for cell in plan.steps[addition].ins if cell != feed.slot]
        applied = makers.get(image[0], -1) if len(image) == 1 and readers[image[0]] == 1 else -1
        if applied >= 0 and _is_linear(plan.steps[applied], constants):
            sums.append(LinearSum(j, addition, applied))
    return LinearSums(plan, calls, sums) if sums else None


def _adds(step: Step) -> bool:
    return step.opdef.name == "AddV2" and step.dtypes[0] in _DTYPES and _is_plain(step)


def _is_linear(step: Step, constants: Mapping[int, Any]) -> bool:
    """Whether a step is a linear function of its first input, the others being constants."""
    others = all(cell in constants for cell in step.ins[1:])
    return step.opdef.lowering.linear and others and step.dtypes[0] in _DTYPES and _is_plain(step)


def _is_plain(step: Step) -> bool:
    opdef = step.opdef
    pure = opdef.effect is Effect.PURE and opdef.scheduling.bind is None and not opdef.many
    return pure and not (step.checks or step.device or step.host or step.stateful)
