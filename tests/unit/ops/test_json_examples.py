"""Examples as JSON, and the clock."""

from __future__ import annotations

import time

import numpy as np
import pytest

import inlay as tf

TEXT = """{"features": {"feature": {"a": {"int64List": {"value": [1, "2"]}}, "b": {"bytes_list": {"value": ["YWI="]}},
"c": {"floatList": {"value": [1.5, "NaN"]}}}}}"""


def test_examples_are_the_messages_that_json_describes() -> None:
    example = tf.train.Example.FromString(tf.io.decode_json_example(TEXT).numpy())
    feature = example.features.feature
    assert list(feature["a"].int64_list.value) == [1, 2]
    assert list(feature["b"].bytes_list.value) == [b"ab"]
    np.testing.assert_array_equal(feature["c"].float_list.value, [1.5, np.nan])
    both = tf.function(tf.io.decode_json_example)(tf.constant([["{}"], [TEXT]]))
    assert both.shape == (2, 1)
    assert both.numpy()[0, 0] == b""
    assert tf.train.Example.FromString(both.numpy()[1, 0]).SerializeToString() == example.SerializeToString()  # of NaN


@pytest.mark.parametrize("text", ["", "{", '{"x": 1}'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Error while parsing JSON"):
        tf.compat.v1.decode_json_example(text)


def test_a_node_reads_the_clock_in_every_run() -> None:
    before = time.time()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        now, other = tf.timestamp(), tf.timestamp()
        times = [*session.run([now, other]), session.run(now)]
        assert now.dtype is tf.float64
    assert before <= times[0] <= times[2] <= time.time()
