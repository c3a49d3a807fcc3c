"""A `py_function` that returns the declared array of NumPy: it becomes the tensor, and is copied if it is held."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

RUNS = 30  # enough for generated code


def run(body: Any, way: str) -> Any:
    """The result of the last of several calls."""
    if way == "eager":
        for _ in range(RUNS):
            result = tf.py_function(body, [1.0], tf.float32)
        return result.numpy()
    with tf.Graph().as_default():
        y = tf.py_function(body, [1.0], tf.float32)
        y.set_shape([None])
        with tf.compat.v1.Session() as session:
            for _ in range(RUNS):
                result = session.run(y)
    return result


@pytest.mark.parametrize("way", ["eager", "session"])
def test_an_array_that_the_function_holds_is_copied(way: str) -> None:
    held = np.arange(4, dtype=np.float32)
    result = run(lambda x: held, way)
    held[:] = 7
    np.testing.assert_array_equal(result, np.arange(4))


@pytest.mark.parametrize("way", ["eager", "session"])
@pytest.mark.parametrize("make", [lambda: np.arange(8, dtype=np.float32)[::-2], lambda: np.arange(4, dtype=">f4")])
def test_an_array_in_another_order_has_its_values(way: str, make: Any) -> None:
    np.testing.assert_array_equal(run(lambda x: make(), way), make())


@pytest.mark.parametrize("bad", [np.zeros((2, 2), np.float32), np.full(4, 1j, np.complex64)])
def test_an_array_that_does_not_fit_is_refused(bad: np.ndarray) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(lambda x: bad, "session")
