"""What ops do to ragged tensors: values, types and static shapes as TensorFlow 2.21 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

rc = tf.ragged.constant
r = rc([[1, 2, 3], [], [4, 5]])
f = rc([[1.0, 2.0, 3.0], [], [4.0, 5.0]])
d = rc([[[1, 2], [3]], [], [[4, 5, 6]]])
u = rc([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)
du = rc([[[1.0, 2.0], [3.0, 4.0]], [], [[5.0, 6.0]]], ragged_rank=1)
s = rc([["a", "b"], ["c"], []])
nan = float("nan")

CASES: list[tuple[Callable[[], Any], Any]] = [
    (lambda: tf.reverse(r, [0]), ("int32", [3, None], [[4, 5], [], [1, 2, 3]])),
    (lambda: tf.reverse(r, [1]), ("int32", [3, None], [[3, 2, 1], [], [5, 4]])),
    (lambda: tf.reverse(d, [0, 1]), ("int32", [3, None, None], [[[4, 5, 6]], [], [[3], [1, 2]]])),
    (lambda: tf.reverse(d, [-1]), ("int32", [3, None, None], [[[2, 1], [3]], [], [[6, 5, 4]]])),
    (lambda: tf.reverse(u, [2]), ("int32", [3, None, 2], [[[2, 1], [4, 3]], [], [[6, 5]]])),
    (
        lambda: tf.tile(r, [2, 3]),
        (
            "int32",
            [6, None],
            [[1, 2, 3, 1, 2, 3, 1, 2, 3], [], [4, 5, 4, 5, 4, 5], [1, 2, 3, 1, 2, 3, 1, 2, 3], [], [4, 5, 4, 5, 4, 5]],
        ),
    ),
    (
        lambda: tf.tile(u, [1, 2, 2]),
        (
            "int32",
            [3, None, 4],
            [[[1, 2, 1, 2], [3, 4, 3, 4], [1, 2, 1, 2], [3, 4, 3, 4]], [], [[5, 6, 5, 6], [5, 6, 5, 6]]],
        ),
    ),
    (
        lambda: tf.tile(d, [2, 1, 2]),
        (
            "int32",
            [6, None, None],
            [[[1, 2, 1, 2], [3, 3]], [], [[4, 5, 6, 4, 5, 6]], [[1, 2, 1, 2], [3, 3]], [], [[4, 5, 6, 4, 5, 6]]],
        ),
    ),
    (lambda: tf.tile(r, [1, 0]), ("int32", [3, None], [[], [], []])),
    (lambda: tf.squeeze(rc([[1, 2]]), [0]), ("int32", [2], [1, 2])),
    (lambda: tf.squeeze(rc([[1], [2]]), [1]), ("int32", [2], [1, 2])),
    (lambda: tf.squeeze(rc([[[1], [2]], [[3]]], ragged_rank=1), [2]), ("int32", [2, None], [[1, 2], [3]])),
    (lambda: tf.squeeze(rc([[[1, 2]], [[3]]]), [1]), ("int32", [2, None], [[1, 2], [3]])),
    (
        lambda: tf.split(r, 3),
        [("int32", [1, None], [[1, 2, 3]]), ("int32", [1, None], [[]]), ("int32", [1, None], [[4, 5]])],
    ),
    (lambda: tf.split(r, [1, 2]), [("int32", [1, None], [[1, 2, 3]]), ("int32", [2, None], [[], [4, 5]])]),
    (
        lambda: tf.split(u, 2, axis=2),
        [("int32", [3, None, 1], [[[1], [3]], [], [[5]]]), ("int32", [3, None, 1], [[[2], [4]], [], [[6]]])],
    ),
    (
        lambda: tf.split(tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2), 2, axis=1),
        [("int32", [2, 1], [[1], [3]]), ("int32", [2, 1], [[2], [4]])],
    ),
    (lambda: tf.gather(r, rc([[0], [2, 1]])), ("int32", [2, None, None], [[[1, 2, 3]], [[4, 5], []]])),
    (lambda: tf.gather(tf.constant([10, 20, 30]), rc([[0], [2, 1]])), ("int32", [2, None], [[10], [30, 20]])),
    (lambda: tf.gather(r, 2), ("int32", [2], [4, 5])),
    (lambda: tf.gather(rc([[1, 2, 3], [4, 5]]), [1, 0], axis=1), ("int32", [2, 2], [[2, 1], [5, 4]])),
    (lambda: tf.gather(r, rc([[2, 0], [], [1]]), axis=1, batch_dims=1), ("int32", [3, None], [[3, 1], [], [5]])),
    (
        lambda: tf.gather(rc([[1, 2], [3], [4, 5]]), [[0], [0], [1]], axis=1, batch_dims=1),
        ("int32", [3, 1], [[1], [3], [5]]),
    ),
    (lambda: tf.gather(rc([[1, 2], [3], [4, 5]]), [1, 0, 1], axis=1, batch_dims=1), ("int32", [3], [2, 3, 5])),
    (
        lambda: tf.gather(tf.constant([[1, 2, 3], [4, 5, 6]]), rc([[2, 0], [1]]), batch_dims=1),
        ("int32", [2, None], [[3, 1], [5]]),
    ),
    (
        lambda: tf.gather(d, rc([[1], [], [0, 0]]), batch_dims=1),
        ("int32", [3, None, None], [[[3]], [], [[4, 5, 6], [4, 5, 6]]]),
    ),
    (
        lambda: tf.gather(d, rc([[[1], [0]], [], [[2, 0]]]), batch_dims=2),
        ("int32", [3, None, None], [[[2], [3]], [], [[6, 4]]]),
    ),
    (lambda: tf.gather(u, [1, 0], axis=2), ("int32", [3, None, 2], [[[2, 1], [4, 3]], [], [[6, 5]]])),
    (
        lambda: tf.gather(rc([[1, 2, 3], [4, 5]]), rc([[1], [0, 1]]), axis=1),
        ("int32", [2, 2, None], [[[2], [1, 2]], [[5], [4, 5]]]),
    ),
    (
        lambda: tf.gather(tf.constant([[1, 2, 3], [4, 5, 6]]), rc([[2, 0], [1]]), axis=1),
        ("int32", [2, 2, None], [[[3, 1], [2]], [[6, 4], [5]]]),
    ),
    (lambda: tf.gather_nd(r, [[0], [2]]), ("int32", [2, None], [[1, 2, 3], [4, 5]])),
    (lambda: tf.gather_nd(r, [[0, 1], [2, 0]]), ("int32", [2], [2, 4])),
    (lambda: tf.gather_nd(d, [[0, 1], [2, 0]]), ("int32", [2, None], [[3], [4, 5, 6]])),
    (lambda: tf.gather_nd(r, rc([[[0, 1]], [], [[2, 0]]], ragged_rank=1)), ("int32", [3, None], [[2], [], [4]])),
    (
        lambda: tf.gather_nd(tf.constant([[1, 2], [3, 4]]), rc([[[0, 1]], [[1, 1], [1, 0]]], ragged_rank=1)),
        ("int32", [2, None], [[2], [4, 3]]),
    ),
    (lambda: tf.gather_nd(r, [[[0], [1]]]), ("int32", [1, 2, None], [[[1, 2, 3], []]])),
    (lambda: tf.strings.reduce_join(s, axis=1), ("string", [3], [b"ab", b"c", b""])),
    (lambda: tf.strings.reduce_join(s, axis=-1, separator="-"), ("string", [3], [b"a-b", b"c", b""])),
    (lambda: tf.strings.reduce_join(s, axis=0, separator=","), ("string", [2], [b"a,c", b"b"])),
    (lambda: tf.strings.reduce_join(s, axis=1, keepdims=True), ("string", [3, 1], [[b"ab"], [b"c"], [b""]])),
    (
        lambda: tf.one_hot(r, 6),
        (
            "float32",
            [3, None, 6],
            [
                [[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]],
                [],
                [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]],
            ],
        ),
    ),
    (
        lambda: tf.one_hot(rc([[0], [1, 2]]), 3, on_value=5, off_value=-1, dtype=tf.int32),
        ("int32", [2, None, 3], [[[5, -1, -1]], [[-1, 5, -1], [-1, -1, 5]]]),
    ),
    (lambda: tf.cumsum(r, axis=1), ("int32", [3, None], [[1, 3, 6], [], [4, 9]])),
    (lambda: tf.cumsum(r, axis=1, exclusive=True), ("int32", [3, None], [[0, 1, 3], [], [0, 4]])),
    (lambda: tf.cumsum(r, axis=1, reverse=True), ("int32", [3, None], [[6, 5, 3], [], [9, 5]])),
    (lambda: tf.cumsum(r, axis=0), ("int32", [3, None], [[1, 2, 3], [], [5, 7]])),
    (lambda: tf.cumsum(u, axis=2), ("int32", [3, None, 2], [[[1, 3], [3, 7]], [], [[5, 11]]])),
    (lambda: tf.cumsum(d, axis=2), ("int32", [3, None, None], [[[1, 3], [3]], [], [[4, 9, 15]]])),
    (lambda: tf.matmul(du, tf.ones([3, 2, 1])), ("float32", [3, None, 1], [[[3.0], [7.0]], [], [[11.0]]])),
    (
        lambda: tf.matmul(du, du, transpose_b=True),
        ("float32", [3, None, None], [[[5.0, 11.0], [11.0, 25.0]], [], [[61.0]]]),
    ),
    (
        lambda: tf.matmul(du, du, transpose_a=True),
        ("float32", [3, 2, 2], [[[10.0, 14.0], [14.0, 20.0]], [[0.0, 0.0], [0.0, 0.0]], [[25.0, 30.0], [30.0, 36.0]]]),
    ),
    (
        lambda: tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), rc([[0, 2], [], [1]])),
        ("float32", [3, None, 2], [[[1.0, 2.0], [5.0, 6.0]], [], [[3.0, 4.0]]]),
    ),
    (lambda: r + tf.constant([[10], [20], [30]]), ("int32", [3, None], [[11, 12, 13], [], [34, 35]])),
    (lambda: r + tf.constant([[7]]), ("int32", [3, None], [[8, 9, 10], [], [11, 12]])),
    (lambda: r + tf.constant([7]), ("int32", [3, None], [[8, 9, 10], [], [11, 12]])),
    (lambda: u + tf.constant([[[1]], [[2]], [[3]]]), ("int32", [3, None, 2], [[[2, 3], [4, 5]], [], [[8, 9]]])),
    (
        lambda: u + tf.constant([[[1, 10]], [[2, 20]], [[3, 30]]]),
        ("int32", [3, None, 2], [[[2, 12], [4, 14]], [], [[8, 36]]]),
    ),
    (lambda: u + tf.constant([100, 200]), ("int32", [3, None, 2], [[[101, 202], [103, 204]], [], [[105, 206]]])),
    (
        lambda: u + tf.constant([[100], [200], [300]])[:, :, None],
        ("int32", [3, None, 2], [[[101, 102], [103, 104]], [], [[305, 306]]]),
    ),
    (lambda: rc([[1, 2], [3, 4]]) + tf.constant([[1, 2], [3, 4]]), ("int32", [2, None], [[2, 4], [6, 8]])),
    (lambda: d + tf.constant([[[1]], [[2]], [[3]]]), ("int32", [3, None, None], [[[2, 3], [4]], [], [[7, 8, 9]]])),
    (lambda: d + tf.constant([1]), ("int32", [3, None, None], [[[2, 3], [4]], [], [[5, 6, 7]]])),
    (lambda: tf.constant([[10], [20], [30]]) + r, ("int32", [3, None], [[11, 12, 13], [], [34, 35]])),
    (lambda: r * np.array([[2], [3], [4]]), ("int32", [3, None], [[2, 4, 6], [], [16, 20]])),
    (lambda: tf.where(r > 2, r, 0), ("int32", [3, None], [[0, 0, 3], [], [4, 5]])),
    (lambda: tf.where(tf.constant([[True], [False], [True]]), r, -r), ("int32", [3, None], [[1, 2, 3], [], [4, 5]])),
    (lambda: tf.maximum(r, tf.constant([[2], [2], [5]])), ("int32", [3, None], [[2, 2, 3], [], [5, 5]])),
    (
        lambda: tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2) + tf.constant([10, 20]),
        ("int32", [2, 2], [[11, 22], [13, 24]]),
    ),
    (
        lambda: tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2) + tf.constant([[1, 2], [3, 4]]),
        ("int32", [2, 2], [[2, 4], [6, 8]]),
    ),
    (lambda: r[:, : tf.constant(2)], ("int32", [3, None], [[1, 2], [], [4, 5]])),
    (lambda: r[:, tf.constant(1) :], ("int32", [3, None], [[2, 3], [], [5]])),
    (lambda: d[:, :, :1], ("int32", [3, None, None], [[[1], [3]], [], [[4]]])),
    (lambda: d[0, 1], ("int32", [1], [3])),
    (lambda: r[-1], ("int32", [2], [4, 5])),
    (lambda: r[tf.constant(0)], ("int32", [3], [1, 2, 3])),
    (lambda: d[..., :1], ("int32", [3, None, None], [[[1], [3]], [], [[4]]])),
    (lambda: r[1:, None], ("int32", [2, 1, None], [[[]], [[4, 5]]])),
    (lambda: u[:, :, 0], ("int32", [3, None], [[1, 3], [], [5]])),
    (lambda: r[0, 1], ("int32", [], 2)),
    (lambda: r[:2, ::-1], ("int32", [2, None], [[3, 2, 1], []])),
    (lambda: rc([[]], ragged_rank=1), ("float32", [1, None], [[]])),
    (lambda: rc([], dtype=tf.int32), ("int32", [0], [])),
    (lambda: tf.reduce_mean(rc([[4, 5], [6]])), ("float64", [], 5.0)),
    (lambda: tf.reduce_mean(rc([[4, 5], [6]]), 1), ("float64", [2], [4.5, 6.0])),
    (lambda: tf.math.unsorted_segment_sum(r, [0, 1, 0], 2), ("int32", [2, None], [[5, 7, 3], []])),
    (lambda: tf.cast(r, tf.float32), ("float32", [3, None], [[1.0, 2.0, 3.0], [], [4.0, 5.0]])),
    (lambda: tf.add_n([r, r, r]), ("int32", [3, None], [[3, 6, 9], [], [12, 15]])),
    (lambda: tf.clip_by_value(r, 2, 4), ("int32", [3, None], [[2, 2, 3], [], [4, 4]])),
    (lambda: tf.concat([r, r], 1), ("int32", [3, None], [[1, 2, 3, 1, 2, 3], [], [4, 5, 4, 5]])),
    (lambda: tf.concat([r, tf.constant([[9], [9], [9]])], 1), ("int32", [3, None], [[1, 2, 3, 9], [9], [4, 5, 9]])),
    (lambda: tf.stack([r, r]), ("int32", [2, None, None], [[[1, 2, 3], [], [4, 5]], [[1, 2, 3], [], [4, 5]]])),
    (
        lambda: tf.stack([r, r], axis=1),
        ("int32", [3, None, None], [[[1, 2, 3], [1, 2, 3]], [[], []], [[4, 5], [4, 5]]]),
    ),
    (lambda: tf.expand_dims(r, 1), ("int32", [3, 1, None], [[[1, 2, 3]], [[]], [[4, 5]]])),
    (lambda: tf.expand_dims(r, -1), ("int32", [3, None, 1], [[[1], [2], [3]], [], [[4], [5]]])),
    (lambda: tf.where(r > 2), ("int64", [3, 2], [[0, 2], [2, 0], [2, 1]])),
]

REDUCTIONS: list[tuple[Callable[[], Any], Any]] = [
    (lambda: tf.math.reduce_sum(d, None, False), ("int32", [], 21)),
    (lambda: tf.math.reduce_prod(d, None, False), ("int32", [], 720)),
    (lambda: tf.math.reduce_max(d, None, False), ("int32", [], 6)),
    (lambda: tf.math.reduce_mean(d, None, False), ("float64", [], 3.5)),
    (lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), None, False), ("float32", [], 2.9166669845581055)),
    (lambda: tf.math.reduce_sum(d, None, True), ("int32", [1, 1, 1], [[[21]]])),
    (lambda: tf.math.reduce_sum(d, 0, False), ("int32", [2, None], [[5, 7, 6], [3]])),
    (lambda: tf.math.reduce_prod(d, 0, False), ("int32", [2, None], [[4, 10, 6], [3]])),
    (lambda: tf.math.reduce_max(d, 0, False), ("int32", [2, None], [[4, 5, 6], [3]])),
    (lambda: tf.math.reduce_mean(d, 0, False), ("float64", [2, None], [[2.5, 3.5, 6.0], [3.0]])),
    (
        lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), 0, False),
        ("float32", [2, None], [[2.25, 2.25, 0.0], [0.0]]),
    ),
    (lambda: tf.math.reduce_sum(d, 0, True), ("int32", [1, 2, None], [[[5, 7, 6], [3]]])),
    (lambda: tf.math.reduce_sum(d, 1, False), ("int32", [3, None], [[4, 2], [], [4, 5, 6]])),
    (lambda: tf.math.reduce_prod(d, 1, False), ("int32", [3, None], [[3, 2], [], [4, 5, 6]])),
    (lambda: tf.math.reduce_max(d, 1, False), ("int32", [3, None], [[3, 2], [], [4, 5, 6]])),
    (lambda: tf.math.reduce_mean(d, 1, False), ("float64", [3, None], [[2.0, 2.0], [], [4.0, 5.0, 6.0]])),
    (
        lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), 1, False),
        ("float32", [3, None], [[1.0, 0.0], [], [0.0, 0.0, 0.0]]),
    ),
    (lambda: tf.math.reduce_sum(d, 1, True), ("int32", [3, 1, None], [[[4, 2]], [[]], [[4, 5, 6]]])),
    (lambda: tf.math.reduce_sum(d, 2, False), ("int32", [3, None], [[3, 3], [], [15]])),
    (lambda: tf.math.reduce_prod(d, 2, False), ("int32", [3, None], [[2, 3], [], [120]])),
    (lambda: tf.math.reduce_max(d, 2, False), ("int32", [3, None], [[2, 3], [], [6]])),
    (lambda: tf.math.reduce_mean(d, 2, False), ("float64", [3, None], [[1.5, 3.0], [], [5.0]])),
    (
        lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), 2, False),
        ("float32", [3, None], [[0.25, 0.0], [], [0.6666660308837891]]),
    ),
    (lambda: tf.math.reduce_sum(d, 2, True), ("int32", [3, None, 1], [[[3], [3]], [], [[15]]])),
    (lambda: tf.math.reduce_sum(d, -1, False), ("int32", [3, None], [[3, 3], [], [15]])),
    (lambda: tf.math.reduce_prod(d, -1, False), ("int32", [3, None], [[2, 3], [], [120]])),
    (lambda: tf.math.reduce_max(d, -1, False), ("int32", [3, None], [[2, 3], [], [6]])),
    (lambda: tf.math.reduce_mean(d, -1, False), ("float64", [3, None], [[1.5, 3.0], [], [5.0]])),
    (
        lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), -1, False),
        ("float32", [3, None], [[0.25, 0.0], [], [0.6666660308837891]]),
    ),
    (lambda: tf.math.reduce_sum(d, -1, True), ("int32", [3, None, 1], [[[3], [3]], [], [[15]]])),
    (lambda: tf.math.reduce_sum(d, [0, 1], False), ("int32", [3], [8, 7, 6])),
    (lambda: tf.math.reduce_prod(d, [0, 1], False), ("int32", [3], [12, 10, 6])),
    (lambda: tf.math.reduce_max(d, [0, 1], False), ("int32", [3], [4, 5, 6])),
    (lambda: tf.math.reduce_mean(d, [0, 1], False), ("float64", [3], [2.6666666666666665, 3.5, 6.0])),
    (
        lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), [0, 1], False),
        ("float32", [3], [1.5555553436279297, 2.25, 0.0]),
    ),
    (lambda: tf.math.reduce_sum(d, [0, 1], True), ("int32", [1, 1, None], [[[8, 7, 6]]])),
    (lambda: tf.math.reduce_sum(d, [1, 2], False), ("int32", [3], [6, 0, 15])),
    (lambda: tf.math.reduce_prod(d, [1, 2], False), ("int32", [3], [6, 1, 120])),
    (lambda: tf.math.reduce_max(d, [1, 2], False), ("int32", [3], [3, -2147483648, 6])),
    (lambda: tf.math.reduce_mean(d, [1, 2], False), ("float64", [3], [2.0, nan, 5.0])),
    (
        lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), [1, 2], False),
        ("float32", [3], [0.6666665077209473, nan, 0.6666660308837891]),
    ),
    (lambda: tf.math.reduce_sum(d, [1, 2], True), ("int32", [3, 1, 1], [[[6]], [[0]], [[15]]])),
    (lambda: tf.math.reduce_sum(d, [0, 2], False), ("int32", [2], [18, 3])),
    (lambda: tf.math.reduce_prod(d, [0, 2], False), ("int32", [2], [240, 3])),
    (lambda: tf.math.reduce_max(d, [0, 2], False), ("int32", [2], [6, 3])),
    (lambda: tf.math.reduce_mean(d, [0, 2], False), ("float64", [2], [3.6, 3.0])),
    (
        lambda: tf.math.reduce_variance(tf.cast(d, tf.float32), [0, 2], False),
        ("float32", [2], [3.440000534057617, 0.0]),
    ),
    (lambda: tf.math.reduce_sum(d, [0, 2], True), ("int32", [1, 2, 1], [[[18], [3]]])),
    (lambda: tf.math.reduce_sum(u, None, False), ("int32", [], 21)),
    (lambda: tf.math.reduce_sum(u, 0, False), ("int32", [2, 2], [[6, 8], [3, 4]])),
    (lambda: tf.math.reduce_sum(u, 0, True), ("int32", [1, 2, 2], [[[6, 8], [3, 4]]])),
    (lambda: tf.math.reduce_sum(u, 1, False), ("int32", [3, 2], [[4, 6], [0, 0], [5, 6]])),
    (lambda: tf.math.reduce_sum(u, 1, True), ("int32", [3, 1, 2], [[[4, 6]], [[0, 0]], [[5, 6]]])),
    (lambda: tf.math.reduce_sum(u, 2, False), ("int32", [3, None], [[3, 7], [], [11]])),
    (lambda: tf.math.reduce_sum(u, 2, True), ("int32", [3, None, 1], [[[3], [7]], [], [[11]]])),
    (lambda: tf.math.reduce_sum(u, -1, False), ("int32", [3, None], [[3, 7], [], [11]])),
    (lambda: tf.math.reduce_sum(u, -1, True), ("int32", [3, None, 1], [[[3], [7]], [], [[11]]])),
    (lambda: tf.math.reduce_sum(u, [0, 1], False), ("int32", [2], [9, 12])),
    (lambda: tf.math.reduce_sum(u, [0, 1], True), ("int32", [1, 1, 2], [[[9, 12]]])),
    (lambda: tf.math.reduce_sum(u, [1, 2], False), ("int32", [3], [10, 0, 11])),
    (lambda: tf.math.reduce_sum(u, [1, 2], True), ("int32", [3, 1, 1], [[[10]], [[0]], [[11]]])),
    (lambda: tf.math.reduce_sum(u, [0, 2], False), ("int32", [2], [14, 7])),
    (lambda: tf.math.reduce_sum(u, [0, 2], True), ("int32", [1, 2, 1], [[[14], [7]]])),
]


def told(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [told(v) for v in value]
    rows = value.to_list() if isinstance(value, tf.RaggedTensor) else value.numpy().tolist()
    return value.dtype.name, value.shape.as_list(), rows


@pytest.mark.parametrize(("make", "expected"), CASES + REDUCTIONS)
def test_eager(make: Callable[[], Any], expected: Any) -> None:
    np.testing.assert_equal(told(make()), expected)


@pytest.mark.parametrize(("make", "expected"), CASES + REDUCTIONS)
def test_in_a_function(make: Callable[[], Any], expected: Any) -> None:
    def values(found: Any) -> Any:
        return [values(f) for f in found] if isinstance(found, list) else (found[0], found[2])

    np.testing.assert_equal(values(told(tf.function(make)())), values(expected))


@pytest.mark.parametrize(
    ("make", "gradient"),
    [
        (lambda x: x * tf.constant([[1.0], [2.0], [3.0]]), [1, 1, 1, 3, 3]),
        (lambda x: tf.reduce_max(x, axis=0), [0, 0, 1, 1, 1]),
        (lambda x: tf.reduce_sum(x, axis=1) * tf.constant([1.0, 2.0, 3.0]), [1, 1, 1, 3, 3]),
        (lambda x: tf.gather(x, [[2], [0]]), [1, 1, 1, 1, 1]),
        (lambda x: tf.gather(x, rc([[2, 2], [], [1]]), axis=1, batch_dims=1), [0, 0, 2, 0, 1]),
        (lambda x: tf.cumsum(x, axis=1), [3, 2, 1, 2, 1]),
        (lambda x: tf.tile(x, [2, 3]), [6, 6, 6, 6, 6]),
        (lambda x: tf.reverse(x, [1])[:, :1], [0, 0, 1, 0, 1]),
    ],
)
def test_gradients_flow_to_the_flat_values(make: Callable[[Any], Any], gradient: list[float]) -> None:
    flat = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(flat)
        total = tf.reduce_sum(make(f.with_flat_values(flat)))
    assert tf.convert_to_tensor(tape.gradient(total, flat)).numpy().tolist() == gradient


def test_slices_inside_rows_take_tensors_while_a_graph_is_built() -> None:
    """FINDINGS F6: `r[:, :i]`."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        stop = tf.compat.v1.placeholder(tf.int32, [])
        cut = rc([[1, 2, 3], [], [4, 5]])[:, :stop]
        assert session.run(cut, {stop: 2}).to_list() == [[1, 2], [], [4, 5]]
        assert session.run(cut, {stop: -1}).to_list() == [[1, 2], [], [4]]


