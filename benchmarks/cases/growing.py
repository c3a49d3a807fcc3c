"""Programs whose arrays, loops and graphs grow, as TensorFlow and inlay both run them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SIZES = tuple(10**k for k in range(9))
"""Elements of an array of float32."""
TURNS = tuple(10**k for k in range(5))
"""Turns of a loop."""
NODES = (10, 100, 1_000, 10_000)
"""Ops of a graph."""


class Growing(NamedTuple):
    """A program that grows.

    Attributes:
      unit: what of it grows, in words.
      points: how large it is made.
      call: makes that of a point, as a function that runs it once.
      bare: for arrays, what has to be done at least: takes one.
      warm: how many calls are made before, so that plans are written by then.
    """

    unit: str
    points: tuple[int, ...]
    call: Callable[[Any, int], Callable[[], Any]]
    bare: Callable[[Any], Any] | None = None
    warm: int = 3


# ---------------------------------------------------------------- arrays


def _through_session(body: Callable[[Any, Any], Any]) -> Callable[[Any, int], Callable[[], Any]]:
    """A run of a session that is fed an array of a point's size."""

    def call(tf: Any, size: int) -> Callable[[], Any]:
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [size])
            y = body(tf, x)
        run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.full(size, 0.5, np.float32)}
        return lambda: run(y, feeds)

    return call


def _gelu(tf: Any, x: Any) -> Any:
    return 0.5 * x * (1.0 + tf.tanh(0.7978846 * (x + 0.044715 * x * x * x)))


def _plus_one(value: Any) -> Any:
    return value + np.float32(1)


def _host(tf: Any, x: Any) -> Any:
    return tf.numpy_function(_plus_one, [x], tf.float32)


# ---------------------------------------------------------------- loops


def _in_session(body: Callable[[Any, Any], Any], gradient: bool = False) -> Callable[[Any, int], Callable[[], Any]]:
    """A run of a session: a `while_loop` of a point's turns, or its gradient."""

    def call(tf: Any, turns: int) -> Callable[[], Any]:
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [4])

            def turn(i: Any, value: Any) -> Any:
                value = body(tf, value)
                value.set_shape([4])
                return i + 1, value

            _, y = tf.compat.v1.while_loop(lambda i, _: i < turns, turn, [tf.constant(0), x])
            if gradient:
                (y,) = tf.gradients(y, [x])
        run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.ones(4, np.float32)}
        return lambda: run(y, feeds)

    return call


def _in_function(tf: Any, turns: int) -> Callable[[], Any]:
    @tf.function
    def count(x: Any) -> Any:
        for _ in tf.range(turns):
            x = x * 0.5 + 1.0
        return x

    x = tf.constant(np.ones(4, np.float32))
    return lambda: count(x)


# ---------------------------------------------------------------- graphs


