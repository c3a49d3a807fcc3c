"""Mapped functions whose arguments are rows of composite values."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf


class Particle(tf.experimental.BatchableExtensionType):
    mass: tf.Tensor
    velocity: tf.Tensor


@pytest.mark.parametrize("traced", [False, True])
def test_rows_of_extension_types_are_mapped_at_once(traced: bool) -> None:
    def impulses() -> Any:
        particles = Particle(mass=[1.0, 2.0], velocity=[3.0, 4.0])
        return (
            tf.vectorized_map(lambda p: p.mass * p.velocity, particles),
            tf.vectorized_map(lambda p: Particle(p.mass * 2.0, p.velocity), particles).mass,
            tf.vectorized_map(lambda pair: pair[0].mass * pair[1], [particles, tf.constant([5.0, 6.0])]),
        )

    found = (tf.function(impulses) if traced else impulses)()
    assert [x.numpy().tolist() for x in found] == [[3, 8], [2, 4], [5, 12]]  # as in TensorFlow 2.21


@pytest.mark.parametrize("traced", [False, True])
def test_rows_of_one_length_are_mapped_at_once(traced: bool) -> None:
    def dense() -> Any:
        inner = tf.RaggedTensor.from_row_lengths(tf.range(12), [3, 3, 3, 3])
        return tf.vectorized_map(lambda row: row.to_tensor(), tf.RaggedTensor.from_uniform_row_length(inner, 2))

    found = (tf.function(dense) if traced else dense)()
    assert found.numpy().tolist() == [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]
