"""The devices of the nodes of gradients."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


def _two_paths(first: str, second: str) -> tuple[Any, Any, Any]:
    with tf.device("/device:GPU:1"):
        w = tf.ones([1, 1])
    with tf.device(first):
        one = tf.matmul(w, tf.ones([1, 2]))
    with tf.device(second):
        two = tf.matmul(w, tf.ones([1, 2]))
    return w, one, one + two


@pytest.mark.parametrize("second", ["/task:1", "/task:2"])
def test_gradients_are_placed_with_their_ops(second: str) -> None:
    with tf.Graph().as_default():
        w, one, total = _two_paths("/task:1", second)
        (gradient,) = v1.gradients(total, w, colocate_gradients_with_ops=True)
        (elsewhere,) = v1.gradients(total, w)
    place = one if second == "/task:1" else w
    assert gradient.op.colocation_groups() == place.op.colocation_groups() and gradient.device == place.device
    assert elsewhere.op.colocation_groups() == [f"loc:@{elsewhere.op.name}".encode()]


def test_optimizers_place_gradients_with_their_ops() -> None:
    with tf.Graph().as_default():
        v = v1.get_variable("v", [2])
        with tf.device("/task:1"):
            loss = v * v
        optimizer = v1.train.GradientDescentOptimizer(1.0)
        ((gradient, _),) = optimizer.compute_gradients(loss, [v], colocate_gradients_with_ops=True)
    assert gradient.op.colocation_groups() == loss.op.colocation_groups()
