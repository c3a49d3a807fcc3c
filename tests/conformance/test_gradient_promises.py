"""Gradients are right or say why: loops, repeats, threads, orders, captures, structures, hints."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

X = 1.25


def square(x: Any) -> Any:
    return x * x


def cube(x: Any) -> Any:
    return x * x * x


def squared_thrice(x: Any) -> Any:
    def turn(i: Any, y: Any) -> Any:
        y = tf.py_function(square, [y], tf.float64)
        y.set_shape([])
        return i + 1, y

    return tf.while_loop(lambda i, y: i < 3, turn, (0, x))[1]


def in_graph(f: Callable[[Any], Any], order: int) -> list[float]:
    """Value and derivatives of f at X, through a session."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float64, [])
        found = [f(x)]
        for _ in range(order):
            found.append(tf.gradients(found[-1], x)[0])
        with tf.compat.v1.Session() as session:
            return [float(v) for v in session.run(found, {x: X})]


def by_tapes(f: Callable[[Any], Any], order: int) -> list[float]:
    """Value and derivatives of f at X, by nested tapes."""
    x = tf.constant(X, tf.float64)

    def derivatives(left: int) -> list[Any]:
        if not left:
            return [f(x)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            below = derivatives(left - 1)
        return [*below, tape.gradient(below[-1], x)]

    return [float(v) for v in derivatives(order)]


def by_function(f: Callable[[Any], Any], order: int) -> list[float]:
    return by_tapes(tf.function(f), order)


def tapes_inside_function(f: Callable[[Any], Any], order: int) -> list[float]:
    @tf.function
    def derivatives(x: Any) -> Any:
        def go(left: int) -> list[Any]:
            if not left:
                return [f(x)]
            with tf.GradientTape() as tape:
                tape.watch(x)
                below = go(left - 1)
            return [*below, tape.gradient(below[-1], x)]

        return go(order)

    return [float(v) for v in derivatives(tf.constant(X, tf.float64))]


MODES = [in_graph, by_tapes, by_function, tapes_inside_function]


@pytest.mark.parametrize("mode", MODES)
def test_one_function_three_times_in_a_loop(mode: Callable[..., list[float]]) -> None:
    expected = [X**8, 8 * X**7, 56 * X**6, 336 * X**5]
    np.testing.assert_allclose(mode(squared_thrice, 3), expected, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_any_order_through_a_body(mode: Callable[..., list[float]]) -> None:
    def f(x: Any) -> Any:
        return tf.py_function(lambda a: tf.sin(a) * a, [x], tf.float64)

    s, c = np.sin(X), np.cos(X)
    np.testing.assert_allclose(mode(f, 3), [s * X, s + X * c, 2 * c - X * s, -3 * s - X * c], rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_a_gradient_of_a_gradient_with_grad_keyword(mode: Callable[..., list[float]]) -> None:
    def slope(x: Any, y: Any, dy: Any) -> Any:
        return dy * 3.0 * x * x

    def f(x: Any) -> Any:
        y = tf.numpy_function(lambda a: a**3, [x], tf.float64, grad=slope)
        if mode is in_graph:
            return x * tf.gradients(y, x)[0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = tf.numpy_function(lambda a: a**3, [x], tf.float64, grad=slope)
        return x * tape.gradient(z, x)

    np.testing.assert_allclose(mode(f, 2), [3 * X**3, 9 * X**2, 18 * X], rtol=1e-12)


def test_a_persistent_tape_is_asked_twice() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.py_function(square, [x], tf.float32)
    assert [float(tape.gradient(y, x)), float(tape.gradient(y, x))] == [6.0, 6.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_the_hessian_of_a_cube(wrap: Any) -> None:
    @wrap
    def hessian(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.py_function(cube, [x], tf.float64))
            slope = inner.gradient(y, x)
        return outer.jacobian(slope, x)

    np.testing.assert_allclose(hessian(tf.constant([1.0, 2.0, 3.0], tf.float64)), np.diag([6.0, 12.0, 18.0]))


def test_eight_threads_ask_one_session_for_a_gradient() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32)
        y = tf.py_function(cube, [x], tf.float32)
        slope = tf.gradients(y, x)[0]
        curvature = tf.gradients(slope, x)[0]
    session = tf.compat.v1.Session(graph=graph)
    wrong: list[Any] = []

    def ask(value: float) -> None:
        for _ in range(50):
            got = session.run([slope, curvature], {x: value})
            if not np.allclose(got, [3 * value**2, 6 * value]):
                wrong.append((value, got))

    threads = [threading.Thread(target=ask, args=(float(i + 1),)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert not any(t.is_alive() for t in threads)
    assert wrong == []


def test_eight_threads_ask_one_persistent_tape() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.py_function(cube, [x], tf.float32)
    found: list[float] = []
    threads = [threading.Thread(target=lambda: found.append(float(tape.gradient(y, x)))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    assert found == [12.0] * 8


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_a_variable_captured_by_a_body_gets_its_gradient(wrap: Any) -> None:
    v = tf.Variable(3.0)

    @wrap
    def f(x: Any) -> Any:
        return tf.py_function(lambda a: a * v * v, [x], tf.float32)

    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(tf.constant(2.0))
        slope = inner.gradient(y, v)
    assert (float(slope), float(outer.gradient(slope, v))) == (12.0, 4.0)


def test_a_variable_captured_by_a_body_gets_its_gradient_inside_a_function() -> None:
    v = tf.Variable(3.0)

    @tf.function
    def slopes(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * v * v, [x], tf.float32) * x
        return tape.gradient(y, [x, v])

    assert [float(g) for g in slopes(tf.constant(2.0))] == [36.0, 24.0]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_inputs_of_every_kind_beside_a_float(wrap: Any) -> None:
    @wrap
    def f(x: Any, i: Any, s: Any, unused: Any) -> Any:
        def body(a: Any, i: Any, s: Any, unused: Any) -> Any:
            assert s.numpy() == b"text"
            return tf.gather(a, i) * tf.gather(a, i), 7

        return tf.py_function(body, [x, i, s, unused], [tf.float32, tf.int32])[0]

    x, unused = tf.constant([1.0, 2.0, 3.0]), tf.constant([[5.0, 6.0]])
    i, s = tf.constant(1), tf.constant("text")
    with tf.GradientTape() as tape:
        tape.watch([x, i, unused])
        y = f(x, i, s, unused)
    dx, di, dunused = tape.gradient(y, [x, i, unused])
    assert dx.numpy().tolist() == [0.0, 4.0, 0.0]
    assert di is None
    assert dunused.numpy().tolist() == [[0.0, 0.0]]


def test_bodies_call_functions_and_other_host_functions() -> None:
    traced = tf.function(lambda a: tf.py_function(square, [a], tf.float64) * 2.0)

    def f(x: Any) -> Any:
        return tf.py_function(lambda a: traced(a) + tf.py_function(cube, [a], tf.float64), [x], tf.float64)

    expected = [2 * X**2 + X**3, 4 * X + 3 * X**2, 4 + 6 * X]
    for mode in MODES:
        np.testing.assert_allclose(mode(f, 2), expected, rtol=1e-12)


def test_complex_numbers() -> None:
    x = tf.constant(3.0 + 3.0j)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(square, [x], tf.complex128)
    assert complex(tape.gradient(y, x)) == 6.0 - 6.0j


@pytest.mark.parametrize("order", [1, 2])
def test_the_public_checker_agrees_with_a_body(order: int) -> None:
    def f(x: Any) -> Any:
        return tf.py_function(lambda a: tf.exp(a) * a, [x], tf.float64)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    theoretical, numerical = tf.test.compute_gradient(f if order == 1 else slope, [np.array([0.3, -1.1])])
    np.testing.assert_allclose(theoretical[0], numerical[0], atol=1e-8)


def test_the_public_checker_finds_a_wrong_gradient() -> None:
    def f(x: Any) -> Any:
        return tf.numpy_function(np.sin, [x], tf.float64, grad=lambda x, y, dy: dy * tf.sin(x))

    theoretical, numerical = tf.test.compute_gradient(f, [np.array([0.3])])
    assert abs(theoretical[0] - numerical[0]).max() > 0.5


def test_jacobians() -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.py_function(lambda a: a * a, [x], tf.float32)
    whole = tape.jacobian(y, x).numpy()
    assert whole.shape == (2, 2, 2, 2)
    np.testing.assert_array_equal(whole.reshape(4, 4), np.diag([2.0, 4.0, 6.0, 8.0]))
    np.testing.assert_array_equal(tape.batch_jacobian(y, x), [[[2, 0], [0, 4]], [[6, 0], [0, 8]]])


def test_a_body_that_leaves_the_framework_says_so() -> None:
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        slope = tf.gradients(tf.py_function(lambda a: np.square(a.numpy()), [x], tf.float32), x)[0]
        with tf.compat.v1.Session() as session:
            with pytest.warns(tf.errors.LostGradientWarning, match="its body left the framework"):
                assert session.run(slope) == 0.0


def test_a_connected_body_says_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert in_graph(lambda x: tf.py_function(square, [x], tf.float64), 1)[1] == 2 * X


def test_asking_for_more_names_the_op_that_lets_nothing_pass() -> None:
    with tf.Graph().as_default():
        x = tf.constant(3.0)
        y = tf.numpy_function(np.sin, [x], tf.float32, name="opaque") * 2.0
        with pytest.raises(ValueError, match="No gradient passes through opaque"):
            tf.gradients(y, x, unconnected_gradients="error")
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.numpy_function(np.sin, [x], tf.float32)
    with pytest.raises(ValueError, match="No gradient passes through PyFunc"):
        tape.gradient(y, x, unconnected_gradients="error")


def test_scan_map_and_while_with_a_host_function_to_order_two() -> None:
    rows = np.array([0.5, 1.5, -0.7])

    def f(x: Any) -> Any:
        body = lambda a: tf.py_function(cube, [a], tf.TensorSpec([], tf.float64))  # noqa: E731
        mapped = tf.map_fn(body, x)
        scanned = tf.scan(lambda total, a: total * body(a), x)
        turn = lambda i, y: (i + 1, tf.map_fn(body, y) * 0.3 + tf.sin(x))  # noqa: E731
        looped = tf.while_loop(lambda i, _: i < 3, turn, (tf.constant(0), x))[1]
        return tf.reduce_sum(mapped) + tf.reduce_sum(scanned) + tf.reduce_sum(looped)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    for wrap in (lambda g: g, tf.function):
        for g in (f, slope):
            theoretical, numerical = tf.test.compute_gradient(wrap(g), [rows])
            np.testing.assert_allclose(theoretical[0], numerical[0], atol=1e-6)


@pytest.mark.parametrize("asked", [0, 1])
def test_one_tensor_given_twice_has_two_gradients(asked: int) -> None:
    def f(a: Any, b: Any) -> Any:
        return a * a * b

    calls = (
        lambda a, b: tf.py_function(f, [a, b], tf.float32),
        tf.function(f),
        lambda a, b: tf.while_loop(lambda i, *_: i < 1, lambda i, y, z: (i + 1, f(y, z), z), (tf.constant(0), a, b))[1],
    )
    x = tf.constant(2.0)
    for call in calls:

        @tf.function
        def slope(a: Any, b: Any, call: Any = call) -> Any:
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                y = call(a, b)
            return tape.gradient(y, (a, b)[asked])

        with tf.GradientTape() as tape:
            tape.watch(x)
            y = slope(x, x)
        assert (float(y), float(tape.gradient(y, x))) == ((8.0, 8.0), (4.0, 4.0))[asked]


def read(handle: Any) -> Any:
    """The value of a variable that is given by its handle."""
    from inlay._src.core.eager.emit import emit
    from inlay._src.core.opdef import OPS

    return emit(OPS["ReadVariableOp"], (handle,), {"dtype": tf.float32, "shape": ()}, None)


def of_handles(a: Any, b: Any) -> Any:
    return read(a) * read(a) * read(b)


HANDLE_CALLS: list[Any] = [
    lambda a, b: tf.py_function(of_handles, [a, b], tf.float32),
    tf.function(of_handles),
    lambda a, b: tf.while_loop(
        lambda i, *_: i < 1, lambda i, y, *h: (i + 1, of_handles(*h), *h), (tf.constant(0), tf.constant(0.0), a, b)
    )[1],
    lambda a, b: tf.while_loop(
        lambda i, y: i < 1,
        lambda i, y: (i + 1, tf.ensure_shape(tf.py_function(of_handles, [a, b], tf.float32), [])),
        (tf.constant(0), tf.constant(0.0)),
    )[1],
]
HANDLES = pytest.mark.parametrize("call", HANDLE_CALLS, ids=["py_function", "function", "loop variables", "loop body"])


@HANDLES
def test_one_variable_given_twice_in_a_session(call: Any) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable(2.0)
        y = call(v.handle, v.handle)
        (slope,) = tf.gradients(y, v)
        (curvature,) = tf.gradients(slope, v)
        session.run(v.initializer)
        assert session.run([y, slope, curvature]) == [8.0, 12.0, 12.0]


@HANDLES
@pytest.mark.parametrize("automatic", [False, True], ids=["watched", "automatic"])
@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
def test_one_variable_given_twice_to_order_two(traced: bool, automatic: bool, call: Any) -> None:
    v = tf.Variable(2.0)

    def slope() -> Any:
        with tf.GradientTape() as tape:
            y = call(v.handle, v.handle)
        return y, tape.gradient(y, v)

    inner = tf.function(slope) if traced else slope
    assert [float(t) for t in inner()] == [8.0, 12.0]
    with tf.GradientTape(watch_accessed_variables=automatic) as outer:
        if not automatic:
            outer.watch(v)
        y, g = inner()
    assert (float(y), float(g), float(outer.gradient(g, v))) == (8.0, 12.0, 12.0)


def test_a_captured_variable_to_order_two_in_a_function() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def slopes(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.py_function(lambda x: x * x * v * v * v, [x], tf.float32)
            to_x, to_v = tape.gradient(y, [x, v])
            total = to_x + 10.0 * to_v  # 2 x v^3 + 30 x^2 v^2
        return [to_x, to_v, *outer.gradient(total, [x, v])]

    assert [float(g) for g in slopes(tf.constant(3.0))] == [48.0, 108.0, 16.0 + 720.0, 72.0 + 1080.0]


def test_forward_mode() -> None:
    from inlay._src.engine.autodiff.forward_accumulator import ForwardAccumulator

    x = tf.constant([1.0, 2.0])
    with ForwardAccumulator(x, tf.constant([1.0, 10.0])) as accumulator:
        y = tf.py_function(cube, [x], tf.float32)
    assert accumulator.jvp(y).numpy().tolist() == [3.0, 120.0]


@pytest.mark.parametrize("outer", [lambda f: f, tf.function, lambda f: lambda x: tf.py_function(f, [x], tf.float32)])
def test_a_numpy_function_inside_lets_the_rest_pass(outer: Any) -> None:
    inner = outer(lambda a: tf.numpy_function(np.sin, [a], tf.float32) * a)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = inner(x)
    assert float(tape.gradient(y, x)) == np.sin(np.float32(2.0))


def test_hessians_of_a_graph() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float64, [2])
        y = tf.reduce_sum(tf.py_function(cube, [x], tf.float64))
        (hessian,) = tf.hessians(y, x)
        with tf.compat.v1.Session() as session:
            np.testing.assert_allclose(session.run(hessian, {x: [1.0, 2.0]}), np.diag([6.0, 12.0]))


def test_a_gradient_may_pass_through_a_rounding() -> None:
    x = tf.constant([0.4, 1.6])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(tf.round)(x) * 3.0
    assert (y.numpy().tolist(), tape.gradient(y, x).numpy().tolist()) == ([0.0, 6.0], [3.0, 3.0])
