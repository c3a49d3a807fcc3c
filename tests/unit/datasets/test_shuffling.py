"""Random order, and iterations that go on."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.data.shuffling import _stages

Dataset = tf.data.Dataset


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


def test_each_element_has_one_place() -> None:
    shuffled = tf.data.Dataset.range(9).shuffle(3)
    order = [int(tf.data.experimental.at(shuffled, place)) for place in range(9)]
    assert sorted(order) == list(range(9))
    nested = tf.data.Dataset.range(2).flat_map(lambda x: tf.data.Dataset.range(5).shuffle(5, seed=1))
    assert sorted(int(tf.data.experimental.at(nested, place)) for place in range(10)) == sorted([*range(5)] * 2)
    with pytest.raises(tf.errors.OutOfRangeError):
        tf.data.experimental.at(shuffled, 9)


def test_iterators_of_a_graph_without_seeds_have_orders_of_their_own() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        dataset = tf.data.Dataset.range(100).shuffle(100, reshuffle_each_iteration=False).batch(100)
        following = [tf.compat.v1.data.make_one_shot_iterator(dataset).get_next() for _ in range(2)]
        one, other = (session.run(batch).tolist() for batch in following)
    assert sorted(one) == sorted(other) and one != other


@pytest.mark.parametrize("at", [0, 3, 9, 30])
def test_a_full_ring_goes_on_where_it_stood(at: int) -> None:
    dataset = tf.data.Dataset.range(31).shuffle(4, seed=2)
    wanted = list(dataset.as_numpy_iterator())
    iterator = tf.data.Dataset.range(31).shuffle(4, seed=2).as_numpy_iterator()
    assert list(itertools.islice(iterator, at)) == wanted[:at]
    other = tf.data.Dataset.range(31).shuffle(4, seed=2).as_numpy_iterator()
    other.restore(iterator.save())
    assert list(other) == wanted[at:] == list(iterator)


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


# ---------------------------------------------------------------- datasets of graphs; the values are TensorFlow's


def in_two_loops(make: Any) -> Any:
    """A function that iterates a dataset of its own twice."""

    @tf.function
    def values() -> Any:
        dataset, out = make(), tf.TensorArray(tf.int64, 0, dynamic_size=True, element_shape=[])
        for value in dataset:
            out = out.write(out.size(), value)
        for value in dataset:
            out = out.write(out.size(), value)
        return out.stack()

    return values


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: Dataset.range(5).shuffle(5, seed=1), [0, 4, 3, 1, 2, 3, 1, 0, 4, 2]),
        (lambda: Dataset.range(5).shuffle(5, 1, reshuffle_each_iteration=False), [2, 4, 0, 3, 1] * 2),
        (
            lambda: Dataset.range(4).shuffle(4, seed=1).repeat(2),
            [0, 3, 1, 2, 2, 3, 1, 0, 3, 0, 1, 2, 0, 2, 1, 3],
        ),
        (lambda: Dataset.range(2).flat_map(lambda x: Dataset.range(4).shuffle(4, seed=2)), [0, 3, 2, 1] * 4),
        (
            lambda: Dataset.random(seed=4, rerandomize_each_iteration=True).take(3).map(lambda x: x % 1000),
            [911, 141, 208, 663, 892, 186],
        ),
    ],
    ids=["again", "one order", "repeated", "made by a function", "random numbers"],
)
def test_orders_go_on_within_a_run_and_begin_anew_in_the_next(make: Any, expected: list[int]) -> None:
    values = in_two_loops(make)
    assert values().numpy().tolist() == expected == values().numpy().tolist()


def test_without_a_seed_each_run_has_orders_of_its_own() -> None:
    values = in_two_loops(lambda: Dataset.range(50).shuffle(50, reshuffle_each_iteration=False))
    first, second = values().numpy().tolist(), values().numpy().tolist()
    assert first[:50] == first[50:] and second[:50] == second[50:] and first != second


def test_positions_within_datasets_that_are_shuffled_by_a_function() -> None:
    dataset = Dataset.range(3).flat_map(lambda x: Dataset.range(4).shuffle(4, seed=2).repeat(2))
    expected = list(map(int, dataset))
    assert expected[:8] == expected[8:16] and expected[:4] != expected[4:8]
    for taken in range(len(expected)):
        iterator, other = dataset.as_numpy_iterator(), dataset.as_numpy_iterator()
        first = [int(next(iterator)) for _ in range(taken)]
        other.restore(iterator.save())
        assert first + list(map(int, other)) == expected


def test_an_iterator_of_a_graph_goes_on_with_its_seeds() -> None:
    with tf.Graph().as_default():
        iterator = tf.compat.v1.data.make_initializable_iterator(Dataset.range(5).shuffle(5, seed=1).repeat(2))
        value = iterator.get_next()
        with tf.compat.v1.Session() as session:
            for _ in range(2):
                session.run(iterator.initializer)
                assert [int(session.run(value)) for _ in range(10)] == [0, 4, 3, 1, 2, 3, 1, 0, 4, 2]


def test_positions_name_the_stages_of_graphs_as_they_did_before_these_had_nodes_of_their_own() -> None:
    dataset = Dataset.range(5).shuffle(5, seed=1).cache()
    with tf.Graph().as_default():
        in_graph = Dataset.range(5).shuffle(5, seed=1).cache()
    assert in_graph._node.stage == "CacheV2"
    assert _stages(in_graph._node) == _stages(dataset._node) == ["Cache", "Shuffle", "Range"]


def test_a_shuffle_of_a_function_is_saved_with_it(tmp_path: Path) -> None:
    module = tf.Module()
    module.values = in_two_loops(lambda: Dataset.range(5).shuffle(5, seed=1))
    module.values.get_concrete_function()
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert [loaded.values().numpy().tolist() for _ in range(2)] == [[0, 4, 3, 1, 2, 3, 1, 0, 4, 2]] * 2
