"""The programs that TensorFlow and inlay both run: same text, `tf` is the one module or the other.

Each builder makes everything that is not measured and returns a `Timed`. Host functions that receive arrays return
their argument and those that receive eager tensors square it, so that what is timed is the call and hardly its body.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np

from benchmarks.cases import shapes
from benchmarks.timing import Timed, control, loop, staged

WAIT_SECONDS = 20.0  # how long a party waits at a barrier before the case fails


def unchanged(value: Any) -> Any:
    """The cheapest body: what is timed is the call."""
    return value


def square(value: Any) -> Any:
    return value * value


def session(tf: Any, graph: Any, fetches: Any, feeds: Any) -> Timed:
    """Times `session.run(fetches, feeds)`."""
    run = tf.compat.v1.Session(graph=graph).run
    return loop(lambda: run(fetches, feeds))


# ---------------------------------------------------------------- sessions


def session_py_func(tf: Any) -> Timed:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        y = tf.compat.v1.py_func(unchanged, [x], tf.float32)
    return session(tf, graph, y, {x: np.ones(4, np.float32)})


def session_py_func_chain(tf: Any) -> Timed:
    with tf.Graph().as_default() as graph:
        x = y = tf.compat.v1.placeholder(tf.float32, [4])
        for _ in range(50):
            y = tf.compat.v1.py_func(unchanged, [y], tf.float32)
    return session(tf, graph, y, {x: np.ones(4, np.float32)})


def session_py_func_wide(tf: Any) -> Timed:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        ys = [tf.compat.v1.py_func(unchanged, [x], tf.float32) for _ in range(100)]
    return session(tf, graph, ys, {x: np.ones(4, np.float32)})


def session_py_function(tf: Any) -> Timed:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        y = tf.py_function(square, [x], tf.float32)
    return session(tf, graph, y, {x: np.ones(4, np.float32)})


def session_py_function_gradient(tf: Any) -> Timed:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        y = tf.py_function(square, [x], tf.float32)
        (dy_dx,) = tf.gradients(y, [x])
    return session(tf, graph, [y, dy_dx], {x: np.ones(4, np.float32)})


def session_log_huber_gradient(tf: Any) -> Timed:
    def log_huber(x: Any, m: Any) -> Any:
        if tf.abs(x) <= m:
            return x**2
        return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32)
        m = tf.compat.v1.placeholder(tf.float32)
        y = tf.py_function(log_huber, [x, m], tf.float32)
        (dy_dx,) = tf.gradients(y, [x])
    return session(tf, graph, [y, dy_dx], {x: 3.0, m: 2.0})


# ---------------------------------------------------------------- functions and eager calls


def function_numpy_function(tf: Any) -> Timed:
    @tf.function
    def call(x: Any) -> Any:
        return tf.numpy_function(unchanged, [x], tf.float32)

    x = tf.constant(np.ones(4, np.float32))
    return loop(lambda: call(x))


def function_py_function(tf: Any) -> Timed:
    @tf.function
    def call(x: Any) -> Any:
        return tf.py_function(square, [x], tf.float32)

    x = tf.constant(np.ones(4, np.float32))
    return loop(lambda: call(x))


def eager_numpy_function(tf: Any) -> Timed:
    x = tf.constant(np.ones(4, np.float32))
    return loop(lambda: tf.numpy_function(unchanged, [x], tf.float32))


def eager_py_function(tf: Any) -> Timed:
    x = tf.constant(np.ones(4, np.float32))
    return loop(lambda: tf.py_function(square, [x], tf.float32))


def eager_py_function_gradient(tf: Any) -> Timed:
    x = tf.constant(np.ones(4, np.float32))

    def call() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(square, [x], tf.float32)
        return tape.gradient(y, x)

    return loop(call)


def eager_add(tf: Any) -> Timed:
    x, y = tf.constant(np.ones(4, np.float32)), tf.constant(np.ones(4, np.float32))
    return loop(lambda: x + y)


def eager_tape_multiply(tf: Any) -> Timed:
    x = tf.constant(np.ones(4, np.float32))

    def call() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return loop(call)


def new_shapes_gradient(tf: Any) -> Timed:
    """Forward and gradient of an array's log-Huber; no two calls of the process see the same shape."""
    arrays = shapes.distinct()
    m = tf.constant(2.0)

    def call() -> Any:
        x = tf.constant(next(arrays))
        with tf.GradientTape() as tape:
            tape.watch(x)
            outside = m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2 + 1e-6))
            y = tf.where(tf.abs(x) <= m, x**2, outside)
        return tape.gradient(y, x)

    return loop(call)


# ---------------------------------------------------------------- ops, large graphs, large arrays


def _sine_chain(tf: Any, size: int) -> Timed:
    with tf.Graph().as_default() as graph:
        x = y = tf.compat.v1.placeholder(tf.float32, [size])
        for _ in range(50):
            y = tf.sin(y) + 1.0
    return session(tf, graph, y, {x: np.linspace(0, 1, size, dtype=np.float32)})


