"""Forward mode: derivatives along tangents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.autodiff.forward_accumulator import ForwardAccumulator


def along(function: Any, x: Any, tangent: Any) -> Any:
    with ForwardAccumulator(x, tangent) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def test_the_derivative_along_a_tangent_is_the_jacobian_times_it() -> None:
    x, tangent = tf.constant([0.5, 1.0, -2.0]), tf.constant([1.0, -1.0, 3.0])

    def function(x: Any) -> Any:
        return tf.stack([tf.reduce_sum(x * x), tf.reduce_prod(tf.sin(x))])

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    want = tape.jacobian(y, x).numpy() @ tangent.numpy()
    np.testing.assert_allclose(along(function, x, tangent), want, rtol=1e-5)


def test_nests_of_primals_and_results() -> None:
    primals = {"x": tf.constant(2.0), "y": tf.constant(3.0)}
    with ForwardAccumulator(primals, {"x": tf.constant(1.0), "y": tf.constant(10.0)}) as accumulator:
        results = (primals["x"] * primals["y"], primals["x"] ** 2)
    assert tf.nest.map_structure(float, accumulator.jvp(results)) == (23.0, 4.0)


def test_variables_have_tangents() -> None:
    v = tf.Variable([1.0, 2.0])
    with ForwardAccumulator(v, tf.constant([1.0, 1.0])) as accumulator:
        y = tf.reduce_sum(v * v)
    assert accumulator.jvp(y).numpy() == 6
    assert accumulator.jvp(v).numpy().tolist() == [1, 1] and accumulator.jvp(tf.Variable(1.0)) is None
    assert accumulator.jvp(tf.Variable(1.0), unconnected_gradients="zero").numpy() == 0


def test_what_does_not_depend_on_the_primals() -> None:
    x, other = tf.constant(1.0), tf.constant([2.0, 3.0])
    with ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y, cut = other * 2.0, tf.stop_gradient(x)
    assert accumulator.jvp(y) is None and accumulator.jvp(cut) is None
    assert accumulator.jvp(y, unconnected_gradients="zero").numpy().tolist() == [0, 0]
    assert accumulator.jvp(y, tf.UnconnectedGradients.ZERO).numpy().tolist() == [0, 0]


def test_a_primal_stands_there_once() -> None:
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="multiple times"):
        ForwardAccumulator([x, x], [tf.constant(1.0), tf.constant(2.0)])


def test_a_tangent_must_fit_its_primal() -> None:
    x = tf.constant([1.0, 2.0])
    for wrong in (tf.constant([1.0]), tf.constant([1.0, 2.0], tf.float64)):
        with pytest.raises(ValueError, match="must have its dtype and shape"):
            ForwardAccumulator(x, wrong)
    with pytest.raises(ValueError, match="structure"):
        ForwardAccumulator([x], (x, x))
