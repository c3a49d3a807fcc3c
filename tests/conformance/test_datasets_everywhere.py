"""A pipeline gives the same elements wherever its functions run, and however many work on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf

COUNT = 1_000  # of 10,000 with the same outcome; the suite runs a smaller one


def described(x: Any) -> Any:
    """A pure Python function of an element."""
    return np.array([x % 7, x * x % 101, len(str(x))], np.int64)


def pipeline(count: int, **how: Any) -> Any:
    def augmented(x: Any) -> Any:
        row = tf.numpy_function(described, [x], tf.int64, stateful=False)
        row.set_shape([3])
        noise = tf.random.normal([3], seed=11) + tf.random.uniform([], seed=12)
        word = tf.strings.as_string(x)
        return x, tf.cast(row, tf.float32) + noise, word

    return (
        tf.data.Dataset.range(count)
        .shuffle(count // 4, seed=5, reshuffle_each_iteration=False)
        .map(augmented, **how)
        .batch(64)
        .map(lambda x, row, word: {"x": x, "mean": tf.reduce_mean(row, axis=1), "row": row, "word": word}, **how)
        .prefetch(2)
    )


def elements(dataset: Any) -> list[Any]:
    return [{key: value.tolist() for key, value in element.items()} for element in dataset.as_numpy_iterator()]


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    found = elements(pipeline(COUNT))
    assert sorted(x for element in found for x in element["x"]) == list(range(COUNT))
    return found


@pytest.fixture(scope="module", params=[1, 2, 3])
def pool(request: Any) -> Iterator[Any]:
    made = tf.Processes(workers=request.param)
    yield made
    made.shutdown()


@pytest.mark.parametrize("how", [{"executor": "inline"}, {"num_parallel_calls": 4}, {"num_parallel_calls": -1}])
def test_in_this_process(how: dict[str, Any], expected: list[Any]) -> None:
    assert elements(pipeline(COUNT, **how)) == expected


def test_in_other_processes(pool: Any, expected: list[Any]) -> None:
    assert elements(pipeline(COUNT, num_parallel_calls=4, executor=pool)) == expected


def test_without_order_the_elements_are_the_same(expected: list[Any]) -> None:
    found = pipeline(COUNT).unbatch()
    other = (
        tf.data.Dataset.range(COUNT)
        .map(lambda x: tf.numpy_function(described, [x], tf.int64), num_parallel_calls=4, deterministic=False)
        .as_numpy_iterator()
    )
    assert sorted(map(tuple, other)) == sorted(tuple(described(i)) for i in range(COUNT))
    assert sum(1 for _ in found) == COUNT
