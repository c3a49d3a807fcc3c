"""Chains of steps that update a variable and its slots, written in elementwise ops, as rules of optimizers.

Programs of today write an optimizer's rule in ops: they read a slot, compute and assign. Each of these steps passes
over memory and makes an array, and small variables cost the calls. A chain

    m = read(slot); u = (g - m) * 0.1; assign_add(slot, u); n = read(slot); assign_sub(var, n * rate)

means the same as one `UpdateRule`, which writes into the arrays of `slot` and `var`: see `ops.updating`. Then the
chains of all variables with the same rule are fused, as updates by ops of optimizers are.

A chain qualifies if it changes variables of one shape by one value of that shape, the gradient, and numbers. Sharper
conditions (`_UpdateChain`) make sure that no step reads what its rule has overwritten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.types import dtypes
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.run.fusion.block_function import BlockSource, ufunc_of
from inlay._src.engine.run.fusion.elementwise import in_chain
from inlay._src.engine.run.fusion.traced_kernels import UFUNCS, expanded
from inlay._src.ops.state import ASSIGN, CHANGES, READ
from inlay._src.ops.updating import NEW, UpdateRule

_TYPES = (dtypes.float32, dtypes.float64)
"""Narrower types are wider within a rule, and have other results."""


class StepUpdate(NamedTuple):
    """Steps that are the update of a variable by a rule.

    Attributes:
      steps: the steps, one after the other.
      rule: the rule.
      states: the cells of the plan that hold the variable and its slots, in the order of the rule.
      gradient: the cell of the gradient.
      others: the cells of the further numbers.
      attrs: the attributes of the rule.
    """

    steps: tuple[Step, ...]
    rule: UpdateRule
    states: tuple[int, ...]
    gradient: int
    others: tuple[int, ...]
    attrs: Mapping[str, Any]


def chained_updates(plan: Plan, once: Collection[str] = ()) -> Iterator[tuple[int, StepUpdate]]:
    """The updates that steps of elementwise ops make up, and the indices of their first steps.

    Args:
      plan: the plan.
      once: the names of steps of a loop that run in its first iteration alone.
    """
    steps = plan.steps
    if not any(map(_assigns, steps)):
        return
    facts = _Facts.of(plan)
    start = 0
    while start < len(steps):
        end = start
        while end < len(steps) and _joins(steps[end], facts) and steps[end].name not in once:
            end += 1
        for first, last in _connected(steps[start:end]):
            update = _update(steps[start + first : start + last], facts)
            if update is not None:
                yield start + first, update
        start = max(end, start + 1)


class _Facts(NamedTuple):
    """Facts about a plan.

    Attributes:
      constants: cell -> value of the constants that are numbers.
      numbers: the cells whose values are numbers, whatever is fed, and those of variables that are numbers.
      readers: the number of times that steps read each cell.
      lasting: cells that are read after the steps.
    """

    constants: Mapping[int, Any]
    numbers: Collection[int]
    readers: Mapping[int, int]
    lasting: Collection[int]

    @staticmethod
    def of(plan: Plan) -> _Facts:
        constants = {cell: value for cell, value in plan.consts if getattr(value, "ndim", 1) == 0}
        numbers = set(constants)
        for step in plan.steps:
            if step.opdef is READ and step.attrs["shape"] == ():
                numbers.update((*step.ins, *step.outs))
            elif step.opdef.elementwise and step.ins and numbers.issuperset(step.ins):
                numbers.update(step.outs)
        readers = Counter(cell for step in plan.steps for cell in step.ins)
        return _Facts(constants, numbers, readers, plan.lasting)


def _assigns(step: Step) -> bool:
    return step.opdef is ASSIGN or step.opdef in CHANGES


def _is_of_variable(step: Step) -> bool:
    return step.opdef is READ or _assigns(step)


def _joins(step: Step, facts: _Facts) -> bool:
    if _is_of_variable(step):
        return step.ins[0] not in facts.numbers and not (step.host or step.checks or step.device)
    return in_chain(step) and step.outs[0] not in facts.numbers


def _connected(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """Parts of steps, the last ones first, that no value and no variable connects."""
    touched: dict[int, int] = {}  # cell of a value that is made here, or of a variable -> the first step with it
    first: list[int] = []
    for k, step in enumerate(steps):
        links = [touched[cell] for cell in step.ins if cell in touched]
        first.append(min([k, *links]))
        touched.update((cell, k) for cell in step.outs)
        if _is_of_variable(step):
            touched.setdefault(step.ins[0], k)
    end = len(steps)
    low = end
    for k in reversed(range(len(steps))):
        low = min(low, first[k])
        if low == k:
            yield k, end
            end = low = k


class _UpdateChain:
    """Steps in terms of values: variables are the values that they have before and after.

    Attributes:
      pure: the elementwise steps; an assignment that adds is an addition.
      values: variable -> the cell of its latest value; that of its first one is its own.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.pure: list[Step] = []
        self.values: dict[int, int] = {}
        names: dict[int, int] = {}
        new = 1 + max(max((*step.ins, *step.outs)) for step in steps)
        for step in steps:
            ins = tuple([names.get(cell, cell) for cell in step.ins])
            opdef = step.opdef
            if opdef is READ:
                names[step.outs[0]] = self.values.setdefault(ins[0], ins[0])
            elif opdef is ASSIGN:
                self.values[ins[0]] = ins[1]
            elif opdef in CHANGES:
                value, dtype = self.values.setdefault(ins[0], ins[0]), step.in_dtypes[1]
                self.values[ins[0]] = new
                self.pure.append(
                    replace(
                        step, opdef=UFUNCS[CHANGES[opdef]], attrs={}, ins=(value, ins[1]), outs=(new,), frees=(),
                        in_dtypes=(dtype, dtype), dtypes=(dtype,),
                    )
                )  # fmt: skip
                new += 1
            else:
                self.pure.append(replace(step, ins=ins, frees=()))

    @property
    def is_rule(self) -> bool:
        """Whether each variable gets a value of its own from a step, and nothing reads the old one from that step on.

        All values are of one type.
        """
        origins = {step.outs[0]: k for k, step in enumerate(self.pure)}
        types = {dtype for step in self.pure for dtype in (*step.in_dtypes, *step.dtypes)}
        if len(types) != 1 or types.isdisjoint(_TYPES) or len({*self.values.values()}) < len(self.values):
            return False
        for variable, value in self.values.items():
            if value not in origins or any(variable in step.ins for step in self.pure[origins[value] + 1 :]):
                return False
        return True


