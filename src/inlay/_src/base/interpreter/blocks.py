"""Large arrays worked on block by block, the blocks on all cores: NumPy leaves the interpreter for each.

    spread(work, count)               work(0), work(1) ... on this thread and its helpers
    division(values)                  how arrays are divided that are broadcast to one shape
    elementwise(function, values)     a function of arrays element by element, on blocks that stay in the cache
    in_blocks(each)                   has a kernel do so where it pays
    on_threads(ufunc, x)              a single function of NumPy's, likewise

The division of an array depends on its shape alone, so results do not depend on the number of threads.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import floating
from inlay._src.base.interpreter import threads as helping
from inlay._src.base.interpreter.costs import nanoseconds
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.base.tuning import TUNING

THREADS = "INLAY_INTRA_OP_THREADS"
"""The environment variable that says how many threads work on one op; worker processes are started with 1."""

Function = Callable[..., "Sequence[Any]"]


def _nothing(turn: int) -> None:
    raise AssertionError(f"turn {turn} of work that is done")


class _SharedWork:
    """Something to be done `count` times, by the next free thread."""

    def __init__(self, work: Callable[[int], None], count: int) -> None:
        self._work, self._count = work, count
        self._turns = itertools.count()
        self._lock = new_lock()
        self._left = count
        self._error: BaseException | None = None
        self._done = threading.Event()

    def take_part(self) -> None:
        """Does what nobody else has begun; returns when there is nothing left to begin."""
        done = 0
        while (turn := next(self._turns)) < self._count:
            try:
                if self._error is None:
                    self._work(turn)
            except BaseException as error:
                self._error = error
            done += 1
        with self._lock:
            self._left -= done
            if not self._left:
                self._done.set()

    def help(self) -> None:
        """Takes part on a thread of its own."""
        before = floating.silence(floating.SILENT)
        try:
            self.take_part()
        finally:
            floating.restore(before)

    def finish(self) -> None:
        """Waits for the others; raises what failed first."""
        self._done.wait()
        self._work = _nothing  # a thread that comes late must not keep arrays alive
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None


def _usual_threads() -> int:
    setting = os.environ.get(THREADS, "")
    return int(setting) if setting.isdecimal() and int(setting) else len(os.sched_getaffinity(0))


_USUAL = _usual_threads()
_asked = 0


@export("config.threading.get_intra_op_parallelism_threads")
def get_intra_op_parallelism_threads() -> int:
    """The number of threads for one op over large arrays; 0: one per core that this process may use."""
    return _asked


@export("config.threading.set_intra_op_parallelism_threads")
def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Sets how many threads work on one op over large arrays.

    Args:
      num_threads: the caller's counted; 0 is one per core that this process may use.

    Raises:
      ValueError: for what is no such number.
    """
    global _asked
    if isinstance(num_threads, bool) or not isinstance(num_threads, int) or num_threads < 0:
        raise ValueError(f"set_intra_op_parallelism_threads: a number of threads, 0 or more, not {num_threads!r}")
    _asked = num_threads


_inter_op = 0


@export("config.threading.get_inter_op_parallelism_threads")
def get_inter_op_parallelism_threads() -> int:
    """The number that `set_inter_op_parallelism_threads` was given, 0 without one."""
    return _inter_op


@export("config.threading.set_inter_op_parallelism_threads")
def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Accepted: ops run one after the other, and beside those that block, so there is no number to set."""
    global _inter_op
    _inter_op = num_threads


def threads_for(work: float, calls: float) -> int:
    """On how many threads something is done soonest that takes one `work` nanoseconds and so many calls of NumPy."""
    threads = _asked or _USUAL
    return threads if work - work / threads > TUNING.thread_wakeup_ns + calls * TUNING.interpreter_switch_ns else 1


def spread(work: Callable[[int], None], count: int, threads: int = 0) -> None:
    """Calls `work(0)` to `work(count - 1)`, each once, in no order, on several threads.

    Args:
      work: writes what it makes where no other call does. It runs without floating-point reports.
      count: the number of calls.
      threads: on how many at most, the caller's counted; 0: as many as may be.

    Raises:
      BaseException: the exception of a call; no further one is begun then.
    """
    helpers = min(threads or _asked or _USUAL, count) - 1
    if helpers < 1:
        for turn in range(count):
            work(turn)
        return
    shared = _SharedWork(work, count)
    for _ in range(helpers):
        try:
            helping.HELPERS.submit(shared.help)
        except RuntimeError:  # no more threads can be had: this one does it all
            break
    shared.take_part()
    shared.finish()


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
        @functools.wraps(kernel)
        def divided(xp: Any, *values: Any, **attributes: Any) -> Any:
            if xp is np:
                for value in values:
                    if value.__class__ is np.ndarray and value.size >= TUNING.blocked_elements:
                        threads = threads_for(
                            each / 4 * value.nbytes, TUNING.kernel_arrays * value.size / TUNING.block_elements
                        )
                        if threads > 1 or TUNING.kernel_arrays * value.nbytes > TUNING.cached_bytes:
                            results = elementwise(lambda *parts: (kernel(np, *parts, **attributes),), values, threads)
                            if results is not None:
                                return results[0]
                        break
            return kernel(xp, *values, **attributes)

        divided.__dict__["each"] = each
        return divided

    return decorate


def on_threads(ufunc: Any, x: Any) -> Any:
    """The result of a unary ufunc for a large array; None where several threads are no faster."""
    threads = threads_for(nanoseconds(ufunc, x.dtype) * x.size, x.size / TUNING.block_elements)
    if threads == 1 or not x.flags.c_contiguous:
        return None
    flat = x.reshape(-1)
    out = np.empty(x.shape, ufunc(flat[:0]).dtype)
    place, rows = out.reshape(-1), rows_of(x.size, 1, 2 * x.itemsize)

    def work(turn: int) -> None:
        cut = slice(turn * rows, turn * rows + rows)
        ufunc(flat[cut], out=place[cut])

    spread(work, -(-x.size // rows), threads)
    return out
