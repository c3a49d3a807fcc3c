"""The C library's allocator: large arrays are made of memory that the process has already.

glibc asks the system for each block above a threshold, and gives it back when it is free: every page of a new array is
a fault then, which costs more than the arithmetic on it. The threshold rises to the size of the largest such block that
was freed, up to 32 MB, and with it what is kept at the end of the heap, up to twice as much (mallopt(3),
`M_MMAP_THRESHOLD`). So it comes to the same in any program that has dropped one array of that size.
"""

from __future__ import annotations

import contextlib

import numpy as np

HIGHEST = (32 << 20) - (8 << 10)
"""Bytes of the largest block that counts, less what glibc adds to it."""


def keep_memory() -> None:
    """Drops one array of the size that counts; none of its pages was used.

    Nothing changes where the environment sets the thresholds (`MALLOC_TRIM_THRESHOLD_`), with another C library, or
    where the process may not have so much memory (`ulimit -v`).
    """
    with contextlib.suppress(MemoryError):
        np.empty(HIGHEST, np.uint8)
