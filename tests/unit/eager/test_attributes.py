"""Attributes are checked by the kind that their op declares, inputs by the rank: at once, in fast paths, in graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager.attributes import text, whole, wholes

X = [[1.0, 2.0]]


def in_a_graph(call: Callable[[], Any]) -> Any:
    with tf.Graph().as_default():
        return call()


@pytest.mark.parametrize("way", [lambda call: call(), in_a_graph])
@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tf.cumsum(tf.constant(X), exclusive=[]), "Expected bool for argument 'exclusive' not []"),
        (lambda: tf.cumsum(tf.constant(X), exclusive=1), "Expected bool for argument 'exclusive' not 1"),
        (lambda: tf.strings.lower(tf.constant("A"), encoding=1), "Expected string for argument 'encoding' not 1"),
        (lambda: tf.nn.leaky_relu(tf.constant(X), "0.5"), "alpha|float|str"),
        (lambda: tf.gather(tf.constant(X), [0], batch_dims=[0]), "batch_dims"),
        (lambda: tf.identity_n(None), "Expected list for 'input' argument"),
        (lambda: tf.unstack(tf.constant(X), axis="0"), "Expected int for argument 'axis' not '0'"),
    ],
)
def test_an_attribute_of_another_kind_is_refused(way: Any, call: Callable[[], Any], says: str) -> None:
    for _ in range(2):  # the second call may take a fast path
        tf.cumsum(tf.constant(X))
        with pytest.raises((TypeError, ValueError)) as caught:
            way(call)
        assert not isinstance(caught.value, AttributeError)
        assert any(part in str(caught.value) for part in (says, *says.split("|")))


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.cumsum(tf.constant(X), [0]),
        lambda: tf.transpose(tf.constant(X), [[1, 0]]),
        lambda: tf.tile(tf.constant(X), 2),
        lambda: tf.reverse(tf.constant(X), 0),
        lambda: tf.math.top_k(tf.constant(X), [1]),
        lambda: tf.one_hot([0], [3]),
        lambda: tf.one_hot([0], 3, on_value=tf.constant([1.0]), off_value=tf.constant(0.0)),
        lambda: tf.math.invert_permutation(tf.constant([[0, 1]])),
    ],
)
def test_an_input_of_another_rank_is_refused(call: Callable[[], Any]) -> None:
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="rank"):
            call()
    with pytest.raises(ValueError, match="rank"):
        in_a_graph(call)


def test_what_has_the_kind_is_taken() -> None:
    for exclusive in (True, np.True_, None):
        assert tf.cumsum(tf.constant(X), axis=1, exclusive=exclusive).shape == (1, 2)
    for keepdims in (True, 1, "yes"):
        assert tf.reduce_sum(tf.constant(X), keepdims=keepdims).shape == (1, 1)
    assert tf.transpose(tf.constant(X), tf.constant([1, 0])).shape == (2, 1)
    assert tf.zeros(2).shape == (2,)


def test_whole_numbers_and_texts_are_read_from_what_they_are() -> None:
    assert [whole(v, "n") for v in (2, np.int64(2), 2.0, True, tf.constant(2))] == [2, 2, 2, 1, 2]
    assert wholes((1, np.int8(2)), "n") == [1, 2] and wholes(np.array([3]), "n") == [3] and wholes(4, "n") == [4]
    assert text(b"a", "t") == text("a", "t") == "a"
    for bad in (1.5, "2", None, [2], 1j):
        with pytest.raises(TypeError, match="Expected int for argument 'n'"):
            whole(bad, "n")
    with pytest.raises(TypeError, match="Expected string for argument 't'"):
        text(1, "t")