@pytest.mark.parametrize("kind", ["constant", "constant_value"])
def test_empty_lists_have_any_ragged_rank(kind: str) -> None:
    """FINDINGS F6: `ragged.constant([], ragged_rank=1)`."""
    made = getattr(tf.ragged, kind)([], ragged_rank=2)
    assert (made.to_list(), made.ragged_rank) == ([], 2)
    assert getattr(tf.ragged, kind)([[], []], ragged_rank=3).to_list() == [[], []]
    with pytest.raises(
        ValueError,
        match="pylist has scalar values depth 2, but ragged_rank=2 requires scalar value depth greater than 2",
    ):
        getattr(tf.ragged, kind)([[1]], ragged_rank=2)


def test_constants_have_an_inner_shape() -> None:
    value = tf.compat.v1.ragged.constant_value([[[1, 2], [3, 4]], []], inner_shape=(2,))
    assert value.shape == (2, None, 2) and value.dtype == np.int64 and value.to_list() == [[[1, 2], [3, 4]], []]
    assert tf.ragged.constant([[[1, 2], [3, 4]], []], inner_shape=(2,)).shape.as_list() == [2, None, 2]
    for made in (tf.ragged.constant, tf.compat.v1.ragged.constant_value):
        with pytest.raises(ValueError, match="inner values have inconsistent shape"):
            made([[[1, 2]], [[3]]], ragged_rank=1)
        with pytest.raises(ValueError, match="empty list nesting is greater"):
            made([[1], [[]]])


