"""What is known of batches before there is one."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf


@pytest.mark.parametrize(
    ("size", "drop", "known"),
    [
        (2, True, 2),
        (2, False, None),
        (2, tf.constant(True), 2),
        (tf.constant(3, tf.int64), True, 3),
        (tf.constant(3, tf.int64), tf.constant(False), None),
    ],
)
def test_the_size_of_batches_is_known_if_no_last_one_is_smaller(size: Any, drop: Any, known: int | None) -> None:
    assert tf.data.Dataset.range(7).batch(size, drop_remainder=drop).element_spec.shape == [known]
