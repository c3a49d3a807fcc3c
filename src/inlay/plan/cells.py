"""Cells: what is known of a plan's cells while its source is written, and how the source calls them."""

from __future__ import annotations

from collections import Counter

from inlay.plan.plan import Plan, Step


class Cells:
    """What a plan says of its cells.

    Attributes:
      readers: how often steps read each cell.
      kept: cells that are never freed.
      local: cells that are local variables of the function: those that only its steps see. A run that another thread
        may take over has none.
      taken: fed cells that become local variables, as one step alone reads them.
      givers: cells that are there from the start and read several times: `g<cell>()` gives a copy of the value.
      last: cells that no step reads after the one that is written, and which it reads once.
      owned: cells whose value was proved to be the run's own when it was made; a call that writes itself out says so.
      named: cells that have a name in the source: constants of a plan that is written as a function.
    """

    __slots__ = ("givers", "kept", "last", "local", "named", "owned", "readers", "taken")

    def __init__(self, plan: Plan) -> None:
        self.readers = Counter(cell for step in plan.steps for cell in step.ins)
        self.kept = plan.kept
        fed = [f.slot for f in plan.feeds]
        self.givers = {c for c in (*fed, *(c for c, _ in plan.consts)) if self.readers[c] > 1}
        self.local: set[int] = set()
        self.taken: list[int] = []
        if not plan.concurrent:
            self.taken = [c for c in fed if c not in self.kept and self.readers[c] == 1]
            self.local = {*(o for step in plan.steps for o in step.outs if o != -1), *self.taken} - set(plan.fetches)
        self.last: set[int] = set()
        self.owned: set[int] = set()
        self.named: dict[int, str] = {}

    def __getitem__(self, cell: int) -> str:
        """A cell as source."""
        return f"v{cell}" if cell in self.local else self.named.get(cell) or f"V[{cell}]"

    def last_read_by(self, step: Step) -> set[int]:
        """The cells that this step alone reads, and frees."""
        return {c for c in step.ins if c in step.frees and self.readers[c] == 1}

    def reusable(self, step: Step) -> int | None:
        """The position of an input whose memory may take the result: of its dtype, read by nobody else."""
        if step.outs[0] == -1:
            return None
        last = self.last_read_by(step) - self.kept
        fitting = (j for j, c in enumerate(step.ins) if c in last and step.in_dtypes[j] is step.dtypes[0])
        return next(fitting, None)
