"""Optionals: values, and the elements of iterators."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

Optional = tf.experimental.Optional


def test_a_value_and_none() -> None:
    some = Optional.from_value({"a": 42, "b": tf.ragged.constant([[1], [2, 3]])})
    assert bool(some.has_value())
    assert some.get_value()["a"].numpy() == 42
    assert some.get_value()["b"].to_list() == [[1], [2, 3]]
    assert some.element_spec["a"] == tf.TensorSpec((), tf.int32)
    none = Optional.empty(tf.TensorSpec((), tf.int32))
    assert not bool(none.has_value())
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        none.get_value()
    with pytest.raises(TypeError, match="from_value"):
        Optional()


def test_the_elements_of_an_iterator() -> None:
    iterator = iter(tf.data.Dataset.range(2))
    found = [tf.data.experimental.get_next_as_optional(iterator) for _ in range(3)]
    assert [int(o.get_value()) for o in found if o.has_value()] == [0, 1]
    assert not bool(iterator.get_next_as_optional().has_value())


def test_a_function_takes_and_gives_optionals() -> None:
    spec = tf.OptionalSpec(tf.TensorSpec((), tf.int64))

    @tf.function(input_signature=[spec])
    def doubled(optional: Any) -> Any:
        if optional.has_value():
            return Optional.from_value(optional.get_value() * 2)
        return optional

    assert int(doubled(Optional.from_value(tf.constant(3, tf.int64))).get_value()) == 6
    assert not bool(doubled(Optional.empty(tf.TensorSpec((), tf.int64))).has_value())


def test_a_loop_of_a_function_over_optionals() -> None:
    iterator = iter(tf.data.Dataset.range(5))

    @tf.function
    def total() -> Any:
        found = tf.constant(0, tf.int64)
        optional = iterator.get_next_as_optional()
        while optional.has_value():
            found += optional.get_value()
            optional = iterator.get_next_as_optional()
        return found

    assert int(total()) == 10


def test_optionals_as_elements() -> None:
    dataset = tf.data.Dataset.range(3).map(Optional.from_value)
    assert dataset.element_spec == tf.OptionalSpec(tf.TensorSpec((), tf.int64))
    assert [int(o.get_value()) for o in dataset] == [0, 1, 2]
    assert [int(x) for x in dataset.map(lambda o: o.get_value() + 1)] == [1, 2, 3]


def test_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        iterator = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(2))
        optional = iterator.get_next_as_optional()
        some, value = optional.has_value(), optional.get_value()
        assert [session.run([some, value]) for _ in range(2)] == [[True, 0], [True, 1]]
        assert not session.run(some)
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
            session.run(value)
