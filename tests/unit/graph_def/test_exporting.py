"""Graphs as messages: names, attributes and functions as TensorFlow's readers expect them."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import inlay as tf
from inlay._src.programs.graph_def.declared import OWN, declaration


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def node(graph, name):
    return next(n for n in graph.as_graph_def().node if n.name == name)


def test_attributes_have_tensorflows_names(graph) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
    tf.matmul(x, x, transpose_b=True, name="product")
    tf.reduce_sum(x, 1, keepdims=True, name="sum")
    tf.cast(x, tf.int32, name="cast")
    tf.squeeze(tf.ones([1, 2]), [0], name="squeezed")
    product = node(graph, "product")
    assert list(product.input) == ["x", "x"] and product.attr["transpose_b"].b and not product.attr["transpose_a"].b
    assert sorted(node(graph, "sum").attr) == ["T", "Tidx", "keep_dims"]
    assert {k: v.type for k, v in node(graph, "cast").attr.items() if v.type} == {"SrcT": 1, "DstT": 3}
    assert list(node(graph, "squeezed").attr["squeeze_dims"].list.i) == [0]
    assert [d.size for d in node(graph, "x").attr["shape"].shape.dim] == [-1, 3]
    assert graph.as_graph_def().versions.producer == 2474


def test_an_axis_is_an_input(graph) -> None:
    tf.concat([tf.ones([1, 2]), tf.ones([1, 3])], 1, name="joined")
    found = node(graph, "joined")
    assert list(found.input) == ["ones", "ones_1", "joined/axis"] and found.attr["N"].i == 2
    assert node(graph, "joined/axis").attr["value"].tensor.tensor_content == np.int32(1).tobytes()


def test_a_slice_is_vectors_and_masks(graph) -> None:
    x = tf.ones([4, 5, 6])
    at = tf.compat.v1.placeholder(tf.int32, [], name="at")
    y = x[1:, ..., tf.newaxis, at]
    found = node(graph, y.op.name)
    assert list(found.input)[0] == "ones"
    masks = {k: v.i for k, v in found.attr.items() if k.endswith("_mask")}
    assert masks == {"begin_mask": 0, "end_mask": 1, "ellipsis_mask": 2, "new_axis_mask": 4, "shrink_axis_mask": 8}
    assert node(graph, found.input[1]).op == "Pack" and "at" in node(graph, found.input[1]).input


def test_shapes_are_added_where_they_are_asked_for(graph) -> None:
    tf.compat.v1.placeholder(tf.float32, [2, 3])
    (found,) = graph.as_graph_def(add_shapes=True).node[0].attr["_output_shapes"].list.shape
    assert [d.size for d in found.dim] == [2, 3]
    assert "_output_shapes" not in graph.as_graph_def().node[0].attr


def test_only_later_nodes_are_written_where_a_version_is_given(graph) -> None:
    tf.constant(1.0, name="a")
    count = len(graph.get_operations())
    tf.constant(2.0, name="b")
    assert [n.name for n in graph.as_graph_def(from_version=count).node] == ["b"]


def test_the_session_has_the_graph_as_a_message(graph) -> None:
    tf.constant(1.0, name="a")
    with tf.compat.v1.Session() as session:
        assert session.graph_def == graph.as_graph_def()


def test_branches_and_loops_are_functions_of_the_library(graph) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    tf.cond(x > 0, lambda: x * 2, lambda: x - 1, name="either")
    tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], name="turns")
    message = graph.as_graph_def()
    nodes = {n.name: n for n in message.node}
    assert nodes["either"].op == "StatelessIf"
    assert nodes["either"].attr["then_branch"].func.name == "either_true"
    assert nodes["turns"].op == "StatelessWhile" and nodes["turns"].attr["body"].func.name == "turns_body"
    assert sorted(f.signature.name for f in message.library.function) == [
        "either_false", "either_true", "turns_body", "turns_cond",
    ]  # fmt: skip


def test_a_function_that_is_called_twice_is_written_once(graph) -> None:
    triple = tf.function(lambda v: v * 3)
    triple(triple(tf.compat.v1.placeholder(tf.float32, [])))
    message = graph.as_graph_def()
    assert len(message.library.function) == 1
    (function,) = message.library.function
    assert [a.name for a in function.signature.input_arg] == ["v"]
    assert function.ret["output_0"].endswith(":z:0")


def test_a_loop_with_a_limit_counts_its_turns(graph) -> None:
    last = tf.while_loop(lambda i: i < 9, lambda i: i + 1, [0], maximum_iterations=4, name="turns")
    message = graph.as_graph_def()
    assert len(next(n for n in message.node if n.name == "turns").input) == 2
    with tf.Graph().as_default() as again:
        (found,) = tf.import_graph_def(message, return_elements=["turns:0"])
        with tf.compat.v1.Session(graph=again) as session:
            assert session.run(found) == 4
    assert last is not None


def test_what_tensorflow_has_not_is_written_under_our_name(graph) -> None:
    y = tf.nn.softmax(tf.ones([2, 2]), axis=0)
    types = {n.op for n in graph.as_graph_def().node}
    assert y is not None and all(t.startswith(OWN) or declaration(t) for t in types)
    x = tf.compat.v1.placeholder(tf.float32)
    tf.gradients(tf.py_function(lambda v: v * v, [x], tf.float32), x)
    assert f"{OWN}Pullback" in {n.op for n in graph.as_graph_def().node}


def test_a_variable_is_a_handle_with_its_name(graph) -> None:
    v = tf.compat.v1.get_variable("v", [2], tf.float32)
    found = node(graph, "v")
    assert found.op == "VarHandleOp" and found.attr["shared_name"].s == b"v" and v.shape == [2]
    assert [d.size for d in found.attr["shape"].shape.dim] == [2]


def test_numbers_that_float32_cannot_hold_travel_whole(graph) -> None:
    x = tf.compat.v1.placeholder(tf.float64, [None], name="x")
    y = tf.nn.leaky_relu(x, 1 / 3)
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph.as_graph_def(), name="")
    assert again.get_operation_by_name(y.op.name).attrs["alpha"] == 1 / 3
    assert node(graph, y.op.name).attr["alpha"].f == np.float32(1 / 3)


def test_the_gradient_of_a_node_and_what_is_known_of_its_shape_travel(graph) -> None:
    tf.RegisterGradient("OfAnImportedNode")(lambda op, dy: dy * 5)
    x = tf.compat.v1.placeholder(tf.float32, name="x")
    with graph.gradient_override_map({"Square": "OfAnImportedNode"}):
        y = tf.square(x, name="y")
    y.set_shape([3])
    with tf.Graph().as_default():
        x, y = tf.import_graph_def(graph.as_graph_def(), return_elements=["x:0", "y:0"])
        assert y.shape == [3]
        with tf.compat.v1.Session() as session:
            assert session.run(tf.gradients(y, x)[0], {x: [1.0, 1, 1]}).tolist() == [5, 5, 5]
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(y, {x: [1.0]})


def test_errors_of_a_run_have_the_message_of_their_node(graph) -> None:
    x = tf.compat.v1.placeholder(tf.float32, name="x")
    with pytest.raises(tf.errors.InvalidArgumentError) as caught, tf.compat.v1.Session() as session:
        session.run(x)
    assert caught.value.node_def == x.op.node_def


def test_a_message_is_text_and_bytes_and_pickles(graph) -> None:
    tf.constant([1.5], name="a")
    assert 'op: "Const"' in str(graph.as_graph_def()) and "DT_FLOAT" in str(graph.as_graph_def())


def test_writing_no_graph_loads_no_protobuf() -> None:
    code = (
        "import inlay as tf, sys\n"
        "with tf.Graph().as_default(), tf.compat.v1.Session() as s: s.run(tf.constant(1.0) + 1)\n"
        "print('google.protobuf' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.stdout.strip() == "False", done.stderr
