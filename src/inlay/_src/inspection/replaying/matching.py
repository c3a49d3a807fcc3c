"""The recorded call that answers a call: the calls of one function at one op, in order or by their arguments.

    sequential    on one thread, each begun after the end of the one before: in order
    concurrent    any other: the first with the same arguments, by their digest; else the first that is left

A program whose calls are sequential makes them in the same order again. Of concurrent calls the order may differ from
run to run, but each gets the outcome of a call with its arguments.
"""

from __future__ import annotations

import numpy as np

from inlay._src.base.interpreter.forking import new_lock
from inlay._src.inspection.replaying.index import FunctionIndex, key_of


class Lane:
    """The recorded calls of a function at an op.

    Args:
      function: the function.
      positions: its calls at the op, in order.
    """

    def __init__(self, function: FunctionIndex, positions: np.ndarray) -> None:
        threads = np.frombuffer(function.threads, np.uint32)[positions]
        alone = np.frombuffer(function.alone, np.uint8)[positions]
        self._positions = positions
        self.sequential = bool(alone.all() and (threads == threads[0]).all())
        self._lock = new_lock()
        self._first = 0  # the first that may be left
        self._left = len(positions)
        if not self.sequential:
            digests = np.frombuffer(function.digests, np.uint64)[positions]
            self._order = np.argsort(digests, kind="stable").astype(np.uint32)
            self._sorted = digests[self._order]
            self._passed = np.zeros(len(positions), np.uint32)  # at the first of equal digests: how many are used up
            self._used = np.zeros(len(positions), bool)

    def __len__(self) -> int:
        """The number of calls that are left."""
        return self._left

    def take(self, digest: bytes) -> int | None:
        """The position of the call that answers one with arguments of a digest; None if none is left."""
        with self._lock:
            if not self._left:
                return None
            self._left -= 1
            if self.sequential:
                self._first += 1
                return int(self._positions[self._first - 1])
            index = self._alike(np.uint64(key_of(digest)))
            if index is None:
                while self._used[self._first]:
                    self._first += 1
                index = self._first
            self._used[index] = True
            return int(self._positions[index])

    def _alike(self, digest: np.uint64) -> int | None:
        """The first that is left of those with a digest."""
        start = int(np.searchsorted(self._sorted, digest, "left"))
        end = int(np.searchsorted(self._sorted, digest, "right"))
        while start < end and (at := start + int(self._passed[start])) < end:
            self._passed[start] += 1
            index = int(self._order[at])
            if not self._used[index]:
                return index
        return None


def lanes(function: FunctionIndex) -> dict[int, Lane]:
    """The lanes of a function, by the id of the op; calls that did not end answer none."""
    ops = np.frombuffer(function.ops, np.uint32)
    order = np.argsort(np.frombuffer(function.numbers, np.uint64), kind="stable")
    ops = ops[order]
    return {int(op): Lane(function, order[ops == op]) for op in np.unique(ops)}
