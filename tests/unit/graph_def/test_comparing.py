"""Graphs as messages are compared node by node."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf


def graph(name: str = "a", value: float = 1.0, more: bool = False) -> Any:
    with tf.Graph().as_default() as made:
        tf.identity(tf.constant(value, name=name), name="b")
        if more:
            tf.constant(2, name="c")
    return made.as_graph_def()


def test_equal_graphs_pass_in_any_order() -> None:
    actual = graph()
    nodes = list(actual.node)[::-1]
    del actual.node[:]
    actual.node.extend(nodes)
    tf.test.assert_equal_graph_def(graph(), actual)
    tf.compat.v1.test.assert_equal_graph_def(actual, graph())


@pytest.mark.parametrize(
    ("expected", "actual", "message"),
    [
        (graph(), graph(value=2.0), "Node named 'a' has attr 'value' with value:"),
        (graph(), graph(more=True), "Found unexpected node 'c'"),
        (graph(more=True), graph(), "Did not find expected node 'c'"),
        (graph(), graph("z"), "Did not find expected node 'a'"),
    ],
)
def test_a_difference_is_named(expected: Any, actual: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        tf.test.assert_equal_graph_def(expected, actual)


def test_inputs_and_attributes_count() -> None:
    other = graph()
    other.node[1].input[0] = "c"
    with pytest.raises(AssertionError, match="Node named 'b' has inputs"):
        tf.test.assert_equal_graph_def(graph(), other)
    other = graph()
    del other.node[0].attr["dtype"]
    with pytest.raises(AssertionError, match="no attr 'dtype'"):
        tf.test.assert_equal_graph_def(graph(), other)
    with pytest.raises(AssertionError, match="unexpected attr 'dtype'"):
        tf.test.assert_equal_graph_def(other, graph())


def test_names_of_temporary_files_may_differ() -> None:
    def saving(suffix: str) -> Any:
        with tf.Graph().as_default() as made:
            tf.constant(f"_temp_{suffix * 32}/part", name="a")
        return made.as_graph_def()

    tf.test.assert_equal_graph_def(saving("1"), saving("2"))
    with pytest.raises(AssertionError, match="Node named 'a'"):
        tf.compat.v1.test.assert_equal_graph_def(saving("1"), saving("2"))


def test_only_graphs_are_compared() -> None:
    with pytest.raises(TypeError, match=r"Expected tf.GraphDef for actual, got int"):
        tf.test.assert_equal_graph_def(graph(), 3)