def _chain(tf: Any, x: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y + x
    return y


def _wide(tf: Any, x: Any, count: int) -> Any:
    return tf.add_n([tf.sin(x + float(k)) for k in range(count // 2)])


def _diamonds(tf: Any, x: Any, count: int) -> Any:
    for _ in range(count // 3):
        x = tf.maximum(tf.sin(x), tf.cos(x))
    return x


def _gradients(tf: Any, x: Any, count: int) -> Any:
    y = x
    for _ in range(count // 3):
        y = tf.sin(y)
    return tf.gradients(y, [x])[0]


def _controlled(tf: Any, x: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        with tf.control_dependencies([y]):
            y = tf.identity(x)
    return y


def _hosts(tf: Any, x: Any, count: int) -> Any:
    y = x
    for k in range(count):
        y = y + 1.0 if k % 2 else tf.compat.v1.py_func(lambda v: v, [y], tf.float32)
    return y


def _built(body: Callable[[Any, Any, int], Any]) -> Callable[[Any, int], Callable[[], Any]]:
    """A graph of a point's ops is built and run once."""

    def call(tf: Any, count: int) -> Callable[[], Any]:
        feed = np.full(4, 0.5, np.float32)

        def build_and_run() -> Any:
            with tf.Graph().as_default() as graph:
                x = tf.compat.v1.placeholder(tf.float32, [4])
                y = body(tf, x, count)
            with tf.compat.v1.Session(graph=graph) as session:
                return session.run(y, {x: feed})

        return build_and_run

    return call


def _steady(body: Callable[[Any, Any, int], Any]) -> Callable[[Any, int], Callable[[], Any]]:
    """A graph of a point's ops is run again and again."""

    def call(tf: Any, count: int) -> Callable[[], Any]:
        with tf.Graph().as_default() as graph:
            x = tf.compat.v1.placeholder(tf.float32, [4])
            y = body(tf, x, count)
        run, feeds = tf.compat.v1.Session(graph=graph).run, {x: np.full(4, 0.5, np.float32)}
        return lambda: run(y, feeds)

    return call


PROGRAMS: dict[str, Growing] = {
    "x + 1": Growing("elements", SIZES, _through_session(lambda tf, x: x + 1.0), lambda x: x + np.float32(1)),
    "GELU by tanh": Growing(
        "elements", SIZES, _through_session(_gelu), lambda x: x * (1 + np.tanh(0.7978846 * (x + 0.044715 * x * x * x)))
    ),
    "reduce_sum": Growing("elements", SIZES, _through_session(lambda tf, x: tf.reduce_sum(x)), np.sum),
    "numpy_function": Growing("elements", SIZES, _through_session(_host), lambda x: _plus_one(x.copy())),
    "while_loop": Growing("turns", TURNS, _in_session(lambda tf, x: x * 0.5 + 1.0)),
    "gradient of while_loop": Growing("turns", TURNS, _in_session(lambda tf, x: x * 0.5 + 1.0, gradient=True)),
    "while_loop with a py_func": Growing("turns", TURNS, _in_session(_host)),
    "function: for over range": Growing("turns", TURNS, _in_function),
    "build a chain, run once": Growing("ops", NODES, _built(_chain), warm=0),
    "build side by side, run once": Growing("ops", NODES, _built(_wide), warm=0),
    "build diamonds, run once": Growing("ops", NODES, _built(_diamonds), warm=0),
    "build a gradient, run once": Growing("ops", NODES, _built(_gradients), warm=0),
    "build control inputs, run once": Growing("ops", NODES, _built(_controlled), warm=0),
    "run of a chain": Growing("ops", NODES, _steady(_chain), warm=20),
    "run of diamonds": Growing("ops", NODES, _steady(_diamonds), warm=20),
    "run of py_funcs and sums": Growing("ops", NODES, _steady(_hosts), warm=20),
}
"""By title."""


def work_growth(tf: Any, series: str, at: int, seconds: float) -> dict[str, float]:
    """Runs a program for a while.

    Args:
      tf: the library.
      series: a title in `PROGRAMS`.
      at: how large.
      seconds: how long, about; it runs once at least.

    Returns:
      Seconds of a run.
    """
    program = PROGRAMS[series]
    call = program.call(tf, at)
    for _ in range(program.warm):
        call()
    return {"element": _run(call, seconds)}


def bare_work(tf: Any, series: str, at: int, seconds: float) -> dict[str, float]:
    """What has to be done at least, as `work_growth`."""
    bare, array = PROGRAMS[series].bare, np.full(at, 0.5, np.float32)
    assert bare is not None
    bare(array)
    return {"element": _run(lambda: bare(array), seconds)}


def _run(call: Callable[[], Any], seconds: float) -> float:
    """Seconds of one call, from as many as take so many seconds together, one at least."""
    begin, calls, more, now = time.perf_counter(), 0, 1, 0.0
    while not calls or now < seconds:
        for _ in range(more):
            call()
        calls, now = calls + more, time.perf_counter() - begin
        more = max(1, min(calls, int(calls / now * (seconds - now) / 2)))
    return now / calls
