"""Numbers of NumPy's beside ragged tensors, and arguments that kernels of rows refuse in words."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf


def test_numbers_of_numpy_stand_beside_ragged_tensors() -> None:
    rows = tf.ragged.constant([[-1.0, 0.5], [2.0]])
    assert tf.clip_by_value(rows, np.float64(0.0), np.float64(1.0)).to_list() == [[0.0, 0.5], [1.0]]
    assert tf.maximum(rows, np.float64(0.75)).to_list() == [[0.75, 0.75], [2.0]]


def test_batches_of_other_sizes_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="the batch axes differ"):
        tf.gather_nd(tf.ones([1, 3]), tf.zeros([2, 2, 1], tf.int32), batch_dims=1)


def test_a_sequence_has_an_axis() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        tf.searchsorted(tf.constant([1.0]), tf.constant(0.0))


def test_whole_numbers_stay_whole_in_crelu() -> None:
    assert tf.nn.crelu([[1, -2]]).numpy().tolist() == [[1, 0, 0, 2]]


@pytest.mark.parametrize("axis", [[], [0, 0]])
def test_a_running_sum_has_one_axis(axis: list[int]) -> None:
    with pytest.raises(ValueError, match="axis must be a scalar"):
        tf.cumsum(tf.ragged.constant([[1.0], [2.0]]), axis)
