"""Programs written into the source of the plan that runs them: branches, functions, the turns of loops.

    v12 = v3                       a loop variable; captured values stay where they are
    while True:
     v14 = (v12 < c_0)             the steps of the condition
     if not (v14 if v14.__class__ is bool_ else x_0(v14)): break
     v15 = (v12 + c_1)             those of the body
     v12 = None
     v12 = v15; v15 = None
    v4 = v12

The cells of a program become local variables under numbers of their own, its steps are written as those of any plan,
and its errors name its steps. A program that is large, that other threads may work on, or that stands deep in others is
called instead.

Loop-invariant code motion: a step with equal results in every iteration of a loop runs in the first one only, at its
place. So a loop without iterations computes nothing, and an error comes when it would have come.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from inlay._src.base.interpreter.source import Source
from inlay._src.base.tuning import TUNING
from inlay._src.core import context
from inlay._src.core.opdef import Effect
from inlay._src.engine.plan.layout import CellLayout
from inlay._src.engine.plan.plan import Feed, Plan, Step, renumbered, with_frees
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run.executable import Executable
from inlay._src.engine.run.fusion.elementwise import fused_steps
from inlay._src.engine.run.lowering.linear_sums import LinearSums, linear_sums
from inlay._src.engine.run.lowering.origins import Origin, located_in
from inlay._src.engine.run.lowering.writer import FILE, Entry, StepWriter, new_source
from inlay._src.engine.run.scheduling.work_stealing import stop_in_force

RUNNING = context.State(host="a function of this graph").lasting()
"""The state in which programs run."""


def size(executables: Sequence[Executable], depth: int = 0) -> int | None:
    """The number of steps that are written for programs at this depth; None if they have to be called."""
    if depth >= TUNING.inlined_depth:
        return None
    total = 0
    for executable in executables:
        if not executable.is_written:
            return None
        total += len(executable.steps)
        for call in executable.calls:
            if isinstance(call, InlinedCall):
                total += call.size(depth + 1) or 0
        if total > TUNING.written_steps:
            return None
    return total


class InlinedCall(StepCall):
    """A call that runs programs and can write them into the plan that it is a step of."""

    __slots__ = ()
    runs_kernels = True

    @property
    def executables(self) -> Sequence[Executable]:
        """The programs that it runs; nothing if it has to be called."""
        raise NotImplementedError

    def size(self, depth: int) -> int | None:
        """The number of steps that are written for it at this depth of programs; None if it has to be called."""
        executables = self.executables
        return size(executables, depth) if executables else None

    @property
    def writes_source(self) -> bool:  # type: ignore[override]
        """See `StepCall`."""
        return self.size(0) is not None

    def source(self, step: Step, cells: CellLayout, source: Source) -> None:
        """See `StepCall.source`."""
        if self.size(cells.depth) is None or len(source.lines) > TUNING.written_lines:
            cells.settle(source, True)
            source.write(f"r = {source.name('c', self)}({', '.join(cells[i] for i in step.ins)})")
            source.write(*(f"{cells[o]} = r[{j}]" for j, o in enumerate(step.outs) if o != -1), "r = None")
            cells.last.clear()
            return
        with _running(cells, source):
            self.write(step, cells, source)

    def write(self, step: Step, cells: CellLayout, source: Source) -> None:
        """Writes the programs: from the cells `step.ins` to `step.outs`."""
        raise NotImplementedError


@contextmanager
def _running(cells: CellLayout, source: Source) -> Iterator[None]:
    """The source in the block runs in the state of programs."""
    if cells.depth:
        yield
        return
    before = f"s{source.numbers(1)}"
    get, put, running = (source.name("x", x) for x in (context.get, context.set_state, RUNNING))
    source.write(f"{before} = {get}()", f"{put}({running})")
    with source.block("try:"):
        yield
    source.write(f"finally: {put}({before})")


class _InlinedProgram:
    """A program whose steps are written into the plan that runs it.

    Args:
      executable: the program.
      outer: the layout of the plan that runs it.
      source: where it is written.
      sources: per feed the number of a local variable, or the source of a value that stays where it is.
      frees: whether local variables of its feeds are emptied after their last use.
      first_turn: of one that is repeated: the variable that says whether this is the first iteration. Steps with the
        same inputs in every iteration run in that one only.
      sums: sums that are taken out of it, if there are any.

    Attributes:
      once: the names of those steps.
      lasting: the variables in which they leave something for the next iterations.
    """

    def __init__(
        self,
        executable: Executable,
        outer: CellLayout,
        source: Source,
        sources: Sequence[int | str],
        frees: bool = False,
        first_turn: str = "",
        sums: LinearSums | None = None,
    ) -> None:
        plan, calls = (executable.plan, executable.calls) if sums is None else (sums.plan, sums.calls)
        first = source.numbers(plan.slots)
        cells = {cell: first + cell for cell in range(plan.slots)}
        cells |= {feed: value for feed, value in zip(executable.feeds, sources, strict=True) if value.__class__ is int}
        own = {value for value in sources if value.__class__ is int}
        outside = {first + f: v for f, v in zip(executable.feeds, sources, strict=True) if v.__class__ is str}
        consts = tuple((first + cell, executable.template[cell]) for cell, _ in plan.consts)
        fetches = tuple(cells[cell] for cell in plan.fetches)
        retained = {*fetches, *outside, *(cell for cell, _ in consts), *(() if frees else own)}
        unfreed = renumbered(plan.steps, cells)
        self.once = _unchanging(unfreed, {*outside, *(cell for cell, _ in consts)}) if first_turn else frozenset()
        lasting = _read_by_others(unfreed, self.once, fetches)
        retained |= lasting
        feeds = tuple(Feed(cell, "", False) for cell in own)
        steps = with_frees(unfreed, retained)
        self.plan = Plan(first + plan.slots, feeds, (), consts, steps, fetches, (), concurrent=False)
        self.layout = CellLayout(self.plan, outside | {cell: source.name("c", value) for cell, value in consts})
        self.layout.lasting, self.layout.givers = retained, set()
        self.layout.depth, self.layout.user, self.layout.stamps = outer.depth + 1, outer.user, outer.stamps
        top = source.marked and source.marked.top
        self._calls, self._outer = calls, outer
        self._writer = StepWriter(source, self.plan, calls, self.layout, top=top, once=self.once, first_turn=first_turn)
        self.lasting: list[str] = [self.layout[cell] for cell in sorted(lasting)]

    @property
    def begins_with_user(self) -> bool | None:
        """Whether its first step runs under the user's floating-point setting; None if it has no step."""
        first = next(zip(self.plan.steps, self._calls, strict=True), None)
        return None if first is None else first[0].host and not first[1].runs_kernels

    def write_steps(self) -> list[str]:
        """Writes the steps; returns the source of the fetched values."""
        self.layout.user = self._outer.user
        self._writer.write_steps()
        self._outer.user = self.layout.user
        return [self.layout[cell] for cell in self.plan.fetches]

    def left(self, but: Sequence[str] = ()) -> list[str]:
        """The local variables that hold something at the end, without those of `but`."""
        names = dict.fromkeys(self.layout[c] for c in self.plan.fetches if c in self.layout.local)
        return [name for name in names if name not in but and name not in self.lasting]


