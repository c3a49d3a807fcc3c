"""The value of a `TensorArray`: one immutable list per state.

It is held in chunks. A state with one place replaced shares all other chunks with the one before, so a loop that writes
n items does not copy n lists; and chunks where nothing was written are one object, so adding up cotangents of single
places costs little.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from inlay.types import dtypes

CHUNK = 256
_EMPTY = (None,) * CHUNK


class Items:
    """The items of one state; None where nothing was written (as a cotangent: zero)."""

    __slots__ = ("_chunks", "_count")
    shape: tuple[()] = ()
    dtype: dtypes.DType = dtypes.variant

    def __init__(self, items: Iterable[Any]) -> None:
        flat = tuple(items)
        self._count = len(flat)
        self._chunks = tuple(flat[i : i + CHUNK] for i in range(0, len(flat), CHUNK))

    @classmethod
    def empty(cls, count: int) -> Items:
        """Places where nothing was written."""
        full, rest = divmod(count, CHUNK)
        return cls._of((_EMPTY,) * full + (((None,) * rest,) if rest else ()), count)

    @classmethod
    def _of(cls, chunks: tuple[tuple[Any, ...], ...], count: int) -> Items:
        made = object.__new__(cls)
        made._chunks, made._count = chunks, count
        return made

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self._chunks)

    def __getitem__(self, at: int) -> Any:
        return self._chunks[at // CHUNK][at % CHUNK]

    def put(self, at: int, item: Any) -> Items:
        """The next state: another item at one place."""
        chunk, within = divmod(at, CHUNK)
        before = self._chunks[chunk]
        after = (*before[:within], item, *before[within + 1 :])
        return self._of((*self._chunks[:chunk], after, *self._chunks[chunk + 1 :]), self._count)

    def longer(self, count: int) -> Items:
        """The same items and then places where nothing was written, `count` in all."""
        missing = -self._count % CHUNK
        if count - self._count <= missing:
            last = self._chunks[-1] + (None,) * (count - self._count)
            return self._of((*self._chunks[:-1], last), count)
        whole = self._chunks
        if missing:
            whole = (*whole[:-1], whole[-1] + (None,) * missing)
        return self._of(whole + self.empty(count - self._count - missing)._chunks, count)

    def zeros(self) -> Items:
        """The zero cotangent of this list."""
        return self.empty(self._count)

    def __add__(self, other: Items) -> Items:
        """The sum of two lists of cotangents, place by place."""
        chunks = itertools.zip_longest(self._chunks, other._chunks, fillvalue=())
        return self._of(tuple(itertools.starmap(_sum, chunks)), max(self._count, other._count))


def _sum(one: tuple[Any, ...], two: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(one) == len(two):
        if one is _EMPTY:
            return two
        if two is _EMPTY:
            return one
    pairs = itertools.zip_longest(one, two)
    return tuple(b if a is None else a if b is None else np.add(a, b) for a, b in pairs)
