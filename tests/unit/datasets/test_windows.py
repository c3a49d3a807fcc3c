"""Groups of elements with the same key."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

Dataset = tf.data.Dataset


def grouped() -> Any:
    """Groups of two; those that are left at the end have one element, or lack one."""
    keys = [3, -5, 3, 0, 7, -5, -5, 9]
    source = Dataset.from_tensor_slices(keys).enumerate()
    return source.group_by_window(lambda i, key: tf.cast(key, tf.int64), lambda key, group: group.map(_both), 2)


def _both(i: Any, key: Any) -> Any:
    return tf.stack([tf.cast(key, tf.int64), i])


FULL = [[3, 0], [3, 2], [-5, 1], [-5, 5]]
LEFT = [[-5, 6], [0, 3], [7, 4], [9, 7]]


def test_groups_that_are_left_come_in_the_order_of_their_keys() -> None:
    assert [x.tolist() for x in grouped().as_numpy_iterator()] == FULL + LEFT


@pytest.mark.parametrize("at", range(9))
def test_a_position_among_the_groups_that_are_left_is_restored(at: int) -> None:
    one, other = (grouped().as_numpy_iterator() for _ in range(2))
    for _ in range(at):
        next(one)
    other.restore(one.save())
    assert [x.tolist() for x in other] == [x.tolist() for x in one] == (FULL + LEFT)[at:]