def sine_chain_4(tf: Any) -> Timed:
    return _sine_chain(tf, 4)


def sine_chain_1e6(tf: Any) -> Timed:
    return _sine_chain(tf, 1_000_000)


def _large_graph(tf: Any) -> tuple[Any, Any, Any]:
    """A graph of 5,000 py_funcs and 5,000 sums, its input and its output."""
    with tf.Graph().as_default() as graph:
        x = y = tf.compat.v1.placeholder(tf.float32, [4])
        for _ in range(5000):
            y = tf.compat.v1.py_func(unchanged, [y], tf.float32) + 1.0
    return graph, x, y


def build_and_run_10000(tf: Any) -> Timed:
    feed = np.ones(4, np.float32)

    def call() -> Any:
        graph, x, y = _large_graph(tf)
        with tf.compat.v1.Session(graph=graph) as sess:
            return sess.run(y, {x: feed})

    return loop(call)


def run_10000(tf: Any) -> Timed:
    """Runs of a large graph once its plan is written, which takes some ten runs."""
    graph, x, y = _large_graph(tf)
    run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.ones(4, np.float32)}
    for _ in range(20):
        run(y, feeds)
    return loop(lambda: run(y, feeds))


def _placed(size: int, offset: int) -> Any:
    """Ones whose memory begins `offset` bytes after a multiple of 64."""
    raw = np.ones(4 * size + 128, np.uint8)
    start = (offset - raw.ctypes.data) % 64
    array = raw[start : start + 4 * size].view(np.float32)
    array[:] = 1
    return array


def _large(tf: Any, offset: int = 16, **options: Any) -> Timed:
    """NumPy's large arrays usually begin 16 bytes after a page does, so `offset` is 16 unless told."""
    size = 64 * 1024 * 1024  # 256 MB of float32

    def last(value: Any) -> Any:
        return value[-1]

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [size])
        y = tf.numpy_function(lambda value: value, [x], tf.float32, **options)
        z = tf.numpy_function(last, [y], tf.float32, **options)
    return session(tf, graph, z, {x: _placed(size, offset)})


def large_default(tf: Any) -> Timed:
    return _large(tf)


def large_aligned(tf: Any) -> Timed:
    return _large(tf, offset=0)


def large_without_copy(tf: Any) -> Timed:
    return _large(tf, copy=False) if tf.__name__ == "inlay" else _large(tf)


# ---------------------------------------------------------------- host calls that wait for one another


def _parties(tf: Any, count: int) -> tuple[Any, list[bool]]:
    """A run of `count` independent py_funcs, and a switch that makes each wait until all have started."""
    barrier, waiting = threading.Barrier(count), [False]

    def meet(value: Any) -> Any:
        if waiting[0]:
            barrier.wait(WAIT_SECONDS)
        return value

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [4])
        ys = [tf.compat.v1.py_func(meet, [x], tf.float32) for _ in range(count)]
    run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.ones(4, np.float32)}
    return (lambda: run(ys, feeds)), waiting


def blocking_pair_first(tf: Any) -> Timed:
    """The plan exists and has run; this is the first run in which one waits for the other."""

    def prepare() -> Any:
        call, waiting = _parties(tf, 2)
        call()
        waiting[0] = True
        return call

    return staged(prepare)


def blocking_pair_learned(tf: Any) -> Timed:
    call, waiting = _parties(tf, 2)
    waiting[0] = True
    for _ in range(20):
        call()
    return loop(call)


def barrier_64(tf: Any) -> Timed:
    call, waiting = _parties(tf, 64)
    waiting[0] = True
    return loop(call)


# ---------------------------------------------------------------- import


def import_module(tf: Any) -> Timed:
    """A fresh interpreter that imports the module and uses a name of it, less one that does nothing.

    A library may load itself when its first name is asked for: an import that loads nothing is no figure. Bytecode is
    kept as usual: a checkout would else be compiled again each time, which what pip installs is not.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    imports = [sys.executable, "-c", f"import {tf.__name__} as tf; tf.constant"]
    nothing = [sys.executable, "-c", "pass"]
    imported = loop(lambda: subprocess.run(imports, check=True, capture_output=True, env=environment))
    empty = loop(lambda: subprocess.run(nothing, check=True, capture_output=True, env=environment))
    return lambda calls: imported(calls) - empty(calls)


CASES = {
    builder.__name__: builder
    for builder in (
        control,
        session_py_func,
        session_py_func_chain,
        session_py_func_wide,
        session_py_function,
        session_py_function_gradient,
        session_log_huber_gradient,
        function_numpy_function,
        function_py_function,
        eager_numpy_function,
        eager_py_function,
        eager_py_function_gradient,
        eager_add,
        eager_tape_multiply,
        new_shapes_gradient,
        sine_chain_4,
        sine_chain_1e6,
        build_and_run_10000,
        run_10000,
        large_default,
        large_aligned,
        large_without_copy,
        blocking_pair_first,
        blocking_pair_learned,
        barrier_64,
        import_module,
    )
}
