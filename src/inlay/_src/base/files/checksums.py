"""CRC-32C, the checksum of records: google-crc32c, or the same from tables where that is not installed.

A checksum is linear: that of a block is the exclusive or of the contributions of its bytes, each at its place. So
NumPy looks all contributions of a block up in tables at once, and only the combination of blocks is a loop of Python.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

try:
    import google_crc32c
except ImportError:
    google_crc32c = None  # type: ignore[assignment]

_POLYNOMIAL = 0x82F63B78
_BLOCK = 256
_PART = 1 << 20
"""Bytes that are looked up at a time: their contributions take four times as many."""


@functools.cache
def _tables() -> np.ndarray:
    """The contribution of byte `b` with `k` bytes after it: row `k`, column `b`."""
    rows = np.empty((_BLOCK, 256), np.uint32)
    row = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        row = np.where(row & 1, row >> 1 ^ np.uint32(_POLYNOMIAL), row >> 1)
    for k in range(_BLOCK):
        rows[k] = row
        row = row >> 8 ^ rows[0][row & 0xFF]
    return rows


@functools.cache
def _lists() -> list[list[int]]:
    """The rows that combine blocks, and row 0 that adds a byte, as Python's integers."""
    return [_tables()[k].tolist() for k in (0, _BLOCK - 4, _BLOCK - 3, _BLOCK - 2, _BLOCK - 1)]


def extended(checksum: int, data: bytes) -> int:
    """`extend` from tables."""
    state = checksum ^ 0xFFFFFFFF
    whole = len(data) - len(data) % _BLOCK
    one, *rows = _lists()
    for start in range(0, whole, _PART):
        part = np.frombuffer(data, np.uint8, min(_PART, whole - start), start).reshape(-1, _BLOCK)
        contributions = _tables()[np.arange(_BLOCK)[::-1], part]
        for block in np.bitwise_xor.reduce(contributions, axis=1).tolist():
            low = rows[3][state & 0xFF] ^ rows[2][state >> 8 & 0xFF]
            state = block ^ low ^ rows[1][state >> 16 & 0xFF] ^ rows[0][state >> 24]
    for byte in data[whole:]:
        state = state >> 8 ^ one[(state ^ byte) & 0xFF]
    return state ^ 0xFFFFFFFF


extend: Callable[[int, bytes], int] = extended if google_crc32c is None else google_crc32c.extend
"""The checksum of bytes whose first part has a checksum (0 if it is empty), and whose rest is given."""


def extend_by(checksum: int, array: np.ndarray) -> int:
    """`extend` by the bytes of a vector, which google-crc32c reads in place.

    Args:
      checksum: that of what comes before.
      array: uint8, in one piece.
    """
    return extend(checksum, array if google_crc32c is not None else array.tobytes())  # type: ignore[arg-type]
