"""The value of a `TensorArray`: one immutable list per state.

It is held in chunks. A state with one place replaced shares all other chunks with the one before, so a loop that writes
n items does not copy n lists; and chunks where nothing was written are one object, so adding up cotangents of single
places costs little. The only holder of a state may write into it (`set`): then a chunk is copied once, and every
further write costs the same, however long the list is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.opdef import Shapes, scalar

CHUNK = 256
_EMPTY = (None,) * CHUNK


class Items:
    """The items of one state; None where nothing was written (as a cotangent: zero).

    Attributes:
      count: number of places.
    """

    __slots__ = ("_chunks", "_only", "_own", "count")
    shape: tuple[()] = ()
    dtype: dtypes.DType = dtypes.variant

    def __init__(self, items: Iterable[Any]) -> None:
        flat = list(items)
        self.count: int = len(flat)
        self._chunks: list[Sequence[Any]] = (
            [flat[i : i + CHUNK] for i in range(0, len(flat), CHUNK)] if len(flat) > CHUNK else [flat]
        )
        self._own: set[int] = set()  # numbers of the chunks that no other state shares
        self._only = -1  # the place of the only item, if that is known

    @classmethod
    def empty(cls, count: int) -> Items:
        """Places where nothing was written."""
        full, rest = divmod(count, CHUNK)
        return cls._of([*[_EMPTY] * full, (None,) * rest] if rest else [_EMPTY] * full, count)

    @classmethod
    def _of(cls, chunks: list[Sequence[Any]], count: int) -> Items:
        items = object.__new__(cls)
        items._chunks, items.count, items._own, items._only = chunks, count, set(), -1
        return items

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain.from_iterable(self._chunks)

    def __getitem__(self, at: int) -> Any:
        return self._chunks[at // CHUNK][at % CHUNK]

    def put(self, at: int, item: Any) -> Items:
        """The next state: another item at one place."""
        if self._own:
            self._own = set()
        return self._of(self._chunks.copy(), self.count).set(at, item)

    def set(self, at: int, item: Any) -> Items:
        """Puts another item at one place of this state, which must have one holder only; returns it."""
        at = int(at)  # a NumPy number is divided more slowly than it is made one of Python's
        number, chunks = at // CHUNK, self._chunks
        if number not in self._own:
            chunks[number] = list(chunks[number])
            self._own.add(number)
        chunks[number][at % CHUNK] = item  # type: ignore[index]
        self._only = -1
        return self

    def single(self, at: int, item: Any) -> Items:
        """A list as long as this one, with one item."""
        items = self.empty(self.count).set(at, item)
        items._only = at
        return items

    def longer(self, count: int) -> Items:
        """The same items and then places where nothing was written, `count` in all."""
        self._own = set()
        missing = -self.count % CHUNK if self.count else 0
        whole = self._chunks.copy() if self.count else []
        if missing:
            whole[-1] = (*whole[-1], *(None,) * min(missing, count - self.count))
        rest = count - self.count - missing
        return self._of(whole + self.empty(rest)._chunks if rest > 0 else whole, count)

    def shorter(self, count: int) -> Items:
        """The first `count` items."""
        self._own = set()
        whole = self._chunks[: -(-count // CHUNK)]
        if count % CHUNK:
            whole[-1] = tuple(whole[-1][: count % CHUNK])
        return self._of(whole, count)

    def zeros(self) -> Items:
        """The zero cotangent of this list."""
        return self.empty(self.count)

    def __add__(self, other: Items) -> Items:
        """The sum of two lists of cotangents, place by place."""
        if self.count == other.count:
            if other._only >= 0:
                return self.put(other._only, _added(self[other._only], other[other._only]))
            if self._only >= 0:
                return other.put(self._only, _added(self[self._only], other[self._only]))
        self._own = other._own = set()
        chunks = itertools.zip_longest(self._chunks, other._chunks, fillvalue=())
        return self._of(list(itertools.starmap(_sum, chunks)), max(self.count, other.count))

    def add(self, other: Items) -> Items:
        """As `+`, but this state, which must have one holder only, may be written into."""
        if other._only >= 0 and self.count == other.count:
            return self.set(other._only, _added(self[other._only], other[other._only]))
        return self + other


def _added(one: Any, two: Any) -> Any:
    return two if one is None else one if two is None else np.add(one, two)


def _sum(one: Sequence[Any], two: Sequence[Any]) -> Sequence[Any]:
    if len(one) == len(two):
        if one is _EMPTY:
            return two
        if two is _EMPTY:
            return one
    return tuple(itertools.starmap(_added, itertools.zip_longest(one, two)))


def index_of(value: Any) -> int:
    """The index or size that a runtime value stands for.

    Raises:
      ValueError: if it is no scalar.
    """
    if value.__class__ is np.int32:
        return int(value)
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(f"The index or size of an array must be a scalar, got shape {list(array.shape)}")
    return int(array.item())


def check_rows(dims: Dims) -> None:
    """Refuses the shape of a scalar, which has no parts."""
    if dims == ():
        raise ValueError(
            "Shape must be at least rank 1 but is rank 0: expected value to be at least a vector, got shape []"
        )


def split_shape(shape: Shapes) -> Sequence[Dims]:
    """The shape of a list of the parts of the first input."""
    check_rows(shape.dims[0])
    return scalar(shape)
