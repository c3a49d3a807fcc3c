"""Cells: how a generated plan calls its cells, and what is known of their values while it is written."""

from __future__ import annotations


class Cells:
    """What is known of a plan's cells while its source is written.

    Attributes:
      local: cells that are local variables of the function: those that only its steps see. A run that another thread
        may take over has none.
      last: cells that no step reads after the one that is written, and which it reads once.
      owned: cells whose value was proved to be the run's own when it was made.
      givers: cells of whose value `g<cell>()` gives a copy.
      named: cells that have a name in the source: constants of a plan that is written as a function.
    """

    __slots__ = ("givers", "last", "local", "named", "owned")

    def __init__(self) -> None:
        self.local: set[int] = set()
        self.last: set[int] = set()
        self.owned: set[int] = set()
        self.givers: set[int] = set()
        self.named: dict[int, str] = {}

    def __getitem__(self, cell: int) -> str:
        """A cell as source."""
        return f"v{cell}" if cell in self.local else self.named.get(cell) or f"V[{cell}]"
