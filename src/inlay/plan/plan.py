"""Plan and Step: a frozen schedule. Data only; building decides everything, running decides nothing.

slots      value cells; feeds, constants and steps write them
steps      in creation order of their nodes: each reads cells, calls, writes cells, frees cells
fetches    the cells whose values leave the run
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from inlay.core.opdef import OpDef
from inlay.core.site import Site
from inlay.plan.step_call import StepCall
from inlay.types import shapes
from inlay.types.dtypes import DType
from inlay.types.shapes import Dims


@dataclass(slots=True, eq=False)
class Step:
    """One action of a run. Nobody changes one; it is not frozen because making ten thousand would take 20 ms longer.

    Attributes:
      name: its node's name.
      op: its node's type.
      call: what runs: values in, a value out (a sequence of them if `many`).
      ins: cells it reads, in argument order.
      outs: cells it writes; -1 drops a result.
      many: whether `call` returns a sequence.
      frees: cells nobody reads after it.
      waits: steps that must have ended before it, by index.
      host: whether it runs user code, which may block.
      stateful: whether it is kept in order with other stateful steps.
      checks: (result position, promised dims) to verify.
      site: where its node was made.
      opdef, attrs: its node's op, for runs that are recorded.
      dtypes: the dtype of each result.
      in_dtypes: the dtype of each input.
      asked: the canonical device string that its node was placed on, or "".
      device: where it runs and leaves its results, in a plan for more devices than the CPU (`plan.placement`); "" is
        the CPU, or wherever its inputs lie for a step that runs other plans.
    """

    name: str
    op: str
    call: StepCall
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    many: bool
    frees: tuple[int, ...]
    waits: tuple[int, ...]
    host: bool
    stateful: bool
    checks: tuple[tuple[int, Dims], ...]
    site: Site | None
    opdef: OpDef
    attrs: Mapping[str, Any]
    dtypes: tuple[DType, ...]
    in_dtypes: tuple[DType, ...]
    asked: str = ""
    device: str = ""

    def __str__(self) -> str:
        checks = "".join(f" check {i} {shapes.bracketed(d)}" for i, d in self.checks)
        frees = f" free {list(self.frees)}" if self.frees else ""
        flags = (" host" if self.host else "") + (" stateful" if self.stateful else "")
        steps = "".join(f"\n       {line}" for line in self.call.lines())
        device = f" on {self.device}" if self.device else ""
        return f"{list(self.outs)} = {self.op}{list(self.ins)}{device}{flags}{checks}{frees}  # {self.name}{steps}"


@dataclass(frozen=True, slots=True)
class Feed:
    """One fed tensor: its cell, and whether the value must be copied because it may leave the run's control."""

    slot: int
    name: str
    escapes: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """A frozen schedule.

    Attributes:
      slots: how many cells.
      feeds: fed cells.
      resources: (cell, key) of state that the session supplies.
      consts: (cell, value).
      steps: the schedule.
      fetches: cell per fetched tensor.
      passes: which rewriting passes ran, and how many nodes each removed.
      concurrent: whether two host steps are independent, so that one may have to go on while another blocks.
    """

    slots: int
    feeds: tuple[Feed, ...]
    resources: tuple[tuple[int, Any], ...]
    consts: tuple[tuple[int, Any], ...]
    steps: tuple[Step, ...]
    fetches: tuple[int, ...]
    passes: tuple[tuple[str, int], ...]
    concurrent: bool

    def __str__(self) -> str:
        passes = ", ".join(f"{name} -{n}" for name, n in self.passes)
        lines = [f"plan: {self.slots} slots, {len(self.steps)} steps, passes: {passes or 'none'}"]
        lines += [f"  [{f.slot}] = feed {f.name}{' (copied)' if f.escapes else ''}" for f in self.feeds]
        lines += [f"  [{slot}] = resource {key}" for slot, key in self.resources]
        lines += [f"  [{slot}] = const {shapes.bracketed(getattr(v, 'shape', ()))}" for slot, v in self.consts]
        lines += [f"  {i}: {step}" for i, step in enumerate(self.steps)]
        lines.append(f"  return {list(self.fetches)}")
        return "\n".join(lines)


def with_frees(steps: Sequence[Step], kept: Collection[int]) -> tuple[Step, ...]:
    """The steps with every cell but those of `kept` freed by the last step that reads or writes it."""
    last: dict[int, int] = {}
    for i, step in enumerate(steps):
        for slot in (*step.ins, *step.outs):
            last[slot] = i
    frees: list[list[int]] = [[] for _ in steps]
    for slot, i in last.items():
        if slot != -1 and slot not in kept:
            frees[i].append(slot)
    return tuple(replace(s, frees=tuple(sorted(f))) for s, f in zip(steps, frees, strict=True))


def verify(plan: Plan) -> None:
    """Checks that a plan is well formed: every cell is written once, before it is read, and freed after its last use.

    Raises:
      AssertionError: naming the first cell or step that is wrong.
    """
    written: set[int] = set()
    for slot in [f.slot for f in plan.feeds] + [s for s, _ in plan.resources] + [s for s, _ in plan.consts]:
        assert slot not in written, f"cell {slot} is written twice"
        written.add(slot)
    freed: set[int] = set()
    for k, step in enumerate(plan.steps):
        for slot in step.ins:
            assert slot in written, f"step {k} ({step.name}) reads cell {slot} before it is written"
            assert slot not in freed, f"step {k} ({step.name}) reads cell {slot} after it was freed"
        for slot in step.outs:
            assert slot == -1 or slot not in written, f"step {k} ({step.name}) writes cell {slot} a second time"
            if slot != -1:
                written.add(slot)
        assert all(w < k for w in step.waits), f"step {k} ({step.name}) waits for a later step"
        freed.update(step.frees)
    for slot in plan.fetches:
        assert slot in written and slot not in freed, f"fetched cell {slot} is not there at the end"
