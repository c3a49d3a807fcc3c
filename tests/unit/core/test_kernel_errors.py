"""Eager calls and runs word a kernel's error alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

ROWS, LONGER = np.ones([2, 3], np.float32), np.ones([2, 4], np.float32)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x, y: x + y, r"Incompatible shapes: \[2,3\] vs. \[2,4\]"),
        (lambda x, y: tf.atan2(x, y), r"Incompatible shapes: \[2,3\] vs. \[2,4\]"),
        (lambda x, y: tf.matmul(x, y), r"\[2,3\]"),
        (lambda x, y: tf.add_n([x, y]), r"\[2,3\]"),
        (lambda x, y: tf.concat([x, y], 0), r"\[2,3\]"),
    ],
)
def test_a_kernel_that_fails_says_the_same_in_each_way(call: Callable[..., Any], message: str) -> None:
    texts = []
    with pytest.raises(tf.errors.InvalidArgumentError, match=message) as eager:
        call(tf.constant(ROWS), tf.constant(LONGER))
    texts.append(eager.value.message)
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        x, y = (tf.compat.v1.placeholder(tf.float32, None) for _ in range(2))
        result = call(x, y)
        for _ in range(5):  # interpreted first, then by generated source
            with pytest.raises(tf.errors.InvalidArgumentError, match=message) as run:
                sess.run(result, {x: ROWS, y: LONGER})
            texts.append(run.value.message)
    firsts = {text.splitlines()[0].partition(" (")[0] for text in texts}
    assert len(firsts) == 1, firsts