def _unchanging(steps: Sequence[Step], invariant: set[int]) -> frozenset[str]:
    """The names of the steps with equal results in every iteration: kernels of the inputs, and of such results.

    Consecutive elementwise steps stay together: they are fused on large arrays.
    """
    cells, names = set(invariant), set()
    for step in steps:
        kernel = step.opdef.scheduling.bind is None and step.opdef.effect is Effect.PURE and not step.host
        if kernel and step.ins and cells.issuperset(step.ins):
            cells.update(step.outs)
            names.add(step.name)
    for fused in fused_steps(Plan(0, (), (), (), tuple(steps), (), (), concurrent=False)).values():
        if any(s.name not in names for s in fused.steps):
            names.difference_update(s.name for s in fused.steps)
    return frozenset(names)


def _read_by_others(steps: Sequence[Step], once: Container[str], fetches: Collection[int]) -> set[int]:
    """The cells that steps of the first iteration write and later iterations read."""
    written = {o for step in steps if step.name in once for o in step.outs if o != -1}
    read = {i for step in steps if step.name not in once for i in step.ins}
    return written & (read | set(fetches))


def _named(ins: Sequence[int], cells: CellLayout, source: Source) -> tuple[list[str], list[str]]:
    """Cells as source of values that stay, and the variables that were made for them."""
    names: list[str] = []
    variables: dict[str, str] = {}
    for cell in ins:
        name = cells[cell]
        if cell not in cells.local and cell not in cells.named and name not in variables:
            variables[name] = f"v{source.numbers(1)}"
            source.write(f"{variables[name]} = {name}")
        names.append(variables.get(name, name))
    return names, list(variables.values())


