"""Hot plans as generated source: what `reference.execute` does, without its loop.

    V          the cells          h0, h1...  inputs of the current step          r   its result
    v3         cell 3, where only the function itself sees it: no other thread can take the run over
    U          the user's floating-point setting; kernels run silent, user code under U
    S          the armed run of a concurrent plan (`work_stealing`): the cursor is set and `taken` is read per step
    big        whether arrays of the steps that follow may be so large that memory for results is looked for
    g3         gives a private copy of cell 3, which is there from the start and read by several host calls

A function's call is written out where the call knows how (`source`), so a checked call of a NumPy-mode function costs
little more than the call. Names in the source are numbered by step, so plans of equal structure share one code object.
A failing line tells its step through the traceback: errors cost nothing until they happen.

Memory: a value whose last reader is a step is taken out of its cell. If the reference count then proves that nobody
else holds it, a function may be handed the array itself, and an elementwise kernel writes its result into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.interpreter import floating, ownership
from inlay._src.base.interpreter.source import Source
from inlay._src.base.tuning import TUNING
from inlay._src.core.opdef import operator_text
from inlay._src.core.tensor import EagerTensor
from inlay._src.engine.plan.plan import Plan, Step, with_frees
from inlay._src.engine.plan.step_call import Cells, StepCall, bind
from inlay._src.engine.run import reference
from inlay._src.engine.run.fusion.elementwise import Chain, chains
from inlay._src.engine.run.fusion.optimizer_step import JointStep, joint_steps
from inlay._src.engine.run.lowering.origins import Origin, located_in

IN_PLACE_SIZE = 1 << 13
"""Elements from which writing into an input saves more than looking for the chance costs."""
MOST_MEASURED = 4
"""Inputs of a chain up to which it is asked once, and not by every step, whether memory is worth looking for."""
FILE = f"{__file__} (plan)"  # within the package, so that user tracebacks leave it out


class Generated:
    """A plan as one function.

    Attributes:
      function: runs every step on (cells, armed run or None); returns the index of the step not yet run.
      private: cells fetched once whose value is the run's own and which no step reads: nobody else can hold them.
    """

    __slots__ = ("_source", "function", "private")

    def __init__(self, plan: Plan, calls: Sequence[StepCall]) -> None:
        writer = Writer(plan, calls, self._located)
        self._source = writer.write()
        self.function: Callable[..., Any] = self._source.function("run", FILE)
        cells = writer.cells
        once = (c for c, n in Counter(plan.fetches).items() if n == 1)
        self.private: frozenset[int] = frozenset(c for c in once if c in cells.owned and not cells.readers[c])

    def _located(self, error: BaseException, cells: list[Any]) -> BaseException:
        return located_in(self._source, error, dict(enumerate(cells)))


class Writer:
    """Writes one plan.

    Args:
      plan, calls: the plan, and what its steps call.
      located: gives a failing step's error its name, from the error and the cells.
      cells: its cells, where they are more than those of a plan.
      source: where it is written; None begins one.
    """

    top: Step | None = None

    def __init__(
        self,
        plan: Plan,
        calls: Sequence[StepCall],
        located: Callable[..., BaseException],
        cells: Cells | None = None,
        source: Source | None = None,
    ) -> None:
        self.plan, self.calls, self.cells = plan, calls, cells or Cells(plan)
        self.silent = any(not s.host for s in plan.steps) or any(call.runs_kernels for call in calls)
        self._if_big = ""  # what the steps of a chain ask first
        if source is not None:
            self.source = source
            return
        self.source = Source({
            **ownership.NAMES, "np": np, "E": EagerTensor, "fp": floating.assign, "SILENT": floating.SILENT,
            "current": floating.current, "silence": floating.silence, "restore": floating.restore,
            "PASS_THROUGH": errors.PASS_THROUGH, "giver": ownership.giver, "located": located, "BIG": IN_PLACE_SIZE,
            "LARGE": TUNING.blocked_elements,
        })  # fmt: skip
        self.source.numbers(plan.slots)

    def write(self) -> Source:
        """The source of `run`; each of its lines is marked with its step and what that calls."""
        source = self.source
        with source.block("def run(V, S=None, A=A, ref=ref):"):
            if self.silent:
                source.write("U = current()")
            with source.block("try:"):
                self._begin()
                self._steps()
                source.write(f"return {self._number(len(self.plan.steps))}")
            source.write("except PASS_THROUGH: raise")
            with source.block("except BaseException as error:"):
                self._raise("V")
            if self.silent:
                source.write("finally: fp(U)")
        return source

    def _raise(self, values: str) -> None:
        """Raises the error of a step, told; the frame, which its traceback has, must not hold it."""
        self.source.write(f"raised = located(error, {values})")
        with self.source.block("try:"):
            self.source.write("if raised is error: raise", "raise raised from raised.__cause__")
        self.source.write("finally: del raised")

    def _begin(self) -> None:
        """Makes what gives copies of cells that several calls read, and takes what is a local variable."""
        self._write_givers(lambda cell: cell not in self.cells.named)
        for cell in self.cells.taken:
            place = self.cells.place(cell)
            self.source.write(f"v{cell} = {place}; {place} = None")

    def _write_givers(self, of: Callable[[int], bool]) -> None:
        pairs = zip(self.plan.steps, self.calls, strict=True)
        read = {c for step, call in pairs if _writes_itself(step, call) for c in step.ins}
        for cell in filter(of, sorted(self.cells.givers & read)):
            self.source.write(f"g{cell} = giver({self.cells[cell]})")

    def _steps(self) -> None:
        steps, write = self.plan.steps, self.source.write
        found, updates = self._chains(), joint_steps(self.plan)
        k = 0
        while k < len(steps):
            self._mark(steps[k], self.calls[k])
            if self.plan.concurrent:
                write(f"S.cursor = {self._number(k)}", f"if S.taken: return {self._number(k)}")
            if not (self.calls[k].runs_kernels and _writes_itself(steps[k], self.calls[k])):
                self.set_user(steps[k].host)
            if k in found:
                self._chain(found[k], k)
                k += len(found[k].steps)
            elif k in updates:
                k += self._updates(updates[k], dict(zip(map(id, steps[k:]), self.calls[k:], strict=False)))
            else:
                self._step(steps[k], self.calls[k])
                k += 1
        if self.plan.concurrent:
            write(f"S.cursor = {self._number(len(steps))}")

    def _number(self, k: int) -> str:
        """The number of step `k` in the run, as source."""
        return str(k)

    def _chains(self) -> dict[int, Chain]:
        return chains(self.plan)

    def set_user(self, user: bool) -> None:
        """Puts the user's floating-point setting in force, or that of kernels."""
        if self.silent and user != self.cells.user:
            self.cells.user = user
            self.source.write("fp(U)" if user else "fp(SILENT)")

    def _mark(self, step: Step, call: StepCall) -> None:
        self.source.mark(Origin(step, call, self.cells.named, self.top or step))

    def _chain(self, chain: Chain, first: int) -> None:
        """Elementwise steps in a row: on large arrays as one, else one by one."""
        write, cells, source = self.source.write, self.cells, self.source
        inputs = [cells[c] for c in chain.ins]
        large = " or ".join(f"{x}.size >= LARGE" for x in inputs)
        write(f"r = {source.name('e', chain)}({', '.join(inputs)}) if {large} else None")
        with source.block("if r is None:"):
            if len(inputs) <= MOST_MEASURED:  # a result has as many elements as all of them multiplied, at most
                write(f"big = {' * '.join(f'{x}.size' for x in inputs)} > BIG")
                self._if_big = "big and "
            for k, step in enumerate(chain.steps, first):
                self._mark(step, self.calls[k])
                self._step(step, self.calls[k])
            self._if_big = ""
        with source.block("else:"):
            write(*(f"{cells[c]} = r[{j}]" for j, c in enumerate(chain.outs)))
            write(" = ".join(["r", *(cells[c] for c in chain.gone)]) + " = None")

    def _updates(self, updates: Sequence[JointStep], calls: Mapping[int, StepCall]) -> int:
        """Updates of variables in a row, those that can be as one; how many there are."""
        steps = [step for some in updates for step in some.steps]
        for some in updates:
            self._mark(some.steps[0], calls[id(some.steps[0])])
            joint = self.source.name("j", some)
            self.source.write(f"j = {joint}({', '.join(self.cells[c] for c in some.ins)})")
            for place, step in enumerate(some.steps):
                self._mark(step, calls[id(step)])
                with self.source.block(f"if {place} in j:"):
                    self._call(replace(step, frees=()), calls[id(step)])
        for step in steps:
            self._free(step)
        return len(steps)

    def _step(self, step: Step, call: StepCall) -> None:
        if _writes_itself(step, call):
            last = self.cells.last = self.cells.last_read_by(step)
            call.source(step, self.cells, self.source)
            if call.owns_result:
                self.cells.owned.update(o for o in step.outs if o != -1)
            self._free(step, last)
        elif step.opdef.bind is not None:
            self._call(step, call)
        elif step.checks and (step.opdef.many or step.outs[0] == -1):
            self._call(step, call)
        else:
            self._kernel(step)
            self._check(step)

    def _free(self, step: Step, done: set[int] | frozenset[int] = frozenset()) -> None:
        rest = [i for i in step.frees if i not in done]
        if rest:
            self.source.write(" = ".join(self.cells[i] for i in rest) + " = None")

    def _call(self, step: Step, call: StepCall) -> None:
        """A step through its own call: it checks and words its errors itself."""
        made = self.source.name("c", reference.Checked(step, call) if step.checks else call.plain)
        self._store(step, step.opdef.many or bool(step.checks), f"{made}({', '.join(self.cells[i] for i in step.ins)})")
        self._free(step)

    def _check(self, step: Step) -> None:
        """Holds the result of a kernel against what was promised of it, before anything else reads it."""
        for _, promise in step.checks:
            result = self.cells[step.outs[0]]
            if promise is not None and None not in promise and step.dtypes[0].is_numeric:
                self.source.write(
                    f"if {result}.shape != {promise!r}: {self.source.name('c', _checked(step))}({result})"
                )
            elif promise is not None:
                self.source.write(f"{self.source.name('c', _checked(step))}({result})")

    def _store(self, step: Step, many: bool, made: str) -> None:
        """Puts what an expression makes into the step's cells."""
        write = self.source.write
        if many:
            write(f"r = {made}")
            write(*(f"{self.cells[o]} = r[{j}]" for j, o in enumerate(step.outs) if o != -1))
            write("r = None")
        else:
            write(f"{self.cells[step.outs[0]]} = {made}" if step.outs[0] != -1 else made)

    def _kernel(self, step: Step) -> None:
        opdef, cells = step.opdef, self.cells
        reuse = self._reusable(step) if opdef.ufunc is not None and not opdef.own(step.attrs) else None
        if reuse is None:
            self._store(step, opdef.many, self._text(step, [cells[i] for i in step.ins]))
            self._free(step)
        else:
            self._in_place(step, reuse)

    def _text(self, step: Step, values: list[str]) -> str:
        """What a kernel step makes, as an expression: without the kernel's own call where it is one operation."""
        opdef, name = step.opdef, self.source.name
        if all(d.is_numeric for d in step.in_dtypes):
            if opdef.operator is not None:
                return operator_text(opdef.operator, values)
            if opdef.ufunc is not None:
                return f"{name('u', opdef.ufunc)}({', '.join(values)})"
        ins, sole = step.ins, ""
        if (
            opdef.overwrites is not None
            and ins[0] in step.frees
            and ins[0] in self.cells.local
            and ins.count(ins[0]) == 1
        ):
            sole = ownership.sole(values[0])
        if step.unranked:
            return opdef.text(values, step.attrs, name, unranked=True)
        text = opdef.text(values, step.attrs, name, sole)
        written = opdef.expression and opdef.expression(values, step.in_dtypes, step.attrs, name, sole)
        if written:
            self.cells.views.update(step.outs if written.view else ())
            return written.text if written.test == "True" else f"{written.text} if {written.test} else {text}"
        return f"{values[0]} if {values[0]}.shape == {values[1]}.shape else {text}" if opdef.to_shape else text

    def _reusable(self, step: Step) -> int | None:
        return self.cells.reusable(step)

    def _in_place(self, step: Step, reuse: int) -> None:
        """A kernel that writes into input `reuse` if that is large and the run's own."""
        write, opdef, name, local = self.source.write, step.opdef, self.source.name, self.cells.local
        mine, out = step.ins[reuse], self.cells[step.outs[0]]
        loaded = [j for j, i in enumerate(step.ins) if i not in local and i not in self.cells.named]
        held = [f"h{j}" if j in loaded else self.cells[i] for j, i in enumerate(step.ins)]
        write(*(f"h{j} = {self.cells.place(step.ins[j])}" for j in loaded))
        if mine not in local:
            write(f"{self.cells.place(mine)} = None")
        h = held[reuse]
        fits = "".join(f" and (not {x}.ndim or {x}.shape == {h}.shape)" for j, x in enumerate(held) if j != reuse)
        write(
            f"if {self._if_big}{h}.size > BIG and {ownership.writable(h)}{fits}: "
            f"{out} = {name('u', opdef.ufunc)}({', '.join(held)}, out={h})"
        )
        write(f"else: {out} = {self._text(step, held)}")
        done = [f"h{j}" for j in loaded] + ([h] if mine in local else [])
        write(" = ".join(done) + " = None")
        self._free(step, {mine})


