"""Host calls that an executor runs: the same values, errors and gradients as in place."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay import errors
from tests.unit.executors.loopback import Loopback

F32 = np.float32


@pytest.fixture(params=["bytes", "threads"])
def away(request: pytest.FixtureRequest) -> Any:
    if request.param == "bytes":
        yield Loopback()
    else:
        with ThreadPoolExecutor(4) as pool:
            yield pool


def cube(x: Any) -> Any:
    return x**3


def test_gradients_of_every_order_under_tapes(away: Any) -> None:
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as outer, tf.GradientTape() as middle, tf.GradientTape() as inner:
        for tape in (outer, middle, inner):
            tape.watch(x)
        y = tf.py_function(cube, [x], tf.float32, executor=away)
    assert inner.gradient(y, x).numpy().tolist() == [12.0, 27.0]
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            y = tf.py_function(cube, [x], tf.float32, executor=away)
        d = first.gradient(y, x)
    assert second.gradient(d, x).numpy().tolist() == [12.0, 18.0]


def test_gradients_of_every_order_in_graphs(away: Any) -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.py_function(cube, [x], tf.float32, executor=away)
        d1 = tf.gradients(y, x)[0]
        d2 = tf.gradients(d1, x)[0]
        d3 = tf.gradients(d2, x)[0]
        with tf.compat.v1.Session() as session:
            for _ in range(5):
                assert session.run([y, d1, d2, d3], {x: 2.0}) == [8.0, 12.0, 12.0, 6.0]


def test_gradients_in_functions_and_of_several_inputs_and_outputs(away: Any) -> None:
    @tf.function
    def f(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            a, b = tf.py_function(lambda x, y: (x * y, x + 2.0 * y), [x, y], [tf.float32] * 2, executor=away)
            loss = a * 3.0 + b
        return tape.gradient(loss, [x, y])

    for _ in range(4):
        assert [float(g) for g in f(tf.constant(2.0), tf.constant(5.0))] == [16.0, 8.0]


def test_the_same_tensor_twice_has_two_gradients(away: Any) -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda a, b: a * a + 5.0 * b, [x, x], tf.float32, executor=away)
    assert tape.gradient(y, x) == 11.0


def test_an_input_that_is_not_used_has_zeros(away: Any) -> None:
    x, unused = tf.constant(3.0), tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch([x, unused])
        y = tf.py_function(lambda a, b: a * 2.0, [x, unused], tf.float32, executor=away)
    assert tape.gradient(y, unused).numpy().tolist() == [0.0, 0.0]


def test_the_users_own_gradient_stays_here(away: Any) -> None:
    x = tf.constant(3.0)
    seen = []

    def grad(x: Any, y: Any, dy: Any) -> Any:
        seen.append(threading.get_ident())
        return dy * 100.0

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.numpy_function(lambda a: a * F32(2), [x], tf.float32, grad=grad, executor=away)
    assert tape.gradient(y, x) == 100.0
    assert seen == [threading.get_ident()]


def test_a_function_writes_into_inputs_of_its_own(away: Any) -> None:
    def zero(x: Any) -> Any:
        x[0] = 0
        return x

    given = np.ones(3, F32)
    x = tf.constant(given)
    assert tf.numpy_function(zero, [x], tf.float32, executor=away).numpy().tolist() == [0, 1, 1]
    assert x.numpy().tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        tf.numpy_function(zero, [x], tf.float32, copy=False, executor=away)


def test_errors_name_op_function_site_and_inputs(away: Any) -> None:
    def fail(x: Any) -> Any:
        raise LookupError(f"no {x}")

    def told(executor: Any) -> str:
        with pytest.raises(LookupError) as caught:
            tf.numpy_function(fail, [tf.constant(3.0)], tf.float32, executor=executor)
        assert isinstance(caught.value.__cause__, LookupError)
        return str(caught.value).partition("\n\n")[0]

    assert told(away) == told("inline")


def test_what_a_function_may_not_return_is_refused_as_in_place(away: Any) -> None:
    for result in (np.float64(1), (F32(1), F32(2)), None, np.zeros(3, F32)):

        def told(executor: Any, result: Any = result) -> str:
            with pytest.raises(errors.OpError) as caught:
                tf.numpy_function(lambda: result, [], tf.TensorSpec([], tf.float32), executor=executor)
            return f"{type(caught.value)} {caught.value}"

        assert told(away) == told("inline")


def test_an_error_under_a_tape_is_the_same(away: Any) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(ZeroDivisionError, match=r"raised in function .*\n.*EagerPyFunc"):
            tf.py_function(lambda x: 1 / 0, [x], tf.float32, executor=away)
        with pytest.raises(errors.InvalidArgumentError, match="Tout"):
            tf.py_function(lambda x: tf.constant(1), [x], tf.float32, executor=away)


def test_run_inline_keeps_functions_here(away: Any) -> None:
    threads = []
    with tf.debugging.run_inline():
        for _ in range(2):
            tf.numpy_function(lambda: threads.append(threading.get_ident()), [], [], executor=away)
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            ops = [tf.numpy_function(lambda: threads.append(threading.get_ident()), [], [], executor=away)] * 3
            session.run(ops)
    assert set(threads) == {threading.get_ident()}
