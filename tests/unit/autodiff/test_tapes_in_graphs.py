"""Tapes inside functions and graphs differentiate what they recorded, as eager ones do (FINDINGS F1, F2, A4, A14).

The expected numbers are TensorFlow 2.21's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
v = tf.Variable(3.0)
outside = tf.constant([1.0, 2.0])


def eagerly(f: Callable[..., Any], *args: Any) -> Any:
    return f(*args)


def in_a_function(f: Callable[..., Any], *args: Any) -> Any:
    return tf.function(f, autograph=False)(*args)


def compiled(f: Callable[..., Any], *args: Any) -> Any:
    return tf.function(f, autograph=False, jit_compile=True)(*args)


def before_the_tape(x: Any) -> Any:
    y = x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = x * y
    return tape.gradient(z, x)


def while_stopped(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * x
        total = y + z
    return tape.gradient(total, x)


def watched_late(x: Any) -> Any:
    with tf.GradientTape() as tape:
        y = x * x
        tape.watch(x)
        z = y * x
    return tape.gradient(z, x)


def read_before(x: Any) -> Any:
    value = v.read_value()
    with tf.GradientTape() as tape:
        y = value * v * x
    return tape.gradient(y, v)


def of_intermediates(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y * x
    return tape.gradient(z, [x, y])[1]


def by_a_target(x: Any) -> Any:
    with tf.GradientTape() as tape:
        y = v * 4.0
    return tape.gradient([y, v], v) + 0.0 * x


RECORDED = {
    before_the_tape: 9.0, while_stopped: 6.0, watched_late: 9.0, read_before: 9.0, of_intermediates: 54.0,
    by_a_target: 5.0,
}  # fmt: skip


@pytest.mark.parametrize("way", [eagerly, in_a_function, compiled], ids=lambda f: f.__name__)
@pytest.mark.parametrize("program", RECORDED, ids=lambda f: f.__name__)
def test_a_tape_differentiates_what_it_recorded(program: Any, way: Any) -> None:
    """FINDINGS F1."""
    assert float(way(program, tf.constant(3.0))) == RECORDED[program]


def test_a_tape_in_a_plain_graph_differentiates_what_it_recorded() -> None:
    """FINDINGS F1."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        wanted = [before_the_tape(x), while_stopped(x), watched_late(x)]
        assert session.run(wanted, {x: 3.0}) == [9, 6, 9]


@pytest.mark.parametrize("way", [eagerly, in_a_function], ids=lambda f: f.__name__)
def test_what_is_computed_after_a_tape_ended_is_not_recorded(way: Any) -> None:
    """FINDINGS F1."""

    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        z = y * x
        assert tape.gradient(z, x) is None
        return z

    way(program, tf.constant(3.0))


def test_a_tape_around_a_function_hears_what_is_asked_inside() -> None:
    with tf.GradientTape(persistent=True) as tape:

        @tf.function
        def slopes(x: Any) -> Any:
            tape.watch(x)
            y = x * v * v
            return tape.gradient(y, [x, v])

        assert [float(g) for g in slopes(tf.constant(3.0))] == [9, 18]


def test_a_tape_opened_around_a_graph_hears_its_nodes() -> None:
    with tf.GradientTape() as tape, tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        tape.watch(x)
        slope = tape.gradient(x * x, x)
        assert session.run(slope, {x: 3.0}) == 6


def test_variables_that_an_inner_function_reads_are_watched() -> None:
    found: list[Any] = []

    @tf.function
    def outer(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.function(lambda: v * v)() + tf.cond(x > 0, lambda: x * v, lambda: x)
        found.extend(tape.watched_variables())
        return tape.gradient(y, v)

    assert float(outer(tf.constant(3.0))) == 9
    assert len(found) == 1 and found[0] is v


@pytest.mark.parametrize("used_before", [False, True])
def test_a_tensor_that_a_function_captures_is_watched(used_before: bool) -> None:
    """FINDINGS F2, and the fifth of the disagreements."""

    @tf.function
    def slope() -> Any:
        if used_before:
            outside * 1.0
        with tf.GradientTape() as tape:
            tape.watch(outside)
            y = outside * outside
        return tape.gradient(y, outside)

    assert slope().numpy().tolist() == [2, 4]


def test_zeros_are_given_for_what_a_function_does_not_use() -> None:
    @tf.function
    def slopes(x: Any, other: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, outside])
            y = x * 2.0
        return tape.gradient(y, [x, other, outside], unconnected_gradients="zero")

    assert [g.numpy().tolist() for g in slopes(tf.constant(2.0), tf.constant(3.0))] == [2, 0, [0, 0]]


def inside_a_branch(x: Any) -> Any:
    def branch() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    return tf.cond(x > 0, branch, lambda: x)


