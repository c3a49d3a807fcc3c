"""Partial runs: steps that feed and fetch more; what was computed stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import inlay as tf

v1 = tf.compat.v1


class World(NamedTuple):
    session: Any
    a: Any
    b: Any
    c: Any
    total: Any
    product: Any
    calls: list[float]


@pytest.fixture
def w() -> Iterator[World]:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b, c = (v1.placeholder(tf.float32, [], name=name) for name in "abc")
        calls: list[float] = []

        def counted(x: Any) -> Any:
            calls.append(float(x))
            return x

        total = tf.numpy_function(counted, [a], tf.float32) + b
        yield World(session, a, b, c, total, total * c, calls)


def test_each_op_runs_once(w: World) -> None:
    run = w.session.partial_run_setup([w.total, w.product], [w.a, w.b, w.c])
    total = w.session.partial_run(run, w.total, {w.a: 1, w.b: 2})
    assert (total, w.session.partial_run(run, w.product, {w.c: total * 10})) == (3, 90)
    assert w.calls == [1]


def test_feeds_may_come_before_fetches(w: World) -> None:
    run = w.session.partial_run_setup([w.total, w.product], [w.a, w.b, w.c])
    assert w.session.partial_run(run, [], {w.a: 1}) == []
    assert w.session.partial_run(run, {"total": w.total}, {w.b: 1}) == {"total": 2}


def test_two_runs_go_on_side_by_side(w: World) -> None:
    one, two = (w.session.partial_run_setup([w.total, w.product], [w.a, w.b, w.c]) for _ in range(2))
    w.session.partial_run(one, w.total, {w.a: 1, w.b: 2})
    w.session.partial_run(two, w.total, {w.a: 10, w.b: 20})
    assert w.session.partial_run(one, w.product, {w.c: 2}) == 6
    assert w.session.partial_run(two, w.product, {w.c: 2}) == 60


def test_a_variable_keeps_the_value_that_was_read(w: World) -> None:
    v = v1.get_variable("v", initializer=1.0)
    now = v + w.a
    later = now * w.b
    w.session.run(v.initializer)
    run = w.session.partial_run_setup([now, later], [w.a, w.b])
    assert w.session.partial_run(run, now, {w.a: 1}) == 2
    w.session.run(v.assign(100.0))
    assert w.session.partial_run(run, later, {w.b: 10}) == 20


def test_what_makes_no_sense_is_refused(w: World) -> None:
    setup, go = w.session.partial_run_setup, w.session.partial_run
    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match="Must specify at least one target"):
        setup([], [w.a])
    with pytest.raises(invalid, match='Endpoint "a:0" fed more than once'):
        setup(w.total, [w.a, w.a])
    run = setup([w.total, w.product], [w.a, w.b, w.c])
    with pytest.raises(invalid, match="can't be computed from the feeds that have been fed so far"):
        go(run, w.product, {w.a: 1})
    run = setup([w.total, w.product], [w.a, w.b, w.c])
    with pytest.raises(invalid, match="was not specified in partial_run_setup"):
        go(run, w.total * 2.0, {w.a: 1})
    with pytest.raises(invalid, match="The feed d:0 was not specified"):
        go(run, w.total, {v1.placeholder(tf.float32, [], name="d"): 1})
    go(run, w.total, {w.a: 1, w.b: 2})
    with pytest.raises(invalid, match="has already been fetched"):
        go(run, w.total)
    with pytest.raises(invalid, match="The feed a:0 has already been fed"):
        go(run, w.product, {w.a: 1, w.c: 1})
    go(run, w.product, {w.c: 1})
    with pytest.raises(invalid, match="Must run 'setup' before performing partial runs"):
        go(run, w.product)


def test_a_ragged_placeholder_is_fed_in_a_step() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        rows = tf.RaggedTensor.from_row_splits(v1.placeholder(tf.int32, [None]), v1.placeholder(tf.int64, [None]))
        more = v1.placeholder(tf.int32, [])
        first, second = tf.reduce_sum(rows, axis=1), tf.reduce_sum(rows + more, axis=1)
        handle = session.partial_run_setup([first, second], [rows, more])
        value = tf.ragged.constant_value([[1, 2, 3], [4]])
        assert session.partial_run(handle, first, {rows: value}).tolist() == [6, 4]
        assert session.partial_run(handle, second, {more: 1}).tolist() == [9, 5]


def test_a_placeholder_that_no_step_feeds_is_named() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        handle = session.partial_run_setup(doubled := x * 2.0, [])
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value for placeholder tensor 'x'"):
            session.partial_run(handle, doubled)
