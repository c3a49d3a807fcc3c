"""Steps as generated source: the one class that writes them, and the function that holds them.

    V          the cells          h0, h1...  inputs of the current step          r   its result
    v3         cell 3 as a local variable, where only the function sees it: no other thread can take the run over
    U          the user's floating-point setting; kernels run silent, user code under U
    S          the armed run of a concurrent plan (`work_stealing`): the cursor is set and `taken` is read per step
    big        whether arrays of the steps that follow may be so large that memory for results is looked for
    g3         gives a private copy of cell 3, which is there from the start and read by several host calls

A `CellLayout` says where a cell lives, an `Entry` how the function is called and what it does with errors and with the
floating-point setting, and `StepWriter` writes what `reference.execute` does to each step in between. A call of a
user's function is written out (`StepCall.source`), so a checked call of a NumPy-mode function costs little more than
the call. Names in the source are numbered by step, so plans of equal structure share one code object. A failing line
names its step through the traceback: errors cost nothing until they happen.

Memory: a value whose last reader is a step is taken out of its cell. If the reference count then proves that it is
uniquely referenced, a function may be handed the array itself, and an elementwise kernel writes its result into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import floating, ownership
from inlay._src.base.interpreter.source import Source
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import bool_
from inlay._src.core.opdef import operator_text
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Plan, Step, number_places
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run import reference
from inlay._src.engine.run.fusion.elementwise import FusedSteps, fused_steps
from inlay._src.engine.run.fusion.optimizer_step import FusedUpdate, fused_updates
from inlay._src.engine.run.lowering.origins import Origin

FILE = f"{__file__} (plan)"  # within the package, so that user tracebacks leave it out

SWITCHED = ("U = current()", "fp(U)")
"""`Entry.setting` of a function that switches between the user's floating-point setting and that of kernels."""
SILENCED = ("U = silence(SILENT)", "restore(U)")
"""`Entry.setting` of a function of kernels only."""


def new_source(slots: int, located: Callable[..., BaseException] | None = None) -> Source:
    """An empty source with the names that steps use.

    Args:
      slots: the number of cells, whose numbers are taken.
      located: gives a failing step's error its place, from the error and the cells.
    """
    source = Source({
        **ownership.NAMES, "np": np, "E": EagerTensor, "fp": floating.assign, "SILENT": floating.SILENT,
        "current": floating.current, "silence": floating.silence, "restore": floating.restore,
        "PASS_THROUGH": errors.PASS_THROUGH, "giver": ownership.giver, "located": located,
        "BIG": TUNING.in_place_elements, "LARGE": TUNING.blocked_elements,
    })  # fmt: skip
    source.numbers(slots)
    return source


@dataclass(frozen=True, slots=True)
class Entry:
    """The entry to a generated function and its exits.

    Attributes:
      signature: its name and parameters.
      cells: source of the cells that `located` is given for an error; "" leaves errors as they are.
      setting: the lines that save and restore the floating-point setting, as `SWITCHED`; None leaves it alone.
    """

    signature: str
    cells: str = ""
    setting: tuple[str, str] | None = SWITCHED

    @contextmanager
    def body(self, source: Source, *begin: str) -> Iterator[None]:
        """The function, whose steps and `return` are written in the block; `begin` are lines before them."""
        with source.block(f"def {self.signature}:"):
            source.write(*begin, *([self.setting[0]] if self.setting else []))
            with source.block("try:"):
                yield
            if self.cells:
                source.write("except PASS_THROUGH: raise")
                with source.block("except BaseException as error:"):
                    source.write(f"raised = located(error, {self.cells})")
                    with source.block("try:"):
                        source.write("if raised is error: raise", "raise raised from raised.__cause__")
                    source.write("finally: del raised")  # the frame, which its traceback has, must not hold it
            if self.setting:
                source.write(f"finally: {self.setting[1]}")


def setting_of(plan: Plan, calls: Sequence[StepCall]) -> tuple[str, str] | None:
    """`Entry.setting` for a plan: nothing is switched if no kernel runs."""
    runs_kernels = any(not s.host for s in plan.steps) or any(call.runs_kernels for call in calls)
    return SWITCHED if runs_kernels else None


