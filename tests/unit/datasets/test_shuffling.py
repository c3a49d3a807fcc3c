"""Random order, and how large its buffer may be."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

Dataset = tf.data.Dataset


def numbers(dataset: Any) -> list[int]:
    return [int(v) for v in dataset.as_numpy_iterator()]


@pytest.mark.parametrize("size", [0, -1, -3])
def test_a_buffer_without_room_is_refused(size: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size must be greater than zero or UNKNOWN"):
        Dataset.range(3).shuffle(size)


def test_a_buffer_whose_size_is_not_known_before_is_refused_when_it_is() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        size = tf.placeholder(tf.int64, [])
        iterator = tf.compat.v1.data.make_initializable_iterator(Dataset.range(3).shuffle(size))
        with pytest.raises(tf.errors.InvalidArgumentError, match="got 0"):
            session.run(iterator.initializer, {size: 0})


def test_a_buffer_of_unknown_cardinality_holds_all() -> None:
    found = {numbers(Dataset.range(5).shuffle(tf.data.UNKNOWN_CARDINALITY, seed=i))[0] for i in range(60)}
    assert found == {0, 1, 2, 3, 4}


def test_an_element_comes_at_most_a_buffer_early() -> None:
    order = numbers(Dataset.range(200).shuffle(10, seed=1))
    assert sorted(order) == list(range(200)) != order
    assert all(x < place + 10 for place, x in enumerate(order))


def test_every_iteration_has_an_order_of_its_own_unless_it_should_not() -> None:
    again = Dataset.range(50).shuffle(50, seed=2)
    kept = Dataset.range(50).shuffle(50, seed=2, reshuffle_each_iteration=False)
    assert numbers(again) != numbers(again)
    assert numbers(kept) == numbers(kept)


def test_steps_of_nothing_and_rows_of_nothing_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="step must be a non-zero integer"):
        Dataset.range(0, 3, 0)
    with pytest.raises(ValueError, match="`element` should not be empty"):
        Dataset.from_tensor_slices(())
