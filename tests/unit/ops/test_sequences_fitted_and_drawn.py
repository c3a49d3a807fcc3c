"""Isotonic regression by its definition; Sobol's points, new seeds and losses of replicas in graphs and strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


def nearest(row: np.ndarray) -> np.ndarray:
    """The nearest sequence that does not rise: the least of the greatest means of stretches around each element."""
    count = len(row)
    mean = {(a, b): row[a : b + 1].mean() for a in range(count) for b in range(a, count)}
    return np.array([min(max(mean[a, b] for b in range(i, count)) for a in range(i + 1)) for i in range(count)])


def test_isotonic_regression_is_the_nearest_monotone_sequence() -> None:
    rows = np.random.default_rng(3).normal(size=(20, 9)).round(1)
    falling, numbers = tf.nn.isotonic_regression(rows)
    np.testing.assert_allclose(falling, [nearest(row) for row in rows], rtol=1e-12)
    rising, _ = tf.nn.isotonic_regression(rows.T, decreasing=False, axis=0)
    np.testing.assert_allclose(rising, -np.array([nearest(-row) for row in rows]).T, rtol=1e-12)
    for values, row in zip(falling.numpy(), numbers.numpy(), strict=True):
        assert row[0] == 0 and set(np.diff(row)) <= {0, 1}
        assert all(len(set(values[row == number])) == 1 for number in row)


def test_isotonic_regression_of_rows_without_elements() -> None:
    values, numbers = tf.nn.isotonic_regression(tf.zeros([2, 0]))
    assert values.shape == numbers.shape == (2, 0)


def test_sobols_points_of_sizes_that_are_not_known() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)] * 2)
    def points(dim: Any, count: Any) -> Any:
        found = tf.math.sobol_sample(dim, count, dtype=tf.float64)
        assert found.shape.as_list() == [None, None]
        return found

    whole = points(4, 20).numpy()
    np.testing.assert_array_equal(tf.math.sobol_sample(4, 13, 7, tf.float64), whole[7:])
    assert ((whole > 0) & (whole < 1)).all() and len(np.unique(whole, axis=0)) == 20


def test_new_seeds_draw_other_numbers() -> None:
    seeds = tf.random.split([5, 6], 4)
    drawn = [tf.random.stateless_uniform([3], seed).numpy() for seed in tf.unstack(seeds)]
    assert len({tuple(numbers) for numbers in drawn}) == 4
    folded = [tuple(tf.random.fold_in([5, 6], data).numpy()) for data in range(4)]
    assert len(set(folded)) == 4 and folded == [tuple(tf.random.fold_in([5, 6], data).numpy()) for data in range(4)]


def test_losses_of_replicas_are_asked_for_in_replicas() -> None:
    losses, strategy = tf.constant([1.0, 2.0]), tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        assert strategy.run(tf.nn.compute_average_loss, (losses,)).numpy() == 1.5
        assert strategy.run(tf.nn.scale_regularization_loss, (losses,)).numpy() == 3.0
        for function in (tf.nn.compute_average_loss, tf.nn.scale_regularization_loss):
            with pytest.raises(RuntimeError, match=f"You are calling `{function.__name__}` in cross replica context"):
                function(losses)
    with tf.GradientTape() as tape:
        tape.watch(losses)
        average = tf.nn.compute_average_loss(losses, sample_weight=[3.0, 5.0], global_batch_size=4)
    np.testing.assert_array_equal(tape.gradient(average, losses), [0.75, 1.25])


def test_a_vector_of_one_number_is_an_end_of_a_range():
    np.testing.assert_array_equal(tf.range([3]), [0, 1, 2])
    np.testing.assert_array_equal(tf.range(tf.constant([1.0]), 3), [1.0, 2.0])
    later = tf.function(tf.range, input_signature=[tf.TensorSpec(None, tf.int32)])
    np.testing.assert_array_equal(later(np.array([3], np.int32)), [0, 1, 2])