def _write_results(step: Step, cells: CellLayout, source: Source, results: Sequence[str], done: Sequence[str]) -> None:
    """Writes what a step leaves, from source of its results, and empties variables."""
    pairs = [(cells[o], value) for o, value in zip(step.outs, results, strict=False) if o != -1]
    source.write(*(f"{name} = {value}" for name, value in pairs))
    _empty(source, done)


def _empty(source: Source, variables: Sequence[str]) -> None:
    source.write(*([f"{' = '.join(variables)} = None"] if variables else []))


def write_call(executable: Executable, step: Step, cells: CellLayout, source: Source) -> None:
    """Writes a function's steps."""
    inputs, held = _named(step.ins, cells, source)
    program = _InlinedProgram(executable, cells, source, inputs)
    results = program.write_steps()
    _write_results(step, cells, source, results, [*program.left(), *held])
    cells.last.clear()


def write_choice(
    executables: Sequence[Executable],
    picks: Sequence[Sequence[int]],
    index: Callable[[Any], int],
    step: Step,
    cells: CellLayout,
    source: Source,
) -> None:
    """Writes the steps of several programs, one of which runs.

    Args:
      executables: the programs.
      picks: per program, which inputs after the first it is given.
      index: gives, from the first input, which program runs.
      step, cells, source: see `StepCall.source`.
    """
    inputs, held = _named(step.ins, cells, source)
    origin, selector = source.marked, inputs[0]
    chosen = f"{source.name('x', index)}({selector})"
    if len(executables) > 2:
        at = f"i{source.numbers(1)}"
        source.write(f"{at} = {chosen}")
        tests = [f"{at} == {k}" for k in range(len(executables) - 1)]
    else:
        bool_ = source.name("x", np.bool_)
        tests = [f"({selector} if {selector}.__class__ is {bool_} else not {chosen})"][: len(executables) - 1]
    user = cells.user
    for k, (executable, pick) in enumerate(zip(executables, picks, strict=True)):
        last = k == len(executables) - 1
        with source.block(("if True:" if not k else "else:") if last else f"{'el' if k else ''}if {tests[k]}:"):
            cells.user = user
            program = _InlinedProgram(executable, cells, source, [inputs[1 + i] for i in pick])
            results = program.write_steps()
            _write_results(step, cells, source, results, program.left())
            cells.settle(source, False)
            source.write("pass")
        source.mark(origin)
    _empty(source, held)
    cells.last.clear()


