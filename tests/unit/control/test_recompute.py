"""`recompute_grad`: the body runs again for its gradient, which is that of the body."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_gradients_are_those_of_the_body(wrap: Any) -> None:
    w, x = tf.Variable(3.0), tf.constant(2.0)
    again = tf.recompute_grad(lambda v, times=1.0: tf.sin(v) * w * times)

    def both(v: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = again(again(v), times=2.0)
        return [y, *tape.gradient(y, [v, w])]

    inner = np.sin(2.0) * 3
    wanted = [
        np.sin(inner) * 6,
        np.cos(inner) * 6 * np.cos(2.0) * 3,
        np.sin(inner) * 2 + np.cos(inner) * 6 * np.sin(2.0),
    ]
    np.testing.assert_allclose([float(v) for v in wrap(both)(x)], wanted, 1e-5)


def test_the_body_runs_once_more_for_the_gradient() -> None:
    runs: list[Any] = []

    @tf.recompute_grad
    def product(pair: Any) -> Any:
        """Of two."""
        runs.append(pair)
        return pair[0] * pair[1], pair[0] + pair[1]

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b = product([x, x])
        z = a * b
    assert len(runs) == 1 and product.__doc__ == "Of two."
    assert float(tape.gradient(z, x)) == 24.0 and len(runs) == 2
