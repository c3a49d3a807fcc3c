"""The greatest of rows, and the cross entropy that begins with it, whatever the sizes of the matrix."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf
from inlay._src.ops.shaping import greatest_of_rows


@pytest.mark.parametrize("rows", [1, 2, 23, 24, 64, 1000])
@pytest.mark.parametrize("width", [1, 5, 12, 32, 33])
def test_it_is_the_greatest_of_each_row(rows: int, width: int) -> None:
    x = np.random.default_rng(width).standard_normal((rows, width)).astype(np.float32)
    x[rows // 2, 0], x[-1, -1] = np.nan, np.inf
    np.testing.assert_array_equal(greatest_of_rows(x), x.max(1, keepdims=True))
    np.testing.assert_array_equal(greatest_of_rows(x[::-1]), x[::-1].max(1, keepdims=True))


@pytest.mark.parametrize("rows", [3, 64])
def test_a_row_has_the_same_cross_entropy_among_few_and_among_many(rows: int) -> None:
    logits = np.random.default_rng(0).standard_normal((rows, 7)).astype(np.float32) * 50
    labels = np.arange(rows) % 7
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits).numpy()
    alone = [
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels[k : k + 1], logits=logits[k : k + 1]).numpy()[0]
        for k in range(rows)
    ]
    np.testing.assert_array_equal(loss, alone)
