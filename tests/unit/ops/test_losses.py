"""Cross entropies of labels and logits that broadcast."""

from __future__ import annotations

import numpy as np

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
