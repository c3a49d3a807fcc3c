"""The numerical check of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay.autodiff.gradient_check import compute_gradient, max_error


def test_theory_and_numbers_are_whole_jacobians_per_argument() -> None:
    x, y = np.array([[1.0, 2.0]]), np.array([3.0])
    theory, numbers = compute_gradient(lambda x, y: tf.reshape(x * y, [2]), [x, y])
    want = [[[3, 0], [0, 3]], [[1], [2]]]
    for found in (theory, numbers):
        assert [np.allclose(a, b, atol=1e-6) for a, b in zip(found, want, strict=True)] == [True, True]
    assert max_error(theory, numbers) < 1e-6


def test_a_wrong_gradient_shows() -> None:
    @tf.custom_gradient
    def wrong(x: Any) -> Any:
        return x * x, lambda dy: dy

    theory, numbers = compute_gradient(wrong, [np.array([3.0])])
    assert max_error(theory, numbers) == pytest.approx(5.0, abs=1e-6)


def test_complex_numbers_take_a_row_and_a_column_per_part() -> None:
    theory, numbers = compute_gradient(lambda z: z * (2.0 + 1.0j), [np.array([1.0 + 2.0j])])
    assert theory[0].shape == numbers[0].shape == (2, 2)
    np.testing.assert_allclose(np.abs(theory[0]), np.abs(numbers[0]), atol=1e-6)


def test_the_step_may_be_given() -> None:
    theory, numbers = compute_gradient(lambda x: tf.abs(x), [np.array([0.5])], delta=1.0)
    assert theory[0].tolist() == [[1]] and numbers[0].tolist() == [[0.5]]


def test_nothing_connected_and_nothing_there() -> None:
    theory, numbers = compute_gradient(lambda x: tf.constant([1.0, 2.0], tf.float64), [np.array([1.0, 1.0])])
    assert theory[0].tolist() == numbers[0].tolist() == [[0, 0], [0, 0]]
    empty, none = compute_gradient(lambda x: x * 2.0, [np.zeros(0)])
    assert empty[0].shape == (0, 0) == none[0].shape and max_error(empty, none) == 0.0


def test_arguments_are_a_list() -> None:
    with pytest.raises(ValueError, match="must be a list or tuple of arguments, got ndarray"):
        compute_gradient(lambda x: x, np.array([1.0]))  # type: ignore[arg-type]


def test_it_is_public() -> None:
    assert tf.test.compute_gradient is compute_gradient
