"""Residuals: a forward call leaves one for its backward call, and a token in the compiled program names it.

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
    """Residuals by token.

    At most `TUNING.residual_entries` with `TUNING.residual_bytes`; of used ones, which few programs use again, at most
    `TUNING.used_residual_bytes`. The newest of each state stays however large it is.
    """

    __slots__ = ("_fresh", "_lock", "_numbers", "_used")

    def __init__(self) -> None:
        self._lock = new_lock()
        self._numbers = itertools.count(1)
        self._fresh, self._used = _Residuals(), _Residuals()

    def put(self, residual: Any, nbytes: int) -> int:
        """Keeps a residual, which holds so many bytes; returns its token."""
        dropped = []  # outside of the lock: their memory may run code of others
        fresh, used = self._fresh, self._used
        with self._lock:
            token = next(self._numbers)
            fresh.add(token, (residual, nbytes))
            while (count := len(fresh) + len(used)) > TUNING.residual_entries or (
                fresh.nbytes + used.nbytes > TUNING.residual_bytes and count > 1
            ):
                dropped.append((used or fresh).drop_oldest())
        return token

    def take(self, token: int) -> Any:
        """The residual of a token, which stays; None if it was dropped."""
        dropped = []
        with self._lock:
            entry = self._fresh.remove(token) or self._used.remove(token)
            if entry is None:
                return None
            self._used.add(token, entry)
            while self._used.nbytes > TUNING.used_residual_bytes and len(self._used) > 1:
                dropped.append(self._used.drop_oldest())
        return entry[0]

    def __len__(self) -> int:
        return len(self._fresh) + len(self._used)

    @property
    def nbytes(self) -> int:
        """The bytes that the residuals hold."""
        return self._fresh.nbytes + self._used.nbytes


class _Residuals(OrderedDict[int, tuple[Any, int]]):
    """Residuals of one state, the oldest first; `nbytes` is the number of bytes that they hold."""

    nbytes = 0

    def add(self, token: int, entry: tuple[Any, int]) -> None:
        self[token] = entry
        self.nbytes += entry[1]

    def remove(self, token: int) -> tuple[Any, int] | None:
        entry = self.pop(token, None)
        self.nbytes -= entry[1] if entry else 0
        return entry

    def drop_oldest(self) -> tuple[Any, int]:
        _, entry = self.popitem(last=False)
        self.nbytes -= entry[1]
        return entry


RESIDUALS = ResidualTable()
listed("residuals of calls in compiled programs", lambda: (len(RESIDUALS), TUNING.residual_entries))
