"""Segments: runs of pure kernel steps between host calls, made one step each. Plan in, plan out; data only.

A segment is run by `run.xla_segments`; nothing here knows a compiler. Steps join a segment if they run on the same
device and neither call users, touch state nor hold text. Inside a run of such steps those that wait for the same host
calls are joined and no others: a segment never waits for a host call that one of its results does not need.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING
from inlay._src.core.device import CPU
from inlay._src.core.devices.kernels import can_run
from inlay._src.core.signature import Signature
from inlay._src.engine.plan.plan import Plan, Step, static_places, with_frees
from inlay._src.engine.plan.step_call import plan_op


@dataclass(frozen=True, slots=True)
class PlanSegment:
    """Steps to be run as one.

    Attributes:
      steps: in order.
      ins: cells it reads.
      outs: cells it leaves to others.
      constants: cell -> value of the constants that are part of it.
      outside: position in `steps` -> why the step is run by its NumPy kernel, between compiled parts.
        Steps that are refused while a segment is traced are added: that depends on the shapes of a run.
      device: where it runs, as in `Step`.
    """

    steps: tuple[Step, ...]
    ins: tuple[int, ...]
    outs: tuple[int, ...]
    constants: Mapping[int, Any]
    outside: dict[int, str]
    device: str = ""

    def lines(self) -> list[str]:
        """Its steps as text, with the reasons of those that are not compiled."""
        outside = self.outside
        return [
            f"{'not compiled' if k in outside else 'compiled'}: {step}{f' ({outside[k]})' if k in outside else ''}"
            for k, step in enumerate(self.steps)
        ]


SEGMENT = plan_op("CompiledSegment", Signature(variadic_out=True))


def segmented(plan: Plan, smallest: int | None = 1) -> Plan:
    """The plan with its pure steps joined into segments of `smallest` steps and more; None: only on accelerators."""
    groups = [g for g in _groups(plan) if g]
    whole = [len(g) > 1 or _joins(plan.steps[g[0]]) for g in groups]
    constants = dict(plan.consts)
    for i, group in enumerate(groups):
        if plan.steps[group[0]].device not in ("", CPU):
            continue
        compiled = sum(refusal(plan.steps[k], constants) is None for k in group)
        whole[i] = whole[i] and smallest is not None and compiled >= smallest
    if not any(whole):
        return plan
    # A group too small to compile is laid out step by step again.
    laid = [(g, True) for g, w in zip(groups, whole, strict=True) if w]
    laid += [([k], False) for g, w in zip(groups, whole, strict=True) if not w for k in g]
    rank = {id(g): i for i, g in enumerate(groups)}
    rank |= {k: i for i, g in enumerate(groups) for k in g}  # type: ignore[misc]
    laid.sort(key=lambda entry: (rank[entry[0][0]], entry[0][0]))
    return _SegmentedPlan(plan, laid).plan()


def _joins(step: Step) -> bool:
    """Whether a step may be part of a segment."""
    return not step.host and not step.stateful and can_run(step.opdef, step.in_dtypes, step.dtypes)


def refusal(step: Step, constants: Mapping[int, Any]) -> str | None:
    """Why a step of a segment must run its NumPy kernel, if that is known without tracing it.

    The plan's constants are given by cell: a constant divisor that is fine needs no check, say.
    """
    refuses = step.opdef.lowering.refuses
    if refuses is not None and refuses(step.in_dtypes, [constants.get(slot) for slot in step.ins]):
        return "its kernel refuses some values, which compiled code cannot"
    return None


def follows_from_shapes(step: Step, cells: Collection[int]) -> bool:
    """Whether a step's results are known while it is traced: it reads shapes, or only cells that are known."""
    return step.opdef.lowering.shape_only or (bool(step.ins) and all(c in cells for c in step.ins))


