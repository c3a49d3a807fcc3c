"""`name_scope`, `device` and `init_scope` while building and while executing eagerly."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.core import context


def test_a_scope_of_a_graph_is_unique_and_can_be_opened_again() -> None:
    with tf.Graph().as_default():
        with tf.name_scope("a") as first:
            one = tf.constant(1.0, name="x")
        with tf.name_scope("a") as second:
            two = tf.constant(1.0, name="x")
        with tf.name_scope(first) as again:
            three = tf.constant(1.0, name="y")
    assert (first, second, again) == ("a/", "a_1/", "a/")
    assert [t.op.name for t in (one, two, three)] == ["a/x", "a_1/x", "a/y"]


def test_scopes_nest_and_an_empty_one_leaves_them_all() -> None:
    with tf.Graph().as_default(), tf.name_scope("a"), tf.name_scope("b") as inner:
        assert inner == "a/b/"
        with tf.name_scope("") as outside:
            assert outside == "" and tf.constant(1.0, name="x").op.name == "x"


def test_an_eager_scope_names_variables_but_is_never_made_unique() -> None:
    for _ in range(2):
        with tf.name_scope("a"), tf.name_scope("b") as scope:
            assert scope == "a/b/"
    with tf.name_scope("a/b/") as scope:
        assert scope == "a/b/"
    assert context.current().scope == ""


def test_the_default_name_stands_in_for_none() -> None:
    with tf.Graph().as_default(), tf.compat.v1.name_scope(None, "fallback", []) as scope:
        assert scope == "fallback/"
    assert tf.name_scope("n").name == "n"


def test_an_error_in_a_scope_closes_it() -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(KeyError), tf.name_scope("a"):
            raise KeyError
        assert context.current().scope == "" and graph.unique_name("x") == "x"


def test_a_device_is_put_over_the_one_around_it() -> None:
    with tf.Graph().as_default():
        with tf.device("/job:worker"), tf.device("/task:1"), tf.device("CPU:0"):
            assert tf.constant(1.0).op.device == "/job:worker/task:1/device:CPU:0"
            with tf.device(None):
                assert tf.constant(1.0).op.device == ""


def test_an_error_is_not_hidden_by_a_device_scope_that_is_left_open_inside() -> None:
    with pytest.raises(KeyError, match="the block's"), tf.device("/cpu:0"):
        tf.device("/cpu:1").__enter__()
        raise KeyError("the block's")
    assert tf.constant(1.0).device.endswith("CPU:0")
    with pytest.raises(RuntimeError, match="without proper scope nesting"), tf.device("/cpu:0"):
        left_open = tf.device("/cpu:1")
        left_open.__enter__()
    del left_open
    assert context.get() is None


def test_what_is_no_device_is_refused_where_the_scope_opens() -> None:
    with pytest.raises(ValueError, match="Unknown attribute 'nonsense'"), tf.device("/nonsense:0"):
        raise AssertionError("the block must not run")


def test_init_scope_leaves_what_is_traced() -> None:
    seen: list[bool] = []

    @tf.function
    def f() -> tf.Tensor:
        seen.append(tf.executing_eagerly())
        with tf.init_scope():
            seen.append(tf.executing_eagerly())
        return tf.constant(1.0)

    f()
    assert seen == [False, True]
    graph = tf.Graph()
    with graph.as_default(), tf.init_scope():
        assert tf.constant(1.0).graph is graph


def test_names_and_devices_stay_in_init_scope() -> None:
    """What TensorFlow 2.21 gives for the same program."""
    made: list[tf.Variable] = []

    @tf.function
    def eager() -> tf.Tensor:
        with tf.name_scope("b"), tf.device("/CPU:0"), tf.init_scope():
            if not made:
                made.append(tf.Variable(1.0, name="v"))
        return made[0] + 1.0

    eager()
    assert made[0].name == "b/v:0"
    nodes: list[tuple[str, str]] = []

    @tf.function
    def in_graph() -> tf.Tensor:
        with tf.name_scope("b"), tf.device("/GPU:3"), tf.init_scope():
            one = tf.constant(1.0)
        with tf.init_scope():
            two = tf.constant(1.0)
        nodes.extend((t.name, t.device) for t in (one, two))
        return one + two

    with tf.Graph().as_default() as graph:
        with tf.name_scope("outer"), tf.device("/CPU:0"):
            assert in_graph().graph is graph
        with tf.name_scope("x"), tf.control_dependencies([tf.constant(3)]), tf.init_scope():
            three = tf.constant(1.0)
    assert nodes[:2] == [("b/Const:0", "/device:GPU:3"), ("Const:0", "/device:CPU:0")]
    assert three.name == "x/Const_1:0" and three.op.control_inputs == []


def test_init_scope_leaves_graphs_that_are_said_to_be_those_of_functions() -> None:
    outer, other = tf.Graph(), tf.Graph()
    first, second = tf.Graph(), tf.Graph()
    for graph in (first, second):
        assert not graph.building_function
        graph._building_function = True
    with outer.as_default(), tf.device("/CPU:0"), first.as_default():
        with tf.init_scope():
            one = tf.constant(1.0)
        with second.as_default(), tf.device("/GPU:1"), tf.init_scope():
            two = tf.constant(1.0)
            with other.as_default(), tf.init_scope():
                three = tf.constant(1.0)
    assert [t.graph for t in (one, two, three)] == [outer, outer, other]
    assert [t.device for t in (one, two, three)] == ["/device:CPU:0", "/device:GPU:1", ""]
    with first.as_default(), tf.init_scope():
        assert tf.executing_eagerly()


def test_a_function_says_where_nodes_run() -> None:
    """FINDINGS F: `device(function)`."""
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with v1.device(lambda op: "/CPU:0" if op.type == "Const" else "/GPU:0"):
            one = tf.constant(1.0) + 1.0
        with tf.device("/job:w"), graph.device(lambda op: "/GPU:1"):
            two = tf.constant(1.0)
        with v1.device(lambda op: op.device + "/task:3"), tf.device("/GPU:1"):
            three = tf.constant(1.0)
        with v1.device(lambda op: "/job:a"), v1.device(lambda op: "/GPU:1"):
            four = tf.constant(1.0)
        with v1.device(lambda op: "/job:a"), tf.device(None):
            five = tf.constant(1.0)
        with v1.device(lambda op: None):
            six = tf.constant(1.0)
    assert [t.op.inputs[0].device for t in (one,)] == ["/device:CPU:0"] and one.device == "/device:GPU:0"
    assert [t.device for t in (two, three, four)] == ["/job:w/device:GPU:1", "/task:3/device:GPU:1", "/job:a"]
    assert five.device == six.device == ""
    for call in (lambda: v1.device(lambda op: "/CPU:0").__enter__(), lambda: tf.device(lambda op: "/CPU:0")):
        with pytest.raises(RuntimeError, match="tf.device does not support functions"):
            call()


def test_the_name_scope_in_force_and_names_of_bytes() -> None:
    with tf.Graph().as_default() as graph:
        assert graph.get_name_scope() == ""
        with tf.name_scope("a"), tf.name_scope("b"):
            assert graph.get_name_scope() == "a/b"
        assert tf.constant(1.0, name=b"e").name == "e:0" and tf.add(1.0, 2.0, name=b"q").name == "q:0"
        with pytest.raises(ValueError, match="name for name_scope must be a string"):
            tf.name_scope(b"x").__enter__()


def test_what_is_colocated_takes_a_device_whatever_stands_around_it() -> None:
    with tf.Graph().as_default():
        with tf.device("/cpu:1"):
            a = tf.constant(1.0)
        with tf.device("/gpu:0"):
            with tf.compat.v1.colocate_with(a):
                assert tf.constant(2.0).device == a.device == "/device:CPU:1"
            with tf.compat.v1.colocate_with(None, ignore_existing=True):
                assert tf.constant(2.0).device == ""
            with pytest.raises(ValueError, match="op is None"):
                tf.compat.v1.colocate_with(None).__enter__()
