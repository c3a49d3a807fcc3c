"""A network in NumPy with a backward pass by hand, in a graph: the recipe of `RegisterGradient` and an override map."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay.compat.v1 as tf

_names = itertools.count()
POINTS = np.random.default_rng(4).normal(size=(2, 4))


def registered(gradient: Callable[..., Any]) -> str:
    """Registers a gradient under a fresh name, as the recipe does with random ones."""
    name = f"ForeignGradient{next(_names)}"
    tf.RegisterGradient(name)(gradient)
    return name


def with_gradient(func: Any, inp: Any, tout: Any, gradient: Any, stateful: bool = True) -> Any:
    """The recipe: `py_func` inside an override map."""
    name = registered(gradient)
    with tf.get_default_graph().gradient_override_map({"PyFunc": name, "PyFuncStateless": name}):
        return tf.py_func(func, inp, tout, stateful=stateful)


class TwoLayers:
    """Two layers with a tanh between them, in NumPy."""

    def __init__(self) -> None:
        rng = np.random.default_rng(3)
        self.w, self.v = rng.normal(size=(4, 6)), rng.normal(size=(6, 3))

    def forward(self, x: Any) -> Any:
        return (np.tanh(x @ self.w) @ self.v).astype(x.dtype)

    def backward(self, x: Any, dy: Any) -> Any:
        hidden = np.tanh(x @ self.w)
        return (((dy @ self.v.T) * (1 - hidden**2)) @ self.w.T).astype(x.dtype)


def bridged(model: TwoLayers, x: Any, stateful: bool = True) -> Any:
    """The network's outputs as a tensor with its gradient, which is a `py_func` too."""

    def gradient(op: Any, dy: Any) -> Any:
        return tf.py_func(model.backward, [op.inputs[0], dy], op.inputs[0].dtype, stateful=stateful)

    logits = with_gradient(model.forward, [x], tf.float64, gradient, stateful)
    logits.set_shape([None, 3])
    return logits


def finite_differences(function: Callable[[Any], float], at: Any, step: float = 1e-5) -> Any:
    out = np.zeros_like(at)
    for i in np.ndindex(*at.shape):
        shift = np.zeros_like(at)
        shift[i] = step
        out[i] = (function(at + shift) - function(at - shift)) / (2 * step)
    return out


@pytest.mark.parametrize("stateful", [True, False])
def test_its_gradient_is_that_of_finite_differences(stateful: bool) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [None, 4])
        logits = bridged(TwoLayers(), x, stateful)
        assert logits.op.type == ("PyFunc" if stateful else "PyFuncStateless")
        loss = tf.reduce_sum(tf.square(logits))
        dx = tf.gradients(loss, x)[0]
        assert dx.shape.as_list() == [None, 4]
        found = session.run(dx, {x: POINTS})
        expected = finite_differences(lambda v: session.run(loss, {x: v}), POINTS)
    np.testing.assert_allclose(found, expected, atol=1e-3, rtol=1e-3)


def test_twenty_steps_of_gradient_descent_reduce_the_loss() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.get_variable("x", initializer=POINTS)
        loss = tf.reduce_sum(tf.square(bridged(TwoLayers(), x)))
        step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        session.run(tf.global_variables_initializer())
        losses = [session.run(loss)]
        for _ in range(20):
            session.run(step)
            losses.append(session.run(loss))
    assert all(after < before for before, after in itertools.pairwise(losses))
    assert losses[-1] < 0.5 * losses[0]


def fast_gradient_sign(logits: Any, x: Any, labels: Any, eps: float) -> Any:
    """An input that the network finds harder: each number moved by eps, uphill."""
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    (slope,) = tf.gradients(tf.reduce_sum(loss), x)
    return tf.stop_gradient(x + eps * tf.sign(slope)), loss


def test_an_attack_moves_each_number_by_eps() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        model = TwoLayers()
        x, labels = tf.placeholder(tf.float64, [None, 4]), tf.placeholder(tf.int64, [None])
        attacked, loss = fast_gradient_sign(bridged(model, x), x, labels, 0.05)
        right = model.forward(POINTS).argmax(1)
        moved, before = session.run([attacked, loss], {x: POINTS, labels: right})
        after = session.run(loss, {x: moved, labels: right})
    np.testing.assert_allclose(np.abs(moved - POINTS), 0.05, rtol=1e-9)
    assert (after > before).all()


@pytest.mark.timeout(30)
def test_an_attack_inside_of_a_function_runs_the_same_session() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, labels = tf.placeholder(tf.float64, [None, 4]), tf.placeholder(tf.int64, [None])
        attacked, _ = fast_gradient_sign(bridged(TwoLayers(), x), x, labels, 0.05)

        def three_times(points: Any, classes: Any) -> Any:
            for _ in range(3):
                points = session.run(attacked, {x: points, labels: classes})
            return points

        clean = tf.placeholder(tf.float64, [None, 4])
        hard = tf.py_func(three_times, [clean, labels], tf.float64)
        right = np.array([0, 2])
        moved = session.run(hard, {clean: POINTS, labels: right})
        expected = three_times(POINTS, right)
    np.testing.assert_array_equal(moved, expected)
    assert np.abs(moved - POINTS).max() == pytest.approx(0.15)


def test_two_overrides_in_one_graph_do_not_mix() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        one = with_gradient(lambda v: v, [x], tf.float32, lambda op, dy: dy * 2.0)
        two = with_gradient(lambda v: v, [x], tf.float32, lambda op, dy: dy * 3.0)
        plain = tf.py_func(lambda v: v, [x], tf.float32)
        grads = [tf.gradients(y, x)[0] for y in (one, two, one + two, plain)]
        assert grads[3] is None
        assert session.run(grads[:3], {x: 1.0}) == [2.0, 3.0, 5.0]


def test_a_name_registered_twice_is_refused() -> None:
    name = registered(lambda op, dy: dy)
    with pytest.raises(KeyError, match=f"Registering two gradient with name '{name}'"):
        tf.RegisterGradient(name)(lambda op, dy: dy)