class _ValuesWriter(Writer):
    """Writes a plan as a function of some feeds' values; the other feeds are given when that function is made.

    Args:
      plan, calls, located: as in `Writer`; no other thread may take a run over.
      count: how many feeds, the first ones, are its parameters.
    """

    def __init__(
        self, plan: Plan, calls: Sequence[StepCall], located: Callable[..., BaseException], count: int
    ) -> None:
        fed = [f.slot for f in plan.feeds]
        self.values, self.given = fed[:count], fed[count:]
        kept = plan.kept | set(self.given)
        super().__init__(replace(plan, steps=with_frees(plan.steps, kept)), calls, located)
        cells = self.cells
        cells.named = {slot: self.source.name("c", value) for slot, value in plan.consts}
        cells.named |= {slot: f"k{slot}" for slot in self.given}
        cells.local = {*self.values, *(o for step in plan.steps for o in step.outs if o != -1)}
        cells.taken = []

    def write(self) -> Source:
        """The source of `make`, which takes what is given and returns a function of a list of values."""
        source, cells = self.source, self.cells
        consts = ", ".join(f"{slot}: {name}" for slot, name in cells.named.items())
        with source.block("def make(given):"):
            source.write(*([f"{''.join(f'k{slot}, ' for slot in self.given)} = given"] if self.given else []))
            source.write(f"known = {{{consts}}}")
            self._write_givers(lambda cell: cell in cells.named)
            with source.block("def run(values, index=None, A=A, ref=ref):"):
                source.write(*([f"{''.join(f'v{slot}, ' for slot in self.values)} = values"] if self.values else []))
                if self.silent:
                    source.write("U = current()")
                with source.block("try:"):
                    self._begin()
                    self._steps()
                    source.write(f"return [{', '.join(cells[slot] for slot in self.plan.fetches)}]")
                source.write("except PASS_THROUGH: raise")
                with source.block("except BaseException as error:"):
                    self._raise("known")
                if self.silent:
                    source.write("finally: fp(U)")
            source.write("return run")
        return source


