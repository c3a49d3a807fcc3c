"""Rows combined at indices, for NumPy: the shared kernels of scatter ops, segment ops and gradients of gathers."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.interpreter.costs import ThreadChoice
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING


def combine_at(ufunc: Any, out: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """`out[rows[i]] = ufunc(out[rows[i]], values[i])` for each i in turn, also where rows are named twice.

    NumPy's `ufunc.at` has a fast loop for vectors; of a matrix it takes each row by itself, at five times the cost. So
    columns are taken one by one. The numbers of a place meet in the same order either way.

    Args:
      ufunc: np.add, np.multiply, np.maximum or np.minimum.
      out: the rows that are there.
      rows: a vector of indices.
      values: one row for each index, of the type of `out`.
    """
    width = out[:1].size
    if width < 2 or len(rows) < TUNING.segment_column_rows or out.dtype.kind not in "iuf" or not out.flags.c_contiguous:
        if width == 1 and out.flags.c_contiguous:
            ufunc.at(out.reshape(-1), rows, values.reshape(-1))
        else:
            ufunc.at(out, rows, values)
        return
    whole, updates = out.reshape(-1, width), values.reshape(-1, width)
    rows = rows.astype(np.intp, copy=False)
    if len(whole) > 2 * len(rows):
        for k in range(width):
            ufunc.at(whole[:, k], rows, updates[:, k])
        return
    for k in range(width):  # most rows change: they are worked on side by side
        column = whole[:, k].copy()
        ufunc.at(column, rows, updates[:, k])
        whole[:, k] = column


_SORTED = ThreadChoice()


def combine_sorted(ufunc: Any, out: np.ndarray, rows: np.ndarray, values: np.ndarray) -> None:
    """As `combine_at`, of indices in rising order."""
    if not len(rows):
        return
    starts = np.flatnonzero(np.concatenate(([True], rows[1:] != rows[:-1])))
    count = min(values.size // TUNING.block_elements, len(starts)) or 1

    def work(turn: int, count: int) -> None:
        here = starts[turn * len(starts) // count : (turn + 1) * len(starts) // count + 1]
        last = (turn + 1) * len(starts) // count == len(starts)
        here, end = (here, len(rows)) if last else (here[:-1], here[-1])
        named = rows[here]
        partial = ufunc.reduceat(values[here[0] : end], here - here[0], axis=0, dtype=out.dtype)
        out[named] = ufunc(out[named], partial)

    with _SORTED.over(TUNING.segment_byte_ns * values.nbytes, 4 * count) as threads:
        count = 1 if threads == 1 else count
        spread(lambda turn: work(turn, count), count, threads)


def combine_points(ufunc: Any, out: np.ndarray, where: tuple[Any, ...], values: np.ndarray) -> None:
    """As `combine_at`, at indices of the first axes: integer arrays that broadcast, one for each, or slices."""
    if (
        values.size < TUNING.segment_column_rows
        or not all(isinstance(part, np.ndarray) for part in where)
        or not out.flags.c_contiguous
    ):
        ufunc.at(out, where, values)
        return
    indices, ends = np.broadcast_arrays(*where), out.shape[: len(where)]
    if any(part.min() < 0 or part.max() >= end for part, end in zip(where, ends, strict=True)):
        ufunc.at(out, where, values)  # counts from the end, or says what is wrong
        return
    rest = out.shape[len(where) :]
    rows = indices[0] if len(where) == 1 else np.ravel_multi_index(indices, ends)
    whole = out.reshape(-1, *rest)
    combine_at(ufunc, whole, rows.reshape(-1), np.broadcast_to(values, rows.shape + rest).reshape(-1, *rest))
