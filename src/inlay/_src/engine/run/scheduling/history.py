"""The history of a plan: whether steps of earlier runs blocked."""

from __future__ import annotations


class History:
    """Whether runs of one plan blocked, and so whether the next run is shared from the start.

    After `trust` shared runs, one runs inline again; if helpers have to take it over, trust doubles.

    Args:
      starts: whether an executor runs one of the steps, so that every run is shared from the start.

    Attributes:
      slow: steps that blocked before; another stateful step may start beside them at once.
    """

    __slots__ = ("left", "slow", "starts", "trust")
    TRUST = 64
    TRUST_MAX = 4096

    def __init__(self, starts: bool = False) -> None:
        self.starts: bool = starts
        self.trust: int = self.TRUST // 2
        self.left: int = 0
        self.slow: set[int] = set()

    def blocks(self) -> bool:
        """Whether the next run should be shared from the start."""
        if not self.left:
            self.slow = set()
            return self.starts
        self.left -= 1
        return True

    def taken_over(self) -> None:
        """Helpers had to take a run over."""
        self.trust = self.left = min(self.trust * 2, self.TRUST_MAX)
