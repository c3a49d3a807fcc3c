"""Layout: where a generated function finds the cells of a plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from inlay._src.base.interpreter.source import Source
from inlay._src.engine.plan.plan import Plan, Step
from inlay._src.engine.plan.small_arrays import SmallArrays


class CellLayout:
    """The places of a plan's cells in a generated function, and the facts that follow from the plan.

    A cell is an entry of the run's list `V`, a local variable, or a name: of a constant, or of a value that the source
    around the plan has.

    Args:
      plan: the plan.
      named: the source of cells that have a name. If it is given the function has no list: its other cells are local
        variables.

    Attributes:
      readers: the number of times that steps read each cell.
      lasting: cells that are never freed.
      local: cells that are local variables: those that only the steps of the function see. A run that another thread
        may take over has none.
      taken: fed cells that become local variables, as one step alone reads them.
      givers: cells that are there from the start and read several times: `g<cell>()` gives a copy of the value.
      last: cells that no step reads after the one that is written, and which it reads once.
      owned: cells whose value was proved to be the run's own when it was made; a generated host call declares it.
      views: cells whose value is known to be a view of another array, if it is one.
      small: cells whose value is known to be small: no memory is looked for to put it in, except as `arrays` says.
      arrays: the arrays of known shape whose memory takes later results.
      named: as above; with a list, the constants among them.
      places: the source of each cell's index in `V`; empty if that is its number.
      depth: the number of programs that surround the plan, each written into the plan that runs it.
      user: whether the user's floating-point setting is in force where the source stands, rather than that of kernels.
      stamps: writes the times of steps, for a plan whose runs are recorded; else None.
    """

    __slots__ = (
        "arrays", "depth", "givers", "last", "lasting", "local", "named", "owned", "places", "readers", "small",
        "stamps", "taken", "user", "views",
    )  # fmt: skip

    def __init__(self, plan: Plan, named: Mapping[int, str] | None = None) -> None:
        self.readers: Counter[int] = Counter(cell for step in plan.steps for cell in step.ins)
        self.lasting: set[int] = plan.lasting
        fed = [f.slot for f in plan.feeds]
        results = {o for step in plan.steps for o in step.outs if o != -1}
        self.givers: set[int] = {c for c in (*fed, *(c for c, _ in plan.consts)) if self.readers[c] > 1}
        self.local: set[int] = set()
        self.taken: list[int] = []
        if named is not None:
            self.local = {*fed, *results} - named.keys()
        elif not plan.concurrent:
            self.taken = [c for c in fed if c not in self.lasting and self.readers[c] == 1]
            self.local = {*results, *self.taken} - set(plan.fetches)
        self.last: set[int] = set()
        self.owned: set[int] = set()
        self.views: set[int] = set()
        self.arrays: SmallArrays = SmallArrays(plan.steps)
        self.small: frozenset[int] = self.arrays.small
        self.named: dict[int, str] = dict(named or {})
        self.places: Sequence[str] = ()
        self.depth: int = 0
        self.user: bool = True
        self.stamps: Any = None

    def __getitem__(self, cell: int) -> str:
        """A cell as source."""
        return f"v{cell}" if cell in self.local else self.named.get(cell) or self.place(cell)

    def place(self, cell: int) -> str:
        """The entry of the list that holds a cell, as source."""
        return f"V[{self.places[cell] if self.places else cell}]"

    def settle(self, source: Source, user: bool) -> None:
        """Puts the user's floating-point setting in force, or that of kernels."""
        if user != self.user:
            self.user = user
            source.write("fp(U)" if user else "fp(SILENT)")

    def last_read_by(self, step: Step) -> set[int]:
        """The cells that this step alone reads, and frees."""
        return {c for c in step.ins if c in step.frees and self.readers[c] == 1}

    def reusable(self, step: Step) -> int | None:
        """The position of an input whose memory may take the result: of its dtype, read by no other step."""
        if step.outs[0] == -1 or step.outs[0] in self.small:
            return None
        last = self.last_read_by(step) - self.lasting
        fitting = (j for j, c in enumerate(step.ins) if c in last and step.in_dtypes[j] is step.dtypes[0])
        return next(fitting, None)


def private_cells(fetches: Sequence[int], owned: Collection[int], readers: Mapping[int, int]) -> frozenset[int]:
    """The cells, fetched once and read by no step, whose value is the run's own, so that it is uniquely referenced."""
    once = (cell for cell, count in Counter(fetches).items() if count == 1)
    return frozenset(cell for cell in once if cell in owned and not readers.get(cell))
