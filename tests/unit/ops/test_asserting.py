"""Assertions: what depends on them, messages that are tensors, ranks that are not known. As TensorFlow 2.21 does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1

STATIC: dict[str, Callable[[], Any]] = {
    "type": lambda: v1.assert_type(tf.constant([1.0]), tf.float32),
    "integer": lambda: v1.assert_integer(tf.constant([1])),
    "rank": lambda: tf.debugging.assert_rank(tf.constant([1]), 1),
    "rank at least": lambda: tf.debugging.assert_rank_at_least(tf.constant([1]), 1),
    "rank in": lambda: tf.debugging.assert_rank_in(tf.constant([1]), [1, 2]),
    "scalar": lambda: v1.assert_scalar(tf.constant(1)),
    "equal": lambda: tf.debugging.assert_equal(tf.constant(1), 1),
    "near": lambda: v1.assert_near(tf.constant(1.0), 1.0),
}


@pytest.mark.parametrize("name", STATIC)
def test_others_may_depend_on_what_is_known_to_hold(name: str) -> None:
    """FINDINGS F: static asserts returned None."""

    @tf.function
    def traced() -> Any:
        with tf.control_dependencies([STATIC[name]()]):
            return tf.constant(1.0) + 1.0

    with tf.Graph().as_default(), v1.Session() as session:
        with tf.control_dependencies([STATIC[name]()]):
            out = tf.constant(1.0) + 1.0
        assert session.run(out) == 2.0
    assert traced().numpy() == 2.0


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda m: tf.debugging.assert_equal(tf.constant(1), 2, message=m), tf.errors.InvalidArgumentError),
        (lambda m: tf.debugging.assert_near(tf.constant(1.0), 2.0, message=m), tf.errors.InvalidArgumentError),
        (lambda m: tf.debugging.assert_rank(tf.constant(1.0), 2, message=m), ValueError),
        (lambda m: tf.debugging.assert_type(tf.constant(1.0), tf.int32, message=m), TypeError),
    ],
)
def test_messages_may_be_tensors(call: Callable[[Any], Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="mine"):
        call(tf.constant("mine"))
    with pytest.raises(error, match="mine"):
        call("mine")


def test_messages_may_be_unknown_tensors() -> None:
    @tf.function
    def traced(x: Any, message: Any) -> Any:
        tf.debugging.assert_equal(x, 2, message=message)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="mine"):
        traced(tf.constant(1), tf.constant("mine"))
    with tf.Graph().as_default(), v1.Session() as session:
        check = tf.debugging.assert_equal(tf.constant(1), 2, message=v1.placeholder_with_default("mine", []))
        with pytest.raises(tf.errors.InvalidArgumentError, match="mine"):
            session.run(check)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: v1.assert_rank(x, 2, data=["shown", x]),
        lambda x: v1.assert_rank_in(x, [2, 3], data=["shown", x]),
        lambda x: v1.assert_rank_at_least(x, 2, data=["shown", x]),
        lambda x: v1.assert_near(x, x + 1.0, data=["shown", x]),
    ],
)
def test_data_is_shown(call: Callable[[Any], Any]) -> None:
    """FINDINGS C: `assert_rank(data=)`."""
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32)
        check = call(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[shown\] \[1 2 3\]"):
            session.run(check, {x: [1.0, 2.0, 3.0]})


def test_a_rank_may_be_known_only_when_it_runs() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x, rank = v1.placeholder(tf.float32, [3]), v1.placeholder(tf.int32, [])
        check = tf.debugging.assert_rank(x, rank)
        session.run(check, {x: [1.0, 2.0, 3.0], rank: 1})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank"):
            session.run(check, {x: [1.0, 2.0, 3.0], rank: 2})
    with pytest.raises(ValueError, match="must be a scalar"):
        tf.debugging.assert_rank([1], [1])
    with pytest.raises(TypeError, match="must be of type int32"):
        tf.debugging.assert_rank([1], 1.5)


def test_shapes_and_strings_that_do_not_compare_are_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.debugging.assert_equal(tf.constant([1, 2]), tf.constant([1, 2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="string"):
        tf.debugging.assert_less(tf.constant("a"), "b")


def test_2x_order_of_arguments() -> None:
    """FINDINGS C"""
    with pytest.raises(tf.errors.InvalidArgumentError, match="^mine"):
        tf.debugging.assert_none_equal(1, 1, 3, "mine")
    with pytest.raises(ValueError, match=r"^mine\. "):
        tf.debugging.assert_scalar([1], "mine")
    with pytest.raises(ValueError, match=r"^mine\. "):
        v1.assert_scalar([1], "name", "mine")


@pytest.mark.parametrize(
    "labels, predictions, message",
    [
        ([1, -1], [0, 1], "`labels` contains negative values"),
        ([1, 1], [0, -1], "`predictions` contains negative values"),
        ([1, 1], [0, 4], "out of bound"),
        ([4, 1], [0, 1], "out of bound"),
    ],
)
def test_confusions_of_no_class_are_refused(labels: Any, predictions: Any, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.math.confusion_matrix(labels, predictions, num_classes=3)
