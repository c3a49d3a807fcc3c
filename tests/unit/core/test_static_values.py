"""Values that are known while a graph is built, and the shapes that follow from them (FINDINGS D and F)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.operation import DEEPEST, MOST_STATIC

CASES: dict[str, tuple[Callable[[Any], Any], list[int | None]]] = {
    "a product of sizes": (lambda x: tf.reshape(x, [tf.shape(x)[0], tf.shape(x)[1] * tf.shape(x)[2]]), [None, 24]),
    "a product of a vector": (lambda x: tf.reshape(x, [-1, tf.reduce_prod(tf.shape(x)[1:])]), [None, 24]),
    "joined": (lambda x: tf.reshape(x, tf.concat([tf.shape(x)[:-1], [2, 2]], 0)), [None, 6, 2, 2]),
    "stacked": (lambda x: tf.reshape(x, tf.stack([-1, tf.shape(x)[2], 6])), [None, 4, 6]),
    "a sum": (lambda x: tf.zeros([tf.shape(x)[1], tf.shape(x)[2] + 1]), [6, 5]),
    "casts": (lambda x: tf.zeros([tf.cast(tf.cast(tf.shape(x)[1], tf.float32) * 1.5, tf.int32)]), [9]),
    "size and rank": (lambda x: tf.zeros([tf.size(x[0]), tf.rank(x)]), [24, 3]),
    "paddings": (lambda x: tf.pad(x, [[0, 0], [0, 8 - tf.shape(x)[1]], [1, 1]]), [None, 8, 6]),
    "a range": (lambda x: tf.range(tf.shape(x)[1] * 2), [12]),
    "a permutation": (lambda x: tf.transpose(x, tf.concat([[0], tf.range(2, tf.rank(x)), [1]], 0)), [None, 4, 6]),
    "taken apart": (lambda x: tf.zeros(tf.unstack(tf.shape(x))[1:]), [6, 4]),
    "the greater one": (lambda x: tf.zeros([tf.maximum(tf.shape(x)[1], 9)]), [9]),
    "parts": (lambda x: tf.split(x, [2, tf.shape(x)[1] - 2], axis=1)[1], [None, 4, 4]),
    "a slice": (lambda x: x[:, : tf.shape(x)[2] // 2], [None, 2, 4]),
    "resized": (lambda x: tf.image.resize(x[..., None], tf.shape(x)[1:] * 2), [None, 12, 8, 1]),
    "what is not known": (lambda x: tf.zeros([tf.shape(x)[0], 3]), [None, 3]),
    "an array of tensors": (lambda x: tf.TensorArray(tf.float32, tf.shape(x)[1]).write(0, x[0, 0]).stack(), [6, 4]),
}


@pytest.mark.parametrize("name", CASES)
def test_shapes_follow_from_arithmetic_on_shapes(name: str) -> None:
    build, shape = CASES[name]
    with tf.Graph().as_default():
        assert build(tf.compat.v1.placeholder(tf.float32, [None, 6, 4])).shape.as_list() == shape


def test_loops_branches_and_inner_functions_know_the_constants_they_capture() -> None:
    seen: list[list[int | None]] = []

    def note(sizes: Any) -> Any:
        seen.append(tf.ones(sizes).shape.as_list())
        return tf.constant(0)

    @tf.function(input_signature=[tf.TensorSpec([None, 6])])
    def outer(x: Any) -> Any:
        sizes = tf.constant([2, 3])
        tf.while_loop(lambda i: i < 1, lambda i: i + note(sizes) + 1, [tf.constant(0)])
        tf.cond(tf.reduce_sum(x) > 0, lambda: note([tf.shape(x)[1]]), lambda: tf.constant(1))
        return tf.function(lambda: note(tf.shape(x)))()

    outer.get_concrete_function()
    assert [3 - s.count(None) for s in seen] and {tuple(s) for s in seen} == {(2, 3), (6,), (None, 6)}


def test_a_loop_stacks_as_many_items_as_its_array_has_places() -> None:
    with tf.Graph().as_default():
        made = tf.TensorArray(tf.float32, 3, element_shape=[2])
        _, made = tf.while_loop(
            lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, [1.0, 2.0])), [tf.constant(0), made]
        )
        assert made.stack().shape.as_list() == [3, 2]
        assert tf.TensorArray(tf.float32, 0, dynamic_size=True).write(0, 1.0).stack().shape.as_list() == [None]


def test_values_agree_with_what_runs() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 6, 4])
        for build, shape in CASES.values():
            ran = session.run(build(x), {x: np.zeros([2, 6, 4], np.float32)})
            assert all(known in (None, n) for known, n in zip(shape, ran.shape, strict=True))


def test_what_is_large_deep_or_random_is_not_computed() -> None:
    with tf.Graph().as_default():
        deep = tf.constant(1)
        for _ in range(DEEPEST + 2):
            deep = deep + 1
        for n in (tf.size(tf.ones([MOST_STATIC + 1]) * 2), tf.constant(2) + 1):
            assert n.op.static_value() is not None
        large = tf.reduce_sum(tf.ones([MOST_STATIC + 1], tf.int32))
        for n in (deep, large, tf.random.uniform([], 1, 5, tf.int32), tf.constant(1) // 0):
            assert n.op.static_value() is None


def test_what_is_known_in_part_of_what_was_stacked() -> None:
    known = np.arange(28, dtype=np.float32).reshape(4, 7)
    with tf.Graph().as_default():
        unknown = tf.compat.v1.placeholder(tf.float32, [4, 7])
        packed = tf.stack([known, unknown])
        assert tf.get_static_value(packed) is None and tf.get_static_value(tf.stack([unknown] * 2), True) is None
        assert tf.get_static_value(tf.stack([known, unknown], axis=1), partial=True) is None
        found = tf.get_static_value(packed, partial=True)
        np.testing.assert_array_equal(found[0], known)
        assert found.dtype == object and found[1] is None
        first, second = (tf.get_static_value(t, partial=True) for t in tf.unstack(packed))
        np.testing.assert_array_equal(first, known)
        assert second is None
        first, second = (tf.get_static_value(t, partial=True) for t in tf.split(packed, 2))
        np.testing.assert_array_equal(first[0], known)
        assert second.tolist() == [None]
        twice = tf.get_static_value(tf.stack([packed, packed]), partial=True)
        np.testing.assert_array_equal(twice[1][0], known)
