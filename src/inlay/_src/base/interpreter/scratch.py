"""Memory for intermediate results of kernels, which is retained from call to call.

The pages of new memory cost more than a pass over it, and each block of a kernel would ask for new memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from inlay._src.base.tuning import TUNING

_free: dict[str, list[np.ndarray]] = {}
_ALIGNMENT = 64


@contextmanager
def scratch(name: str, *wanted: tuple[Sequence[int], Any]) -> Iterator[list[np.ndarray]]:
    """Arrays whose memory belongs to the caller inside; their elements are not set.

    Args:
      name: of what uses it; each use has memory of its own, whose size fits the next call.
      wanted: the shape and the dtype of each array.
    """
    dtypes = [np.dtype(dtype) for _, dtype in wanted]
    sizes = [math.prod(shape) * dtype.itemsize for (shape, _), dtype in zip(wanted, dtypes, strict=True)]
    starts, end = [], 0
    for size in sizes:
        starts.append(end)
        end += -(-size // _ALIGNMENT) * _ALIGNMENT
    try:
        memory = _free[name].pop()
    except (KeyError, IndexError):
        memory = np.empty(0, np.uint8)
    if memory.size < end:
        memory = np.empty(end, np.uint8)
    yield [
        np.ndarray(tuple(shape), dtype, memory, start)
        for (shape, _), dtype, start in zip(wanted, dtypes, starts, strict=True)
    ]
    free = _free.setdefault(name, [])
    if memory.size <= TUNING.scratch_bytes and len(free) < TUNING.scratch_arrays:
        free.append(memory)
