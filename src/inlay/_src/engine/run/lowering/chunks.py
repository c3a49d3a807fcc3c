"""A large plan as generated source in parts: functions of some hundred steps each, that hand values on in the cells.

Python's compiler is not linear in the size of a function, and large plans mostly repeat a structure. So the cells of a
part are numbered in the order in which its steps name them, and where they lie among those of the run is a name in its
source: parts of equal structure are equal text, which is compiled once.

    V[i_0]     the cell of the run that the part calls 0      o_0    the number of its first step in the run
    w0         the same, read once: several steps of the part take it, and none makes it or is the last to read it
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.base.interpreter import collector
from inlay._src.engine.plan.plan import Plan, renumbered
from inlay._src.engine.plan.step_call import Cells, StepCall
from inlay._src.engine.run.lowering.origins import located_in
from inlay._src.engine.run.lowering.writer import FILE, Writer

PART = 256
"""Steps of a part."""
WRITING, COMPILING = 6, 30
"""What a step costs to write, and to compile besides if its part has no equal, in interpreted steps."""


class Parts:
    """A large plan that is written while it runs: each interpreted run pays for as much as it took itself.

    Args:
      plan, calls, template: of an `Executable`.

    Attributes:
      function: as of `writer.Generated`; None until all parts are written.
      private: as of `writer.Generated`, known then.
    """

    __slots__ = ("_calls", "_known", "_plan", "_readers", "_saved", "_turn", "_written", "function", "private")

    def __init__(self, plan: Plan, calls: Sequence[StepCall], template: Sequence[Any]) -> None:
        self._plan, self._calls = plan, calls
        self._known = {cell: template[cell] for cell, _ in plan.consts}
        self._readers: Counter[int] = Counter()
        self._written: list[_Part] = []
        self._saved = 0  # interpreted steps that nothing was written for yet
        self._turn = [True]  # what the one thread that writes has taken
        self.function: Callable[..., Any] | None = None
        self.private: frozenset[int] = frozenset()

    def write_for_runs(self, count: int) -> None:
        """Writes as many parts as so many interpreted runs pay for."""
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
        plan, start = self._plan, PART * len(self._written)
        if not start:
            self._readers = Counter([cell for step in plan.steps for cell in step.ins])
        part = _Part(plan, self._calls, self._readers, self._known, start)
        self._written.append(part)
        self._saved -= part.cost
        if part.end == len(plan.steps):
            owned = {cell for p in self._written for cell in p.owned}
            once = (cell for cell, count in Counter(plan.fetches).items() if count == 1)
            self.private = frozenset(c for c in once if c in owned and not self._readers[c])
            self.function = _in_a_row([(p.function, p.end) for p in self._written])


def _in_a_row(parts: Sequence[tuple[Callable[..., Any], int]]) -> Callable[..., Any]:
    """Functions of (cells, armed run or None) as one; each gives the number of the step not yet run."""

    def run(cells: list[Any], armed: Any = None) -> int:
        k = 0
        for part, end in parts:
            k = part(cells, armed)
            if k != end:  # the run was taken over
                break
        return k

    return run


class _Part:
    """Some steps of a plan in a row, written.

    Args:
      plan, calls: the whole.
      readers: how often the steps of the plan read each cell.
      known: the plan's constants, by cell.
      start: the number of the first step.

    Attributes:
      function: as of `writer.Generated`.
      end: the number of the step after the last.
      owned: cells of the run whose value was proved to be the run's own when it was made.
      cost: what it took to write, in interpreted steps.
    """

    __slots__ = ("_cells", "_known", "_source", "cost", "end", "function", "owned")

    def __init__(
        self, plan: Plan, calls: Sequence[StepCall], readers: Mapping[int, int], known: Mapping[int, Any], start: int
    ) -> None:
        whole = plan.steps[start : start + PART]
        self.end = start + len(whole)
        numbers: dict[int, int] = {-1: -1}
        for step in whole:
            for cell in (*step.ins, *step.outs):
                if cell not in numbers:
                    numbers[cell] = len(numbers) - 1
        self._cells = list(numbers)[1:]
        steps = renumbered(whole, numbers)
        self._known = {numbers[cell]: known[cell] for cell in self._cells if cell in known}
        freed = {cell for step in steps for cell in step.frees}
        lasting = {o for step in steps for o in step.outs if o != -1 and o not in freed}
        part = Plan(
            len(self._cells), (), (), tuple(self._known.items()), tuple(steps), tuple(sorted(lasting)), (),
            plan.concurrent,
        )  # fmt: skip
        fed = {numbers[f.slot] for f in plan.feeds if f.slot in numbers}
        cells = _Cells(part, [readers[cell] for cell in self._cells], fed)
        writer = _PartWriter(start, part, calls[start : self.end], self._located, cells)
        writer.name_cells(self._cells, self._known)
        self._source = writer.write()
        self.function: Callable[..., Any] = self._source.function("run", FILE)
        self.owned = [self._cells[cell] for cell in cells.owned]
        self.cost = len(steps) * (WRITING + COMPILING * self._source.compiled)

    def _located(self, error: BaseException, cells: list[Any]) -> BaseException:
        """See `writer.Generated`; `cells` are the run's."""
        return located_in(self._source, error, {k: cells[cell] for k, cell in enumerate(self._cells)})


class _Cells(Cells):
    """The cells of a part, by the numbers that it gives them.

    Args:
      part: the part as a plan of its own; what it leaves to others it fetches.
      readers: how often the steps of the whole plan read each cell.
      fed: cells that the run is fed.

    Attributes:
      places: per cell, the name in the source of its number in the run.
      loaded: those that are read once, where no other thread takes the run over.
    """

    __slots__ = ("loaded", "places")

    def __init__(self, part: Plan, readers: Sequence[int], fed: set[int]) -> None:
        super().__init__(part)
        self.places: list[str] = []
        self.givers = {c for c in {*fed, *(c for c, _ in part.consts)} if self.readers[c] > 1}
        self.readers = Counter(dict(enumerate(readers)))
        self.loaded: list[int] = []
        if not part.concurrent:
            made = {o for step in part.steps for o in step.outs}
            freed = {cell for step in part.steps for cell in step.frees}
            self.taken = sorted(c for c in freed - made if readers[c] == 1)
            self.local.update(self.taken)
            reads = Counter(cell for step in part.steps for cell in step.ins)
            others = freed | made | {cell for cell, _ in part.consts}
            self.loaded = sorted(cell for cell, count in reads.items() if count > 1 and cell not in others)

    def place(self, cell: int) -> str:
        """See `Cells.place`."""
        return f"V[{self.places[cell]}]"


class _PartWriter(Writer):
    """Writes a part, whose first step has the number `first` in the run."""

    cells: _Cells

    def __init__(self, first: int, *parts: Any) -> None:
        super().__init__(*parts)
        self._first = self.source.name("o", first)

    def name_cells(self, places: Sequence[int], known: Mapping[int, Any]) -> None:
        """Names the number in the run of each cell, and the values of constants."""
        self.cells.places = [self.source.name("i", cell) for cell in places]
        self.cells.named = {cell: self.source.name("c", value) for cell, value in known.items()}
        self.cells.named |= {cell: f"w{cell}" for cell in self.cells.loaded}

    def _number(self, k: int) -> str:
        return f"{self._first} + {k}"

    def _begin(self) -> None:
        self.source.write(*(f"w{cell} = {self.cells.place(cell)}" for cell in self.cells.loaded))
        super()._begin()
        self._write_givers(self.cells.named.__contains__)