def inside_a_loop(x: Any) -> Any:
    def body(i: Any, total: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x * total
        return i + 1, total + tape.gradient(y, x)

    return tf.while_loop(lambda i, _: i < 2, body, [0, 1.0])[1]


def across_a_branch(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)

        def branch() -> Any:
            return tape.gradient(x * x, x)

        return tf.cond(x > 0, branch, lambda: x)


def gradients_in_a_branch(x: Any) -> Any:
    return tf.cond(x > 0, lambda: tf.gradients(x * x, x)[0], lambda: x)


def gradients_in_a_loop(x: Any) -> Any:
    y = x * 2.0  # what a loop's body uses is differentiated through, too
    return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a + tf.gradients(y * x, [x, y])[0]), [0, 0.0])[1]


def gradients_of_a_captured_tensor(x: Any) -> Any:
    y = x * 2.0
    return tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a + tf.gradients(y * x, y)[0]), [0, 0.0])[1]


CAPTURED = {
    inside_a_branch: 6.0, inside_a_loop: 49.0, across_a_branch: 6.0, gradients_in_a_branch: 6.0,
    gradients_in_a_loop: 24.0, gradients_of_a_captured_tensor: 6.0,
}  # fmt: skip


@pytest.mark.parametrize("program", CAPTURED, ids=lambda f: f.__name__)
def test_derivatives_by_what_a_body_captures(program: Any) -> None:
    """FINDINGS F2."""
    assert float(in_a_function(program, tf.constant(3.0))) == CAPTURED[program]
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        assert session.run(program(x), {x: 3.0}) == CAPTURED[program]


def test_gradients_by_tensors_outside_of_a_function() -> None:
    """FINDINGS F2."""

    @tf.function
    def slopes(x: Any) -> Any:
        return tf.function(lambda: tf.gradients(x * x * outside, [x, outside]))()

    assert [g.numpy().tolist() for g in slopes(tf.constant(3.0))] == [18, [9, 9]]


@pytest.mark.parametrize("way", [eagerly, in_a_function], ids=lambda f: f.__name__)
def test_zeros_for_an_unconnected_variable(way: Any) -> None:
    """FINDINGS A4."""
    w, u = tf.Variable([1.0, 2.0]), tf.Variable([[1.0], [2.0]])

    def slopes() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = w * 2.0
        plain = tape.gradient(y, [w, u], unconnected_gradients="zero")
        return [*plain, *tape.jacobian(y, [w, u], unconnected_gradients="zero")]

    found = [g.numpy().tolist() for g in way(slopes)]
    assert found == [[2, 2], [[0], [0]], [[2, 0], [0, 2]], np.zeros((2, 2, 1)).tolist()]


def test_zeros_for_an_unconnected_variable_of_a_graph() -> None:
    """FINDINGS A4."""
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.get_variable("a", initializer=[1.0, 2.0]), v1.get_variable("b", initializer=[[1.0]])
        found = tf.gradients(a * 2.0, [a, b], unconnected_gradients="zero")
        found += tf.gradients(tf.stop_gradient(a) * 1.0, [a], unconnected_gradients="zero")
        session.run(v1.global_variables_initializer())
        assert [g.tolist() for g in session.run(found)] == [[2, 2], [[0]], [0, 0]]


@pytest.mark.parametrize("way", [eagerly, in_a_function], ids=lambda f: f.__name__)
def test_a_variable_is_a_target(way: Any) -> None:
    """FINDINGS A14."""
    w = tf.Variable([1.0, 2.0])

    def slopes() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = w * 2.0
        seeds = [tf.constant([1.0, 1.0]), tf.constant([10.0, 20.0])]
        return tape.gradient(w, w), tape.gradient([y, w], w), tape.gradient([y, w], w, output_gradients=seeds)

    assert [g.numpy().tolist() for g in way(slopes)] == [[1, 1], [3, 3], [12, 22]]


def test_a_variable_that_was_not_read_is_a_target() -> None:
    """FINDINGS A14."""
    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        pass
    assert float(tape.gradient(v, v)) == 1 and float(tape.gradient(x, x)) == 1
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.get_variable("a", initializer=[1.0, 2.0])
        session.run(a.initializer)
        assert session.run(tf.gradients([a, a * 3.0], [a]))[0].tolist() == [4, 4]


def test_a_body_differentiates_what_encloses_it() -> None:
    @tf.function
    def slopes(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.cond(x > 0, lambda: x * x, lambda: x)
            z = tf.py_function(lambda a: a * a, [y], tf.float32)
        seeds = tf.constant([1.0, 2.0])
        one = tf.map_fn(lambda seed: tape.gradient(z, x, output_gradients=seed), seeds)
        return one, tf.map_fn(lambda seed: tf.gradients(y * y, x, grad_ys=seed)[0], seeds)

    assert [g.numpy().tolist() for g in slopes(tf.constant(2.0))] == [[32, 64], [32, 64]]
