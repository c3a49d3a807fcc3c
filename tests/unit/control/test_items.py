"""The lists behind `TensorArray`, against plain Python lists."""

from __future__ import annotations

import random

import numpy as np
import pytest

import inlay as tf
from inlay._src.programs.control.items import CHUNK, Items

SIZES = (0, 1, 2, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 7)


@pytest.mark.parametrize("seed", range(20))
def test_states_are_lists_that_nothing_changes(seed: int) -> None:
    rand = random.Random(seed)
    model: list[float | None] = [None] * rand.choice(SIZES)
    items = Items.empty(len(model))
    states = [(items, list(model))]
    for turn in range(60):
        if model and rand.random() < 0.8:
            at = rand.randrange(len(model))
            value = rand.choice([None, float(turn)])
            model[at] = value
            items = items.put(at, value)
        else:
            size = len(model) + rand.choice(SIZES)
            model += [None] * (size - len(model))
            items = items.longer(size)
        states.append((items, list(model)))
    for state, expected in states:
        assert (len(state), list(state)) == (len(expected), expected)
        assert [state[i] for i in range(len(state))] == expected
        assert list(state.zeros()) == [None] * len(expected)
        assert list(Items(expected)) == expected
    (one, left), (two, right) = rand.sample(states, 2)
    size = max(len(left), len(right))
    padded = [side + [None] * (size - len(side)) for side in (left, right)]
    expected = [b if a is None else a if b is None else a + b for a, b in zip(*padded, strict=True)]
    assert list(one + two) == expected


def test_the_next_state_shares_what_was_not_written() -> None:
    before = Items(range(10 * CHUNK))
    after = before.put(3 * CHUNK, None)
    assert sum(a is not b for a, b in zip(before._chunks, after._chunks, strict=True)) == 1
    cotangent = before.zeros().put(CHUNK, 1.0)
    assert sum(a is not b for a, b in zip(before.zeros()._chunks, cotangent._chunks, strict=True)) == 1


@pytest.mark.parametrize("count", [1, CHUNK, 2 * CHUNK + 3])
def test_arrays_of_any_length_and_their_gradients(count: int) -> None:
    @tf.function
    def total(x: tf.Tensor) -> tf.Tensor:
        rows = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for i in tf.range(tf.shape(x)[0]):
            rows = rows.write(i, x[i] * x[i])
        return tf.reduce_sum(rows.stack()) + rows.read(0)

    x = tf.constant(np.arange(1, count + 1, dtype=np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    slope = 2 * np.arange(1, count + 1, dtype=np.float32)
    slope[0] *= 2
    assert float(y) == pytest.approx(float(np.sum(np.square(x.numpy())) + 1), rel=1e-5)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), slope)


def test_a_list_written_past_the_parts_of_a_split_tensor_has_their_gradient() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0, 3.0])
        joined = tf.TensorArray(tf.float32, 3, dynamic_size=True).split(x, [1, 2]).write(2, [4.0]).concat()
        assert session.run(joined).tolist() == [1.0, 2.0, 3.0, 4.0]
        assert session.run(tf.gradients(joined * joined, x)[0]).tolist() == [2.0, 4.0, 6.0]
        assert session.run(tf.TensorArray(tf.float32, 3).close()) is None


def test_items_fit_the_element_shape_also_where_they_may_differ() -> None:
    array = tf.TensorArray(tf.float32, 2, infer_shape=False, element_shape=[None, 10])
    array = array.write(0, tf.ones([3, 10])).write(1, tf.ones([1, 10]))
    with pytest.raises(ValueError, match="element_shape"):
        array.write(0, tf.ones([3, 11]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank 1"):
        tf.TensorArray(tf.float32, 2).split([1.0, 2.0], 1)
