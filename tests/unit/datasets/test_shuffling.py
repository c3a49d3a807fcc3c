"""Random order, and iterations that go on."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf


def shuffled() -> Any:
    return tf.data.Dataset.range(6).shuffle(4, seed=10).repeat(4)


def sampled() -> Any:
    sources = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
    sample = tf.data.Dataset.sample_from_datasets(sources, seed=7, rerandomize_each_iteration=True)
    return sample.repeat(4)


@pytest.mark.parametrize("make", [shuffled, sampled])
@pytest.mark.parametrize("at", [0, 1, 6, 7, 13, 24])
def test_every_later_iteration_goes_on_too(make: Callable[[], Any], at: int) -> None:
    """The orders of the iterations that follow are those that would have followed, in another process as well."""
    wanted = list(make().as_numpy_iterator())
    assert wanted[:6] != wanted[6:12]
    one = make().as_numpy_iterator()
    assert list(itertools.islice(one, at)) == wanted[:at]
    other = make().as_numpy_iterator()
    other.restore(one.save())
    assert list(other) == wanted[at:]


def test_weights_of_zero_only_give_nothing() -> None:
    sources = [tf.data.Dataset.range(3).repeat()] * 2
    assert list(tf.data.Dataset.sample_from_datasets(sources, [0.0, 0.0])) == []


def test_a_seed_is_taken_away() -> None:
    tf.random.set_seed(1)
    tf.random.set_seed(None)
    assert tf.compat.v1.get_seed(None) == (None, None)


def test_a_seeded_dataset_of_a_graph_begins_again_with_each_initializer_and_session() -> None:
    def orders(seed: int | None) -> list[list[int]]:
        with tf.Graph().as_default():
            dataset = tf.data.Dataset.range(20).shuffle(20, seed=seed).repeat(2)
            iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
            following, out = iterator.get_next(), []
            for _ in range(2):
                with tf.compat.v1.Session() as session:
                    for _ in range(2):
                        session.run(iterator.initializer)
                        out.append([int(session.run(following)) for _ in range(40)])
        return out

    first, *others = orders(3)
    assert others == [first] * 3
    assert first[:20] != first[20:]
    first, *others = orders(None)
    assert first not in others


def test_a_dataset_made_in_a_traced_function_begins_again_with_each_call() -> None:
    @tf.function
    def within() -> Any:
        return next(iter(tf.data.Dataset.range(20).shuffle(20, seed=3).batch(20)))

    outside = tf.data.Dataset.range(20).shuffle(20, seed=3)

    @tf.function
    def captured() -> Any:
        return outside.reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))

    assert within().numpy().tolist() == within().numpy().tolist()
    assert captured().numpy().tolist() != captured().numpy().tolist()
