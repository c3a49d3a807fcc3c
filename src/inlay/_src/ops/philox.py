"""Philox 4x32-10, the counter-based generator TensorFlow uses, and its distributions, as pure array functions.

A block is four 32-bit words made from (key, counter). The counter's upper half is part of the seed, the lower half
counts blocks, so a sequence is a function of a position: it can be read anywhere, in any order, in either namespace.

    blocks(xp, key, high, position)  -> the words of the blocks at `position`
    fill(xp, kind, dtype, key, high, start, shape) -> an array of a distribution

NumPy makes many blocks a chunk at a time, in buffers that stay in the processor's cache (`Rounds`). A few are made in
Python's integers, all of them in four numbers (`_in_lanes`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType

_MASK = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_MULTIPLIERS, _WEYL = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
_MULTIPLIER_ROWS = np.array(_MULTIPLIERS, np.uint64)[:, None]
_ROUNDS = 10
_WEYL_ROWS = np.arange(_ROUNDS, dtype=np.uint64)[:, None, None] * np.array(_WEYL, np.uint64)[None, :, None]

EACH, CALLS = 20.0, 60
"""Nanoseconds that a block takes, and calls of NumPy for a chunk, at least."""

RESERVED = 256
"""Blocks set aside per output, so that distributions that reject samples never run into the next draw."""

SCRAMBLE = 0x02461E293EC8F720
"""The key under which a stateless op's seed is made into key and counter, so that any two integers make a good seed."""

TRIES = 16
"""Blocks a compiled truncated normal reads per group: 64 trials for 4 numbers, each kept with probability 0.954."""


def blocks(xp: Any, key: Any, high: Any, position: Any) -> Any:
    """The words of blocks, as uint64: the first axis is that of the four words.

    Args:
      xp: the array namespace.
      key: the 64-bit key.
      high: the upper 64 bits of the counter.
      position: the lower 64 bits of the counter, one per block: an array of uint64, whose numbers rise.
    """
    flat = position.reshape(-1)
    if xp is np:
        words = Rounds(int(key), int(high), flat.size)(flat).T.astype(np.uint64)
    else:
        words = _words(xp, key, high, flat)
    return words.reshape(4, *position.shape)


def _words(xp: Any, key: Any, high: Any, flat: Any) -> Any:
    """The words of blocks: one key and one upper half of the counter for all of them, or vectors of them."""
    nothing = xp.zeros_like(flat)
    even = xp.stack([flat & _MASK, nothing + (high & _MASK)])  # words 0 and 2
    odd = xp.stack([flat >> _32, nothing + (high >> _32)])  # words 1 and 3
    keys = (xp.stack([key & _MASK, key >> _32]).reshape(1, 2, -1) + _WEYL_ROWS) & _MASK
    for i in range(_ROUNDS):
        product = (even * _MULTIPLIER_ROWS)[::-1]
        even, odd = (product >> _32) ^ odd ^ keys[i], product & _MASK
    return xp.stack([even, odd], axis=1).reshape(4, *flat.shape)


class _Lanes(NamedTuple):
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


def _lanes(count: int) -> _Lanes:
    ones = sum(1 << 64 * k for k in range(count))
    counted = sum(k << 64 * k for k in range(count))
    float32 = ones * 0x007FFFFF007FFFFF, ones * 0x3F8000003F800000
    return _Lanes(ones, ones * 0xFFFFFFFF, (ones * _WEYL[0], ones * _WEYL[1]), counted, *float32)


_LANES: BoundedCache[int, _Lanes] = BoundedCache("lanes of random numbers", TUNING.random_python_blocks, _lanes)


def _in_lanes(key: int, high: int, c0: int, c1: int, count: int) -> tuple[int, int]:
    """Words 0 and 1, and words 2 and 3, of `count` blocks at positions whose halves are `c0` and `c1`, in lanes.

    A product of 32 bits by 32 stays in its lane, so what Python does to all blocks costs little more than for one.
    Bits above the lower 32 of a lane are masked only before a multiplication.
    """
    ones, low, (w0, w1), *_ = _LANES[count]
    c2, c3 = (high & 0xFFFFFFFF) * ones, (high >> 32) * ones
    k0, k1 = (key & 0xFFFFFFFF) * ones, (key >> 32) * ones
    m0, m1 = _MULTIPLIERS
    for _ in range(_ROUNDS):
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
    lower, upper = position & _MASK, position >> _32
    return _from_lanes(lower), _from_lanes(upper)


