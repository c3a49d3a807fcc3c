"""Numbers that are evenly spaced."""

from __future__ import annotations

import pytest

import inlay as tf


def test_vectors_of_one_number_are_ends_when_it_runs() -> None:
    assert tf.range([0], 3, 2).numpy().tolist() == [0, 2]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        start = tf.compat.v1.placeholder(tf.int32)
        assert session.run(tf.range(start, 3, 2), {start: [0]}).tolist() == [0, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalars"):
            session.run(tf.range(start, 3, 2), {start: [0, 1]})
