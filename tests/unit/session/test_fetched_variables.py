"""What a fetched variable is beside updates of it: its value after them if it is one of 1.x, else before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import inlay as tf
from inlay.compat import v1 as tf1


@pytest.fixture
def session() -> Iterator[Any]:
    tf1.disable_resource_variables()
    try:
        with tf.Graph().as_default(), tf1.Session() as made:
            yield made
    finally:
        tf1.enable_resource_variables()


@pytest.mark.parametrize("fetched", [lambda v: v, lambda v: v.name, lambda v: v.handle], ids=["it", "name", "handle"])
def test_a_variable_has_its_new_value(session: Any, fetched: Any) -> None:
    v = tf1.get_variable("v", initializer=1.0)
    other = tf1.get_variable("other", initializer=5.0)
    before = v * 10
    updated = v.assign_add(1.0)
    session.run(tf1.global_variables_initializer())
    assert session.run([fetched(v), before]) == [1.0, 10.0]
    assert session.run([fetched(v), updated, other]) == [2.0, 2.0, 5.0]
    assert session.run(fetched(v)) == 2.0


def test_the_global_step_is_that_after_the_update(session: Any) -> None:
    v = tf1.get_variable("v", initializer=1.0)
    step = tf1.train.get_or_create_global_step()
    loss = v * v
    train = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    session.run(tf1.global_variables_initializer())
    assert [session.run([train, step, loss])[1:] for _ in range(2)] == [[1, 1.0], [2, pytest.approx(0.64)]]


def test_an_update_within_a_branch_counts(session: Any) -> None:
    v = tf1.get_variable("v", initializer=1.0)
    chosen = tf.cond(tf1.placeholder_with_default(True, []), lambda: v.assign_add(1.0), lambda: v + 0.0)
    session.run(tf1.global_variables_initializer())
    assert session.run([v, chosen]) == [2.0, 2.0]


def test_what_is_computed_of_a_variable_is_not_moved(session: Any) -> None:
    v = tf1.get_variable("v", initializer=1.0)
    read = v.read_value()
    with tf.control_dependencies([read]):
        updated = v.assign_add(1.0)
    session.run(tf1.global_variables_initializer())
    assert session.run([read, updated]) == [1.0, 2.0]


def test_a_resource_is_read_when_its_turn_comes() -> None:
    assert tf1.resource_variables_enabled()
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.get_variable("v", initializer=1.0)
        updated = v.assign_add(1.0)
        session.run(tf1.global_variables_initializer())
        assert session.run([v, updated]) == [1.0, 2.0]


def test_in_a_function_the_order_is_that_of_the_program() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f() -> Any:
        before = v.read_value()
        v.assign_add(1.0)
        return before, v.read_value()

    assert [float(t) for t in f()] == [1.0, 2.0]