class StepWriter:
    """Writes the steps of a plan.

    Args:
      source: where they are written.
      plan, calls: the plan, and the calls of its steps.
      layout: where its cells live.
      first: source of the number of its first step in the run; "" is 0.
      top: the step of the surrounding plan that runs this one; None if there is none.
      once: names of steps with equal results in every iteration of a loop, which are written to run in the first only.
      first_turn: the variable that says whether it is the first iteration.
    """

    def __init__(
        self,
        source: Source,
        plan: Plan,
        calls: Sequence[StepCall],
        layout: CellLayout,
        first: str = "",
        top: Step | None = None,
        once: Collection[str] = (),
        first_turn: str = "",
    ) -> None:
        self.source, self.plan, self.calls, self.layout = source, plan, calls, layout
        self._first, self._top, self._once, self._first_turn = first, top, once, first_turn
        self._in_first_turn = False
        self._if_big = ""  # what fused steps ask first
        self._numbers = {cell: plain for cell, value in plan.consts if (plain := _whole_numbers(value)) is not None}

    def begin(self) -> None:
        """Writes the functions that give copies of cells which several calls read, and the local variables of feeds."""
        self.write_givers(lambda cell: cell not in self.layout.named)
        for cell in self.layout.taken:
            place = self.layout.place(cell)
            self.source.write(f"v{cell} = {place}; {place} = None")

    def write_givers(self, of: Callable[[int], bool]) -> None:
        """Writes `g<cell>` for those cells of `layout.givers` that calls read and that `of` holds for."""
        pairs = zip(self.plan.steps, self.calls, strict=True)
        read = {c for step, call in pairs if _writes_itself(step, call) for c in step.ins}
        for cell in filter(of, sorted(self.layout.givers & read)):
            self.source.write(f"g{cell} = giver({self.layout[cell]})")

    def write_steps(self) -> None:
        """Writes all steps, and the cursor of a run that other threads may share."""
        steps, write = self.plan.steps, self.source.write
        updates = fused_updates(self.plan, self._once)
        fused = self._fused({k + j for k, some in updates.items() for j in range(sum([len(u.steps) for u in some]))})
        k = 0
        while k < len(steps):
            self._mark(steps[k], self.calls[k])
            if self.plan.concurrent:
                write(f"S.cursor = {self._number(k)}", f"if S.taken: return {self._number(k)}")
            if not (self.calls[k].runs_kernels and _writes_itself(steps[k], self.calls[k])):
                self.layout.settle(self.source, steps[k].host)
            if k in fused:
                count = len(fused[k].steps)
                self._write_fused(fused[k], steps[k : k + count], self.calls[k : k + count])
                k += count
            elif k in updates:
                k += self._updates(updates[k], dict(zip(map(id, steps[k:]), self.calls[k:], strict=False)))
            else:
                self._step(steps[k], self.calls[k])
                k += 1
        if self.plan.concurrent:
            write(f"S.cursor = {self._number(len(steps))}")

    def _number(self, k: int) -> str:
        """The number of step `k` in the run, as source."""
        return f"{self._first} + {k}" if self._first else str(k)

    def _fused(self, others: Collection[int]) -> dict[int, FusedSteps]:
        """Elementwise steps that run as one on large arrays, by the index of the first; without the steps `others`."""
        small, fused = self.layout.small, fused_steps(self.plan, others)
        return {k: c for k, c in fused.items() if not small.issuperset(s.outs[0] for s in c.steps)}

    def _mark(self, step: Step, call: StepCall) -> None:
        self.source.mark(Origin(step, call, self.layout.named, self._top or step))

    @contextmanager
    def _in_its_turns(self, step: Step) -> Iterator[None]:
        """The block runs in the first iteration of a loop only if the step is one of `once`."""
        if step.name not in self._once or self._in_first_turn:
            yield
            return
        self._in_first_turn = True
        with self.source.block(f"if {self._first_turn}:"):
            yield
        self._in_first_turn = False

    def _write_fused(self, fused: FusedSteps, origins: Sequence[Step], calls: Sequence[StepCall]) -> None:
        """Consecutive elementwise steps: fused on large arrays, else one by one; `origins` are those of the plan."""
        with self._in_its_turns(fused.steps[0]):
            self._write_in_blocks(fused, origins, calls)

    def _write_in_blocks(self, fused: FusedSteps, origins: Sequence[Step], calls: Sequence[StepCall]) -> None:
        write, cells, source = self.source.write, self.layout, self.source
        inputs = [cells[c] for c in fused.ins]
        large = " or ".join(f"{x}.size >= LARGE" for x in inputs)
        write(f"r = {source.name('e', fused)}({', '.join(inputs)}) if {large} else None")
        with source.block("if r is None:"):
            if (
                len(inputs) <= TUNING.in_place_inputs
            ):  # a result has as many elements as all of them multiplied, at most
                write(f"big = {' * '.join(f'{x}.size' for x in inputs)} > BIG")
                self._if_big = "big and "
            for step, origin, call in zip(fused.steps, origins, calls, strict=True):
                self._mark(origin, call)
                self._step(step, call)
            self._if_big = ""
        with source.block("else:"):
            write(*(f"{cells[c]} = r[{j}]" for j, c in enumerate(fused.outs)))
            write(" = ".join(["r", *(cells[c] for c in fused.gone)]) + " = None")
            if cells.stamps is not None:
                cells.stamps.end(source, *fused.steps)

    def _updates(self, updates: Sequence[FusedUpdate], calls: Mapping[int, StepCall]) -> int:
        """Consecutive updates of variables, fused where they can be; returns the number of their steps."""
        steps = [step for some in updates for step in some.steps]
        for some in updates:
            self._mark(some.steps[0], calls[id(some.steps[0])])
            joint = self.source.name("j", some)
            self.source.write(f"j = {joint}({', '.join(self.layout[c] for c in some.ins)})")
            for place, update in enumerate(some.updates):
                with self.source.block(f"if {place} in j:"):
                    self._write_update(update, [calls[id(step)] for step in update])
            if self.layout.stamps is not None:
                self.layout.stamps.end(self.source, *some.steps)
        freed = [cell for step in steps for cell in step.frees]
        if freed:
            self.source.write(" = ".join(self.layout[cell] for cell in freed) + " = None")
        return len(steps)

    def _write_update(self, update: Sequence[Step], calls: Sequence[StepCall]) -> None:
        """The steps of one update; they free what it alone reads, as updates run in another order than the plan's."""
        reads = Counter(cell for step in update for cell in step.ins)
        own = {cell for cell, count in reads.items() if count == self.layout.readers[cell]}
        steps = [replace(step, frees=tuple(own.intersection(step.frees))) for step in update]
        fused = fused_steps(replace(self.plan, steps=tuple(steps))) if len(steps) > 1 else {}
        k = 0
        while k < len(steps):
            self._mark(update[k], calls[k])
            if k in fused:
                end = k + len(fused[k].steps)
                self._write_fused(fused[k], update[k:end], calls[k:end])
                k = end
            else:
                (self._step if len(steps) > 1 else self._call)(steps[k], calls[k])
                k += 1

    def _step(self, step: Step, call: StepCall) -> None:
        stamps = self.layout.stamps
        with self._in_its_turns(step):
            if stamps is not None and call.runs_kernels and _writes_itself(step, call):
                stamps.begin(self.source, step)
            self._write_step(step, call)
            if stamps is not None:
                stamps.end(self.source, step)

    def _write_step(self, step: Step, call: StepCall) -> None:
        if _writes_itself(step, call):
            last = self.layout.last = self.layout.last_read_by(step)
            call.source(step, self.layout, self.source)
            if call.owns_result:
                self.layout.owned.update(o for o in step.outs if o != -1)
            self._free(step, last)
        elif step.opdef.scheduling.bind is not None:
            self._call(step, call)
        elif step.checks and (step.opdef.many or step.outs[0] == -1):
            self._call(step, call)
        else:
            self._kernel(step)
            self._check(step)

    def _free(self, step: Step, done: set[int] | frozenset[int] = frozenset()) -> None:
        rest = [i for i in step.frees if i not in done]
        if rest:
            self.source.write(" = ".join(self.layout[i] for i in rest) + " = None")

    def _call(self, step: Step, call: StepCall) -> None:
        """A step through its own call: it checks and words its errors itself."""
        callee = self.source.name("c", reference.Checked(step, call) if step.checks else call.plain)
        self._store(
            step, step.opdef.many or bool(step.checks), f"{callee}({', '.join(self.layout[i] for i in step.ins)})"
        )
        self._free(step)

    def _check(self, step: Step) -> None:
        """Holds the result of a kernel against what was promised of it, before anything else reads it."""
        for _, promise in step.checks:
            result = self.layout[step.outs[0]]
            if promise is not None and None not in promise and step.dtypes[0].is_numeric:
                self.source.write(
                    f"if {result}.shape != {promise!r}: {self.source.name('c', _checked(step))}({result})"
                )
            elif promise is not None:
                self.source.write(f"{self.source.name('c', _checked(step))}({result})")

    def _store(self, step: Step, many: bool, expression: str) -> None:
        """Assigns the value of an expression, a sequence if `many`, to the step's cells."""
        write = self.source.write
        if many:
            write(f"r = {expression}")
            write(*(f"{self.layout[o]} = r[{j}]" for j, o in enumerate(step.outs) if o != -1))
            write("r = None")
        else:
            write(f"{self.layout[step.outs[0]]} = {expression}" if step.outs[0] != -1 else expression)

    def _kernel(self, step: Step) -> None:
        opdef, cells = step.opdef, self.layout
        into = cells.arrays.replaced(step, cells.local, cells.lasting)
        if into is not None:
            values = [cells[i] for i in step.ins]
            ufunc = opdef.lowering.ufunc
            out = f"{'out=' * (ufunc in _OUT_BY_NAME)}{cells[into]}"  # which takes longer than by position
            self._store(step, False, f"{self.source.name('u', ufunc)}({', '.join(values)}, {out})")
            self._free(step)
            return
        reuse = cells.reusable(step) if opdef.lowering.ufunc is not None and not opdef.own(step.attrs) else None
        if reuse is None:
            self._store(step, opdef.many, self._text(step, [cells[i] for i in step.ins]))
            self._free(step)
        else:
            self._in_place(step, reuse)

    def _text(self, step: Step, values: list[str]) -> str:
        """The result of a kernel step as an expression: without the kernel's own call where it is one operation."""
        opdef, name = step.opdef, self.source.name
        if all(d.is_numeric or d is bool_ for d in step.in_dtypes):
            if opdef.lowering.operator is not None:
                return operator_text(opdef.lowering.operator, values)
            if opdef.lowering.ufunc is not None:
                return f"{name('u', opdef.lowering.ufunc)}({', '.join(values)})"
        ins, sole = step.ins, ""
        if (
            opdef.lowering.overwrites is not None
            and ins[0] in step.frees
            and ins[0] in self.layout.local
            and ins.count(ins[0]) == 1
        ):
            sole = ownership.sole(values[0])
        passed = list(values)
        for j in number_places(step):
            if ins[j] in self._numbers:
                passed[j] = name("n", self._numbers[ins[j]])
        if step.unranked:
            return opdef.text(passed, step.attrs, name, unranked=True)
        text = opdef.text(passed, step.attrs, name, sole)
        written = opdef.lowering.expression and opdef.lowering.expression(
            values, step.in_dtypes, step.attrs, name, sole
        )
        if written:
            self.layout.views.update(step.outs if written.view else ())
            return written.text if written.test == "True" else f"{written.text} if {written.test} else {text}"
        return f"{values[0]} if {values[0]}.shape == {values[1]}.shape else {text}" if opdef.lowering.to_shape else text

    def _in_place(self, step: Step, reuse: int) -> None:
        """A kernel that writes into input `reuse` if that is large and the run's own."""
        write, opdef, name, local = self.source.write, step.opdef, self.source.name, self.layout.local
        mine, out = step.ins[reuse], self.layout[step.outs[0]]
        loaded = [j for j, i in enumerate(step.ins) if i not in local and i not in self.layout.named]
        held = [f"h{j}" if j in loaded else self.layout[i] for j, i in enumerate(step.ins)]
        write(*(f"h{j} = {self.layout.place(step.ins[j])}" for j in loaded))
        if mine not in local:
            write(f"{self.layout.place(mine)} = None")
        h = held[reuse]
        fits = "".join(f" and (not {x}.ndim or {x}.shape == {h}.shape)" for j, x in enumerate(held) if j != reuse)
        write(
            f"if {self._if_big}{h}.size > BIG and {ownership.writable(h)}{fits}: "
            f"{out} = {name('u', opdef.lowering.ufunc)}({', '.join(held)}, out={h})"
        )
        write(f"else: {out} = {self._text(step, held)}")
        done = [f"h{j}" for j in loaded] + ([h] if mine in local else [])
        write(" = ".join(done) + " = None")
        self._free(step, {mine})


_OUT_BY_NAME = (np.maximum, np.minimum)
"""The ufuncs whose third argument NumPy warns of."""


def _whole_numbers(value: Any) -> int | tuple[int, ...] | None:
    """A constant as a static input of an eager call has it, which kernels need not convert; None for other values."""
    if (
        not isinstance(value, (np.ndarray, np.generic))
        or value.dtype.kind != "i"
        or value.ndim > 1
        or value.size > _MOST_NUMBERS
    ):
        return None
    plain = value.tolist()
    return plain if value.ndim == 0 else tuple(plain)


_MOST_NUMBERS = 64  # axes and sizes are few


def _writes_itself(step: Step, call: StepCall) -> bool:
    return call.writes_source and not step.checks


def _checked(step: Step) -> Callable[[Any], Any]:
    """The check of a step's one result against its promised shape."""
    return lambda result: reference.checked(step, (result,))
