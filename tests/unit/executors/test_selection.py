"""Which executor a call goes to: what it says, the scope around it, or none."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import inlay as tf
from inlay._src.host.executors.futures import Futures
from inlay._src.host.executors.selection import resolve_executor
from tests.unit.executors.loopback import Loopback


def plus_one(x: Any) -> Any:
    return x + 1


def called(x: Any = 1, **options: Any) -> Any:
    return tf.numpy_function(plus_one, [tf.convert_to_tensor(x)], tf.int32, **options)


def test_none_is_in_place_without_a_scope() -> None:
    assert resolve_executor(None, "f") is None
    assert resolve_executor("inline", "f") is None


def test_a_scope_holds_for_every_form_and_ends() -> None:
    away = Loopback()
    with tf.executor(away):
        assert called() == 2
        assert tf.py_function(plus_one, [1], tf.int32) == 2
        assert tf.py_func(plus_one, [1], tf.int32) == 2
        assert tf.contrib.framework.py_func(plus_one, [1], output_types=tf.int32) == 2
        assert tf.numpy_function(Tout=tf.int32)(plus_one)(1) == 2
    assert len(away.calls) == 5
    called()
    assert len(away.calls) == 5


def test_what_a_call_says_counts_more_than_the_scope() -> None:
    around, own = Loopback(), Loopback()
    with tf.executor(around):
        called(executor=own)
        called(executor="inline")
        with tf.executor("inline"):
            called()
    assert (len(around.calls), len(own.calls)) == (0, 1)


def test_a_scope_reaches_into_what_is_traced_in_it() -> None:
    away = Loopback()

    @tf.function
    def f(x: Any) -> Any:
        return called(x) + tf.cond(x > 0, lambda: called(x), lambda: x)

    assert f(tf.constant(1)) == 4
    assert away.calls == []
    with tf.executor(away):
        assert f(tf.constant(1)) == 4
        assert tf.map_fn(called, tf.constant([1, 2])).numpy().tolist() == [2, 3]
    assert len(away.calls) == 4
    assert f(tf.constant(1)) == 4
    assert len(away.calls) == 4


def test_a_scope_holds_where_nodes_are_made_not_where_they_run() -> None:
    away = Loopback()
    with tf.Graph().as_default():
        with tf.executor(away):
            y = called()
        z = called()
        with tf.compat.v1.Session() as session:
            with tf.executor(Loopback()) as _:
                assert session.run([y, z]) == [2, 2]
    assert len(away.calls) == 1


def test_any_standard_executor_is_one_and_stays_the_same() -> None:
    with ThreadPoolExecutor(1) as pool:
        found = resolve_executor(pool, "f")
        assert isinstance(found, Futures)
        assert resolve_executor(pool, "f") is found
        assert called(executor=pool) == 2


@pytest.mark.parametrize("given", [3, object(), ["threads"], len])
def test_what_is_no_executor_is_refused(given: Any) -> None:
    with pytest.raises(TypeError, match=r"numpy_function: executor must be one of 'inline', 'threads'.*got"):
        called(executor=given)


def test_a_name_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(
        ValueError, match=r"unknown executor 'process'; expected one of 'inline', 'threads', 'processes', 'ray'"
    ):
        called(executor="process")
    with pytest.raises(ValueError, match=r"tf.executor: unknown executor 'auto'"), tf.executor("auto"):
        pass


def test_an_executor_that_repeats_is_refused_for_a_stateful_function() -> None:
    away = Loopback()
    away.may_repeat = True
    with pytest.raises(ValueError, match=r"plus_one.* is stateful, and .* runs a call again"):
        called(executor=away)
    assert called(executor=away, stateful=False) == 2
