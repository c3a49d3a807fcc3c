"""Cross entropies of labels and logits that broadcast; label sequences with the blank among the labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


def test_one_logit_for_all_classes_is_repeated_before_the_softmax_in_gradients_too() -> None:
    labels, logits = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]), np.array([[1.0], [2.0]])
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        y, x = (tf.compat.v1.placeholder(tf.float64, [None, None]) for _ in range(2))
        loss = tf.nn.softmax_cross_entropy_with_logits(y, x)
        results = [loss, *tf.gradients(loss, [y, x])]
        narrow = sess.run(results, {y: labels, x: logits})
        whole = sess.run(results, {y: labels, x: np.repeat(logits, 3, 1)})
    np.testing.assert_allclose(narrow[0], whole[0])
    np.testing.assert_allclose(narrow[0], np.log(3))
    np.testing.assert_allclose(narrow[1], whole[1])
    np.testing.assert_allclose(narrow[2], whole[2].sum(1, keepdims=True), atol=1e-12)


def test_labels_without_repetitions() -> None:
    """The numbers are TensorFlow's."""
    unique, indices = tf.nn.ctc_unique_labels([[1, 2, 1, 3], [5, 5, 5, 5], [0, 0, 2, 2]])
    assert unique.numpy().tolist() == [[1, 2, 3, 0], [5, 0, 0, 0], [0, 2, 0, 0]] and unique.dtype == tf.int64
    assert indices.numpy().tolist() == [[0, 1, 0, 2], [0, 0, 0, 0], [0, 0, 1, 1]] and indices.dtype == tf.int32
    assert [part.shape for part in tf.nn.ctc_unique_labels(np.zeros([2, 0], np.int32))] == [[2, 0]] * 2


@pytest.mark.parametrize(
    ("labels", "losses"),
    [
        ([[1, 2, 0, 2], [0, 0, 1, 1], [1, 0, 0, 3]], [9.347, 7.8216, 7.6692]),
        ([[0, 1, 1, 0], [2, 2, 2, 2], [3, 0, 3, 0]], [9.9441, 6.689, 8.7019]),
    ],
)
def test_dense_labels_may_be_the_blank(labels: list[list[int]], losses: list[float]) -> None:
    """The losses are TensorFlow's. Its gradient leaves the share of such labels out; ours is the derivative."""
    logits = np.random.RandomState(0).randn(3, 6, 5).astype(np.float32)
    lengths = {"label_length": np.array([4, 2, 3]), "logit_length": np.array([6, 5, 6])}

    def loss(x: Any) -> Any:
        return tf.nn.ctc_loss(np.array(labels), x, **lengths, logits_time_major=False, blank_index=0)

    x = tf.constant(logits, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    np.testing.assert_allclose(y.numpy(), losses, atol=1e-4)
    gradient = tape.gradient(y, x).numpy()
    for place in ((0, 1, 0), (1, 2, 2), (2, 4, 3)):
        step = np.zeros_like(logits, np.float64)
        step[place] = 1e-5
        slope = float(tf.reduce_sum(loss(x + step) - loss(x - step))) / 2e-5
        assert gradient[place] == pytest.approx(slope, abs=1e-5)
