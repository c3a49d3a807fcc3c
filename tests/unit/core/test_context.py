"""Where an op call goes: one state per position of the program, seen by copies of the context."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Iterator

import pytest

import inlay as tf
from inlay._src.core import context
from inlay._src.core.context import State


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    before = context.current()
    yield
    assert context.current() is before


def test_outside_of_everything_ops_run_at_once() -> None:
    assert context.executing_eagerly() and context.current() is context.EAGER
    assert context.EAGER.eager


def test_a_state_is_eager_without_a_graph_and_without_a_device() -> None:
    assert State().eager
    assert not State(graph=tf.Graph()).eager
    assert not State(device="/device:CPU:0").eager


def test_replacing_leaves_the_rest_and_the_first_state_as_they_are() -> None:
    graph = tf.Graph()
    one = State(graph, "a/", (), "/device:CPU:0", ("tape",), (("Mul", "Mine"),), "f")
    two = one.replace(scope="b/")
    assert (two.graph, two.scope, two.device, two.tapes) == (graph, "b/", "/device:CPU:0", ("tape",))
    assert (two.overrides, two.host, one.scope) == ((("Mul", "Mine"),), "f", "a/")
    assert one.with_tapes(()).tapes == () and one.with_tapes(()).host == "f"


def test_a_block_ends_with_what_held_before_also_after_an_error() -> None:
    outer = State(scope="outer/")
    with context.using(outer):
        with pytest.raises(KeyError), context.using(State(scope="inner/")):
            assert context.current().scope == "inner/"
            raise KeyError
        assert context.current() is outer


def test_the_base_holds_where_no_block_is_open() -> None:
    before, changed = context.base(), State(scope="base/")
    context.set_base(changed)
    try:
        assert context.current() is changed
        with context.using(context.EAGER):
            assert context.current() is context.EAGER
    finally:
        context.set_base(before)


def test_a_thread_begins_outside_and_a_copied_context_inside() -> None:
    seen: dict[str, State] = {}
    inside = State(scope="inside/")
    with context.using(inside):
        copied = contextvars.copy_context()
        threads = [
            threading.Thread(target=lambda: seen.update(bare=context.current())),
            threading.Thread(target=lambda: copied.run(lambda: seen.update(copied=context.current()))),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert seen == {"bare": context.EAGER, "copied": inside}


def test_home_is_the_graph_outside_of_what_is_traced() -> None:
    homes: list[object] = []

    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        homes.append(context.home())
        return tf.cond(x > 0, lambda: homes.append(context.home()) or x, lambda: -x)  # type: ignore[func-returns-value]

    f(tf.constant(1.0))
    assert homes == [None, None]
    graph = tf.Graph()
    with graph.as_default():
        assert context.home() is graph
        f(tf.constant(1))
    assert homes[2:] and all(home is graph for home in homes[2:])


def test_within_a_graph_the_scopes_of_another_do_not_hold() -> None:
    one, two = tf.Graph(), tf.Graph()
    with one.as_default(), tf.name_scope("s"), tf.device("/CPU:0"):
        with context.within(one) as state:
            assert state.scope == "s/"
        with context.within(two) as state:
            assert (state.graph, state.scope, state.device) == (two, "", "/device:CPU:0")


def test_a_graph_left_before_one_inside_it_leaves_nothing_in_force() -> None:
    """FINDINGS A17."""
    outer, inner = tf.Graph().as_default(), tf.Graph().as_default()
    outer.__enter__()
    within = inner.__enter__()
    with pytest.raises(AssertionError, match="Nesting violated"):
        outer.__exit__(None, None, None)
    assert tf.compat.v1.get_default_graph() is within
    inner.__exit__(None, None, None)
    assert tf.executing_eagerly() and context.get() is None


def test_the_default_graph_is_not_replaced_inside_another_one() -> None:
    """FINDINGS A17."""
    with tf.Graph().as_default(), pytest.raises(AssertionError, match="clear nested graphs"):
        tf.compat.v1.reset_default_graph()
    tf.compat.v1.reset_default_graph()