def _groups(plan: Plan) -> list[list[int]]:
    """Steps by group, in an order that keeps every dependency; a step that joins nothing is a group of its own."""
    behind: list[int] = []  # per step: the host steps it comes after, a bit each
    groups: list[list[int]] = []
    run: dict[tuple[int, str], list[int]] = {}
    places: dict[int, str] = {}  # the device of each step of the run

    def end_run() -> None:
        # A step needs steps of its own group, or of groups that come after fewer host steps. A value goes to another
        # device by a step that moves it, which ends the run.
        groups.extend(run[key] for key in sorted(run, key=lambda key: (key[0].bit_count(), run[key][0])))
        run.clear()
        places.clear()

    for k, step in enumerate(plan.steps):
        mask = 0
        if plan.concurrent:
            for w in step.waits:
                mask |= behind[w] | (plan.steps[w].host << w)
        behind.append(mask)
        if _joins(step):
            if any(places.get(w, step.device) != step.device for w in step.waits):  # put behind one of another device
                end_run()
            run.setdefault((mask, step.device), []).append(k)
            places[k] = step.device
        else:
            end_run()
            groups.append([k])
    end_run()
    return groups


class _SegmentedPlan:
    """Makes the new plan from groups of steps."""

    def __init__(self, plan: Plan, laid: Sequence[tuple[list[int], bool]]) -> None:
        self.old, self.laid = plan, laid
        self.constants = dict(plan.consts)
        self.where = {k: i for i, (group, _) in enumerate(laid) for k in group}
        self.readers: dict[int, set[int]] = {}  # cell -> groups that read it
        for k, step in enumerate(plan.steps):
            for slot in step.ins:
                self.readers.setdefault(slot, set()).add(self.where[k])

    def plan(self) -> Plan:
        steps = [
            self._segment(i, group) if joined else self._moved(i, self.old.steps[group[0]])
            for i, (group, joined) in enumerate(self.laid)
        ]
        used = {slot for step in steps for slot in (*step.ins, *step.outs)} | set(self.old.fetches)
        consts = tuple((slot, value) for slot, value in self.old.consts if slot in used)
        new = replace(self.old, consts=consts)
        return replace(new, steps=with_frees(steps, new.lasting))

    def _waits(self, i: int, steps: Sequence[Step]) -> tuple[int, ...]:
        return tuple(sorted({self.where[w] for step in steps for w in step.waits} - {i}))

    def _moved(self, i: int, step: Step) -> Step:
        return replace(step, waits=self._waits(i, [step]))

    def _segment(self, i: int, group: Sequence[int]) -> Step:
        steps = tuple(self.old.steps[k] for k in group)
        kinds = {slot: d for s in steps for slot, d in zip(s.ins, s.in_dtypes, strict=True)}
        written = {slot: d for s in steps for slot, d in zip(s.outs, s.dtypes, strict=True) if slot != -1}
        static = {s.ins[j] for s in steps for j in static_places(s)}
        embedded = {
            slot: self.constants[slot]
            for slot in kinds
            if slot in self.constants
            and (slot in static or np.size(self.constants[slot]) <= TUNING.segment_constant_elements)
        }
        ins = tuple(slot for slot in kinds if slot not in written and slot not in embedded)
        fetched = set(self.old.fetches)
        outs = tuple(slot for slot in written if slot in fetched or self.readers.get(slot, set()) - {i})
        outside: dict[int, str] = {}
        static_cells = set(embedded)
        for j, s in enumerate(steps):
            if follows_from_shapes(s, static_cells):
                static_cells.update(s.outs)  # computed by its NumPy kernel, which refuses what it must
            elif (why := refusal(s, self.constants)) is not None:
                outside[j] = why
        segment = PlanSegment(with_frees(steps, outs), ins, outs, embedded, outside, steps[0].device)
        name = steps[0].name if len(steps) == 1 else f"{steps[0].name}..{steps[-1].name}"
        return Step(
            name, SEGMENT, {"segment": segment}, ins, outs, tuple(kinds[slot] for slot in ins),
            tuple(written[o] for o in outs), steps[0].site, waits=self._waits(i, steps), device=steps[0].device,
        )  # fmt: skip
