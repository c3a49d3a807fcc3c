"""Ops that are added to a graph: inputs, names, shapes, and what is refused."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.core.eager.building import build
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.opdef import OPS


@pytest.fixture
def graph() -> Graph:
    return tf.Graph()


def test_a_node_is_named_after_its_op_or_as_asked(graph: Graph) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        assert [tf.sin(x).op.name, tf.sin(x).op.name, tf.sin(x, name="wave").op.name] == ["Sin", "Sin_1", "wave"]
    graph.verify()


def test_outputs_have_the_inferred_shape_and_the_bound_dtype(graph: Graph) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float64, [None, 3])
        y = tf.compat.v1.placeholder(tf.float64, [2, 1])
        assert (x + y).shape.as_list() == [2, 3] and (x + y).dtype is tf.float64
        assert tf.reduce_sum(x, 0).shape.as_list() == [3]
        assert tf.reduce_sum(x, tf.compat.v1.placeholder(tf.int32, [1])).shape.rank is None


def test_an_op_of_several_outputs_gives_a_list_and_one_of_none_its_operation(graph: Graph) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        assert [t.name for t in tf.unstack(x)] == ["unstack:0", "unstack:1"]
        assert isinstance(tf.no_op(), Operation)


def test_the_length_of_a_list_input_is_an_attribute(graph: Graph) -> None:
    with graph.as_default():
        made = tf.concat([tf.compat.v1.placeholder(tf.float32, [1]) for _ in range(3)], 0)
    assert made.op.get_attr("N") == 3 and made.shape.as_list() == [3]


def test_constants_of_a_list_input_are_numbered(graph: Graph) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [1], name="x")
        made = build(OPS["Pack"], ([x, [1.0], [2.0]],), {"axis": 0}, "p", graph)
    assert [t.op.name for t in made.op.inputs] == ["x", "p/values_1", "p/values_2"]


def test_a_shape_error_says_what_was_built_and_from_what(graph: Graph) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        y = tf.compat.v1.placeholder(tf.float32, [3])
        with pytest.raises(ValueError, match=r"for '{{node .*}} = AddV2' with input shapes: \[2\], \[3\]"):
            tf.add(x, y, name="sum")
    assert "sum" not in [n.name for n in graph.nodes]


def test_what_is_refused_leaves_no_node_of_its_own(graph: Graph) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        with pytest.raises(TypeError):
            tf.add(x, tf.compat.v1.placeholder(tf.int32, [2], name="i"))
    assert [n.name for n in graph.nodes] == ["x", "i"]


def test_an_eager_tensor_beside_a_symbolic_one_becomes_a_constant(graph: Graph) -> None:
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
    y = x + tf.constant(2.0)
    assert y.graph is graph and [t.op.type for t in y.op.inputs] == ["Placeholder", "Const"]
    with tf.compat.v1.Session(graph=graph) as session:
        assert session.run(y, {x: 1.0}) == 3.0


def test_a_symbolic_input_met_by_eager_code_builds_in_its_graph_outside_scopes(graph: Graph) -> None:
    with graph.as_default(), tf.name_scope("inner"):
        x = tf.compat.v1.placeholder(tf.float32, [])
    with tf.name_scope("eager"):
        assert tf.sin(x).op.name == "Sin"


def test_tensors_of_two_graphs_do_not_meet(graph: Graph) -> None:
    with graph.as_default():
        x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.constant(1.0)
        with pytest.raises(ValueError, match="must be from the same graph"):
            tf.add(x, y)


def test_a_variable_is_read_where_the_graph_is_built(graph: Graph) -> None:
    with graph.as_default():
        v = tf.compat.v1.get_variable("v", initializer=[1.0, 2.0])
        y = v * 2.0
        with tf.compat.v1.Session() as session:
            session.run(v.initializer)
            assert session.run(y).tolist() == [2, 4]


def test_nothing_is_added_to_a_finalized_graph(graph: Graph) -> None:
    with graph.as_default():
        tf.constant(1.0)
        graph.finalize()
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(2.0)
