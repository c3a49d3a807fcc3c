"""Variables made while a function is traced: their first values are computed from what the call gives."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf


def test_a_first_value_may_be_a_tensor() -> None:
    made: list[Any] = []

    @tf.function
    def function(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(tf.zeros([2, 200]) + 3.0))
            made.append(tf.Variable(made[0] * 2.0 * x))
        return made[1][0, 0] * x

    assert [float(function(tf.constant(v))) for v in (1.0, 2.0)] == [6.0, 12.0]
    assert made[0].numpy()[1, 7] == 3.0
    assert function.experimental_get_tracing_count() == 1


def test_what_is_random_is_drawn_once() -> None:
    made: list[Any] = []

    @tf.function
    def function() -> Any:
        if not made:
            made.append(tf.Variable(tf.random.normal([3])))
        return made[0] + 0.0

    first = function().numpy()
    assert (function().numpy() == first).all() and (made[0].numpy() == first).all()


def test_it_may_come_from_the_function_around_and_inside_a_branch() -> None:
    made: list[Any] = []

    @tf.function
    def inner(y: Any) -> Any:
        if not made:
            made.append(tf.Variable(y + 1.0))
        return made[0] * y

    @tf.function
    def outer(x: Any) -> Any:
        return tf.cond(x > 0.0, lambda: inner(x * 2.0), lambda: x)

    assert float(outer(tf.constant(3.0))) == 42.0


def test_what_has_no_value_yet_is_said() -> None:
    with pytest.raises(ValueError, match="could not be lifted out of the function"):
        tf.function(lambda x: tf.Variable(x) + 0.0).get_concrete_function(tf.TensorSpec([], tf.float32))

    @tf.function
    def in_a_loop(n: Any) -> Any:
        for i in tf.range(n):
            tf.Variable(i)
        return n

    with pytest.raises(ValueError, match="could not be lifted out"):
        in_a_loop(tf.constant(3))
