"""log-Huber, the first program of TensorFlow's page on `py_function`, in every way there is to run it."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

# x, m, then log-Huber and its slope in x: x^2 inside of m, and m^2 (1 - 2 log m + 2 log x) outside.
POINTS = [(1.0, 2.0, 1.0, 2.0), (3.0, 2.0, 4 * (1 + 2 * np.log(1.5)), 8 / 3)]
INPUT = tf.TensorSpec([], tf.float32)


def log_huber(x: Any, m: Any) -> Any:
    if tf.abs(x) <= m:
        return x**2
    return m**2 * (1 - 2 * tf.math.log(m) + tf.math.log(x**2))


def under_a_tape(x: float, m: float) -> tuple[float, float]:
    point = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(point)
        y = tf.py_function(log_huber, [point, m], tf.float32)
    return float(y), float(tape.gradient(y, point))


@tf.function(input_signature=[INPUT, INPUT])
def traced(x: Any, m: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(log_huber, [x, m], tf.float32)
    return y, tape.gradient(y, x)


def in_a_function(x: float, m: float) -> tuple[float, float]:
    y, slope = traced(x, m)
    return float(y), float(slope)


def in_a_session(x: float, m: float) -> tuple[float, float]:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        point, limit = tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.float32)
        y = tf.py_function(func=log_huber, inp=[point, limit], Tout=tf.float32)
        value, slope = session.run([y, tf.gradients(y, point)[0]], feed_dict={point: x, limit: m})
    return float(value), float(slope)


WAYS = [under_a_tape, in_a_function, in_a_session]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("x", "m", "value", "slope"), POINTS)
def test_value_and_slope(way: Callable[..., Any], x: float, m: float, value: float, slope: float) -> None:
    assert way(x, m) == pytest.approx((value, slope), rel=1e-6)


def test_a_function_traces_once_and_runs_at_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    def printing(x: Any, m: Any) -> Any:
        print("Running")
        return log_huber(x, m)

    @tf.function
    def step(x: Any, m: Any) -> Any:
        print("Tracing")
        return tf.py_function(printing, [x, m], tf.float32)

    found = [float(step(tf.constant(x), tf.constant(2.0))) for x in (1.0, 2.0, 1.0)]
    assert found == [1.0, 4.0, 1.0]
    assert capsys.readouterr().out.split() == ["Tracing", "Running", "Running", "Running"]


def product_and_quotient(x: Any, y: Any) -> Any:
    return x * y, x / y


def test_two_outputs() -> None:
    x, y = tf.constant(3.0), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        outputs = tf.py_function(product_and_quotient, [x, y], [tf.float32, tf.float32])
    assert [float(v) for v in outputs] == [6.0, 1.5]
    assert float(tape.gradient(outputs, x)) == 2.5
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        outputs = tf.py_function(product_and_quotient, [x, y], [tf.float32, tf.float32])
        assert session.run(tf.gradients(outputs, x)[0], {x: 3.0, y: 2.0}) == 2.5


def test_two_inputs() -> None:
    x, y = tf.constant(3.0), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.py_function(lambda a, b: a**2 + b**2, [x, y], tf.float32)
    assert [float(g) for g in tape.gradient(z, [x, y])] == [6.0, 8.0]


def test_a_complex_input() -> None:
    x = tf.constant(3 + 3j, tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda z: z**2, [x], tf.complex64)
    # The convention of TensorFlow: the conjugate of the derivative 2z.
    assert (y.numpy(), tape.gradient(y, x).numpy()) == (18j, 6 - 6j)


@pytest.mark.parametrize("op", [tf.numpy_function, tf.py_func, tf.compat.v1.py_func])
def test_numpy_flavors_have_no_gradient(op: Any) -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = op(lambda v: v * v, [x], tf.float32)
    assert (float(y), tape.gradient(y, x)) == (4.0, None)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        assert tf.gradients(op(lambda v: v * v, [x], tf.float32), x) == [None]


def test_the_second_gradient_of_a_tape_is_refused() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(log_huber, [x, 2.0], tf.float32)
    assert float(tape.gradient(y, x)) == 2.0
    with pytest.raises(RuntimeError, match="(?s)non-persistent.*compute one set of gradients"):
        tape.gradient(y, x)


def with_a_session(output: Callable[[], Any]) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(output())


@pytest.mark.parametrize("way", [lambda output: output(), lambda output: tf.function(output)(), with_a_session])
def test_returning_a_variable_is_refused(way: Callable[..., Any]) -> None:
    variable = tf.Variable(2.0)
    with pytest.raises(tf.errors.UnknownError, match="RuntimeError: Attempting to return a variable"):
        way(lambda: tf.py_function(lambda x: variable, [1.0], tf.float32))


def test_what_the_gradient_needs_is_kept_for_the_tape_alone() -> None:
    inside: list[weakref.ref[Any]] = []

    def body(x: Any) -> Any:
        middle = tf.exp(x)
        inside.append(weakref.ref(middle))
        return middle * middle

    def alive() -> list[bool]:
        gc.collect()
        return [ref() is not None for ref in inside]

    x = tf.constant(1.0)
    tf.py_function(body, [x], tf.float32)
    assert alive() == [False]  # no tape listens: nothing is kept
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(body, [x], tf.float32)
    assert float(tape.gradient(y, x)) == pytest.approx(2 * np.exp(2.0))
    assert alive() == [False, False]  # and nothing once it was asked
