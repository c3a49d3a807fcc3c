"""Chunked code generation: a large plan as functions of some hundred steps each, which pass values on in the cells.

Python's compiler is not linear in the size of a function, and large plans mostly repeat a structure. So the cells of a
chunk are numbered in the order in which its steps name them, and their numbers in the run are names in its source:
chunks of equal structure are equal text, which is compiled once.

    V[i_0]     the cell of the run that the chunk calls 0      o_0    the number of its first step in the run
    w0         the same, read once: several steps of the chunk read it, and none writes it or is the last to read it
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.interpreter import collector
from inlay._src.base.tuning import TUNING
from inlay._src.engine.plan.layout import CellLayout, private_cells
from inlay._src.engine.plan.plan import Plan, renumbered
from inlay._src.engine.plan.step_call import StepCall
from inlay._src.engine.run.lowering.origins import located_in
from inlay._src.engine.run.lowering.stamps import Stamps
from inlay._src.engine.run.lowering.writer import FILE, Entry, StepWriter, new_source, setting_of
from inlay._src.engine.run.registry import Lowered, Lowering, declare


class Chunks(Lowered):
    """A large plan that is written while it runs: each interpreted run allows as much writing as it cost itself.

    Args:
      plan, calls, template: of an `Executable`.
      stamps: see `whole.whole_plan`.
    """

    __slots__ = ("_calls", "_chunks", "_constants", "_plan", "_readers", "_saved", "_stamps", "_turn")

    def __init__(
        self, plan: Plan, calls: Sequence[StepCall], template: Sequence[Any], stamps: Stamps | None = None
    ) -> None:
        super().__init__(None)
        self._plan, self._calls, self._stamps = plan, calls, stamps
        self._constants = {cell: template[cell] for cell, _ in plan.consts}
        self._readers: Counter[int] = Counter()
        self._chunks: list[_PlanChunk] = []
        self._saved = 0  # interpreted steps that nothing was written for yet
        self._turn = [True]  # empty while a thread writes

    def write_for_runs(self, count: int) -> None:
        """Writes as many chunks as so many interpreted runs pay for."""
        try:
            self._turn.pop()
        except IndexError:  # another thread writes
            return
        try:
            self._saved += len(self._plan.steps) * count
            with collector.paused():  # it makes much and drops nothing
                while self._saved > 0 and self.function is None:
                    self._write_next()
        finally:
            self._turn.append(True)

    def _write_next(self) -> None:
        plan, start = self._plan, TUNING.chunk_steps * len(self._chunks)
        if not start:
            self._readers = Counter([cell for step in plan.steps for cell in step.ins])
        chunk = _PlanChunk(plan, self._calls, self._readers, self._constants, start, self._stamps)
        self._chunks.append(chunk)
        self._saved -= chunk.cost
        if chunk.end == len(plan.steps):
            owned = {cell for c in self._chunks for cell in c.owned}
            self.private = private_cells(plan.fetches, owned, self._readers)
            self.function = _in_a_row([(c.function, c.end) for c in self._chunks])


def _in_a_row(chunks: Sequence[tuple[Callable[..., Any], int]]) -> Callable[..., Any]:
    """Functions of (cells, armed run or None) as one; each returns the number of the step not yet run."""

    def run(cells: list[Any], armed: Any = None) -> int:
        k = 0
        for chunk, end in chunks:
            k = chunk(cells, armed)
            if k != end:  # the run was shared
                break
        return k

    return run


class _PlanChunk:
    """Consecutive steps of a plan, written.

    Args:
      plan, calls: the whole.
      readers: the number of times that the steps of the plan read each cell.
      constants: the plan's constants, by cell.
      start: the number of the first step.
      stamps: see `whole.whole_plan`.

    Attributes:
      function: as of `Lowered`.
      end: the number of the step after the last.
      owned: cells of the run whose value was proved to be the run's own when it was made.
      cost: the cost of writing it, in interpreted steps.
    """

    __slots__ = ("_cells", "_source", "cost", "end", "function", "owned")

    def __init__(
        self,
        plan: Plan,
        calls: Sequence[StepCall],
        readers: Mapping[int, int],
        constants: Mapping[int, Any],
        start: int,
        stamps: Stamps | None,
    ) -> None:
        whole = plan.steps[start : start + TUNING.chunk_steps]
        self.end = start + len(whole)
        calls = calls[start : self.end]
        numbers: dict[int, int] = {-1: -1}
        for step in whole:
            for cell in (*step.ins, *step.outs):
                if cell not in numbers:
                    numbers[cell] = len(numbers) - 1
        self._cells = list(numbers)[1:]
        steps = renumbered(whole, numbers)
        freed = {cell for step in steps for cell in step.frees}
        lasting = {o for step in steps for o in step.outs if o != -1 and o not in freed}
        own_constants = {numbers[cell]: constants[cell] for cell in self._cells if cell in constants}
        part = Plan(
            len(self._cells), (), (), tuple(own_constants.items()), tuple(steps), tuple(sorted(lasting)), (),
            plan.concurrent,
        )  # fmt: skip
        fed = {numbers[f.slot] for f in plan.feeds if f.slot in numbers}
        self._source = source = new_source(part.slots, self._located)
        first = source.name("o", start)
        layout, loaded = _layout(part, [readers[cell] for cell in self._cells], fed)
        layout.stamps = stamps
        layout.places = [source.name("i", cell) for cell in self._cells]
        layout.named = {cell: source.name("c", value) for cell, value in own_constants.items()}
        layout.named |= {cell: f"w{cell}" for cell in loaded}
        writer = StepWriter(source, part, calls, layout, first)
        with Entry("run(V, S=None, A=A, ref=ref)", "V", setting_of(part, calls)).body(source):
            source.write(*(["T = S.append"] if stamps else []))
            source.write(*(f"w{cell} = {layout.place(cell)}" for cell in loaded))
            writer.begin()
            writer.write_givers(layout.named.__contains__)
            writer.write_steps()
            source.write(f"return {first} + {len(steps)}")
        self.function: Callable[..., Any] = source.function("run", FILE)
        self.owned = [self._cells[cell] for cell in layout.owned]
        self.cost = len(steps) * (TUNING.step_writing_cost + TUNING.step_compiling_cost * source.compiled)

    def _located(self, error: BaseException, cells: list[Any]) -> BaseException:
        return located_in(self._source, error, {k: cells[cell] for k, cell in enumerate(self._cells)})


def _layout(part: Plan, readers: Sequence[int], fed: set[int]) -> tuple[CellLayout, list[int]]:
    """The layout of a chunk, and the cells that it reads once, where no other thread can take the run over.

    Args:
      part: the chunk as a plan of its own, which fetches the cells that it leaves to others.
      readers: the number of times that the steps of the whole plan read each cell.
      fed: cells that the run is fed.
    """
    layout = CellLayout(part)
    layout.givers = {c for c in {*fed, *(c for c, _ in part.consts)} if layout.readers[c] > 1}
    layout.readers = Counter(dict(enumerate(readers)))
    if part.concurrent:
        return layout, []
    written = {o for step in part.steps for o in step.outs}
    freed = {cell for step in part.steps for cell in step.frees}
    layout.taken = sorted(c for c in freed - written if readers[c] == 1)
    layout.local.update(layout.taken)
    reads = Counter(cell for step in part.steps for cell in step.ins)
    others = freed | written | {cell for cell, _ in part.consts}
    return layout, sorted(cell for cell, count in reads.items() if count > 1 and cell not in others)


CHUNKED = declare(
    Lowering(
        "chunked code generation",
        "source",
        "A larger plan is written as functions of 256 steps each, while it runs; chunks of equal structure share code.",
        lambda executable: len(executable.steps) > TUNING.written_steps,
        lambda executable, _: Chunks(executable.plan, executable.calls, executable.template),
    )
)
