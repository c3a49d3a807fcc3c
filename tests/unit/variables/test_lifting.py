"""The first value of a graph's variable that a function computes: it is taken out of the function."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


def begun_with(session: Any, first: Any, *args: Any) -> tuple[Any, Any]:
    """A variable made in a function of `args` from `first(*args)`, once, and what the function returns."""
    made: list[Any] = []

    @tf.function
    def function(*args: Any) -> Any:
        if not made:
            made.append(tf.Variable(first(*args)))
        return made[0] * 3.0

    result = function(*args)
    assert made[0].graph is session.graph
    return made[0], result


def test_what_is_computed_in_the_function() -> None:
    with tf.Graph().as_default(), v1.Session() as session:

        def first() -> Any:
            four = tf.constant(2.0) * 2.0
            with tf.control_dependencies([tf.debugging.assert_positive(four)]):
                return tf.sqrt(four) + four

        variable, result = begun_with(session, first)
        session.run(v1.global_variables_initializer())
        assert session.run([variable, result]) == [6.0, 18.0]


def test_what_comes_from_outside_and_from_enclosing_functions() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        outside, other = v1.placeholder(tf.float32, []), tf.Variable(5.0)

        def first(x: Any) -> Any:
            return tf.function(lambda y: y + outside)(x * 2.0) + other

        variable, result = begun_with(session, first, tf.constant(10.0))
        session.run(v1.global_variables_initializer(), {outside: 1.0})
        assert session.run([variable, result]) == [26.0, 78.0]


def test_placeholders_branches_and_host_functions() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        fed: list[Any] = []

        def first() -> Any:
            fed.append(v1.placeholder(tf.float32, [], name="fed"))
            branch = tf.cond(fed[0] > 1.0, lambda: fed[0] * 10.0, lambda: fed[0])
            return tf.ensure_shape(tf.py_function(lambda x: x + 0.5, [branch], tf.float32), [])

        variable, result = begun_with(session, first)
        lifted = session.graph.get_tensor_by_name("Variable/Initializer/fed:0")
        session.run(variable.initializer, {lifted: 2.0})
        assert session.run(result) == 61.5
        session.run(variable.initializer, {lifted: 1.0})
        assert session.run(result) == 4.5


def test_an_argument_without_a_value_cannot_be_taken_out() -> None:
    with tf.Graph().as_default():
        function = tf.function(lambda x: tf.Variable(x * 2.0) + 1.0)
        with pytest.raises(ValueError, match="could not be lifted out of the function that is being traced"):
            function.get_concrete_function(tf.TensorSpec([], tf.float32))
