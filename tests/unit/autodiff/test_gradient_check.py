"""The numerical check of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.autodiff.gradient_check import compute_gradient, max_error


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


# ---------------------------------------------------------------- in a graph (FINDINGS F); the numbers are TensorFlow's

v1 = tf.compat.v1


def test_a_function_is_checked_in_the_graph_that_is_built() -> None:
    with tf.Graph().as_default(), v1.Session():
        scale = tf.constant(2.0)
        theory, numbers = tf.test.compute_gradient(
            lambda x, y: x * x * scale + y, [tf.constant([1.0, 2.0]), [0.0, 1.0]]
        )
        assert [t.tolist() for t in theory] == [[[4, 0], [0, 8]], [[1, 0], [0, 1]]]
        assert max_error(theory, numbers) < 1e-2
        theory, _ = tf.test.compute_gradient(lambda z: z * z, [np.array([1 + 2j], np.complex64)])
        assert theory[0].tolist() == [[2, -4], [4, 2]]


def test_what_is_empty_has_an_empty_jacobian() -> None:
    for nothing, wanted in (([0, 2], (3, 0)), ([2], (3, 2))):
        theory, numbers = compute_gradient(lambda x: tf.reduce_sum(x) * tf.ones([3]), [np.zeros(nothing, np.float32)])
        assert theory[0].shape == numbers[0].shape == wanted


def test_a_graph_without_a_session_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="No default session"):
        tf.test.compute_gradient(lambda x: x, [[1.0]])


def test_the_form_of_1x_takes_tensors_of_a_graph() -> None:
    with tf.Graph().as_default(), v1.Session():
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        y = tf.reduce_sum(x * x, 1)
        theory, numbers = v1.test.compute_gradient(x, [2, 2], y, [2], x_init_value=np.ones([2, 2]))
        assert theory.tolist() == [[2, 0], [2, 0], [0, 2], [0, 2]]  # a row per element of x
        np.testing.assert_allclose(numbers, theory, atol=1e-3)
        assert v1.test.compute_gradient_error(x, [2, 2], y, [2]) < 1e-2


def test_the_form_of_1x_moves_one_tensor_of_a_list_at_a_time() -> None:
    with tf.Graph().as_default(), v1.Session():
        x, y = tf.constant([[1.0, 2.0]]), tf.constant([[3.0], [4.0]])
        ones = [np.ones([1, 2]), np.ones([2, 1])]
        found = v1.test.compute_gradient([x, y], [[1, 2], [2, 1]], tf.matmul(x, y), [1, 1], x_init_value=ones)
        assert [theory.tolist() for theory, _ in found] == [[[3], [4]], [[1], [2]]]


def test_the_form_of_1x_initializes_and_feeds() -> None:
    with tf.Graph().as_default(), v1.Session():
        x, p = v1.placeholder(tf.float32, [2]), v1.placeholder(tf.float32, [])
        y = x * p * v1.get_variable("v", initializer=2.0)
        start = [v1.global_variables_initializer()]
        theory, _ = v1.test.compute_gradient(x, [2], y, [2], init_targets=start, extra_feed_dict={p: 3.0})
        assert theory.tolist() == [[6, 0], [0, 6]]


def test_gradients_of_1x_take_the_colocation_in_its_place() -> None:
    """FINDINGS C."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(2.0)
        found = v1.gradients(x * x, x, None, "g", True, False, None, None)
        found += v1.gradients(x * x, x, colocate_gradients_with_ops=True)
        found += v1.hessians(x * x * x, x, "h", True)
        assert session.run(found) == [4, 4, 12]


def test_a_slope_has_no_rounding_where_the_function_is_linear() -> None:
    x = np.array([-0.9, -0.3, -0.1, 0.1, 0.3, 0.7, 0.9], np.float16)
    theoretical, numerical = tf.test.compute_gradient(tf.nn.relu, [x])
    np.testing.assert_array_equal(theoretical[0], np.diag(x > 0).astype(np.float16))
    np.testing.assert_array_equal(numerical[0], theoretical[0])


def test_a_step_that_is_given_is_taken_at_its_word() -> None:
    _, (numerical,) = tf.test.compute_gradient(lambda x: x, [np.array([10.0])], delta=1e-8)
    assert numerical.item() == ((10.0 + 1e-8) - (10.0 - 1e-8)) / 2e-8 != 1.0


def test_the_step_is_short_enough_for_curves() -> None:
    """The numbers are TensorFlow's, within its test's tolerance."""
    colors = np.float32([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]])
    theoretical, numerical = tf.test.compute_gradient(tf.image.rgb_to_hsv, [colors])
    np.testing.assert_allclose(numerical[0], theoretical[0], atol=1e-4)


def test_the_step_stays_between_kinks_that_are_near() -> None:
    near = np.float32([0.5, 0.5045])  # moved by 0.005, the lower one would be the greater
    _, numerical = tf.test.compute_gradient(tf.reduce_max, [near])
    np.testing.assert_array_equal(numerical[0], [[0.0, 1.0]])


def test_an_argument_that_does_not_move_has_no_slope() -> None:
    _, numerical = tf.test.compute_gradient(tf.square, [np.float32([1024.0])], delta=1e-9)
    np.testing.assert_array_equal(numerical[0], [[0.0]])


@pytest.mark.parametrize("dtype", [tf.bfloat16, tf.float16, tf.float32, tf.float64], ids=lambda d: d.name)
def test_both_jacobians_have_the_type_of_the_argument(dtype: Any) -> None:
    jacobians = tf.test.compute_gradient(lambda x: x * x, [np.array([1.0, 2.0], dtype.as_numpy_dtype)])
    assert [jacobian[0].dtype for jacobian in jacobians] == [dtype.as_numpy_dtype] * 2  # as in TensorFlow 2.21
