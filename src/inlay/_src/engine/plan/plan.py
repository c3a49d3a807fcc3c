"""Plan and Step: a frozen schedule. Data only; building decides everything, running decides nothing.

slots      value cells; feeds, constants and steps write them
steps      in creation order of their nodes: each reads cells, writes cells, frees cells
fetches    the cells whose values leave the run

A plan pickles. A step names its op and what live objects it needs: a host function, a program, a variable are entries
of tables that the graph owns. `run.executable` binds a plan to them and runs it. Programs come along, as plans of their
own, so a plan that needs nothing else of its graph runs in any process.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.opdef import OpDef
from inlay._src.core.pictured import Pictured
from inlay._src.core.site import Site


@dataclass(slots=True, eq=False)
class Step:
    """One action of a run. Nobody changes one; it is not frozen because making ten thousand would take 20 ms longer.

    Attributes:
      name: its node's name.
      opdef: its node's op.
      attrs: its node's attributes.
      ins: cells it reads, in argument order.
      outs: cells it writes; -1 drops a result.
      in_dtypes: the dtype of each input.
      dtypes: the dtype of each result.
      site: where its node was made.
      frees: cells nobody reads after it.
      waits: steps that must have ended before it, by index.
      host: whether it runs user code or waits for other runs: it may block.
      stateful: whether it is kept in order with other stateful steps.
      pullback: whether its last result is the pullback of this execution.
      pulls: of one that leaves a pullback which is only pulled, by steps of this plan, and never differentiated: the
        results whose cotangents it is given, and the inputs whose cotangents are asked for; else None.
      token: the key of the host function that it calls, in its graph's table.
      promised: of a host call, the dims of each result, which the call checks itself.
      checks: of others, (result position, promised dims) to verify.
      asked: the canonical device string that its node was placed on, or "".
      device: where it runs and leaves its results, in a plan for more devices than the CPU (`plan.placement`); "" is
        the CPU, or wherever its inputs lie for a step that runs other plans.
      unranked: whether a rank that its kernel wants of an input is known only when it runs.
      shape: the shape of its result if that is known and the op works element by element or is `fresh`; else None.
      jit: whether the programs that it runs are compiled because its plan is.
      because: the reason for `device`, or "" in a plan that has no placement.
    """

    name: str
    opdef: OpDef
    attrs: Mapping[str, Any]
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    in_dtypes: tuple[DType, ...]
    dtypes: tuple[DType, ...]
    site: Site | None = None
    frees: tuple[int, ...] = ()
    waits: tuple[int, ...] = ()
    host: bool = False
    stateful: bool = False
    pullback: bool = False
    pulls: tuple[frozenset[int], frozenset[int]] | None = None
    token: str | None = None
    promised: tuple[Dims, ...] = ()
    checks: tuple[tuple[int, Dims], ...] = ()
    asked: str = ""
    device: str = ""
    unranked: bool = False
    shape: tuple[int, ...] | None = None
    jit: bool = False
    because: str = ""

    @property
    def op(self) -> str:
        """The op's name."""
        return self.opdef.name

    @property
    def read(self) -> list[int]:
        """The positions of the results that somebody reads, or that are checked."""
        checked = {i for i, _ in self.checks}
        return [i for i in range(len(self.dtypes) - self.pullback) if self.outs[i] != -1 or i in checked]

    def __str__(self) -> str:
        checks = "".join(f" check {i} {shapes.bracketed(d)}" for i, d in self.checks)
        frees = f" free {list(self.frees)}" if self.frees else ""
        flags = (" host" if self.host else "") + (" stateful" if self.stateful else "")
        inner = self.attrs["segment"].lines() if "segment" in self.attrs else ()
        steps = "".join(f"\n       {line}" for line in inner)
        device = f" on {self.device}" if self.device else ""
        return f"{list(self.outs)} = {self.op}{list(self.ins)}{device}{flags}{checks}{frees}  # {self.name}{steps}"


def static_places(step: Step) -> tuple[int, ...]:
    """The inputs whose values a compiler must know, by position."""
    return tuple([place for place, arg in enumerate(step.opdef.arguments(len(step.ins))) if arg.static])


def number_places(step: Step) -> tuple[int, ...]:
    """The inputs that a kernel takes as Python's whole numbers too: static ones whose dtype is that of no result."""
    results, arguments = step.opdef.outs, step.opdef.arguments(len(step.ins))
    return tuple([place for place, arg in enumerate(arguments) if arg.static and arg.type not in results])


