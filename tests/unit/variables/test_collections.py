"""Lists of variables, and operations on all of a list."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.core import context

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made


def test_variables_join_collections(graph):
    plain = tf.Variable(1.0)
    frozen = tf.Variable(1.0, trainable=False)
    local = tf.Variable(1.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    third_argument = tf.Variable(1.0, False, ["mine"])
    assert v1.global_variables() == [plain, frozen]
    assert v1.trainable_variables() == [plain]
    assert v1.local_variables() == [local]
    assert graph.get_collection("mine") == [third_argument]


def test_initializers_cover_their_lists_only():
    v = tf.Variable(1.0)
    local = tf.Variable(2.0, collections=["local_variables"], trainable=False)
    with tf.Session() as session:
        assert session.run(tf.global_variables_initializer()) is None
        assert session.run([v, local.is_initialized()]) == [1.0, False]
        session.run(tf.local_variables_initializer())
        assert session.run(local) == 2.0


def test_uninitialized_variables_are_reported():
    tf.Variable(1.0, name="a")
    b = tf.Variable(1.0, name="b")
    names, check = tf.report_uninitialized_variables(), tf.assert_variables_initialized()
    with tf.Session() as session:
        assert session.run(names).tolist() == [b"a", b"b"]
        session.run(b.initializer)
        assert session.run(names).tolist() == [b"a"]
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value a"):
            session.run(check)
        session.run(tf.global_variables_initializer())
        assert session.run(names).size == 0
        session.run(check)


def test_no_variables_are_no_problem():
    with tf.Session() as session:
        assert session.run(tf.report_uninitialized_variables()).tolist() == []
        session.run(tf.global_variables_initializer())


def test_eagerly_there_is_nothing_to_initialize():
    with context.using(context.State()):
        assert v1.variables_initializer([tf.Variable(1.0)]) is None


def test_collections_of_the_default_graph():
    tf.add_to_collection("x", 1)
    tf.add_to_collections(["x", "y"], 2)
    tf.get_collection_ref("y").append(3)
    assert (tf.get_collection("x"), tf.get_collection("y")) == ([1, 2], [2, 3])
