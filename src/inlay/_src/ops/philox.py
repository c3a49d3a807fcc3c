"""Philox 4x32-10, the counter-based generator TensorFlow uses, and its distributions, as pure array functions.

A block is four 32-bit words made from (key, counter). The counter's upper half is part of the seed, the lower half
counts blocks, so a sequence is a function of a position: it can be read anywhere, in any order, in either namespace.

    blocks(xp, key, high, position)  -> the words of the blocks at `position`
    fill(xp, kind, dtype, key, high, start, shape) -> an array of a distribution

`philox_rounds` makes the words with NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.ops.philox_rounds import HALF, LANES, MASK, MULTIPLIERS, ROUNDS, WEYL, Rounds, in_lanes, side_by_side

_MULTIPLIER_ROWS = np.array(MULTIPLIERS, np.uint64)[:, None]
_WEYL_ROWS = np.arange(ROUNDS, dtype=np.uint64)[:, None, None] * np.array(WEYL, np.uint64)[None, :, None]

EACH, CALLS = 17.0, 45
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
        with Rounds(int(key), int(high)) as rounds:
            words = rounds(flat).T.astype(np.uint64)
    else:
        words = _words(xp, key, high, flat)
    return words.reshape(4, *position.shape)


def _words(xp: Any, key: Any, high: Any, flat: Any) -> Any:
    """The words of blocks: one key and one upper half of the counter for all of them, or vectors of them."""
    nothing = xp.zeros_like(flat)
    even = xp.stack([flat & MASK, nothing + (high & MASK)])  # words 0 and 2
    odd = xp.stack([flat >> HALF, nothing + (high >> HALF)])  # words 1 and 3
    keys = (xp.stack([key & MASK, key >> HALF]).reshape(1, 2, -1) + _WEYL_ROWS) & MASK
    for i in range(ROUNDS):
        product = (even * _MULTIPLIER_ROWS)[::-1]
        even, odd = (product >> HALF) ^ odd ^ keys[i], product & MASK
    return xp.stack([even, odd], axis=1).reshape(4, *flat.shape)


def scrambled(xp: Any, seed: Any) -> tuple[Any, Any]:
    """(key, upper counter) of a stateless op's seed, two integers."""
    if xp is np:
        position, high = (number & 0xFFFFFFFFFFFFFFFF for number in np.asarray(seed).tolist())
        return in_lanes(SCRAMBLE, high, position & 0xFFFFFFFF, position >> 32, 1)
    (key,), (high,) = _scrambled_rows(xp, xp.asarray(seed)[None])
    return key, high


def _scrambled_rows(xp: Any, seeds: Any) -> tuple[Any, Any]:
    """`scrambled` of each row of a matrix: vectors."""
    wide = seeds.astype(np.int64).astype(np.uint64)
    words = _words(xp, np.uint64(SCRAMBLE), wide[:, 1], wide[:, 0])
    return words[0] | (words[1] << HALF), words[2] | (words[3] << HALF)


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
    mantissa = ((high & np.uint64(0xFFFFF)) << HALF) | low
    return (mantissa | np.uint64(0x3FF0000000000000)).view(np.float64) - np.float64(1)


def _raw(xp: Any, dtype: DType, words: Any) -> Any:
    """Words as integers of the width of `dtype`, as many for each block as it has; the first axis is theirs."""
    return words[0::2] | (words[1::2] << HALF) if dtype is dtypes.uint64 else words


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
    lanes = LANES[count]
    c0 = (start & 0xFFFFFFFF) * lanes.ones + lanes.counted
    first, second = in_lanes(key, high, c0, (start >> 32) * lanes.ones, count)
    first, second = first & lanes.mantissa | lanes.exponent, second & lanes.mantissa | lanes.exponent
    return np.frombuffer(side_by_side(first, second, count), _FLOATS, size) - _ONE


_ONE = np.float32(1)
_FLOATS = np.dtype("<f4")


_CHUNKS = ThreadChoice()


def _fill_array(kind: str, dtype: DType, key: int, high: int, start: Any, out: np.ndarray) -> None:
    """Fills a vector with random numbers, a chunk of blocks by each call that cores share."""
    each = _per_block(dtype)
    count = -(-out.size // each)
    put, chunk = _PUT[kind], TUNING.random_chunk_blocks

    def work(turn: int) -> None:
        first, end = turn * chunk, min((turn + 1) * chunk, count)
        number = np.arange(first, end, dtype=np.uint64)
        with Rounds(key, high) as rounds:
            put(dtype, rounds, start, number, out[first * each : end * each])

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
        high = low << HALF  # the first word of a pair is its upper half
        high &= np.uint64(0xFFFFF << 32)
        high |= np.uint64(0x3FF << 52)
        low >>= HALF
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