Make = Callable[[Sequence[Any]], Callable[..., "list[Any]"]]
"""Makes a function of values out of what its plan is given besides."""


def of_values(
    plan: Plan,
    calls: Sequence[StepCall],
    count: int,
    failed: Callable[[int, BaseException], BaseException] | None = None,
) -> Make:
    """A plan as a function of a list of values, without cells.

    Args:
      plan: one that no other thread takes over, and without resources.
      calls: what its steps call.
      count: how many feeds, the first ones, are the values.
      failed: gives what is raised for the error of a step, from its number and the error as it is told; None: the same.

    Returns:
      What takes the values of the other feeds, the same each time, and returns the function. That takes a second
      argument, which does not matter.
    """

    def located(error: BaseException, known: Mapping[int, Any]) -> BaseException:
        found = located_in(source, error, known)
        if failed is None:
            return found
        top = source.origin(error.__traceback__.tb_lineno).top  # type: ignore[union-attr]
        return failed(next(k for k, s in enumerate(writer.plan.steps) if s is top), found)

    writer = _ValuesWriter(plan, calls, located, count)
    source = writer.write()
    made: Make = source.function("make", FILE)
    return made


class _FunctionWriter(Writer):
    """Writes a plan of kernels as a function of its own parameters; every cell is a local variable."""

    def __init__(self, plan: Plan, scalars: Container[str]) -> None:
        super().__init__(plan, [bind(step, None) for step in plan.steps], lambda error, cells: error)
        self.scalars = scalars
        self.silent = False  # the function is, from its beginning to its end

    def write_function(self, parameters: str, feeds: Sequence[str], result: Callable[[list[str]], str]) -> None:
        """Adds the source of `run`; see `as_function`."""
        plan, cells, source = self.plan, self.cells, self.source
        cells.named = {slot: source.name("c", value) for slot, value in plan.consts}
        cells.local = {f.slot for f in plan.feeds} | {o for step in plan.steps for o in step.outs}
        with source.block(f"def run({parameters}):"):
            for feed, place in zip(plan.feeds, feeds, strict=True):
                if cells.readers[feed.slot] or feed.slot in plan.fetches:
                    source.write(f"{cells[feed.slot]} = {place}")
            source.write("U = silence(SILENT)")
            with source.block("try:"):
                self._steps()
                source.write(f"return {result([cells[slot] for slot in plan.fetches])}")
            source.write("finally: restore(U)")

    def _chains(self) -> dict[int, Chain]:
        found = super()._chains()
        return {k: chain for k, chain in found.items() if any(s.name not in self.scalars for s in chain.steps)}

    def _step(self, step: Step, call: StepCall) -> None:
        self._kernel(step)

    def _reusable(self, step: Step) -> int | None:
        return None if step.name in self.scalars else super()._reusable(step)


def as_function(
    plan: Plan,
    parameters: str,
    feeds: Sequence[str],
    result: Callable[[list[str]], str],
    names: Mapping[str, Any],
    scalars: Container[str] = (),
) -> Callable[..., Any]:
    """A plan as a function of locals: nothing is laid out or handed over between its caller and its kernels.

    Args:
      plan: a plan whose steps are kernels, without resources.
      parameters: those of the function.
      feeds: per feed, the expression in `parameters` that gives its value.
      result: gives the expression to return from those of the fetches.
      names: what the expressions use besides; `E` is `EagerTensor`.
      scalars: names of steps whose result is known to be a scalar: no memory is looked for to put it in.
    """
    writer = _FunctionWriter(plan, scalars)
    writer.source.names.update(names)
    writer.write_function(parameters, feeds, result)
    return writer.source.function("run", FILE)


def _writes_itself(step: Step, call: StepCall) -> bool:
    return call.writes_source and not step.checks


def _checked(step: Step) -> Callable[[Any], Any]:
    """What holds the one result of a step against what was promised of it."""
    return lambda result: reference.checked(step, (result,))
