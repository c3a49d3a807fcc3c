"""Numbers that say how many are scalars, in every transformation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

data = tf.data.Dataset
SIZES: dict[str, Callable[[Any], Any]] = {
    "batch": lambda n: data.range(3).batch(n),
    "padded_batch": lambda n: data.range(3).padded_batch(n),
    "ragged_batch": lambda n: data.range(3).ragged_batch(n),
    "repeat": lambda n: data.range(3).repeat(n),
    "take": lambda n: data.range(3).take(n),
    "skip": lambda n: data.range(3).skip(n),
    "shuffle": lambda n: data.range(3).shuffle(n),
    "prefetch": lambda n: data.range(3).prefetch(n),
    "window": lambda n: data.range(3).window(n),
    "shard": lambda n: data.range(3).shard(n, 0),
    "enumerate": lambda n: data.range(3).enumerate(n),
    "interleave": lambda n: data.range(3).interleave(lambda x: data.range(2), cycle_length=n),
    "map": lambda n: data.range(3).map(lambda x: x, num_parallel_calls=n),
    "range": lambda n: data.range(n),
    "range from": lambda n: data.range(0, 3, n),
    "at": lambda n: tf.data.experimental.at(data.range(3), n),
    "fixed length": lambda n: tf.data.FixedLengthRecordDataset([], n),
    "lines": lambda n: tf.data.TextLineDataset([], buffer_size=n),
    "records": lambda n: tf.data.TFRecordDataset([], buffer_size=n),
    "cardinality": lambda n: data.range(3).apply(tf.data.experimental.assert_cardinality(n)),
}


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("size", [[1, 2], [1], np.ones((2, 2), "int64"), []], ids=["two", "one", "matrix", "none"])
def test_a_size_is_a_scalar(name: str, size: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):  # as in TensorFlow
        SIZES[name](size)


@pytest.mark.parametrize("name", ["batch", "take", "skip", "repeat", "shuffle", "range"])
def test_a_size_of_a_graph_is_a_scalar(name: str) -> None:
    @tf.function(autograph=False)
    def count(size: Any) -> Any:
        return SIZES[name](size).reduce(np.int64(0), lambda count, _: count + 1)

    with pytest.raises(ValueError, match="must be a scalar"):
        count.get_concrete_function(tf.TensorSpec([2], tf.int64))
    unknown = count.get_concrete_function(tf.TensorSpec(None, tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        unknown(tf.constant([1, 2], tf.int64))
    assert unknown(tf.constant(1, tf.int64)).numpy() >= 0
