"""Parts of graphs, variables that become constants, and graphs as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from google.protobuf import text_format

import inlay as tf

util = tf.compat.v1.graph_util


def model():
    """A graph with a variable, and something that its result does not need."""
    x = tf.compat.v1.placeholder(tf.float32, [None, 2], name="x")
    w = tf.compat.v1.get_variable("w", initializer=np.float32([[1], [2]]))
    tf.matmul(tf.identity(x), w, name="y")
    tf.add(x, 1.0, name="other")
    return w


def test_the_part_of_a_graph_that_some_nodes_need() -> None:
    with tf.Graph().as_default() as graph:
        model()
    found = util.extract_sub_graph(graph.as_graph_def(), ["y"])
    names = {n.name for n in found.node}
    assert {"x", "w", "y"} <= names and not {"other", "other/y", "w/Assign"} & names
    with pytest.raises(ValueError, match="z is not in graph"):
        util.extract_sub_graph(graph.as_graph_def(), ["z"])
    with pytest.raises(TypeError, match="dest_nodes must be an iterable of strings"):
        util.extract_sub_graph(graph.as_graph_def(), "y")


def test_variables_become_constants() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        w = model()
        session.run(w.initializer)
        frozen = util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"])
        left = util.convert_variables_to_constants(session, graph.as_graph_def(), ["y"], variable_names_blacklist=["w"])
    assert not {"VarHandleOp", "ReadVariableOp"} & {n.op for n in frozen.node}
    assert "VarHandleOp" in {n.op for n in left.node}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, y = tf.import_graph_def(frozen, return_elements=["x:0", "y:0"])
        assert session.run(y, {x: [[3, 4]]}).tolist() == [[11]]


def test_a_variable_whose_handle_is_taken_cannot_become_a_constant() -> None:
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        w = model()
        tf.identity(tf.function(lambda: w * 2)(), name="z")
        session.run(w.initializer)
        with pytest.raises(
            ValueError, match=r"'w' cannot become a constant: node '.*PartitionedCall' .* takes its handle"
        ):
            util.convert_variables_to_constants(session, graph.as_graph_def(), ["z"])


def test_nodes_that_only_training_needs_go() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, name="x")
        tf.negative(tf.identity(tf.identity(x, name="a"), name="b"), name="y")
    found = util.remove_training_nodes(graph.as_graph_def(), protected_nodes=["b"])
    assert [(n.name, list(n.input)) for n in found.node] == [("x", []), ("b", ["x"]), ("y", ["b"])]


def test_what_runs_on_the_cpu_and_what_shape_a_name_has() -> None:
    with tf.Graph().as_default() as graph:
        model()
        assert util.must_run_on_cpu(tf.constant("text").op) and not util.must_run_on_cpu(tf.constant(1.0).op.node_def)
        assert util.must_run_on_cpu(graph.get_operation_by_name("w"), pin_variables_on_cpu=True)
    assert util.tensor_shape_from_node_def_name(graph, "y") == [None, 1]


def test_a_graph_is_written_to_a_file(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        model()
    path = tf.io.write_graph(graph, str(tmp_path / "made"), "graph.pbtxt")
    assert path == str(tmp_path / "made" / "graph.pbtxt")
    assert text_format.Parse(Path(path).read_text(encoding="utf-8"), tf.compat.v1.GraphDef()) == graph.as_graph_def()
    path = tf.io.write_graph(graph.as_graph_def(), str(tmp_path), "graph.pb", as_text=False)
    assert tf.compat.v1.GraphDef.FromString(Path(path).read_bytes()) == graph.as_graph_def()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.pb", "made"]
    with pytest.raises(TypeError, match="takes a graph or a protobuf message, got str"):
        tf.io.write_graph("graph", str(tmp_path), "x")