def test_values_of_ragged_tensors_are_operands() -> None:
    value = tf.compat.v1.ragged.constant_value([[1, 2], [3]])
    assert (tf.add(value, 1).to_list(), tf.gather(value, [1]).to_list()) == ([[2, 3], [4]], [[3]])
    assert tf.ragged.boolean_mask(value, [True, False]).to_list() == [[1, 2]]


def test_slices_go_to_the_rows_of_their_numbers() -> None:
    letters = ["a", "b", "c", "d", "e"]
    made = tf.ragged.stack_dynamic_partitions(letters, [3, 0, 2, 2, 3], num_partitions=5)
    assert made.to_list() == [[b"b"], [], [b"c", b"d"], [b"a", b"e"], []]
    rows = tf.ragged.constant([["a", "b"], ["c"]])
    made = tf.ragged.stack_dynamic_partitions(rows, tf.ragged.constant([[1, 0], [1]]), 2)
    assert made.to_list() == [[b"b"], [b"a", b"c"]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="partitions must be less than num_partitions"):
        tf.ragged.stack_dynamic_partitions(letters, [3, 0, 2, 2, 3], 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible ragged shapes"):
        tf.ragged.stack_dynamic_partitions(rows, tf.ragged.constant([[1], [1, 0]]), 2)


def test_bad_indices_are_ignored_on_request() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather_nd(x, [[1], [9], [1]], bad_indices_policy="IGNORE")
    assert y.numpy().tolist() == [2, 0, 2] and tape.gradient(y, x).numpy().tolist() == [0, 2, 0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index"):
        tf.gather_nd(x, [[9]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad_indices_policy must be"):
        tf.gather_nd(x, [[0]], bad_indices_policy="SKIP")


def test_rows_that_stand_together_have_a_dense_derivative() -> None:
    flat = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(flat)
        some = tf.RaggedTensor.from_row_splits(flat, [0, 1, 1, 4])[1:].flat_values
        vector = tf.gather(flat, [3, 3], axis=-1)
    assert tape.gradient(some, flat).numpy().tolist() == [0, 1, 1, 1]
    assert tape.gradient(vector, flat).numpy().tolist() == [0, 0, 0, 2]


def test_sizes_to_split_into_may_come_at_run_time() -> None:
    spec = tf.RaggedTensorSpec(None, tf.int32, ragged_rank=1)

    @tf.function(input_signature=[spec, tf.TensorSpec(None, tf.int32)])
    def parts(rows: tf.RaggedTensor, sizes: tf.Tensor) -> list[tf.RaggedTensor]:
        assert rows.shape.rank is None  # what the signature says, not what came
        return tf.split(rows, sizes, num=2)

    rows = tf.ragged.constant([[1], [2, 3], []])
    assert [p.to_list() for p in parts(rows, [1, 2])] == [[[1]], [[2, 3], []]]
    assert [p.to_list() for p in parts(rows[1:], [2, 0])] == [[[2, 3], []], []]
    with pytest.raises(tf.errors.InvalidArgumentError, match="inconsistent with num=2"):
        parts(rows, [1, 1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot exactly split"):
        tf.split(rows, 2)
    with pytest.raises(ValueError, match="a ragged dimension"):
        tf.split(rows, 2, axis=1)


def test_batches_of_any_rank_are_multiplied() -> None:
    one = tf.RaggedTensor.from_row_lengths(tf.ones([3, 2, 4]), [2, 0, 1])
    two = tf.RaggedTensor.from_row_lengths(tf.ones([3, 4, 1]), [2, 0, 1])
    assert tf.matmul(one, two).to_list() == [[[[4.0], [4.0]]] * 2, [], [[[4.0], [4.0]]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="do not have the same size"):
        tf.matmul(one, tf.RaggedTensor.from_row_lengths(tf.ones([3, 4, 1]), [1, 1, 1]))


def test_shapes_to_fill_up_to_may_be_tensors() -> None:
    rows = tf.ragged.constant([[1, 2, 3], [4]])
    for shape in (tf.constant([-1, 2]), [None, tf.constant(2)], tf.TensorShape([None, 2])):
        assert rows.to_tensor(shape=shape).numpy().tolist() == [[1, 2], [4, 0]]
    with pytest.raises(ValueError, match="rt_input.rank = 2 but shape.rank = 3"):
        rows.to_tensor(shape=[1, 1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="default_value.rank = 1"):
        rows.to_tensor([0])


def test_a_shape_that_is_known_later_promises_no_rank() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        values, shape = tf.compat.v1.placeholder(tf.float32, None), tf.compat.v1.placeholder(tf.int64, None)
        rows = tf.RaggedTensor.from_row_splits(values, [0, 2, 3])
        later = rows.to_tensor(shape=shape)
        assert later.shape.rank is None and rows.to_tensor(shape=[2, None, 2]).shape.as_list() == [2, None, 2]
        got = session.run(later, {values: np.ones([3, 2]), shape: [2, 2, 2]})
        assert got.tolist() == [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [0.0, 0.0]]]


def test_rows_are_cut_at_lengths_of_every_level() -> None:
    dense = tf.reshape(tf.range(12), [2, 3, 2])
    made = tf.RaggedTensor.from_tensor(dense, lengths=([1, 2], [2, 0, 1]))
    assert made.to_list() == [[[0, 1]], [[], [8]]]
    assert tf.RaggedTensor.from_tensor(dense, lengths=[2, 1, 0, 9, -1, 1], ragged_rank=2).to_list() == [
        [[0, 1], [2], []],
        [[6, 7], [], [10]],
    ]


def test_derivatives_of_ragged_values_in_graphs() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
        found, none = tf.gradients(rows * 2.0, [rows, tf.ragged.constant([[1.0]])], grad_ys=[rows])
        assert session.run(found).to_list() == [[2.0, 4.0], [6.0]] and none is None


def test_rows_print_when_the_program_runs(capfd: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def show(rows: tf.RaggedTensor, sparse: tf.SparseTensor) -> None:
        tf.print("rows", {"r": rows}, sparse, summarize=1)

    show(tf.ragged.constant([["a", "b'"], [], ["c"]]), tf.sparse.from_dense([[0, 5]]))
    text = "rows {'r': [['a', 'b\\''], ..., ['c']]} 'SparseTensor(indices=[[0 1]], values=[5], shape=[1 2])'"
    assert capfd.readouterr().err == text + "\n"


def test_maps_take_and_give_ragged_and_sparse_rows() -> None:
    rows, deep = rc([[1, 2, 3], [], [4, 5]]), rc([[[1], [2, 3]], [], [[4]]])
    numbers, vectors = tf.constant([2, 0, 1]), tf.RaggedTensorSpec([None], tf.int32)
    wide = tf.RaggedTensorSpec([None, 2], tf.float32, ragged_rank=0)
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])

    def maps() -> list[Any]:
        return [
            tf.map_fn(lambda x: x + 1, rows),
            tf.map_fn(tf.reduce_sum, rows, fn_output_signature=tf.int32),
            tf.map_fn(lambda x: x * 2, deep),
            tf.map_fn(lambda x: tf.reduce_sum(x, 1), deep, fn_output_signature=vectors),
            tf.map_fn(tf.range, numbers, fn_output_signature=vectors),
            tf.map_fn(lambda n: tf.ones([n, 2]), numbers, fn_output_signature=wide),
            tf.sparse.to_dense(tf.map_fn(lambda x: x * 2, sparse)),
        ]

    wanted = [
        [[2, 3, 4], [], [5, 6]],
        [6, 0, 9],
        [[[2], [4, 6]], [], [[8]]],
        [[1, 5], [], [4]],
        [[0, 1], [], [0]],
        [[[1.0, 1.0]] * 2, [], [[1.0, 1.0]]],
        [[2, 0], [0, 4]],
    ]
    for made in (maps(), tf.function(maps)()):
        assert [v.to_list() if isinstance(v, tf.RaggedTensor) else v.numpy().tolist() for v in made] == wanted
        assert made[2].shape.as_list() == [3, None, None] and made[5].shape.as_list() == [3, None, 2]
    with pytest.raises(TypeError, match="fn returned"):
        tf.map_fn(lambda x: tf.cast(x, tf.float32), rows)
    flat = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(flat)
        squares = tf.map_fn(lambda x: x * x, tf.RaggedTensor.from_row_splits(flat, [0, 2, 3])).flat_values
    assert tape.gradient(squares, flat).numpy().tolist() == [2, 4, 6]


def test_dropped_counted_and_reread_values_stay_in_their_rows() -> None:
    numbers = rc([[1, 2, 3], [], [2, 2]])
    real = tf.cast(numbers, tf.float32)
    assert tf.nn.dropout(real, 0.0).to_list() == real.to_list()
    dropped = tf.nn.dropout(real, 0.5, seed=1)
    assert dropped.row_lengths().numpy().tolist() == [3, 0, 2]
    assert set(np.ravel(dropped.flat_values / real.flat_values)) <= {0.0, 2.0}
    assert tf.math.bincount(numbers).numpy().tolist() == [0, 1, 3, 1]
    assert tf.math.bincount(numbers, axis=-1).numpy().tolist() == [[0, 1, 1, 1], [0, 0, 0, 0], [0, 0, 2, 0]]
    assert tf.math.bincount(numbers, axis=-1, weights=real).numpy().tolist()[2] == [0, 0, 4, 0]
    assert tf.math.bincount(numbers, axis=-1, minlength=5, binary_output=True).numpy().tolist()[2] == [0, 0, 1, 0, 0]
    assert tf.bitcast(real, tf.int32).to_list() == [[1065353216, 1073741824, 1077936128], [], [1073741824] * 2]
    one, two = tf.dynamic_partition(numbers, [0, 1, 0], 2)
    assert (one.to_list(), two.to_list()) == ([[1, 2, 3], [2, 2]], [[]])
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=real, logits=real)
    assert loss.to_list()[0][0] == pytest.approx(0.3132617) and loss.to_list()[1] == []


def test_rows_that_are_known_not_to_agree_are_refused_where_they_are_given() -> None:
    with tf.Graph().as_default():
        value, mask = tf.ragged.constant([[1, 2]]), tf.ragged.constant([[True, False, True]])
        with pytest.raises(tf.errors.InvalidArgumentError, match="identical ragged splits: 2 values against 3"):
            tf.ragged.boolean_mask(value, mask)
        one, two = (tf.RaggedTensor.from_tensor(tf.zeros(s)) for s in ([3, 2, 5, 7], [3, 3, 7, 9]))
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Batch dimensions of `a` and `b` do not have the same size: 6 values"
        ):
            tf.matmul(one, two)


def test_steps_and_bounds_inside_rows_may_be_unknown_while_a_graph_is_built() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)] * 3)
    def sliced(start: Any, stop: Any, step: Any) -> Any:
        return tf.ragged.constant([[1, 2, 3, 4], [], [5, 6]])[:, start:stop:step]

    assert sliced(0, 4, 2).to_list() == [[1, 3], [], [5]]
    assert sliced(-1, -5, -2).to_list() == [[4, 2], [], [6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice step cannot be zero"):
        sliced(0, 1, 0)


def test_a_position_in_rows_of_one_length_may_be_unknown_and_of_another_type() -> None:
    rows = tf.RaggedTensor.from_uniform_row_length(tf.range(6), 3)

    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def column(at: Any) -> Any:
        return rows[:, at]

    assert column(-1).numpy().tolist() == [2, 5] and column(1).numpy().tolist() == [1, 4]
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 3 out of bounds"):
        rows[:, 3]


def test_a_ragged_tensor_is_never_converted_even_if_its_rows_are_of_one_length() -> None:
    rows = tf.RaggedTensor.from_tensor([[1, 2], [3, 4]])
    for convert in (tf.constant, tf.convert_to_tensor, tf.transpose, lambda value: tf.constant([value, value])):
        with pytest.raises((TypeError, ValueError), match="unsupported type"):
            convert(rows)


def test_assertions_compare_ragged_values() -> None:
    rows = tf.ragged.constant([[1], [2, 3]])
    assert tf.debugging.assert_less(rows, 4) is None
    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x < y did not hold"):
        tf.debugging.assert_less(rows, 3)
