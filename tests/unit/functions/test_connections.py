"""Which inputs of a traced function have a gradient, whatever a call runs of it."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf
from inlay._src.programs.functions.connections import connections

FLOAT = tf.TensorSpec([], tf.float32)


def found(function: Any, *specs: Any) -> Any:
    """The connections of a function's trace."""
    return connections(tf.function(function).get_concrete_function(*specs).program)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x * y,
        lambda x, y: (x * y, x + y),
        lambda x, y: tf.cast(x > y, tf.int32),
        lambda x, y: tf.function(lambda a: a * 2.0)(x) + tf.stop_gradient(y),
    ],
)
def test_a_function_whose_steps_show_everything_has_none(function: Any) -> None:
    assert found(function, FLOAT, FLOAT) is None


@pytest.mark.parametrize(
    ("function", "inputs", "outputs"),
    [
        (lambda x, y: (x * 2.0, y * 2.0), [0, 1], [0, 1]),
        (lambda x, y: (x * 2.0, tf.constant(1.0), y > x), [0], [0, 1]),
        (lambda x, y: tf.cond(x > y, lambda: x * 2.0, lambda: tf.constant(0.0)), [0], [0]),
        (lambda x, y: tf.while_loop(lambda i, s: s < 9.0, lambda i, s: (i, s + y), (0, x))[1], [0, 1], [0]),
        (lambda x, y: tf.function(lambda a, b: (a, b * 2.0))(x, y)[0] * 1.0, [0, 1], [0]),
    ],
)
def test_branches_loops_and_several_results_are_linked(function: Any, inputs: list[int], outputs: list[int]) -> None:
    linked = found(function, FLOAT, FLOAT)
    assert set(inputs) <= set(linked.inputs) and list(linked.outputs) == outputs


def test_an_unconnected_source_of_a_linked_function_stays_none() -> None:
    @tf.function
    def f(x: Any, y: Any) -> Any:
        return x * 2.0, tf.stop_gradient(y)

    x, y, z = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y, z])
        first, second = f(x, y)
    assert [tape.gradient(first, s) is None for s in (x, y, z)] == [False, True, True]
    assert float(tape.gradient(second, x)) == 0 and tape.gradient(second, y) is None
    with pytest.raises(ValueError):
        tape.gradient(second, x, unconnected_gradients="error")