def write_unless(
    attempt: Callable[..., Sequence[Any] | None],
    executable: Executable,
    least: int | None,
    step: Step,
    cells: CellLayout,
    source: Source,
) -> None:
    """Writes a step that something else may do instead of the steps of a program.

    Args:
      attempt: gives, from the inputs, the results, or None if the program must run.
      executable: the program.
      least: the size of an input from which the program runs in any case; None if there is no such size.
      step, cells, source: see `StepCall.source`.
    """
    origin, handed = source.marked, [i for i in step.ins if i in cells.last and i not in cells.named]
    own = {i: source.numbers(1) for i in handed}
    source.write(*(f"v{n} = {cells[i]}; {cells[i]} = None" for i, n in own.items()))
    rest, held = _named([i for i in step.ins if i not in own], cells, source)
    others = iter(rest)
    inputs: list[int | str] = [own[i] if i in own else next(others) for i in step.ins]
    names = [f"v{value}" if value.__class__ is int else str(value) for value in inputs]
    attempted = f"{source.name('x', attempt)}({', '.join(names)})"
    if least is not None and names:
        large = " or ".join(f"{name}.__class__ is A and {name}.size >= {least}" for name in names)
        attempted = f"None if {large} else {attempted}"
    source.write(f"r = {attempted}")
    with source.block("if r is None:"):
        program = _InlinedProgram(executable, cells, source, inputs, frees=True)
        _write_results(step, cells, source, program.write_steps(), program.left())
        cells.settle(source, False)
    source.mark(origin)
    with source.block("else:"):
        _write_results(step, cells, source, [f"r[{j}]" for j in range(len(step.outs))], ["r"])
    _empty(source, [*held, *(f"v{n}" for n in own.values())])
    cells.last.intersection_update(own)


def write_loop(
    executables: Sequence[Executable],
    picks: Sequence[Sequence[int]],
    limit: int | None,
    holds: Callable[[Any], Any],
    left: Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], Any] | None,
    step: Step,
    cells: CellLayout,
    source: Source,
) -> None:
    """Writes a loop.

    Args:
      executables: the condition and the body.
      picks: for each, which inputs after the loop variables it is given.
      limit: the most turns, or None.
      holds: gives, from what the condition makes, whether another turn follows, where that is no NumPy bool.
      left: computes the last result from the inputs, the other results of the body in each iteration, and the last
        loop variables; None if there is no such result.
      step, cells, source: see `StepCall.source`.
    """
    write, origin = source.write, source.marked
    count = len(step.outs) - (left is not None)
    inputs, held = _named(step.ins if left else step.ins[count:], cells, source)
    first = source.numbers(count + 2)
    state, turns, stop = [f"v{first + j}" for j in range(count)], f"v{first + count}", f"v{first + count + 1}"
    for name, cell, value in zip(state, step.ins, inputs if left else [""] * count, strict=False):
        write(f"{name} = {value or cells[cell]}")
        if cell in cells.last and not left:
            write(f"{cells[cell]} = None")
    cells.last.intersection_update(() if left else step.ins[:count])
    write(*([f"{turns} = []"] if left else []))
    captures = inputs[count:] if left else inputs
    own = range(first, first + count)
    first_turn = f"first{source.numbers(1)}"
    test, body = (
        _InlinedProgram(executable, cells, source, [*own, *(captures[i] for i in pick)], frees, first_turn)
        for executable, pick, frees in zip(executables, picks, (False, True), strict=True)
    )
    counts = bool(test.once or body.once)
    write(*([f"{first_turn} = True"] if counts else []))
    begins = (p.begins_with_user for p in (test, body))
    user = next((b for b in begins if b is not None), cells.user)
    cells.settle(source, user)
    write(f"{stop} = {source.name('x', stop_in_force)}()")
    with source.block("while True:" if limit is None else f"for _ in range({limit}):"):
        write(f"if {stop} is not None: {stop}.check()")
        if cells.stamps is not None:
            cells.stamps.hand_over(source)
        (held_on,) = test.write_steps()
        source.mark(origin)
        bool_ = source.name("x", np.bool_)
        write(f"if not ({held_on} if {held_on}.__class__ is {bool_} else {source.name('x', holds)}({held_on})): break")
        after = cells.user
        carried = body.write_steps()
        source.mark(origin)
        if left:
            write(f"{turns}.append(({''.join(f'{name}, ' for name in carried[count:])}))")
        _move(source, state, carried[:count])
        _empty(source, body.left(state))
        write(*([f"{first_turn} = False"] if counts else []))
        cells.settle(source, user)
    if limit is not None and after != user:  # the loop may have ended in either
        write("fp(U)" if user else "fp(SILENT)")
        after = user
    cells.user = after
    results = state
    if left:
        results = [*state, f"{source.name('x', left)}([{', '.join(inputs)}], {turns}, [{', '.join(state)}])"]
    done = [*state, *test.left(state), *test.lasting, *body.lasting, *held, *([turns] if left else [])]
    _write_results(step, cells, source, results, done)


