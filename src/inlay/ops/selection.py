"""Elements chosen among arrays: `where`, and the greatest of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.ops.shaping import wide

SOME = 4096
"""Elements from which `where` chooses by bits."""

MANY = 16_384
"""Elements that are worked on at a time, so that what is made on the way stays in the cache."""

CHOSEN = 1 << 18
"""Bytes that `where` chooses at a time, for the same reason."""

FEW_GREATEST = 32
"""How many greatest of a row are looked for one by one."""

SIGNED: dict[int, Any] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
"""Bytes of a number -> integers of that width, by which its bits are chosen."""


def selected(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, else `y`; the three broadcast.

    NumPy's `where` branches for each element, which costs ten times as much where the condition has no pattern. Here
    bits are chosen by a product, so that no branch depends on a value: `y ^ ((x ^ y) * condition)`.
    """
    size = np.size(condition)
    if xp is not np or size < SOME or x.dtype != y.dtype or x.dtype.hasobject or x.dtype.itemsize not in SIGNED:
        return xp.where(condition, x, y)
    shape = np.shape(condition)
    for part in (condition, x, y):
        if part.size != 1 and not (part.shape == shape and part.flags.c_contiguous):
            return xp.where(condition, x, y)
    if max(x.ndim, y.ndim) > len(shape):
        return xp.where(condition, x, y)
    return _selected_by_bits(condition, x, y)


def _selected_by_bits(condition: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    bits, each = SIGNED[x.dtype.itemsize], CHOSEN // x.dtype.itemsize
    out = np.empty(condition.shape, x.dtype)
    chosen, (whole, first, second) = condition.reshape(-1), (part.reshape(-1).view(bits) for part in (out, x, y))
    from_nothing, to_nothing = (part.size == 1 < out.size and not part[0] for part in (first, second))
    for start in range(0, out.size, each):
        here = slice(start, start + each)
        a, b, to = first if first.size == 1 else first[here], second if second.size == 1 else second[here], whole[here]
        mixed = b if from_nothing else a if to_nothing else np.bitwise_xor(a, b, out=to)
        np.multiply(mixed, chosen[here], out=to)
        if not to_nothing:
            np.bitwise_xor(to, b, out=to)
    return out


# ---------------------------------------------------------------- the greatest of rows


def greatest_places(x: np.ndarray, count: int) -> np.ndarray:
    """Where the greatest elements of the last axis stand, in falling order; of equal ones the first comes first.

    NaN counts as greater than any number.
    """
    width = x.shape[-1]
    if x.size >= 1024 and 0 < count <= width // 4:
        rows = wide(x).reshape(-1, width)  # half precision has no fast loops
        places = (_one_by_one if count <= FEW_GREATEST else _by_partition)(rows, count)
        if places is not None:
            return places.reshape(*x.shape[:-1], count)
    return _first_places(wide(x), count)


def _by_sorting(x: np.ndarray) -> np.ndarray:
    """The places of all elements in falling order."""
    return _first_places(x, x.shape[-1])


def _first_places(x: np.ndarray, count: int) -> np.ndarray:
    backwards = x[..., ::-1].argsort(-1, "stable")
    return x.shape[-1] - 1 - backwards[..., : -count - 1 : -1]


def _one_by_one(rows: np.ndarray, count: int) -> np.ndarray | None:
    """The greatest of each row, then the greatest of what is left; None if a row has too few above the lowest number.

    `argmax` reads a row ten times as fast as a partition.
    """
    lowest = -np.inf if rows.dtype.kind not in "iu" else np.iinfo(rows.dtype).min
    places = np.empty((len(rows), count), np.intp)
    each = max(MANY * 4 // rows.shape[1], 1)
    for start in range(0, len(rows), each):
        part = rows[start : start + each]
        left = part.copy() if count > 1 else part
        flat, line = left.reshape(-1), np.arange(len(part)) * rows.shape[1]
        for k in range(count):
            found = left.argmax(axis=1)
            places[start : start + each, k] = found
            if k < count - 1:
                flat[line + found] = lowest
            elif k and (flat[line + found] == lowest).any():
                return None
    return places


def _by_partition(rows: np.ndarray, count: int) -> np.ndarray | None:
    """The elements above the least of the greatest, and the first of those that equal it; None if one is NaN."""
    best = np.partition(rows, rows.shape[1] - count, axis=1)[:, -count:]
    if rows.dtype.kind not in "iu" and np.isnan(best).any():
        return None
    least = best[:, :1]
    chosen, wanted = rows >= least, len(rows) * count
    if np.count_nonzero(chosen) > wanted:
        equal = rows == least
        spare = count - np.count_nonzero(rows > least, axis=1, keepdims=True)
        chosen &= ~equal | (np.cumsum(equal, axis=1) <= spare)
    places = np.nonzero(chosen)[1].reshape(len(rows), count)
    return np.take_along_axis(places, _by_sorting(np.take_along_axis(rows, places, axis=1)), axis=1)
