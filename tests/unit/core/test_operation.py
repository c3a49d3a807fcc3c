"""One node of a graph: what it says of itself."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import inlay as tf
from inlay._src.core.graph import Graph


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def test_a_node_names_its_inputs_attributes_and_outputs(graph: Graph) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [2, 3], name="x")
    y = tf.reduce_sum(x, [0], keepdims=True, name="y")
    node = y.op
    assert (node.name, node.type, node.graph) == ("y", "Sum", graph)
    assert [t.name for t in node.inputs][0] == "x:0" and [t.name for t in node.outputs] == ["y:0"]
    assert node.get_attr("keepdims") is True
    with pytest.raises(ValueError, match="Operation 'y' has no attr named 'nothing'"):
        node.get_attr("nothing")


def test_types_of_inputs_and_outputs_are_attributes_too(graph: Graph) -> None:
    node = tf.concat([tf.constant([1.0]), tf.constant([2.0])], 0).op
    assert node.get_attr("T") is tf.float32
    call = tf.py_function(lambda a: a, [tf.constant(1)], tf.float64).op
    assert call.get_attr("Tin") == [tf.int32] and call.get_attr("Tout") == [tf.float64]
    assert isinstance(call.get_attr("token"), bytes)


def test_attributes_that_are_text_are_bytes_and_several_values_a_list(graph: Graph) -> None:
    tf.RegisterGradient("OfAPooledNode")(lambda op, dy: dy)
    with graph.gradient_override_map({"MaxPool": "OfAPooledNode"}):
        node = tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), 2, 2, "SAME").op
    assert (node.get_attr("padding"), node.get_attr("ksize")) == (b"SAME", [1, 2, 2, 1])
    assert node.get_attr("_gradient_op_type") == b"OfAPooledNode"


def test_a_node_as_a_message(graph: Graph) -> None:
    x = tf.constant(1.0, name="x")
    with tf.control_dependencies([tf.no_op(name="first")]), tf.device("/CPU:0"):
        y = tf.identity(x, name="y")
    message = tf.compat.v1.NodeDef(name="y", op="Identity", input=["x", "^first"], device="/device:CPU:0")
    message.attr["T"].type = tf.float32.as_datatype_enum
    assert y.op.node_def == message


def test_printing(graph: Graph) -> None:
    x = tf.constant(1.0, name="x")
    with tf.control_dependencies([tf.no_op(name="first")]):
        y = tf.identity(x, name="y")
    assert repr(y.op) == "<tf.Operation 'y' type=Identity>"
    assert str(y.op).splitlines() == ['name: "y"', 'op: "Identity"', 'input: "x:0"', 'input: "^first"']


def test_only_constants_have_a_value_while_the_graph_is_built(graph: Graph) -> None:
    assert tf.constant([1, 2]).op.constant_value().tolist() == [1, 2]
    assert tf.compat.v1.placeholder(tf.float32).op.constant_value() is None
    assert (tf.constant(1) + 1).op.constant_value() is None


def test_a_pullback_is_made_when_a_gradient_asks_and_once(graph: Graph) -> None:
    x = tf.constant(2.0)
    y = tf.py_function(lambda v: v * v, [x], tf.float32)
    assert not y.op.has_pullback
    version = graph.version
    tf.gradients(y, x)
    assert y.op.has_pullback and graph.version > version
    assert y.op.pullback() is y.op.pullback()


def test_a_node_runs_in_the_default_session_or_the_one_given(graph: Graph) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [])
    node = tf.identity(x).op
    with pytest.raises(ValueError, match="No default session is registered"):
        node.run({x: 1.0})
    with tf.compat.v1.Session() as session:
        assert node.run({x: 1.0}) is None
    with tf.Graph().as_default(), tf.compat.v1.Session():
        with pytest.raises(ValueError, match="graph is different from the session's graph"):
            node.run({x: 1.0})
    session = tf.compat.v1.Session(graph=graph)
    assert node.run({x: 1.0}, session) is None


def test_a_node_does_not_travel_by_itself(graph: Graph) -> None:
    with pytest.raises(TypeError, match="cannot pickle 'Operation'"):
        pickle.dumps(tf.constant(1.0).op)


def test_an_op_tells_what_it_takes_and_makes() -> None:
    with tf.Graph().as_default():
        product = tf.matmul(tf.ones([2, 2]), tf.ones([2, 2])).op.op_def
        joined = tf.concat([[1.0], [2.0]], 0).op.op_def
        host = tf.numpy_function(lambda: 1.0, [], tf.float32).op.op_def
    assert product.name == "MatMul" and [(a.name, a.type_attr) for a in product.input_arg] == [("a", "T"), ("b", "T")]
    assert ("transpose_a", "bool") in product.attr and ("T", "type") in product.attr and not product.is_stateful
    assert [a.type_attr for a in product.output_arg] == ["T"] and joined.input_arg[0].number_attr == "N"
    assert host.name == "PyFunc" and host.is_stateful
