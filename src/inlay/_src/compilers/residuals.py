"""What a forward call leaves for its backward call, found by a token that travels through a compiled program.

A compiled program passes arrays alone, so a pullback stays here, and a number stands for it. Nobody says when a program
has dropped its number: the table is bounded, and drops what was used before what was not, the oldest first.

    put ─▶ fresh ─ taken ─▶ used ─ taken ─▶ used
             │                │
             └──── bound ─────┴──▶ dropped          `take` returns None

All moves happen under `_lock`. Numbers are never given again, so a late one finds nothing rather than another call's.
"""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import Any

from inlay._src.base.interpreter.caches import listed
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.tuning import TUNING


class ResidualTable:
    """Residuals by token; at most `TUNING.residual_entries` with `TUNING.residual_bytes`."""

    __slots__ = ("_bytes", "_fresh", "_lock", "_numbers", "_used")

    def __init__(self) -> None:
        self._lock = new_lock()
        self._numbers = itertools.count(1)
        self._fresh: OrderedDict[int, tuple[Any, int]] = OrderedDict()
        self._used: OrderedDict[int, tuple[Any, int]] = OrderedDict()
        self._bytes = 0

    def put(self, residual: Any, nbytes: int) -> int:
        """Keeps a residual, which holds so many bytes; returns its token."""
        dropped = []  # outside of the lock: their memory may run code of others
        with self._lock:
            token = next(self._numbers)
            self._fresh[token] = residual, nbytes
            self._bytes += nbytes
            while len(self) > TUNING.residual_entries or (self._bytes > TUNING.residual_bytes and len(self) > 1):
                _, oldest = (self._used or self._fresh).popitem(last=False)
                self._bytes -= oldest[1]
                dropped.append(oldest)
        return token

    def take(self, token: int) -> Any:
        """The residual of a token, which stays; None if it was dropped."""
        with self._lock:
            entry = self._fresh.pop(token, None) or self._used.pop(token, None)
            if entry is None:
                return None
            self._used[token] = entry
            return entry[0]

    def __len__(self) -> int:
        return len(self._fresh) + len(self._used)

    @property
    def nbytes(self) -> int:
        """The bytes that the residuals hold."""
        return self._bytes


RESIDUALS = ResidualTable()
listed("residuals of calls in compiled programs", lambda: (len(RESIDUALS), TUNING.residual_entries))
