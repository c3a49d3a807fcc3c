"""What earlier runs of a plan taught those that follow."""

from __future__ import annotations


class Learned:
    """What runs of one plan taught: which steps block, so that it is worth sharing the run from the start.

    After `trust` shared runs one is run inline again; if it has to be taken over again, trust doubles.

    Attributes:
      slow: steps that were seen blocked; another stateful step may start beside them at once.
    """

    __slots__ = ("left", "slow", "trust")
    TRUST = 64
    TRUST_MAX = 4096

    def __init__(self) -> None:
        self.trust, self.left = self.TRUST // 2, 0
        self.slow: set[int] = set()

    def blocks(self) -> bool:
        """Whether the next run should be shared from the start."""
        if not self.left:
            self.slow = set()
            return False
        self.left -= 1
        return True

    def taken_over(self) -> None:
        """A run had to be taken over."""
        self.trust = min(self.trust * 2, self.TRUST_MAX)
        self.left = self.trust
