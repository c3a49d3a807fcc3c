"""Measurements of more than one figure, of programs that TensorFlow and inlay both run."""

from __future__ import annotations

import gc
import itertools
import statistics
import threading
import time
from typing import Any

import numpy as np

from benchmarks.cases.datasets_growth import bare_growth, data_growth
from benchmarks.cases.growing import bare_work, work_growth
from benchmarks.cases.programs import program
from benchmarks.timing import resident_mb


def _chain(tf: Any, size: int) -> tuple[Any, Any, Any]:
    """`size` ops in a row: py_funcs and adds by turns."""
    with tf.Graph().as_default() as graph:
        x = y = tf.compat.v1.placeholder(tf.float32, [4])
        for k in range(size):
            y = y + 1.0 if k % 2 else tf.compat.v1.py_func(lambda v: v + np.float32(1), [y], tf.float32)
    return graph, x, y


def growth(tf: Any, size: int, steady_seconds: float) -> dict[str, float]:
    """Builds and runs a chain of `size` ops.

    Args:
      tf: the library.
      size: how many ops.
      steady_seconds: about how long the steady runs take together.

    Returns:
      Seconds to build, of the first run (with the session's making), of a steady run; MB that graph and session took.
    """
    feed = np.zeros(4, np.float32)
    graph, x, y = _chain(tf, 3)  # what a process pays once is not this graph's
    with tf.compat.v1.Session(graph=graph) as sess:
        sess.run(y, {x: feed})
    del graph, x, y, sess
    gc.collect()
    before, start = resident_mb(), time.perf_counter()
    graph, x, y = _chain(tf, size)
    built = time.perf_counter()
    session = tf.compat.v1.Session(graph=graph)
    value = session.run(y, {x: feed})
    ran = time.perf_counter()
    if value[0] != size:
        raise AssertionError(f"a chain of {size} additions of 1 gave {value[0]}")
    memory = resident_mb() - before
    steady = []
    while len(steady) < 3 or (sum(steady) < steady_seconds and len(steady) < 2000):
        began = time.perf_counter()
        session.run(y, {x: feed})
        steady.append(time.perf_counter() - began)
    return {
        "build": built - start,
        "first": ran - built,
        "steady": statistics.median(steady[len(steady) // 2 :]),
        "mb": memory,
    }


def concurrency(tf: Any, threads: int, wide: int, seconds: float) -> dict[str, float]:
    """Runs one session from many threads, each with its own feed, and checks every value.

    Args:
      tf: the library.
      threads: how many run at once.
      wide: how many independent py_funcs a run has.
      seconds: how long.

    Returns:
      Runs, seconds; calls of host functions and wrong values, for the reader to check.
    """
    calls = itertools.count()

    def body(value: Any) -> Any:
        next(calls)
        return value + np.float32(1)

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [])
        ys = [tf.compat.v1.py_func(body, [x], tf.float32) for _ in range(wide)]
    session = tf.compat.v1.Session(graph=graph)
    for _ in range(200):
        session.run(ys, {x: np.float32(0)})
    ran, wrong = [0] * threads, [0] * threads
    gate, before = threading.Barrier(threads + 1), next(calls) + 1
    end = [0.0]

    def work(me: int) -> None:
        fed, expected = np.float32(me), [float(me + 1)] * wide
        run, clock, count, bad = session.run, time.perf_counter, 0, 0
        gate.wait()
        while clock() < end[0]:
            bad += run(ys, {x: fed}) != expected
            count += 1
        ran[me], wrong[me] = count, bad

    workers = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for worker in workers:
        worker.start()
    start = time.perf_counter()
    end[0] = start + seconds
    gate.wait()
    for worker in workers:
        worker.join()
    took = time.perf_counter() - start
    return {"runs": sum(ran), "seconds": took, "calls": next(calls) - before, "wrong": sum(wrong)}


FIGURES = {
    "growth": growth,
    "concurrency": concurrency,
    "data_growth": data_growth,
    "bare_growth": bare_growth,
    "work_growth": work_growth,
    "bare_work": bare_work,
    "program": program,
}
