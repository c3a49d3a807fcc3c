"""Calls in graphs: shapes are inferred from what the call gives, where the trace knew less."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

LOOSE = tf.TensorSpec(None, tf.float32)


def shape_in_a_graph(function: Any, *args: Any) -> Any:
    with tf.Graph().as_default():
        return function(*[tf.zeros(a) if isinstance(a, list) else tf.constant(a) for a in args]).shape


def test_sizes_of_arguments_reach_the_results() -> None:
    rows = tf.function(lambda x: tf.reshape(x, [-1, 3]), input_signature=[LOOSE])
    assert shape_in_a_graph(rows, [10, 10, 3]) == [100, 3]
    assert rows.get_concrete_function().output_shapes == [None, 3]
    assert rows(tf.zeros([2, 3])).shape == [2, 3]


def test_values_of_arguments_reach_the_results_through_functions_inside() -> None:
    scalar = tf.TensorSpec([], tf.int32)

    @tf.function(input_signature=[scalar, scalar])
    def made(a: Any, b: Any) -> Any:
        return tf.ones(tf.concat([[a], [b]], 0))

    outer = tf.function(lambda a, b: made(a, b) * 2.0, input_signature=[scalar, scalar])
    assert shape_in_a_graph(outer, 2, 3) == [2, 3]


def test_what_the_trace_states_is_kept() -> None:
    def stated(x: Any) -> Any:
        y = tf.py_function(lambda v: v, [x], tf.float32)
        y.set_shape([None, 4])
        return tf.cond(tf.size(x) > 3, lambda: y, lambda: y + tf.zeros([4]))

    function = tf.function(stated, input_signature=[LOOSE])
    assert shape_in_a_graph(function, [2, 4]).as_list() == [None, 4]


@pytest.mark.parametrize("kind", [tf.Variable, lambda v: tf.constant(v)])
def test_what_is_captured_is_still_found(kind: Any) -> None:
    held = kind([[1.0, 2.0]] * 300)
    function = tf.function(lambda x: tf.matmul(held, x), input_signature=[LOOSE])
    assert shape_in_a_graph(function, [2, 5]) == [300, 5]
