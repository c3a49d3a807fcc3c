"""Numbers made by attempts, drawn part by part."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import inlay as tf
from inlay._src.ops import rejection, shaped_draws

SEED = (3, 4)


def _gamma(size: int) -> tf.Tensor:
    return tf.random.stateless_gamma([size, 3], SEED, [0.3, 1.0, 4.0])


def _poisson(size: int) -> tf.Tensor:
    return tf.random.stateless_poisson([size, 3], SEED, [-1.0, 3.0, 40.0])


def _binomial(size: int) -> tf.Tensor:
    return tf.random.stateless_binomial([size, 3], SEED, [9.0, 30.0, 200.0], [0.9, 0.1, 0.5])


@pytest.mark.parametrize("draw", [_gamma, _poisson, _binomial])
def test_numbers_do_not_depend_on_the_parts_they_are_drawn_in(draw: object, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = draw(50)  # type: ignore[operator]
    for part in (1, 7, 150):
        monkeypatch.setattr(rejection, "_ROWS", part)
        np.testing.assert_array_equal(draw(50), whole)  # type: ignore[operator]
    assert draw(0).shape == (0, 3)  # type: ignore[operator]


def test_memory_is_that_of_the_numbers() -> None:
    tracemalloc.start()
    try:
        numbers = tf.random.stateless_gamma([1 << 20], SEED, 2.0)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * numbers.numpy().nbytes


def test_the_derivative_of_gamma_numbers_is_compiled_once_for_a_size() -> None:
    pytest.importorskip("jax")
    alpha = tf.constant(np.linspace(0.5, 5.0, 100))
    compiled = shaped_draws._compiled_partial()
    slopes = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(alpha)
            numbers = tf.random.stateless_gamma([2, 100], SEED, alpha, dtype=tf.float64)
        slopes.append(tape.gradient(numbers, alpha).numpy())
    assert compiled._cache_size() == 1
    assert (slopes[0] > 0).all()
    np.testing.assert_array_equal(slopes[0], slopes[2])