def _move(source: Source, to: Sequence[str], values: Sequence[str]) -> None:
    """Writes the assignment of values to variables, all at once: some may be among the others' values."""
    pairs = [(name, value) for name, value in zip(to, values, strict=True) if name != value]
    source.write(*([f"{', '.join(n for n, _ in pairs)} = {', '.join(v for _, v in pairs)}"] if pairs else []))


def reversed_turns(
    executable: Executable, carried: int, sources: Sequence[int]
) -> Callable[[Sequence[Any], Sequence[Any], Sequence[Any]], list[Any]] | None:
    """A program repeated for each of the iterations of a loop, the last one first, as a function.

    Args:
      executable: a program of carried values and others, which returns the next carried values.
      carried: the number of carried values.
      sources: per other value, its position among those that an iteration left, or `~k` for input k of the loop.

    Returns:
      A function of the values that each iteration left, the first carried values, and the inputs of the loop; it
      returns the last carried values. None if the program has to be called.
    """
    if size([executable]) is None:
        return None
    source = new_source(0, lambda error, cells: located_in(source, error, cells))
    layout = CellLayout(Plan(0, (), (), (), (), (), (), concurrent=False))
    state, read = source.numbers(carried), sorted({k for k in sources if k >= 0})
    first_turn = f"first{source.numbers(1)}"
    turn = dict(zip(read, itertools.count(source.numbers(len(read))), strict=False))
    names = [f"v{state + j}" for j in range(carried)]
    feeds: list[int | str] = [*range(state, state + carried)]
    feeds += [turn[k] if k >= 0 else f"w{~k}" for k in sources]
    width = max(turn, default=-1) + 1
    begin = [*([f"{''.join(f'{name}, ' for name in names)} = values"] if names else []), "values = None"]
    begin += [f"w{~k} = inputs[{~k}]" for k in dict.fromkeys(k for k in sources if k < 0)]
    source.mark(None)
    with Entry("run(turns, values, inputs, A=A, ref=ref)", "{}").body(source, *begin), _running(layout, source):
        layout.settle(source, False)
        source.write(f"{first_turn} = True")
        sums = linear_sums(executable.plan, executable.calls, carried)
        running = {} if sums is None else {names[j]: f"s{source.numbers(1)}" for j in sums.carried}
        begins = [] if sums is None else sums.begins
        for (name, running_sum), begin_sum in zip(running.items(), begins, strict=True):
            source.write(f"{running_sum} = {source.name('x', begin_sum)}({name})")
        _empty(source, list(running))
        states = [name for name in names if name not in running]
        unpacked = "".join(f"v{turn[k]}, " if k in turn else "_, " for k in range(width))
        with source.block(f"for {unpacked or '_'} in reversed(turns):"):
            program = _InlinedProgram(executable, layout, source, feeds, True, first_turn, sums)
            results = program.write_steps()
            for (running_sum, value), begin_sum in zip(
                zip(running.values(), results[len(states) :], strict=True), begins, strict=True
            ):
                source.mark(Origin(begin_sum.step, begin_sum, {}, begin_sum.step))
                source.write(f"{running_sum}.add({value})")
            source.write("pass")
            _move(source, states, results[: len(states)])
            _empty(source, program.left(states))
            source.write(f"{first_turn} = False")
            layout.settle(source, False)
        for (name, running_sum), begin_sum in zip(running.items(), begins, strict=True):
            source.mark(Origin(begin_sum.step, begin_sum, {}, begin_sum.step))
            source.write(f"{name} = {running_sum}.total()")
        source.write(f"return [{', '.join(names)}]")
    return source.function("run", FILE)
