"""Batches taken apart and stacked again."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf


def test_sizes_by_turns_and_none() -> None:
    dataset = tf.data.Dataset.range(8).batch(4, drop_remainder=True).rebatch([1, 2, 1, 0])
    assert [x.tolist() for x in dataset.as_numpy_iterator()] == [[0], [1, 2], [3], [], [4], [5, 6], [7], []]


def test_the_number_of_rows_that_is_known() -> None:
    whole = tf.data.Dataset.range(8).batch(4, drop_remainder=True)
    assert whole.rebatch(2).element_spec.shape == (2,)
    assert whole.rebatch([2, 2]).element_spec.shape == (2,)
    assert whole.rebatch(3).element_spec.shape.as_list() == [None]
    assert whole.rebatch([1, 3]).element_spec.shape.as_list() == [None]
    assert whole.rebatch(3, drop_remainder=True).element_spec.shape == (3,)
    assert tf.data.Dataset.range(8).batch(4).rebatch(2).element_spec.shape.as_list() == [None]
    with pytest.raises(ValueError, match="rank 2"):
        whole.rebatch([[1]])
    different = tf.data.Dataset.from_tensors((np.zeros(4), np.zeros(2)))
    with pytest.raises(ValueError, match="components have a matching leading dimension"):
        different.rebatch(2)