def _from_lanes(numbers: np.ndarray) -> int:
    return int.from_bytes(numbers.astype(_WORDS_64).tobytes(), "little")


def _side_by_side(first: int, second: int, count: int) -> bytes | memoryview:
    """The words of blocks in their order, 32 bits each, from what `_in_lanes` gives."""
    if count == 1:
        return (first | second << 64).to_bytes(16, "little")
    pairs = np.empty((count, 2), _WORDS_64)
    pairs[:, 0] = np.frombuffer(first.to_bytes(8 * count, "little"), _WORDS_64)
    pairs[:, 1] = np.frombuffer(second.to_bytes(8 * count, "little"), _WORDS_64)
    return pairs.data


_WORDS, _WORDS_64, _FLOATS = np.dtype("<u4"), np.dtype("<u8"), np.dtype("<f4")


class Rounds:
    """NumPy's form of `_words`: the rounds in buffers that are used again.

    A buffer holds two rows, so that what is done to both is one call. A round overwrites its input: a chunk fits the
    second-level cache, and the cost of calls dominates.
    """

    def __init__(self, key: int, high: int, size: int) -> None:
        """For a key, the upper 64 bits of the counter, and `size` blocks at a time at most."""
        self._key, self._high, self._size = key, high, size

    @functools.cached_property
    def _keys(self) -> np.ndarray:
        """The keys of each round, [rounds, 2, 1], in the order of the rows that they meet (`_ORDER`)."""
        halves = np.array((self._key & 0xFFFFFFFF, self._key >> 32), np.uint64)
        return ((_WEYL_IN_ORDER + halves[_ORDER]) & _MASK)[:, :, None]  # type: ignore[no-any-return]

    @functools.cached_property
    def _buffers(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        two, four = (2 * self._size,), (self._size, 4)
        return np.empty(two, np.uint64), np.empty(two, np.uint64), np.empty(four, np.uint32)

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
            block = _side_by_side(*_in_lanes(self._key, self._high, c0, c1, n), n)
            return np.frombuffer(block, _WORDS).astype(np.uint32).reshape(n, 4)
        first, second, words = self._buffers
        even, odd, words = first[: 2 * n].reshape(2, n), second[: 2 * n].reshape(2, n), words[:n]
        keys = self._keys
        for i in range(self._begun(position, even, odd), _ROUNDS):
            np.multiply(even, _FACTORS_OF_ROUNDS[i], even)
            # The upper half of a product meets the lower half of the one before: as words of 32 bits they stand beside
            # each other. What meets in the other half is cut off.
            high, low = even.view(np.uint32)[:, 1:], odd.view(np.uint32)[:, :-1]
            np.bitwise_xor(high if i & 1 else high[::-1], low, low)
            np.bitwise_and(odd, _MASK, odd)
            np.bitwise_xor(odd, keys[i], odd)
            even, odd = odd, even
        np.left_shift(odd, _32, odd)
        pairs = words.view(np.uint64)  # after ten rounds both pairs of words stand in the other order
        np.bitwise_or(even[1], odd[1], pairs[:, 0])
        np.bitwise_or(even[0], odd[0], pairs[:, 1])
        return words

    def _begun(self, position: np.ndarray, even: np.ndarray, odd: np.ndarray) -> int:
        """Fills `even` and `odd` with the words of the blocks after some rounds; returns after how many.

        Where the upper half of all positions is one number, three of the four words begin as numbers, and the first
        two rounds have half as much to do.
        """
        c1, c2, c3 = int(position[0]) >> 32, self._high & 0xFFFFFFFF, self._high >> 32
        np.bitwise_and(position, _MASK, even[0])
        if int(position[-1]) >> 32 != c1 or position[-1] < position[0]:
            np.right_shift(position, _32, odd[0])
            even[1], odd[1] = c2, c3
            return 0
        k0, k1, k3, k2 = self._keys[:2].reshape(-1).tolist()
        number = c2 * _MULTIPLIERS[1]
        np.multiply(even[0], _FACTORS[0], odd[0])
        np.right_shift(odd[0], _32, even[1])
        np.bitwise_xor(even[1], np.uint64(c3 ^ k1), even[1])  # word 2 after the first round
        c0, c1 = (number >> 32) ^ c1 ^ k0, number & 0xFFFFFFFF
        number = c0 * _MULTIPLIERS[0]
        np.bitwise_and(odd[0], _MASK, even[0])
        np.bitwise_xor(even[0], np.uint64((number >> 32) ^ k3), even[0])  # word 2 after the second
        np.multiply(even[1], _FACTORS[1], odd[1])
        np.right_shift(odd[1], _32, even[1])
        np.bitwise_xor(even[1], np.uint64(c1 ^ k2), even[1])  # word 0
        odd[0] = number
        return 2


_FACTORS = np.array(_MULTIPLIERS, np.uint64)[:, None]

# The rows of a buffer are named by the words that they hold. Products stay where their factors stood, so the rows of
# words 0 and 2, and those of 1 and 3, do not keep their order: it comes back after four rounds.
_FACTORS_OF_ROUNDS = [_FACTORS[::-1] if i & 2 else _FACTORS for i in range(_ROUNDS)]
_ORDER = np.array([(1, 0) if i + 1 & 2 else (0, 1) for i in range(_ROUNDS)])
_WEYL_IN_ORDER = np.take_along_axis(_WEYL_ROWS[:, :, 0], _ORDER, 1)


def scrambled(xp: Any, seed: Any) -> tuple[Any, Any]:
    """(key, upper counter) of a stateless op's seed, two integers."""
    if xp is np:
        position, high = (number & 0xFFFFFFFFFFFFFFFF for number in np.asarray(seed).tolist())
        return _in_lanes(SCRAMBLE, high, position & 0xFFFFFFFF, position >> 32, 1)
    (key,), (high,) = _scrambled_rows(xp, xp.asarray(seed)[None])
    return key, high


def _scrambled_rows(xp: Any, seeds: Any) -> tuple[Any, Any]:
    """`scrambled` of each row of a matrix: vectors."""
    wide = seeds.astype(np.int64).astype(np.uint64)
    words = _words(xp, np.uint64(SCRAMBLE), wide[:, 1], wide[:, 0])
    return words[0] | (words[1] << _32), words[2] | (words[3] << _32)


def first_doubles(seeds: np.ndarray) -> np.ndarray:
    """For each row of a matrix, the first of the `doubles` that a stateless op with that seed draws."""
    key, high = _scrambled_rows(np, seeds)
    first: np.ndarray = _uniform(np, dtypes.float64, _words(np, key, high, np.zeros_like(key)))[0]
    return first


# ---------------------------------------------------------------- distributions


def _float32(word: Any) -> Any:
    """Words as float32 in [0, 1)."""
    return ((word & np.uint64(0x7FFFFF)) | np.uint64(0x3F800000)).astype(np.uint32).view(np.float32) - np.float32(1)


def _float64(low: Any, high: Any) -> Any:
    """Pairs of words as float64 in [0, 1)."""
    mantissa = ((high & np.uint64(0xFFFFF)) << _32) | low
    return (mantissa | np.uint64(0x3FF0000000000000)).view(np.float64) - np.float64(1)


def _raw(xp: Any, dtype: DType, words: Any) -> Any:
    """Words as integers of the width of `dtype`, as many for each block as it has; the first axis is theirs."""
    return words[0::2] | (words[1::2] << _32) if dtype is dtypes.uint64 else words


def _uniform(xp: Any, dtype: DType, words: Any) -> Any:
    """Words to uniform numbers; see `_raw`."""
    if dtype is dtypes.float64:
        return _float64(words[1::2], words[0::2])
    if dtype is dtypes.float32:
        return _float32(words)
    return _ones(dtype, words) - np.asarray(1, dtype.np)


def _ones(dtype: DType, words: Any) -> Any:
    """Words as numbers in [1, 2) of 16 bits."""
    bits = (0x3FF, 15 << 10) if dtype is dtypes.float16 else (0x7F, 127 << 7)
    return ((words & bits[0]) | bits[1]).astype(np.uint16).view(dtype.np)


def _normals(xp: Any, dtype: DType, words: Any) -> Any:
    """Box-Muller: pairs of uniform numbers to pairs of normal ones; see `_raw`."""
    kind: Any = np.float64 if dtype is dtypes.float64 else np.float32
    uniform = _uniform(xp, dtypes.FROM_NUMPY[np.dtype(kind)], words)
    radius = xp.sqrt(kind(-2) * xp.log(xp.maximum(uniform[0::2], kind(1e-7))))
    angle = kind(2 * math.pi) * uniform[1::2]
    return xp.stack([xp.sin(angle) * radius, xp.cos(angle) * radius], axis=1).reshape(uniform.shape)


_MADE: dict[str, Callable[[Any, DType, Any], Any]] = {"words": _raw, "uniform": _uniform, "normal": _normals}


def pairs_of(kind: str, words: np.ndarray) -> np.ndarray:
    """Rows of words, which are written over, as rows of two "uniform" or "normal" numbers of 64 bits."""
    if kind == "uniform":
        return (_from_one(dtypes.float64, words) - 1.0).reshape(-1, 2)
    pairs = np.empty((len(words), 2))
    _normals_of(words, pairs)
    return pairs


def _per_block(dtype: DType) -> int:
    """The number of values per block."""
    return 2 if dtype is dtypes.float64 or dtype is dtypes.uint64 else 4


def _positions(xp: Any, start: Any, count: int, stride: int = 1) -> Any:
    return xp.arange(count, dtype=np.uint64) * np.uint64(stride) + start


def fill(xp: Any, kind: str, dtype: DType, key: Any, high: Any, start: Any, shape: tuple[int, ...]) -> Any:
    """An array of random numbers.

    Args:
      xp: the array namespace.
      kind: "uniform" in [0, 1), "normal", "truncated" (normal within two deviations), or "words" (raw integers of the
        width of `dtype`).
      dtype: the type of the result; for "words" uint32 or uint64.
      key, high, start: key, upper counter and first block.
      shape: the result's shape.
    """
    size, each = math.prod(shape), _per_block(dtype)
    if xp is np:
        if (
            0 < size <= 4 * TUNING.random_python_blocks
            and kind == "uniform"
            and dtype is dtypes.float32
            and start & 0xFFFFFFFF < 0xFFFFFF00
        ):
            return _few_uniform(int(key), int(high), int(start), size).reshape(shape)
        out = np.empty(shape, dtype.np)
        _fill_array(kind, dtype, int(key), int(high), np.uint64(start), out.reshape(-1))
        return out
    if kind == "truncated":
        flat = _truncated(xp, dtype, key, high, start, size)
    else:
        words = blocks(xp, key, high, _positions(xp, start, -(-size // each)))
        flat = _MADE[kind](xp, dtype, words).T.reshape(-1)[:size]
    return flat.astype(dtype.np).reshape(shape)


def _few_uniform(key: int, high: int, start: int, size: int) -> np.ndarray:
    """A few uniform float32, which Python's integers make sooner than arrays; `_uniform` says how."""
    count = -(-size // 4)
    lanes = _LANES[count]
    c0 = (start & 0xFFFFFFFF) * lanes.ones + lanes.counted
    first, second = _in_lanes(key, high, c0, (start >> 32) * lanes.ones, count)
    first, second = first & lanes.mantissa | lanes.exponent, second & lanes.mantissa | lanes.exponent
    return np.frombuffer(_side_by_side(first, second, count), _FLOATS, size) - _ONE


_ONE = np.float32(1)


_CHUNKS = ThreadChoice()


def _fill_array(kind: str, dtype: DType, key: int, high: int, start: Any, out: np.ndarray) -> None:
    """Fills a vector with random numbers, a chunk of blocks by each call that cores share."""
    each = _per_block(dtype)
    count = -(-out.size // each)
    put, chunk = _PUT[kind], TUNING.random_chunk_blocks

    def work(turn: int) -> None:
        first, end = turn * chunk, min((turn + 1) * chunk, count)
        number = np.arange(first, end, dtype=np.uint64)
        put(dtype, Rounds(key, high, end - first), start, number, out[first * each : end * each])

    with _CHUNKS.over(EACH * count, CALLS * count / chunk) as threads:
        spread(work, -(-count // chunk), threads)


def _put_words(dtype: DType, rounds: Rounds, start: Any, number: np.ndarray, out: np.ndarray) -> None:
    """Fills `out` with the words of the blocks `number`, counted from `start`, in place of these; so do the others."""
    out[...] = rounds(np.add(number, start, number)).view(out.dtype).reshape(-1)[: out.size]


def _put_uniform(dtype: DType, rounds: Rounds, start: Any, number: np.ndarray, out: np.ndarray) -> None:
    np.subtract(_from_one(dtype, rounds(np.add(number, start, number)))[: out.size], np.asarray(1, dtype.np), out)


def _put_normals(dtype: DType, rounds: Rounds, start: Any, number: np.ndarray, out: np.ndarray) -> None:
    kind = _wide(dtype)
    whole = out.dtype == kind and out.size == number.size * _per_block(dtype)
    normals = out if whole else np.empty(number.size * _per_block(dtype), kind)
    _normals_of(rounds(np.add(number, start, number)), normals.reshape(-1, 2))
    if not whole:
        out[...] = normals[: out.size]


def _put_truncated(dtype: DType, rounds: Rounds, start: Any, number: np.ndarray, out: np.ndarray) -> None:
    """NumPy's form of `_truncated`, of the groups `number`: further blocks are made only where a group is not full."""
    group = _per_block(dtype)
    position = number * np.uint64(group * RESERVED // 4) + start
    normals = np.empty((number.size, group), _wide(dtype))
    _normals_of(rounds(position), normals.reshape(-1, 2))
    outside = np.abs(normals) >= 2
    short = np.flatnonzero(outside.view(f"u{group}"))
    _fill_up(rounds, position[short], normals, short)
    out[...] = normals.reshape(-1)[: out.size]


def _fill_up(rounds: Rounds, position: np.ndarray, normals: np.ndarray, rows: np.ndarray) -> None:
    """Replaces rows of normal numbers, read from `position`, by the first within two deviations, read further on."""
    group, seen = normals.shape[1], normals[rows]
    while rows.size:
        position = position + np.uint64(1)
        more = np.empty((rows.size, group), normals.dtype)
        _normals_of(rounds(position), more.reshape(-1, 2))
        seen = np.concatenate([seen, more], axis=1)
        inside = np.abs(seen) < 2
        number = np.cumsum(inside, axis=1, dtype=np.int16)
        full = number[:, -1] >= group
        inside &= number <= group
        inside &= full[:, None]
        normals[rows[full]] = seen[inside].reshape(-1, group)
        rows, position, seen = rows[~full], position[~full], seen[~full]


def _wide(dtype: DType) -> Any:
    """The type in which normal numbers are computed."""
    return np.float64 if dtype is dtypes.float64 else np.float32


def _from_one(dtype: DType, words: np.ndarray) -> np.ndarray:
    """Rows of words, which are written over, as uniform numbers in [1, 2); `_uniform` says the same for others."""
    if dtype is dtypes.float64:
        low = words.view(np.uint64).reshape(-1)
        high = low << _32  # the first word of a pair is its upper half
        high &= np.uint64(0xFFFFF << 32)
        high |= np.uint64(0x3FF << 52)
        low >>= _32
        low |= high
        return low.view(np.float64)
    flat = words.reshape(-1)
    if dtype is dtypes.float32:
        flat &= np.uint32(0x7FFFFF)
        flat |= np.uint32(0x3F800000)
        return flat.view(np.float32)
    return _ones(dtype, flat)


def _normals_of(words: np.ndarray, out: np.ndarray) -> None:
    """Fills rows of two with the normal numbers of rows of words, which are written over, as `_normals` says."""
    kind = out.dtype.type
    uniform = _from_one(dtypes.FROM_NUMPY[out.dtype], words)
    uniform -= kind(1)
    radius = np.maximum(uniform[0::2], kind(1e-7))
    np.log(radius, radius)
    radius *= kind(-2)
    np.sqrt(radius, radius)
    angle = uniform[1::2] * kind(2 * math.pi)
    np.multiply(np.sin(angle), radius, out[:, 0])
    np.multiply(np.cos(angle, angle), radius, out[:, 1])


_PUT = {"words": _put_words, "uniform": _put_uniform, "normal": _put_normals, "truncated": _put_truncated}


def _truncated(xp: Any, dtype: DType, key: Any, high: Any, start: Any, size: int) -> Any:
    group = _per_block(dtype)
    groups = -(-size // group)
    first = _positions(xp, start, groups, group * RESERVED // 4)
    where = first[:, None] + xp.arange(TRIES, dtype=np.uint64)
    normals = xp.moveaxis(_normals(xp, dtype, blocks(xp, key, high, where)), 0, -1).reshape(groups, TRIES * group)
    order = xp.argsort(xp.abs(normals) >= 2, axis=1, stable=True)[:, :group]  # those inside first, in order
    return xp.take_along_axis(normals, order, axis=1).reshape(-1)[:size]


def doubles(key: int, high: int, start: int, count: int) -> np.ndarray:
    """`count` float64 in [0, 1) as a reader of single words gets them, two words each."""
    numbers: np.ndarray = fill(np, "uniform", dtypes.float64, key, high, np.uint64(start), (count,))
    return numbers
