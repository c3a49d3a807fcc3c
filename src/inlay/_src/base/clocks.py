"""The clocks of other processes."""

from __future__ import annotations


class ClockBounds:
    """The offset of another process's clock, from round trips.

    Its work on a request lies between the request and the answer: `sent <= begin + offset` and `end + offset <= came`.
    The offset is the middle of the interval that all round trips leave, and the error half its length.

    Attributes:
      low, high: the interval, in nanoseconds; None before the first round trip.
    """

    def __init__(self) -> None:
        self.low: int | None = None
        self.high: int | None = None

    def add(self, sent: int, begin: int, end: int, came: int) -> None:
        """Adds a round trip: `sent` and `came` by the clock of this process, `begin` and `end` by the other one."""
        low, high = sent - begin, came - end
        self.low = low if self.low is None else max(self.low, low)
        self.high = high if self.high is None else min(self.high, high)

    @property
    def offset(self) -> int:
        """Nanoseconds to add to times of the other clock."""
        return 0 if self.low is None or self.high is None else (self.low + self.high) // 2

    @property
    def error(self) -> int:
        """The bound of the error of `offset`, in nanoseconds."""
        return 0 if self.low is None or self.high is None else abs(self.high - self.low + 1) // 2
