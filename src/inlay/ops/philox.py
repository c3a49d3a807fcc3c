"""Philox 4x32-10, the counter-based generator TensorFlow uses, and its distributions, as pure array functions.

A block is four 32-bit words made from (key, counter). The counter's upper half is part of the seed, the lower half
counts blocks, so a sequence is a function of a position: it can be read anywhere, in any order, in either namespace.

    blocks(xp, key, high, position, count)  -> count blocks from `position` on
    fill(xp, kind, dtype, key, high, position, shape) -> an array of a distribution
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from inlay.types import dtypes
from inlay.types.dtypes import DType

_MASK = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_MULTIPLIERS, _WEYL = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
_MULTIPLIER_ROWS = np.array(_MULTIPLIERS, np.uint64)[:, None]
_ROUNDS = 10
_WEYL_ROWS = np.arange(_ROUNDS, dtype=np.uint64)[:, None, None] * np.array(_WEYL, np.uint64)[None, :, None]

FEW = 4
"""Blocks up to which Python's integers make them sooner than arrays, whose operations cost the same for one number."""

RESERVED = 256
"""Blocks set aside per output, so that distributions that reject samples never run into the next draw."""

SCRAMBLE = 0x02461E293EC8F720
"""The key under which a stateless op's seed is made into key and counter, so that any two integers make a good seed."""

TRIES = 16
"""Blocks read per group by the truncated normal: 32 trials for 4 numbers, each kept with probability 0.954."""


def blocks(xp: Any, key: Any, high: Any, position: Any) -> Any:
    """The words of blocks, as uint64: the first axis is that of the four words.

    Args:
      xp: the array namespace.
      key: the 64-bit key.
      high: the upper 64 bits of the counter.
      position: the lower 64 bits of the counter, one per block: an array of uint64.
    """
    if xp is np and position.size <= FEW:
        few = [block(int(key), int(high), at) for at in position.ravel().tolist()]
        return np.array(few, np.uint64).reshape(-1, 4).T.reshape(4, *position.shape)
    flat = position.reshape(-1)
    nothing = xp.zeros_like(flat)
    even = xp.stack([flat & _MASK, nothing + (high & _MASK)])  # words 0 and 2
    odd = xp.stack([flat >> _32, nothing + (high >> _32)])  # words 1 and 3
    keys = (xp.stack([key & _MASK, key >> _32])[None, :, None] + _WEYL_ROWS) & _MASK
    for i in range(_ROUNDS):
        product = (even * _MULTIPLIER_ROWS)[::-1]
        even, odd = (product >> _32) ^ odd ^ keys[i], product & _MASK
    return xp.stack([even, odd], axis=1).reshape(4, *position.shape)


def block(key: int, high: int, position: int) -> tuple[int, int, int, int]:
    """The words of one block."""
    mask, (m0, m1), (w0, w1) = 0xFFFFFFFF, _MULTIPLIERS, _WEYL
    c0, c1, c2, c3 = position & mask, position >> 32, high & mask, high >> 32
    k0, k1 = key & mask, key >> 32
    for _ in range(_ROUNDS):
        p0, p1 = c0 * m0, c2 * m1
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & mask, (p0 >> 32) ^ c3 ^ k1, p0 & mask
        k0, k1 = (k0 + w0) & mask, (k1 + w1) & mask
    return c0, c1, c2, c3


def scrambled(xp: Any, seed: Any) -> tuple[Any, Any]:
    """(key, upper counter) of a stateless op's seed, two integers."""
    wide = xp.asarray(seed).astype(np.int64).astype(np.uint64)
    words = blocks(xp, np.uint64(SCRAMBLE), wide[1], wide[:1])[:, 0]
    return words[0] | (words[1] << _32), words[2] | (words[3] << _32)


def _float32(word: Any) -> Any:
    """Words as float32 in [0, 1)."""
    return ((word & np.uint64(0x7FFFFF)) | np.uint64(0x3F800000)).astype(np.uint32).view(np.float32) - np.float32(1)


def _float64(low: Any, high: Any) -> Any:
    """Pairs of words as float64 in [0, 1)."""
    mantissa = ((high & np.uint64(0xFFFFF)) << _32) | low
    return (mantissa | np.uint64(0x3FF0000000000000)).view(np.float64) - np.float64(1)


def _uniform(xp: Any, dtype: DType, words: Any) -> Any:
    """Words to uniform numbers, as many for each block as it has; the first axis is theirs."""
    if dtype is dtypes.float64:
        return _float64(words[1::2], words[0::2])
    if dtype is dtypes.float32:
        return _float32(words)
    bits = (0x3FF, 15 << 10) if dtype is dtypes.float16 else (0x7F, 127 << 7)
    ones = ((words & np.uint64(bits[0])) | np.uint64(bits[1])).astype(np.uint16).view(dtype.np)
    return ones - np.asarray(1, dtype.np)


def _normals(xp: Any, dtype: DType, words: Any) -> Any:
    """Box-Muller: pairs of uniform numbers to pairs of normal ones; see `_uniform`."""
    kind: Any = np.float64 if dtype is dtypes.float64 else np.float32
    uniform = _uniform(xp, dtypes.FROM_NUMPY[np.dtype(kind)], words)
    radius = xp.sqrt(kind(-2) * xp.log(xp.maximum(uniform[0::2], kind(1e-7))))
    angle = kind(2 * math.pi) * uniform[1::2]
    return xp.stack([xp.sin(angle) * radius, xp.cos(angle) * radius], axis=1).reshape(uniform.shape)


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
    size = math.prod(shape)
    if kind == "truncated":
        flat = _truncated(xp, dtype, key, high, start, size)
    else:
        wide = dtype in (dtypes.float64, dtypes.uint64)
        words = blocks(xp, key, high, _positions(xp, start, -(-size // (2 if wide else 4))))
        if kind == "words":
            parts = words[0::2] | (words[1::2] << _32) if wide else words
        else:
            parts = (_uniform if kind == "uniform" else _normals)(xp, dtype, words)
        flat = parts.T.reshape(-1)[:size]
    return flat.astype(dtype.np).reshape(shape)


def _truncated(xp: Any, dtype: DType, key: Any, high: Any, start: Any, size: int) -> Any:
    group = 2 if dtype is dtypes.float64 else 4
    groups = -(-size // group)
    first = _positions(xp, start, groups, group * RESERVED // 4)
    where = first[:, None] + xp.arange(TRIES, dtype=np.uint64)
    normals = xp.moveaxis(_normals(xp, dtype, blocks(xp, key, high, where)), 0, -1).reshape(groups, TRIES * group)
    order = xp.argsort(xp.abs(normals) >= 2, axis=1, stable=True)[:, :group]  # those inside first, in order
    return xp.take_along_axis(normals, order, axis=1).reshape(-1)[:size]


def doubles(key: int, high: int, start: int, count: int) -> np.ndarray:
    """`count` float64 in [0, 1) as a reader of single words gets them, two words each."""
    words = blocks(np, np.uint64(key), np.uint64(high), _positions(np, np.uint64(start), -(-count // 2)))
    return _float64(words[1::2], words[0::2]).T.reshape(-1)[:count]
