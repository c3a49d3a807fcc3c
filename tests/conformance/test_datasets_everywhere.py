"""A pipeline gives the same elements wherever its functions run, and however many work on them."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from tests.conformance.conftest import Place

COUNT, FEW = 10_000, 1_000
Dataset = tf.data.Dataset


def described(x: Any) -> Any:
    """A pure Python function of an element."""
    return np.array([x % 7, x * x % 101, len(str(x))], np.int64)


def drawn(x: Any, rng: np.random.Generator) -> Any:
    """A pure Python function of an element and its generator."""
    return rng.normal()


def pipeline(count: int = COUNT, **how: Any) -> Any:
    """Elements shuffled, worked on with random numbers, stacked, and worked on again."""

    def augmented(x: Any) -> Any:
        row = tf.numpy_function(described, [x], tf.int64, stateful=False)
        row.set_shape([3])
        own = tf.numpy_function(drawn, [x], tf.float64, stateful=False, rng=13)
        return x, tf.cast(row, tf.float32) + tf.random.normal([3], seed=11), tf.strings.as_string(x), own

    def summed(x: Any, row: Any, word: Any, own: Any) -> Any:
        noise = tf.random.uniform([], seed=12)
        return {"x": x, "mean": tf.reduce_mean(row, axis=1) + noise, "row": row, "word": word, "own": own}

    shuffled = Dataset.range(count).shuffle(count // 4, seed=5, reshuffle_each_iteration=False)
    return shuffled.map(augmented, **how).batch(64).map(summed, **how).prefetch(2)


def elements(dataset: Any) -> list[Any]:
    return [{key: value.tolist() for key, value in element.items()} for element in dataset.as_numpy_iterator()]


def numbers(dataset: Any) -> list[int]:
    return [int(v) for v in dataset.as_numpy_iterator()]


@functools.cache
def expected(count: int = COUNT) -> list[Any]:
    found = elements(pipeline(count))
    order = [x for element in found for x in element["x"]]
    assert sorted(order) == list(range(count)) != order
    assert len({tuple(row) for element in found for row in element["row"]}) == count
    own = [v for element in found for v in element["own"]]
    assert own == [np.random.default_rng((13, i)).normal() for i in range(count)]
    return found


@pytest.fixture(scope="module", params=[1, 2, 3])
def pool(request: Any) -> Iterator[Any]:
    with tf.Processes(workers=request.param) as made:
        yield made


@pytest.mark.parametrize("how", [{"executor": "inline"}, {"num_parallel_calls": 4}, {"num_parallel_calls": -1}])
def test_in_this_process(how: dict[str, Any]) -> None:
    assert elements(pipeline(**how)) == expected()


def test_in_other_processes(pool: Any) -> None:
    assert elements(pipeline(num_parallel_calls=4, executor=pool)) == expected()


def test_on_any_executor(place: Place) -> None:
    assert elements(pipeline(FEW, num_parallel_calls=4, executor=place.executor)) == expected(FEW)


def test_without_order_the_elements_are_the_same(place: Place) -> None:
    dataset = Dataset.range(300).map(
        lambda x: tf.numpy_function(described, [x], tf.int64, stateful=False),
        num_parallel_calls=4,
        deterministic=False,
        executor=place.executor,
    )
    assert sorted(map(tuple, dataset.as_numpy_iterator())) == sorted(tuple(described(i)) for i in range(300))


def test_shards_of_an_executor_have_every_element_once(place: Place) -> None:
    def outside(x: Any) -> Any:
        return np.int64(x * 3 + 1), os.getpid()

    def mapped(dataset: Any, **how: Any) -> Any:
        return dataset.map(lambda x: tf.numpy_function(outside, [x], [tf.int64, tf.int64], stateful=False), **how)

    source = Dataset.range(101).shuffle(20, seed=3, reshuffle_each_iteration=False)
    shards = [list(mapped(source.shard(3, i), executor=place.executor).as_numpy_iterator()) for i in range(3)]
    taken = [next(shard)[0] for i in range(101) for shard in [iter(shards[i % 3][i // 3 : i // 3 + 1])]]
    assert taken == [x for x, _ in mapped(source).as_numpy_iterator()]
    assert sorted(taken) == [3 * x + 1 for x in range(101)]
    assert sum(map(len, shards)) == 101
    assert ({pid for shard in shards for _, pid in shard} == {os.getpid()}) is place.here


def test_datasets_and_sessions_within_functions_do_not_starve(place: Place) -> None:
    inner = place.executor if place.nests else None

    def nested(x: Any) -> Any:
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            one = session.run(tf.numpy_function(np.negative, [np.int64(-1)], tf.int64, executor=inner))
        within = Dataset.range(3).map(
            lambda v: tf.numpy_function(np.abs, [v], tf.int64, stateful=False), num_parallel_calls=2, executor=inner
        )
        return x + one + np.int64(sum(numbers(within.prefetch(1))))

    dataset = Dataset.range(12).map(
        lambda x: tf.numpy_function(nested, [x], tf.int64, stateful=False),
        num_parallel_calls=6,
        executor=place.executor,
    )
    assert numbers(dataset) == [4 + i for i in range(12)]


def test_what_an_element_raises_comes_in_its_place(place: Place) -> None:
    def checked(x: Any) -> Any:
        if x in (2, 5):
            raise KeyError(f"no {x}")
        return x

    iterator = iter(
        Dataset.range(8).map(
            lambda x: tf.numpy_function(checked, [x], tf.int64, stateful=False), executor=place.executor
        )
    )
    found = list[Any]()
    for i in range(8):
        try:
            found.append(int(next(iterator)))
        except KeyError as error:
            assert f"element {i} of ParallelMapDataset:1" in str(error)
            assert isinstance(error, tf.errors.OpError)
            found.append("error")
    assert found == [0, 1, "error", 3, 4, "error", 6, 7]
    assert next(iterator, "end") == "end"


def test_large_arrays_come_and_go_and_keep_their_values(place: Place) -> None:
    images = np.arange(6, dtype=np.uint8)[:, None, None] + np.zeros((6, 400, 500), np.uint8)

    def turned(image: Any) -> Any:
        image += np.uint8(1)  # its own to write
        return image.T

    dataset = Dataset.from_tensor_slices(images).map(
        lambda x: tf.numpy_function(turned, [x], tf.uint8, stateful=False), executor=place.executor
    )
    turned_images = list(dataset.as_numpy_iterator())
    for i, image in enumerate(turned_images):
        assert image.shape == (500, 400)
        assert (image == i + 1).all()
    assert (images[:, 0, 0] == np.arange(6)).all()
