"""Placement: where each step of a plan runs when there is an accelerator. Plan in, plan out; data only.

    asked        the device that a step's node was placed on wins, then that of the scope its function is called in
    by default   pure steps that compute with floating-point numbers, or read a value that lies on an accelerator, run
                 there; so does a function of eager tensors that reads one
    the CPU      everything else: text, state, functions of NumPy arrays, ops that refuse values, steps whose static
                 inputs are known only when the plan runs
    anywhere     steps that run other plans (functions, branches, loops, pullbacks) take values where they lie

Where a value crosses, a step moves it: once per value and device. Moves to an accelerator come right after what makes
the value, moves to the host right before what reads it: neither splits the segments that `plan.segment` makes later.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import DType
from inlay._src.core import context, device
from inlay._src.core.device import CPU
from inlay._src.core.devices.device_tensor import KINDS
from inlay._src.core.devices.kernels import can_run
from inlay._src.core.opdef import Role
from inlay._src.core.signature import Signature
from inlay._src.engine.plan.plan import Plan, Step, static_places, with_frees
from inlay._src.engine.plan.segment import follows_from_shapes, refusal
from inlay._src.engine.plan.step_call import plan_op


@export("debugging.set_log_device_placement")
def set_log_device_placement(enabled: bool) -> None:
    """Says whether ops tell, on standard error, where they run.

    Ops of sessions and functions do so when their plan is built from now on; eager ops do so in every call.

    Args:
      enabled: whether they do.
    """
    context.log_placement(bool(enabled))


@export("debugging.get_log_device_placement")
def get_log_device_placement() -> bool:
    """Whether `set_log_device_placement` switched the log on; False at first."""
    return context.logs_placement()


def log(plan: Plan) -> None:
    """Writes where each step of a plan runs to standard error."""
    for step in plan.steps:
        print(f"{step.name}: ({step.op}): {step.device or CPU}", file=sys.stderr)


ANYWHERE = ""
"""The place of a value that may lie on the host or on an accelerator; its readers have it moved if need be."""


TO_DEVICE = plan_op("ToDevice", Signature(outs=(None,)))
"""Moves a value to an accelerator. Its attribute `kept` says that nobody writes into the value, as it is a constant or
what a variable holds: it is sent once for as long as it lives."""
TO_HOST = plan_op("ToHost", Signature(outs=(None,)))
"""Moves a value to the host, from wherever it lies."""


def placed(plan: Plan, border: str, scope: str = "") -> Plan:
    """The plan with every step given a place, and steps that move values between places.

    It is the same plan if nothing of it runs on an accelerator.

    Args:
      plan: as `build` made it.
      border: where fed values lie and fetched ones must: CPU, or ANYWHERE.
      scope: the device of steps that did not ask for one; "" decides by what they do.
    """
    work = _Placement(plan, border, scope)
    for k, step in enumerate(plan.steps):
        work.add(k, step)
    return work.finished()


class _Placement:
    """Goes through a plan's steps in order; knows where the value of each cell lies."""

    def __init__(self, plan: Plan, border: str, scope: str) -> None:
        self.plan, self.border, self.scope = plan, border, scope
        self.constants = dict(plan.consts)
        self.lies = {f.slot: border for f in plan.feeds} | dict.fromkeys(self.constants, CPU)
        self.known = set(self.constants)  # values that follow from shapes: known when a segment is compiled
        self.kinds: dict[int, DType] = {}
        self.made_by: dict[int, int] = {}  # cell -> step of the old plan
        self.moved: dict[tuple[int, str], int] = {}
        self.slots = plan.slots
        self.steps: list[Step] = []
        self.before: list[list[Step]] = []  # per step: moves to the host that it needs
        self.after: list[list[Step]] = [[] for _ in (None, *plan.steps)]  # moves to devices; [0] is the plan's start

    def add(self, k: int, step: Step) -> None:
        """Places one step."""
        place, because = self._place(step)
        self.before.append([])
        for cell, kind in zip(step.ins, step.in_dtypes, strict=True):
            self.kinds[cell] = kind
        ins = tuple(self._read(k, step, j, place) for j in range(len(step.ins)))
        self.steps.append(replace(step, ins=ins, device=place, because=because))
        static = place != CPU and follows_from_shapes(step, self.known)
        for cell, kind in zip(step.outs, step.dtypes, strict=False):
            if static:
                self.known.add(cell)
            if cell != -1:
                self.lies[cell] = place if kind._kind in KINDS else CPU
                self.kinds[cell], self.made_by[cell] = kind, k

    # ---- where a step runs

    def _place(self, step: Step) -> tuple[str, str]:
        """The place of a step, and the reason for it."""
        if step.opdef.scheduling.anywhere_from is not None:
            return ANYWHERE, "it runs other plans, which take values where they lie"
        own = device.resolved(step.asked)
        asked = own or self.scope
        because = "its node asked for the device" if own else "the scope of the call asked for the device"
        if asked == CPU:
            return CPU, because
        near = next((p for c in step.ins if (p := self.lies.get(c, CPU)) not in (CPU, ANYWHERE)), None)
        if not asked:
            because = "an input lies on the device" if near else "it computes with floating-point numbers"
        if step.opdef.scheduling.on_tensors:
            return asked or near or CPU, because if asked or near else "its inputs lie on the host"
        wanted = asked or near or (self._default(step) if _computes(step) else CPU)
        if wanted == CPU:
            return CPU, "its inputs lie on the host, and it computes no floating-point numbers but shapes"
        if not self._can_run(step):
            return CPU, "no compiled code can hold it: a host function, state, text, or a kernel that refuses values"
        return wanted, because

    def _default(self, step: Step) -> str:
        """The first accelerator; a shape that is known on the host is read there."""
        here = step.opdef.lowering.shape_only and self.lies.get(step.ins[0]) == CPU
        return CPU if here else next(iter(device.accelerators()))

    def _can_run(self, step: Step) -> bool:
        """Whether compiled code can hold a step."""
        if step.host or step.stateful or not can_run(step.opdef, step.in_dtypes, step.dtypes):
            return False
        fixed = [step.ins[j] for j in static_places(step)]
        if follows_from_shapes(step, self.known):
            return True
        return refusal(step, self.constants) is None and self.known.issuperset(fixed)

    # ---- what it reads

    def _read(self, k: int, step: Step, j: int, place: str) -> int:
        """The cell that has input `j` of a step where the step runs."""
        cell, kind = step.ins[j], step.in_dtypes[j]
        if place == ANYWHERE and j < (step.opdef.scheduling.anywhere_from or 0):
            place = CPU
        if place == ANYWHERE or kind._kind not in KINDS or self.lies.get(cell, CPU) == place:
            return cell
        if cell in self.constants and step.opdef.scheduling.bind is None:
            if j in static_places(step) or np.size(self.constants[cell]) <= TUNING.segment_constant_elements:
                return cell  # it becomes a part of the segment
        return self._move(k, step.name, cell, place)

    def _move(self, k: int, reader: str, cell: int, place: str) -> int:
        """The cell of a value moved to a place; the step that moves it is made for its first reader."""
        moved = self.moved.get((cell, place))
        if moved is not None:
            return moved
        moved = self.moved[cell, place] = self.slots
        self.slots += 1
        self.lies[moved] = place
        kind = self.kinds[cell]
        if place == CPU:
            opdef, retained, into = TO_HOST, False, self.before[k]
        else:
            made_by = self.made_by.get(cell, -1)
            read = made_by >= 0 and self.plan.steps[made_by].opdef.role is Role.READ
            opdef, retained, into = TO_DEVICE, read or cell in self.constants, self.after[made_by + 1]
        name = f"{reader}/{opdef.name}"
        into.append(Step(name, opdef, {"kept": retained}, (cell,), (moved,), (kind,), (kind,), device=place))
        return moved

    # ---- the new plan

    def finished(self) -> Plan:
        self.before.append([])
        fetches = tuple(self._fetched(c) for c in self.plan.fetches)
        if not self.moved and all(s.device in (CPU, ANYWHERE) for s in self.steps):
            return self.plan
        index: dict[int, int] = {}
        writer: dict[int, int] = {}
        steps: list[Step] = []

        def lay(step: Step, waits: set[int]) -> None:
            waits |= {writer[c] for c in step.ins if c in writer}
            writer.update((c, len(steps)) for c in step.outs if c != -1)
            steps.append(replace(step, waits=tuple(sorted(waits))))

        for k in range(-1, len(self.steps) + 1):
            for move in self.before[k] if k >= 0 else ():
                lay(move, set())
            if 0 <= k < len(self.steps):
                lay(self.steps[k], {index[w] for w in self.steps[k].waits})
                index[k] = len(steps) - 1
            for move in self.after[k + 1] if k < len(self.steps) else ():
                lay(move, set())
        new = replace(self.plan, slots=self.slots, fetches=fetches)
        return replace(new, steps=with_frees(steps, new.lasting))

    def _fetched(self, cell: int) -> int:
        """The cell of a fetched value where the border wants it."""
        kind = self.kinds.get(cell)
        if self.border == ANYWHERE or kind is None or kind._kind not in KINDS or self.lies[cell] == CPU:
            return cell
        return self._move(len(self.steps), "fetch", cell, CPU)


def _computes(step: Step) -> bool:
    """Whether a step has to do with floating-point numbers."""
    return any(d._kind in "fc" for d in (*step.dtypes, *step.in_dtypes))