@dataclass(frozen=True, slots=True)
class Feed:
    """One fed tensor: its cell, and whether the value must be copied because it may leave the run's control."""

    slot: int
    name: str
    escapes: bool


Removal = tuple[str, str, str]
"""A node that a rewriting pass removed: its name, the pass, and the node that stands for it; "" for a constant."""


@dataclass(frozen=True, slots=True)
class Plan(Pictured):
    """A frozen schedule.

    Attributes:
      slots: the number of cells.
      feeds: fed cells.
      resources: (cell, reference) of state: the graph has its key, whose value the session supplies.
      consts: (cell, value); an object that is no data is a reference into the graph's tables.
      steps: the schedule.
      fetches: cell per fetched tensor.
      passes: (rewriting pass, number of nodes that it removed) of those that ran.
      concurrent: whether one step may have to go on while another blocks, as they are independent.
      programs: the programs that its steps run, by their key in the graph's table. Pickled, they are plans.
      removed: the nodes that the passes removed, for pictures. No run reads it, and it is not pickled.
    """

    _picture_kind: ClassVar[str] = "plan"

    slots: int
    feeds: tuple[Feed, ...]
    resources: tuple[tuple[int, Any], ...]
    consts: tuple[tuple[int, Any], ...]
    steps: tuple[Step, ...]
    fetches: tuple[int, ...]
    passes: tuple[tuple[str, int], ...]
    concurrent: bool
    programs: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    removed: Sequence[Removal] = field(default=(), compare=False, repr=False)

    def __reduce__(self) -> Any:
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "removed"}
        values["programs"] = {key: program.carried() for key, program in self.programs.items()}
        return Plan, tuple(values.values())

    @property
    def lasting(self) -> set[int]:
        """The cells that no step frees: fetched ones, and those that the next run finds as they are."""
        return {*self.fetches, *(cell for cell, _ in self.consts), *(cell for cell, _ in self.resources)}

    def __str__(self) -> str:
        passes = ", ".join(f"{name} -{n}" for name, n in self.passes)
        lines = [f"plan: {self.slots} slots, {len(self.steps)} steps, passes: {passes or 'none'}"]
        lines += [f"  [{f.slot}] = feed {f.name}{' (copied)' if f.escapes else ''}" for f in self.feeds]
        lines += [f"  [{slot}] = resource {key}" for slot, key in self.resources]
        lines += [f"  [{slot}] = const {shapes.bracketed(getattr(v, 'shape', ()))}" for slot, v in self.consts]
        lines += [f"  {i}: {step}" for i, step in enumerate(self.steps)]
        lines.append(f"  return {list(self.fetches)}")
        return "\n".join(lines)


def last_uses(uses: Sequence[tuple[Sequence[int], Sequence[int]]], retained: Collection[int]) -> list[tuple[int, ...]]:
    """The cells that each step frees: it is the last to read or write them.

    Args:
      uses: the cells that each step reads, and those that it writes.
      retained: cells that are never freed.
    """
    last: dict[int, int] = {}
    for k, (ins, outs) in enumerate(uses):
        for cell in ins:
            last[cell] = k
        for cell in outs:
            last[cell] = k
    frees: list[tuple[int, ...]] = [()] * len(uses)
    several: set[int] = set()
    for cell, k in last.items():
        if cell != -1 and cell not in retained:
            if frees[k]:
                several.add(k)
            frees[k] += (cell,)
    for k in several:
        frees[k] = tuple(sorted(frees[k]))
    return frees


def with_frees(steps: Sequence[Step], retained: Collection[int]) -> tuple[Step, ...]:
    """The steps, each of which frees what nobody uses after it but for the cells of `retained`."""
    frees = last_uses([(s.ins, s.outs) for s in steps], retained)
    return tuple(replace(s, frees=f) for s, f in zip(steps, frees, strict=True))


def renumbered(steps: Sequence[Step], cells: Mapping[int, int], first: int = 0) -> list[Step]:
    """The steps over other cells.

    Args:
      steps: steps of one plan.
      cells: the new number of each of its cells.
      first: the new number of the first step.
    """
    return [
        replace(
            step,
            ins=tuple([cells[c] for c in step.ins]),
            outs=tuple([c if c == -1 else cells[c] for c in step.outs]),
            frees=tuple([cells[c] for c in step.frees]),
            waits=tuple([first + w for w in step.waits]),
        )
        for step in steps
    ]


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