def _update(steps: Sequence[Step], facts: _Facts) -> StepUpdate | None:
    """The update that connected steps are; None if they are something else."""
    if len(steps) < 2 or not any(map(_assigns, steps)):
        return None
    inside = Counter(cell for step in steps for cell in step.ins)
    left = [c for step in steps for c in step.outs if facts.readers[c] > inside[c] or c in facts.lasting or c == -1]
    chain = _UpdateChain(steps)
    if left or not chain.is_rule:
        return None
    results = {step.outs[0] for step in chain.pure}
    read = dict.fromkeys(c for step in chain.pure for c in step.ins if c not in results and c not in chain.values)
    numbers = [c for c in read if c in facts.numbers and c not in facts.constants]
    gradients = [c for c in read if c not in facts.numbers]
    if len(gradients) != 1:
        return None
    states = tuple(chain.values)
    constants = {c: facts.constants[c] for c in read if c in facts.constants}
    rule = _rule_of(chain, (*states, *gradients, *numbers), constants)
    return None if rule is None else StepUpdate(tuple(steps), rule, states, gradients[0], tuple(numbers), {})


_RULES: BoundedCache[Any, UpdateRule | None] = BoundedCache("rules in elementwise ops", 256)


def _rule_of(chain: _UpdateChain, inputs: Sequence[int], constants: Mapping[int, Any]) -> UpdateRule | None:
    """The rule of a chain, which all chains of its structure share; None if a block function cannot have its form."""
    places = {cell: k for k, cell in enumerate((*inputs, *constants, *(step.outs[0] for step in chain.pure)))}
    key = (
        len(chain.values),
        tuple([(value.dtype.str, np.asarray(value).tobytes()) for value in constants.values()]),
        tuple([places[value] for value in chain.values.values()]),
        tuple([(s.opdef, s.dtypes[0], tuple(sorted(s.attrs.items())), *map(places.get, s.ins)) for s in chain.pure]),
    )
    if key not in _RULES:
        _RULES[key] = _new_rule(chain, inputs, constants)
    return _RULES[key]


def _new_rule(chain: _UpdateChain, inputs: Sequence[int], constants: Mapping[int, Any]) -> UpdateRule | None:
    states = len(chain.values)
    shapes: dict[int, tuple[int, ...]] = {cell: (2,) for cell in inputs[: states + 1]}
    shapes.update((cell, ()) for cell in (*inputs[states + 1 :], *constants))
    shapes.update((step.outs[0], (2,)) for step in chain.pure)
    steps, scalars = expanded(chain.pure, shapes, constants)
    if any(ufunc_of(step) is None for step in steps):  # a kernel may return an input, which is written over then
        return None
    tails: dict[int, tuple[int, ...]] = {cell: () for cell, shape in shapes.items() if shape}
    source = BlockSource(steps, tails, scalars, list(chain.values.values()), apart=True)
    dtype = chain.pure[0].dtypes[0].np
    if len(source.scratch) > len(NEW) or any(memory.dtype != dtype for memory in source.scratch):
        return None
    run, read, count = source.function(), [inputs.index(cell) for cell in source.ins], len(source.scratch)

    def update(xp: Any, *values: Any, work: Sequence[Any]) -> None:
        memory = [np.empty_like(values[0]) if array is None else array for array in work]
        run(*[values[k] for k in read], *values[:states], *memory)

    return UpdateRule(update, states, 0, count)
