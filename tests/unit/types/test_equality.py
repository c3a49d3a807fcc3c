"""`==` on tensors and variables compares elements, or asks for identity as in 1.x."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import inlay as tf


@pytest.fixture
def by_identity() -> Iterator[None]:
    tf.compat.v1.disable_tensor_equality()
    yield
    tf.compat.v1.enable_tensor_equality()


def test_identity_makes_tensors_and_variables_hashable(by_identity: None) -> None:
    a, b, v = tf.constant([1]), tf.constant([1]), tf.Variable(1)
    assert (a == b) is False and (a == a) is True and (a != b) is True
    assert (v == v) is True and (v == 1) is False and (v != 1) is True
    assert {a: 1, v: 2}[a] == 1 and b not in {a: 1}
    assert (tf.ragged.constant([[1]]) == tf.ragged.constant([[1]])) is False


def test_elements_are_compared_by_default() -> None:
    assert (tf.constant([1, 2]) == tf.constant([1, 3])).numpy().tolist() == [True, False]
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.constant(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.Variable(1))
