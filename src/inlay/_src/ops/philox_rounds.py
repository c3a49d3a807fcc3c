"""The rounds of Philox 4x32-10, in NumPy's arrays for many blocks and in Python's integers for a few.

NumPy makes many blocks a chunk at a time, in buffers that stay in the processor's cache (`Rounds`). A few are made in
Python's integers, all of them in four numbers (`in_lanes`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.tuning import TUNING

MULTIPLIERS, WEYL = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10
MASK = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
"""The number of bits of a word."""


class Lanes(NamedTuple):
    """Numbers that have one value in each lane of 64 bits, for as many lanes as there are blocks.

    Attributes:
      ones, low: 1 and the lower 32 bits.
      weyl: summands of the two halves of the key after each round.
      counted: the number of the lane.
      mantissa, exponent: of two words, the bits that they keep as float32 in [1, 2), and those that they get.
    """

    ones: int
    low: int
    weyl: tuple[int, int]
    counted: int
    mantissa: int
    exponent: int


def _lanes(count: int) -> Lanes:
    ones = sum(1 << 64 * k for k in range(count))
    counted = sum(k << 64 * k for k in range(count))
    float32 = ones * 0x007FFFFF007FFFFF, ones * 0x3F8000003F800000
    return Lanes(ones, ones * 0xFFFFFFFF, (ones * WEYL[0], ones * WEYL[1]), counted, *float32)


LANES: BoundedCache[int, Lanes] = BoundedCache("lanes of random numbers", TUNING.random_python_blocks, _lanes)


def in_lanes(key: int, high: int, c0: int, c1: int, count: int) -> tuple[int, int]:
    """Words 0 and 1, and words 2 and 3, of `count` blocks at positions whose halves are `c0` and `c1`, in lanes.

    A product of 32 bits by 32 stays in its lane, so what Python does to all blocks costs little more than for one.
    Bits above the lower 32 of a lane are masked only before a multiplication.
    """
    ones, low, (w0, w1), *_ = LANES[count]
    c2, c3 = (high & 0xFFFFFFFF) * ones, (high >> 32) * ones
    k0, k1 = (key & 0xFFFFFFFF) * ones, (key >> 32) * ones
    m0, m1 = MULTIPLIERS
    for _ in range(ROUNDS):
        p0, p1 = c0 * m0, c2 * m1
        c0, c1, c2, c3 = (p1 >> 32 ^ c1 ^ k0) & low, p1, (p0 >> 32 ^ c3 ^ k1) & low, p0
        k0 += w0
        k1 += w1
    return c0 | (c1 & low) << 32, c2 | (c3 & low) << 32


def _halves_in_lanes(position: np.ndarray) -> tuple[int, int]:
    """The lower and the upper halves of positions."""
    if position.size == 1:
        at = int(position[0])
        return at & 0xFFFFFFFF, at >> 32
    lower, upper = position & MASK, position >> HALF
    return _from_lanes(lower), _from_lanes(upper)


def _from_lanes(numbers: np.ndarray) -> int:
    return int.from_bytes(numbers.astype(_WORDS_64).tobytes(), "little")


def side_by_side(first: int, second: int, count: int) -> bytes | memoryview:
    """The words of blocks in their order, 32 bits each, from what `in_lanes` gives."""
    if count == 1:
        return (first | second << 64).to_bytes(16, "little")
    pairs = np.empty((count, 2), _WORDS_64)
    pairs[:, 0] = np.frombuffer(first.to_bytes(8 * count, "little"), _WORDS_64)
    pairs[:, 1] = np.frombuffer(second.to_bytes(8 * count, "little"), _WORDS_64)
    return pairs.data


_WORDS, _WORDS_64 = np.dtype("<u4"), np.dtype("<u8")


class Rounds:
    """The rounds of blocks of one key, in NumPy's arrays.

    The cost of calls dominates, so a round has few of them, each on a whole buffer that stays in the cache. `c0` to
    `c3` are the words of the blocks, 64 bits each while they are factors. A round is, with its keys `k0` and `k1`:

        first, second = c0 * M0, c2 * M1
        c0, c2 = high(second) ^ c1 ^ k0, high(first) ^ c3 ^ k1
        c1, c3 = low(second), low(first)

    So the lower half of a product is combined with the upper half of the product in the same place of the next round,
    and nothing else reads it. The keys of both rounds are applied to both halves at once.

    A context, at whose end the memory goes to the next one who makes as many blocks.
    """

    __slots__ = ("_high", "_key", "_memory")

    def __init__(self, key: int, high: int) -> None:
        """For a key, and the upper 64 bits of the counter."""
        self._key, self._high = key, high
        self._memory: _RoundMemory | None = None

    def __enter__(self) -> Rounds:
        return self

    def __exit__(self, *_: object) -> None:
        memory, self._memory = self._memory, None
        if memory is not None and memory.size <= TUNING.random_retained_blocks:
            free = _FREE[memory.size]
            if len(free) < _RETAINED:
                free.append(memory)

    def __call__(self, position: np.ndarray) -> np.ndarray:
        """The words of the blocks at `position`: a row of four for each, which the next call overwrites.

        Args:
          position: a vector whose numbers rise; after the greatest of 64 bits comes 0.
        """
        n = position.size
        if not n:
            return np.empty((0, 4), np.uint32)
        if n <= TUNING.random_python_blocks:
            c0, c1 = _halves_in_lanes(position)
            block = side_by_side(*in_lanes(self._key, self._high, c0, c1, n), n)
            return np.frombuffer(block, _WORDS).astype(np.uint32).reshape(n, 4)
        memory = self._memory
        if memory is None or memory.size != n:
            memory = self._memory = _memory_for(n)
        return self._words(position, memory)

    def _words(self, position: np.ndarray, memory: _RoundMemory) -> np.ndarray:
        multiply, xor = np.multiply, np.bitwise_xor
        keys = _keys_of_pairs(self._key)
        factors, (c2, c0), (one, other) = memory.factors, memory.even, memory.products
        for pair in range(self._begun(position, memory, keys[0]), ROUNDS // 2):
            multiply(c0, _FACTORS[0], one.first)
            multiply(c2, _FACTORS[1], one.second)
            xor(one.first, keys[pair, 0, ...], one.first)
            xor(one.second, keys[pair, 1, ...], one.second)
            xor(one.from_high, other.from_low, memory.sums)
            np.bitwise_and(factors, _MASK, factors)
            multiply(c0, _FACTORS[0], other.first)
            multiply(c2, _FACTORS[1], other.second)
            if pair < ROUNDS // 2 - 1:
                xor(other.from_high, one.from_low, memory.sums)
                np.bitwise_and(factors, _MASK, factors)
        for column, high, low in memory.last_sums:
            xor(high, low, column)
        for column, low in memory.last_halves:
            column[...] = low
        return memory.words

    def _begun(self, position: np.ndarray, memory: _RoundMemory, keys: np.ndarray) -> int:
        """Puts the words of the blocks after some pairs of rounds into `memory`; returns after how many.

        Where the upper half of all positions is one number, three of the four words begin as numbers, and the first
        two rounds have half as much to do.

        Args:
          position: as in a call.
          memory: where they are put: words 0 and 2 as factors, 1 and 3 as the lower halves of the latest products.
          keys: of the first two rounds.
        """
        (c2, c0), (one, other) = memory.even, memory.products
        w1, w2, w3 = int(position[0]) >> 32, self._high & 0xFFFFFFFF, self._high >> 32
        if int(position[-1]) >> 32 != w1 or position[-1] < position[0]:
            np.bitwise_and(position, _MASK, c0)
            np.right_shift(position, _HALF, other.second)
            c2[...], other.first[...] = w2, w3
            return 0
        k3, k0 = (int(key) for key in keys)
        second = w2 * MULTIPLIERS[1]
        first = ((second >> 32) ^ w1 ^ (k0 >> 32)) * MULTIPLIERS[0]  # word 0 after the first round is a number
        np.multiply(position if not w1 else np.bitwise_and(position, _MASK, c0), _FACTORS[0], one.first)
        np.bitwise_xor(one.first, np.array(k3 ^ (w3 << 32 | first >> 32), np.uint64), one.first)
        np.right_shift(one.first, _HALF, c2)  # word 2 after the first round
        np.multiply(c2, _FACTORS[1], other.second)
        np.right_shift(other.second, _HALF, c0)
        np.bitwise_xor(c0, np.array((second ^ k0) & 0xFFFFFFFF, np.uint64), c0)
        np.bitwise_and(one.first, _MASK, c2)
        other.first[...] = first
        return 1


_FACTORS = [np.array(multiplier, np.uint64) for multiplier in MULTIPLIERS]
_MASK, _HALF = np.array(MASK), np.array(HALF)  # ufuncs take scalars as arrays in half the time
_WEYL_ROWS = (np.arange(ROUNDS, dtype=np.uint64)[:, None] * np.array(WEYL[::-1], np.uint64)).reshape(-1, 2, 2)


def _keys_of_pairs(key: int) -> np.ndarray:
    """Per pair of rounds, what the first and the second product of its first round are combined with.

    The upper half is the key of that round, the lower half that of the next one: see `Rounds`.
    """
    keys = (_WEYL_ROWS + np.array((key >> 32, key & 0xFFFFFFFF), np.uint64)) & MASK
    return keys[:, 0] << HALF | keys[:, 1]  # type: ignore[no-any-return]


class _Products:
    """The products of a round, `c0 * M0` and `c2 * M1`.

    Attributes:
      first, second: the two.
      from_high, from_low: the words of 32 bits of both, without the first and without the last one. The upper half of a
        product has the index in one view that its lower half has in the other.
      highs, lows: of each product, the words of its halves.
    """

    __slots__ = ("first", "from_high", "from_low", "highs", "lows", "second")

    def __init__(self, size: int) -> None:
        both = np.empty(2 * size, np.uint64)
        words = both.view(np.uint32)
        self.first, self.second = both[:size], both[size:]
        self.from_high, self.from_low = words[1:], words[:-1]
        self.highs = words[1 : 2 * size : 2], words[2 * size + 1 :: 2]
        self.lows = words[: 2 * size : 2], words[2 * size :: 2]


class _RoundMemory:
    """The buffers of the rounds of so many blocks, and the views of them that the rounds take.

    Attributes:
      size: the number of blocks.
      words: the result.
      factors: words 2 and 0, which are multiplied.
      even: the same, one by one.
      sums: the words of 32 bits of `factors` but the last; every second one is the sum of a word and an upper half.
      products: those of a round, and those of the round before.
      last_sums, last_halves: the columns of `words`, and what the last round puts there.
    """

    __slots__ = ("even", "factors", "last_halves", "last_sums", "products", "size", "sums", "words")

    def __init__(self, size: int) -> None:
        self.size = size
        self.words = words = np.empty((size, 4), np.uint32)
        self.factors = np.empty(2 * size, np.uint64)
        self.even = self.factors[:size], self.factors[size:]
        self.sums = self.factors.view(np.uint32)[:-1]
        one, other = self.products = _Products(size), _Products(size)
        self.last_sums = [(words[:, 2 - 2 * k], other.highs[k], one.lows[k]) for k in (0, 1)]
        self.last_halves = [(words[:, 3 - 2 * k], other.lows[k]) for k in (0, 1)]


_FREE: BoundedCache[int, list[_RoundMemory]] = BoundedCache("memory of random numbers", 8, lambda size: [])
_RETAINED = 2
"""Memories of one size that are retained."""


def _memory_for(size: int) -> _RoundMemory:
    try:
        return _FREE[size].pop() if size <= TUNING.random_retained_blocks else _RoundMemory(size)
    except IndexError:
        return _RoundMemory(size)
