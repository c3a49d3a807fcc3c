"""File descriptors that close with their last reference."""

from __future__ import annotations

import os
from collections.abc import Callable


class Descriptor:
    """A descriptor that is open for as long as anybody refers to it.

    A number that one thread closes may be that of another file by the time a second thread writes to it. So the
    threads that share a descriptor drop their references, and only a single owner closes it.

    Args:
      number: the descriptor, which this owns from now on.
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number: int = number

    def fileno(self) -> int:
        """Its number, -1 once it is closed."""
        return self.number

    def close(self, close: Callable[[int], None] = os.close) -> None:  # a default: modules end before objects
        """Closes it now."""
        number, self.number = self.number, -1
        if number >= 0:
            close(number)

    __del__ = close
