"""Elements chosen among arrays: `where`, and the greatest of rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING
from inlay._src.ops.shaping import wide

SIGNED: dict[int, Any] = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
"""Bytes of a number -> integers of that width, by which its bits are chosen."""


def selected(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """`x` where the condition holds, else `y`; the three broadcast.

    NumPy's `where` branches for each element, which costs ten times as much where the condition has no pattern. Here
    bits are chosen by a product, so that no branch depends on a value: `y ^ ((x ^ y) * condition)`.
    """
    shape = condition.shape
    alike = (x.shape == shape or not x.ndim) and (y.shape == shape or not y.ndim)
    if xp is not np or (
        condition.size < TUNING.where_bit_elements
        if alike
        else max(condition.size, x.size, y.size) <= TUNING.where_broadcast_elements
    ):
        return xp.where(condition, x, y)
    if x.dtype != y.dtype or x.dtype.hasobject or x.dtype.itemsize not in SIGNED:
        return np.where(condition, x, y)
    if not alike:
        try:
            shape = np.broadcast_shapes(shape, x.shape, y.shape)
        except ValueError:  # `where` says it in the same words for all sizes
            return np.where(condition, x, y)
    size, parts = math.prod(shape), (condition, x, y)
    if alike and size * x.itemsize <= TUNING.where_block_bytes and all([part.flags.c_contiguous for part in parts]):
        return _in_one_block(condition, x, y)
    flat = all(part.size in (1, size) and part.flags.c_contiguous for part in parts)
    if size < TUNING.where_bit_elements or _turns_seldom(condition, shape, x.dtype.itemsize):
        return np.where(condition, x, y)
    return _selected_by_bits(parts, np.empty(shape, x.dtype), flat)


def _in_one_block(condition: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """As `_selected_by_bits`, of arrays of the shape of the condition, or numbers, that are one part."""
    bits, out = SIGNED[x.itemsize], np.empty(condition.shape, x.dtype)
    a, b = x.view(bits), y.view(bits)
    _choose(condition, a, b, not a.ndim and not a, not b.ndim and not b, out.view(bits))
    return out


def _choose(chosen: Any, a: Any, b: Any, from_nothing: bool, to_nothing: bool, out: np.ndarray) -> None:
    """Writes the bits of `a` where `chosen` is 1, else those of `b`.

    Args:
      chosen: 1 and 0, of the shape of `out` or one that broadcasts to it.
      a, b: integers, likewise.
      from_nothing, to_nothing: whether `a` is 0, and whether `b` is.
      out: integers of the same width.
    """
    mixed = b if from_nothing else a if to_nothing else np.bitwise_xor(a, b, out)
    np.multiply(mixed, chosen, out)
    if not to_nothing:
        np.bitwise_xor(out, b, out)


def _turns_seldom(condition: np.ndarray, shape: tuple[int, ...], itemsize: int) -> bool:
    """Whether `where` branches one way through whole rows, and is no slower for that."""
    long = condition.ndim == 0 or condition.shape[-1] < shape[-1]
    return condition.size == 1 or (long and (itemsize == 8 or shape[-1] < TUNING.where_narrow_columns))


_SELECTED = ThreadChoice()


def _selected_by_bits(operands: Sequence[np.ndarray], out: np.ndarray, flat: bool) -> np.ndarray:
    """Fills `out`; `flat` says that what has its size lies as it does."""
    bits, shape = SIGNED[out.itemsize], out.shape
    parts = [operands[0], operands[1].view(bits), operands[2].view(bits)]
    from_nothing, to_nothing = (part.size == 1 < out.size and not part.any() for part in parts[1:])
    if flat:
        whole, parts = out.view(bits).reshape(-1), [part.reshape(-1) for part in parts]
    else:
        if parts[0].size < out.size:
            parts[0] = parts[0].astype(bits)  # once, not in every block that it is broadcast to
        whole, parts = out.view(bits), [np.broadcast_to(part, shape) for part in parts]
    copied = [shape[-1] < TUNING.where_narrow_columns and not part.flags.c_contiguous for part in parts]
    places = list(_parts(whole.shape, TUNING.where_block_bytes // out.itemsize))

    def work(turn: int) -> None:
        here = places[turn]
        to = whole[here]
        mine = [part if part.shape == (1,) else part[here] for part in parts]
        chosen, a, b = (np.ascontiguousarray(p) if copy else p for p, copy in zip(mine, copied, strict=True))
        _choose(chosen, a, b, from_nothing, to_nothing, to)

    with _SELECTED.over(TUNING.where_byte_ns * out.nbytes, 3 * len(places)) as threads:
        spread(work, len(places), threads)
    return out


def _parts(shape: tuple[int, ...], most: int) -> Iterator[tuple[Any, ...]]:
    """Indices of parts of an array, each in one piece and of no more elements than `most`."""
    if math.prod(shape) <= most:
        yield ()
        return
    axis = next(k for k in range(len(shape)) if math.prod(shape[k + 1 :]) <= most)
    rows = most // math.prod(shape[axis + 1 :])
    for outer in np.ndindex(*shape[:axis]):
        for start in range(0, shape[axis], rows):
            yield (*outer, slice(start, start + rows))


# ---------------------------------------------------------------- the greatest of rows


def greatest_places(x: np.ndarray, count: int) -> np.ndarray:
    """Where the greatest elements of the last axis stand, in falling order; of equal ones the first comes first.

    NaN counts as greater than any number.
    """
    width = x.shape[-1]
    if x.size >= 1024 and 0 < count <= width // 4:
        rows = wide(x).reshape(-1, width)  # half precision has no fast loops
        places = (_one_by_one if count <= TUNING.top_k_searches else _by_partition)(rows, count)
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
    each = max(TUNING.top_k_block_elements * 4 // rows.shape[1], 1)
    for start in range(0, len(rows), each):
        part = rows[start : start + each]
        left = part.copy() if count > 1 else part
        flat, line = left.reshape(-1), np.arange(len(part)) * rows.shape[1]
        for k in range(count):
            columns = left.argmax(axis=1)
            places[start : start + each, k] = columns
            if k < count - 1:
                flat[line + columns] = lowest
            elif k and (flat[line + columns] == lowest).any():
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
