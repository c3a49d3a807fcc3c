"""What is known of batches before there is one."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf


@pytest.mark.parametrize(
    ("size", "drop", "known"),
    [
        (2, True, 2),
        (2, False, None),
        (2, tf.constant(True), 2),
        (tf.constant(3, tf.int64), True, 3),
        (tf.constant(3, tf.int64), tf.constant(False), None),
    ],
)
def test_the_size_of_batches_is_known_if_no_last_one_is_smaller(size: Any, drop: Any, known: int | None) -> None:
    assert tf.data.Dataset.range(7).batch(size, drop_remainder=drop).element_spec.shape == [known]


@pytest.mark.parametrize(
    ("shapes", "error", "says"),
    [
        ([[1, 1], [1, 1]], ValueError, r"vector tensor, but its shape was \(2, 2\)"),
        (tf.constant([1.5, 2.0]), TypeError, "vector tensor, but its element type was float32"),
        (["a"], TypeError, "its element type was string"),
    ],
)
def test_what_is_no_padded_shape_is_told(shapes: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        tf.data.Dataset.from_tensors([1, 2, 3]).padded_batch(5, shapes)


def test_a_padded_shape_that_a_graph_holds_is_known_and_may_be_int32() -> None:
    with tf.Graph().as_default():
        shape = tf.constant([-1, 37])
        found = tf.data.Dataset.from_tensors(tf.zeros([2, 3])).padded_batch(4, shape).element_spec.shape
    assert found.as_list() == [None, None, 37]


def test_none_stands_for_the_padding_of_all_components_below_it() -> None:
    dataset = tf.data.Dataset.range(1, 3).map(lambda n: (tf.fill([n], n), {"a": tf.fill([n], "x")}))
    batch = next(iter(dataset.padded_batch(2, padding_values=(tf.constant(-1, tf.int64), None))))
    assert batch[0].numpy().tolist() == [[1, -1], [2, 2]]
    assert batch[1]["a"].numpy().tolist() == [[b"x", b""], [b"x", b"x"]]


def test_rows_beside_nothing_and_components_of_different_rows() -> None:
    rows = tf.data.Dataset.from_tensors((tf.range(3), None)).unbatch()
    assert [(int(x), y) for x, y in rows] == [(0, None), (1, None), (2, None)]
    with pytest.raises(ValueError, match="Encountered both 7 and 8"):
        tf.data.Dataset.from_tensors((tf.range(7), tf.range(8))).unbatch()


def test_states_of_a_reduction_by_key_may_grow() -> None:
    reducer = tf.data.experimental.Reducer(lambda key: tf.constant([0]), lambda s, x: tf.concat([s, s], 0), lambda s: s)
    grown = tf.data.Dataset.range(3).apply(tf.data.experimental.group_by_reducer(lambda x: x * 0, reducer))
    assert grown.element_spec.shape.as_list() == [None]
    assert next(iter(grown)).shape == (8,)
    with pytest.raises(ValueError, match="must return a single `tf.int64` scalar"):
        tf.data.Dataset.range(3).apply(tf.data.experimental.group_by_reducer(lambda x: "wrong", reducer))


def test_a_state_of_another_number_of_components_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="number of components"):
        tf.data.Dataset.range(3).reduce(0, lambda state, x: (state, state))


def test_a_seed_that_a_graph_holds_gives_the_order_of_the_number() -> None:
    orders = []
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        for seed in (7, tf.constant(7, tf.int64)):
            dataset = tf.data.Dataset.range(20).shuffle(20, seed).batch(20)
            orders.append(session.run(tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()).tolist())
    assert orders[0] == orders[1]
