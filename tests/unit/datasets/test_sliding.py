"""Windows that slide over a dataset, each one a batch. Values: SlidingWindowDataset of TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf


@pytest.mark.parametrize(
    ("count", "numbers", "batches"),
    [
        (7, {"window_size": 3}, [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6]]),
        (7, {"window_size": 3, "window_shift": 2}, [[0, 1, 2], [2, 3, 4], [4, 5, 6]]),
        (8, {"window_size": 3, "stride": 2, "window_stride": 2}, [[0, 2, 4], [2, 4, 6]]),
        (9, {"window_size": 2, "window_shift": 4}, [[0, 1], [4, 5]]),
        (2, {"window_size": 3}, []),
    ],
)
def test_batches_slide_over_the_elements(count: int, numbers: dict[str, Any], batches: list[list[int]]) -> None:
    dataset = tf.data.Dataset.range(count).apply(tf.contrib.data.sliding_window_batch(**numbers))
    assert [batch.numpy().tolist() for batch in dataset] == batches
    assert dataset.element_spec == tf.TensorSpec([None], tf.int64)


def test_an_iteration_is_resumed_within_overlapping_windows() -> None:
    dataset = tf.data.Dataset.range(6).apply(tf.contrib.data.sliding_window_batch(3))
    iterator, resumed = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
    next(iterator)
    resumed.restore(iterator.save())
    assert [batch.tolist() for batch in resumed] == [[1, 2, 3], [2, 3, 4], [3, 4, 5]]


def test_a_window_of_no_elements_is_refused() -> None:
    dataset = tf.data.Dataset.range(6).apply(tf.contrib.data.sliding_window_batch(0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="window_size must be greater than zero"):
        next(iter(dataset))
    with pytest.raises(ValueError, match="both"):
        tf.contrib.data.sliding_window_batch(2, stride=1, window_shift=1)
