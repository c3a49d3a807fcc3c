"""Datasets of growing depth and growing elements, as TensorFlow and inlay both run them."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.cases.datasets import called, elsewhere, unchanged

STAGES = (1, 2, 5, 10)
SIZES = (8, 1 << 10, 1 << 16, 1 << 20, 10 << 20, 100 << 20)
"""Bytes of an element."""
LEAST = 6
"""How many elements are timed at least."""


def _numbers(tf: Any) -> Any:
    return tf.data.Dataset.range(1 << 60)


def _host(tf: Any, kind: Any) -> Callable[[Any], Any]:
    """A function of elements that calls a host function which does nothing, and says what it gives."""

    def function(x: Any) -> Any:
        made = tf.numpy_function(unchanged, [x], kind)
        made.set_shape(x.shape)
        return made

    return function


def _maps(tf: Any, count: int) -> Any:
    dataset = _numbers(tf)
    for _ in range(count):
        dataset = dataset.map(lambda x: x + 1)
    return dataset


def _host_functions(tf: Any, count: int) -> Any:
    dataset = _numbers(tf)
    for _ in range(count):
        dataset = dataset.map(_host(tf, tf.int64))
    return dataset


def _mixed(tf: Any, count: int) -> Any:
    dataset = _numbers(tf)
    for _ in range(count):
        dataset = dataset.map(lambda x: x + 1).filter(lambda x: x > 0).shuffle(16, seed=1).batch(4).unbatch()
    return dataset


def _elements(tf: Any, size: int) -> Any:
    return tf.data.Dataset.from_tensors(np.zeros(size // 8)).repeat()


def _through_op(tf: Any, size: int) -> Any:
    return _elements(tf, size).map(lambda x: x + 1.0)


def _through_host_function(tf: Any, size: int) -> Any:
    return _elements(tf, size).map(_host(tf, tf.float64))


def _in_processes(tf: Any, size: int) -> Any:
    return _elements(tf, size).map(called(tf, unchanged, tf.float64), **elsewhere(tf))


def _batched(tf: Any, size: int) -> Any:
    return _elements(tf, size).batch(2).unbatch()


class Series(NamedTuple):
    """Datasets that grow.

    Attributes:
      points: how many stages, or bytes of an element.
      dataset: makes that of a point.
      bare: for arrays, what NumPy has to do at least: takes one, and is called for `each` elements.
    """

    points: tuple[int, ...]
    dataset: Callable[[Any, int], Any]
    bare: Callable[[Any], Any] | None = None
    each: int = 1


SERIES: dict[str, Series] = {
    "maps": Series(STAGES, _maps),
    "maps that call a host function": Series(STAGES, _host_functions),
    "map, filter, shuffle, batch, unbatch": Series(STAGES, _mixed),
    "elements through an op": Series(SIZES, _through_op, lambda x: x + 1.0),
    "elements through a host function": Series(SIZES, _through_host_function, np.copy),
    "elements through two processes": Series(SIZES, _in_processes),
    "elements through batch and unbatch": Series(SIZES, _batched, lambda x: np.stack([x, x]), 2),
}
"""By title."""


def data_growth(tf: Any, series: str, at: int, seconds: float) -> dict[str, float]:
    """Reads a dataset for a while.

    Args:
      tf: the library.
      series: a title in `SERIES`.
      at: how many stages, or bytes of an element.
      seconds: how long, about; a tenth of it before is not timed.

    Returns:
      Seconds per element.
    """
    iterator: Iterator[Any] = iter(SERIES[series].dataset(tf, at))
    next(iterator)
    _read(iterator, seconds / 10, least=1)
    elements, took = _read(iterator, seconds)
    return {"element": took / elements}


def bare_growth(tf: Any, series: str, at: int, seconds: float) -> dict[str, float]:
    """The same in a loop around NumPy, which holds the last result while it makes the next one.

    Args:
      tf: not used.
      series: a title in `SERIES`, with `bare`.
      at: bytes of an element.
      seconds: how long, about.

    Returns:
      Seconds per element.
    """
    found, array = SERIES[series], np.zeros(at // 8)
    assert found.bare is not None
    results = map(found.bare, itertools.repeat(array))
    _read(results, seconds / 10, least=1)
    calls, took = _read(results, seconds)
    return {"element": took / calls / found.each}


def _read(iterator: Iterator[Any], seconds: float, least: int = LEAST) -> tuple[int, float]:
    """How many elements were read in about so many seconds, and how long that took."""
    begin, elements, more, now = time.perf_counter(), 0, 1, 0.0
    while now < seconds or elements < least:
        for _last in itertools.islice(iterator, more):  # it is held until the next one is there
            pass
        elements, now = elements + more, time.perf_counter() - begin
        more = max(1, min(elements, int(elements / now * (seconds - now) / 2)))
    return elements, now
