"""Connectionist temporal classification: losses, gradients and decoders, dense and sparse labels, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import first_behaviour, refused, rows

_LOGITS = np.float32(np.random.RandomState(5).randn(7, 3, 5))
_LENGTHS = np.int32([7, 5, 6])


def _sparse(tf: Any, labels: Any) -> Any:
    places = [[b, i] for b, row in enumerate(labels) for i in range(len(row))]
    return tf.SparseTensor(places, tf.constant([v for row in labels for v in row], tf.int32), [len(labels), 4])


@rows(0, 1, 4, -1)
def losses_of_dense_labels(tf: Any, blank: int) -> Any:
    real = [c for c in range(5) if c != blank % 5]
    labels = np.array(real)[[[0, 1, 1, 2], [3, 0, 0, 0], [2, 2, 0, 0]]]
    found = []
    for major in (True, False):
        logits = tf.constant(_LOGITS if major else _LOGITS.transpose(1, 0, 2))
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.nn.ctc_loss(labels, logits, [4, 1, 3], _LENGTHS, logits_time_major=major, blank_index=blank)
            total = tf.reduce_sum(loss * [1.0, 2.0, -1.0])
        found += [loss, tape.gradient(total, logits)]
    traced = tf.function(lambda x: tf.nn.ctc_loss(labels, x, [4, 1, 3], _LENGTHS, blank_index=blank))
    sparse = _sparse(tf, [labels[0], labels[1][:1], labels[2][:3]])
    return [
        found, traced(tf.constant(_LOGITS)), tf.nn.ctc_loss(sparse, _LOGITS, None, _LENGTHS, blank_index=blank),
        refused(lambda: tf.nn.ctc_loss(sparse, _LOGITS, None, _LENGTHS)),
    ]  # fmt: skip


@rows((False, True, False), (True, True, False), (False, False, False), (True, False, True))
def losses_of_sparse_labels(tf: Any, row: Any) -> Any:
    collapse, merge, ignore = row
    with first_behaviour(tf) as tf, tf.Session() as sess:
        labels = _sparse(tf, [[0, 1, 1, 2], [3], [2, 2, 0]])
        logits = tf.placeholder(tf.float32, [None, 3, 5])
        loss = tf.nn.ctc_loss(
            labels, logits, _LENGTHS, preprocess_collapse_repeated=collapse, ctc_merge_repeated=merge,
            ignore_longer_outputs_than_inputs=ignore,
        )  # fmt: skip
        short = tf.nn.ctc_loss(labels, logits, [3, 1, 2], collapse, merge, ignore_longer_outputs_than_inputs=ignore)
        wrong = tf.nn.ctc_loss(_sparse(tf, [[-1], [0], [0]]), logits, _LENGTHS)
        gradient = tf.gradients(loss, logits)[0]
        feed = {logits: _LOGITS}
        return [
            sess.run([loss, gradient], feed), loss.shape, refused(lambda: sess.run(short, feed)),
            refused(lambda: sess.run(wrong, feed)), refused(lambda: tf.nn.ctc_loss(tf.zeros([3, 2]), logits, _LENGTHS)),
            refused(lambda: sess.run(tf.nn.ctc_loss(labels, logits, [9, 1, 1]), feed)),
        ]  # fmt: skip


@rows(*[(merge, blank) for merge in (True, False) for blank in (None, 0, -2)])
def greedy_decoding(tf: Any, row: Any) -> Any:
    merge, blank = row
    (decoded,), sums = tf.nn.ctc_greedy_decoder(_LOGITS * 2, _LENGTHS, merge_repeated=merge, blank_index=blank)
    return [decoded.indices, decoded.values, decoded.dense_shape, sums, refused(
        lambda: tf.nn.ctc_greedy_decoder(_LOGITS, [9, 1, 1])
    )]  # fmt: skip


@rows((100, 3, False), (50, 2, False), (100, 1, True))
def beam_search(tf: Any, row: Any) -> Any:
    width, paths, merge = row
    if merge:
        decoded, scores = tf.compat.v1.nn.ctc_beam_search_decoder(_LOGITS * 3, _LENGTHS, width, paths)
    else:
        decoded, scores = tf.nn.ctc_beam_search_decoder(_LOGITS * 3, _LENGTHS, width, paths)
    return [[[d.indices, d.values, d.dense_shape] for d in decoded], scores, scores.shape]


def repeated_labels(tf: Any) -> Any:
    labels = [[1, 1, 2, 2, 1], [3, 3, 3, 0, 0], [0, 0, 0, 0, 0]]
    return [
        tf.nn.collapse_repeated(labels, [5, 4, 0]),
        tf.nn.collapse_repeated(tf.constant(labels), tf.constant([1, 2, 3])),
    ]
