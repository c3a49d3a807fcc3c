"""Axes, counts and texts that are none: errors of TensorFlow's class that say so, and none of our own frames'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

SPARSE = tf.sparse.from_dense(np.array([[1, 2], [0, 3]], np.int32))
REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "sparse reduction": (
        lambda: tf.sparse.reduce_max(SPARSE, axis=[[1], 1]),
        ValueError,
        "non-rectangular",
    ),
    "join by text": (lambda: tf.strings.reduce_join(["a"], axis="a"), TypeError, "Expected int for argument 'axis'"),
    "ragged axes": (lambda: tf.reduce_all([True], axis=tf.ragged.constant([[0]])), TypeError, "`input` alone"),
    "shift": (lambda: tf.signal.fftshift(tf.zeros([3]), axes=[0, []]), TypeError, "argument 'axes'"),
    "no axis": (lambda: tf.expand_dims(tf.ragged.constant([[1]]), []), TypeError, "axis must be an int"),
    "cuts": (lambda: tf.strings.split(["a"], maxsplit=tf.constant([1])), TypeError, "argument 'maxsplit'"),
    "no defaults": (lambda: tf.io.decode_csv(["2,"], None), TypeError, "Expected list for 'record_defaults'"),
    "one sparse": (lambda: tf.sparse.concat(-1, SPARSE), TypeError, "must be a list or tuple"),
    "gray text": (lambda: tf.image.rgb_to_grayscale("float32"), ValueError, "3 channels"),
    "gamma": (lambda: tf.image.adjust_gamma(tf.zeros([2, 2, 3]), [1.0]), TypeError, "gamma must be a number"),
    "filter": (
        lambda: tf.nn.depthwise_conv2d(tf.zeros([1, 4, 4, 2]), tf.zeros([8]), [1, 1, 1, 1], "SAME"),
        tf.errors.InvalidArgumentError,
        "filter must be 4-dimensional",
    ),
    "ragged count": (
        lambda: tf.math.unsorted_segment_min([[1.0]], [[0]], tf.ragged.constant([[3]])),
        TypeError,
        "ids and a count that are tensors",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_and_said_why(name: str) -> None:
    call, error, text = REFUSED[name]
    with pytest.raises(error, match=text):
        call()


def test_checks_of_the_second_version_give_nothing_in_graphs() -> None:
    with tf.Graph().as_default():
        assert tf.debugging.assert_integer(1) is None
        assert tf.debugging.assert_type(1, tf.int32) is None
        assert tf.debugging.assert_scalar(1) is None
        assert isinstance(tf.compat.v1.assert_integer(1), tf.Operation)
