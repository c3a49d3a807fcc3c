"""Large arrays worked on block by block, the blocks on several threads where that is faster: see `costs`.

    division(values)                  how arrays are divided that are broadcast to one shape
    elementwise(function, values)     a function of arrays element by element, on blocks that stay in the cache
    in_blocks(each)                   has a kernel do so where it pays
    on_threads(ufunc, x)              a single function of NumPy's, likewise

The division of an array depends on its shape alone, so results do not depend on the number of threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.interpreter.caches import BoundedCache
from inlay._src.base.interpreter.costs import ThreadChoice, nanoseconds
from inlay._src.base.interpreter.threads import spread
from inlay._src.base.tuning import TUNING

Function = Callable[..., "Sequence[Any]"]


class Division(NamedTuple):
    """A division of broadcast arrays along one axis.

    Attributes:
      values: the arrays and scalars.
      parts: the same, flat if all that is divided has the whole shape and lies in one piece.
      divided: of each, whether it is divided along its first axis; else it goes to every block.
      length: of that axis.
      shape: the whole shape.
      flat: whether the parts are flat.
    """

    values: Sequence[Any]
    parts: Sequence[Any]
    divided: Sequence[bool]
    length: int
    shape: tuple[int, ...]
    flat: bool

    @property
    def rank(self) -> int:
        """The number of axes of the divided parts."""
        return 1 if self.flat else len(self.shape)

    @property
    def form(self) -> tuple[Any, ...]:
        """The broadcasting of the parts, whatever the length of the axis."""
        pairs = zip(self.parts, self.divided, strict=True)
        return (self.rank, *[p.shape[1:] if divided else (p.shape,) for p, divided in pairs])

    def whole(self, tail: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of a result with `tail` behind that axis."""
        return self.shape if self.flat else (self.length, *tail)


def division(values: Sequence[Any]) -> Division | None:
    """The division of arrays and NumPy scalars; None if they are small, or cannot be."""
    arrays = [value for value in values if value.ndim]
    if not arrays or any(a.dtype.kind in "OSU" for a in arrays):  # strings
        return None
    try:
        shape = np.broadcast_shapes(*[a.shape for a in arrays])
    except ValueError:  # the function says it in its own words
        return None
    size = math.prod(shape)
    if size < TUNING.blocked_elements:
        return None
    if all(a.shape == shape and a.flags.c_contiguous for a in arrays):
        parts, divided = [v.reshape(-1) if v.ndim else v for v in values], [v.ndim > 0 for v in values]
        return Division(values, parts, divided, size, shape, True)
    length = shape[0]
    if length < 4 or size // length > 2 * TUNING.block_elements:  # too few rows, or too long ones
        return None
    divided = [v.ndim == len(shape) and v.shape[0] == length for v in values]
    return Division(values, values, divided, length, shape, False)


def rows_of(length: int, elements: int, size: int) -> int:
    """The number of rows of a block.

    Args:
      length: the number of rows.
      elements: of a row.
      size: bytes of all that a block holds per row.
    """
    rows = max(
        min(TUNING.block_bytes // max(size, 1), TUNING.block_elements // elements),
        TUNING.block_least_elements // elements,
        1,
    )
    count = -(-length // rows)
    return -(-length // (count + count % 2)) if count > 1 else length


def elementwise(function: Function, values: Sequence[Any], threads: int = 0) -> list[np.ndarray] | None:
    """The results of an elementwise function for large arrays.

    Args:
      function: takes the values, or the same part of each, and returns arrays of the shape that the values have when
        they are broadcast. It does not change them, and may be called more than once on the same ones.
      values: arrays and NumPy scalars.
      threads: on how many threads at most; 0: as many as may be.

    Returns:
      The results, whole; None if the arrays are small, or cannot be divided.
    """
    how = division(values)
    if how is None:
        return None
    length, elements = how.length, math.prod(how.shape) // how.length
    rows = max(TUNING.block_elements // elements, 1)
    wanted = () if how.flat else how.shape[1:]

    def compute(start: int) -> Sequence[Any]:
        cut = slice(start, start + rows)
        return function(*[p[cut] if d else p for p, d in zip(how.parts, how.divided, strict=True)])

    first = compute(0)
    if any(np.shape(r) != (min(rows, length), *wanted) or r.dtype.kind in "OSU" for r in first):
        return None
    results = [np.empty(how.shape, r.dtype) for r in first]  # who gets one can see that nobody else has its memory
    places = [result.reshape(length, *wanted) for result in results]

    def work(block: int) -> None:
        start = (block + 1) * rows
        for place, part in zip(places, compute(start), strict=True):
            place[start : start + rows] = part

    for place, part in zip(places, first, strict=True):
        place[:rows] = part
    spread(work, -(-length // rows) - 1, threads)
    return results


def in_blocks(each: float) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Has a kernel, `kernel(xp, *arrays, **attributes)`, that works element by element divide large arrays if it pays.

    Args:
      each: the nanoseconds that it takes per element of 32 bits, about. A pass at the speed of memory, as `relu` is,
        takes twice as long in blocks.
    """

    def decorate(kernel: Callable[..., Any]) -> Callable[..., Any]:
        choice = ThreadChoice()

        @functools.wraps(kernel)
        def divided(xp: Any, *values: Any, **attributes: Any) -> Any:
            if xp is np:
                for value in values:
                    if value.__class__ is np.ndarray and value.size >= TUNING.blocked_elements:
                        calls = TUNING.kernel_arrays * value.size / TUNING.block_elements
                        with choice.over(each / 4 * value.nbytes, calls) as threads:
                            results = None
                            if threads > 1 or TUNING.kernel_arrays * value.nbytes > TUNING.cached_bytes:
                                results = elementwise(
                                    lambda *parts: (kernel(np, *parts, **attributes),), values, threads
                                )
                            return kernel(xp, *values, **attributes) if results is None else results[0]
            return kernel(xp, *values, **attributes)

        divided.__dict__["each"] = each
        return divided

    return decorate


_CHOICES: BoundedCache[Any, ThreadChoice] = BoundedCache("functions on threads", 256, lambda ufunc: ThreadChoice())


def on_threads(ufunc: Any, x: Any) -> Any:
    """The result of a unary ufunc for a large array, on several threads where they are faster."""
    if not x.flags.c_contiguous:
        return ufunc(x)
    with _CHOICES[ufunc].over(nanoseconds(ufunc, x.dtype) * x.size, x.size / TUNING.block_elements) as threads:
        return ufunc(x) if threads == 1 else _in_parts(ufunc, x, threads)


def _in_parts(ufunc: Any, x: np.ndarray, threads: int) -> np.ndarray:
    flat = x.reshape(-1)
    out = np.empty(x.shape, ufunc(flat[:0]).dtype)
    place, rows = out.reshape(-1), rows_of(x.size, 1, 2 * x.itemsize)

    def work(turn: int) -> None:
        cut = slice(turn * rows, turn * rows + rows)
        ufunc(flat[cut], out=place[cut])

    spread(work, -(-x.size // rows), threads)
    return out
