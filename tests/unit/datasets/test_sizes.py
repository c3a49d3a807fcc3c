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


REFUSED: dict[str, tuple[Any, type[Exception]]] = {
    "cycle_length": (lambda: numbers().interleave(lambda x: numbers(), 0), tf.errors.InvalidArgumentError),
    "block_length": (lambda: numbers().interleave(lambda x: numbers(), 2, 0), tf.errors.InvalidArgumentError),
    "interleave": (
        lambda: numbers().interleave(lambda x: numbers(), 2, num_parallel_calls=0), tf.errors.InvalidArgumentError,
    ),
    "map": (lambda: numbers().map(lambda x: x, num_parallel_calls=-5), tf.errors.InvalidArgumentError),
    "prefetch": (lambda: numbers().prefetch(-2), tf.errors.InvalidArgumentError),
    "cache": (lambda: numbers().cache(["a"]), tf.errors.InvalidArgumentError),
    "shard": (lambda: numbers().shard(2, 2), tf.errors.InvalidArgumentError),
    "shuffle": (lambda: numbers().shuffle(0), tf.errors.InvalidArgumentError),
    "seed": (lambda: numbers().shuffle(2, seed=1.5), TypeError),
    "reshuffle": (lambda: numbers().shuffle(2, reshuffle_each_iteration=3), TypeError),
    "result": (lambda: numbers().map(lambda x: tf.TensorArray(tf.float32, 2)), TypeError),
}  # fmt: skip


def numbers() -> Any:
    return tf.data.Dataset.range(4)


@pytest.mark.parametrize("argument", REFUSED)
def test_values_that_are_known_are_refused_where_the_dataset_is_made(argument: str) -> None:
    make, error = REFUSED[argument]
    with pytest.raises(error):
        make()


def test_reduce_gives_the_structure_of_the_first_state() -> None:
    (total,) = numbers().reduce((np.int64(0),), lambda state, x: state[0] + x)
    assert int(total) == 6
