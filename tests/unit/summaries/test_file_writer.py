"""`FileWriter`: what it adds, what it refuses, and the writers of folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay.compat import v1 as tf1


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def events(folder: Path) -> list[Any]:
    return [e for path in sorted(folder.iterdir()) for e in tf1.train.summary_iterator(str(path))]


def kinds(folder: Path) -> list[tuple[str, int]]:
    return [(e.WhichOneof("what"), e.step) for e in events(folder)]


def test_a_graph_is_added_with_the_shapes_of_its_outputs(tmp_path: Path, graph: Any) -> None:
    tf1.placeholder(tf.float32, [3, None], name="x")
    with tf1.summary.FileWriter(tmp_path, graph) as writer:
        assert writer.get_logdir() == str(tmp_path)
    assert [k for k, _ in kinds(tmp_path)] == ["file_version", "graph_def", "meta_graph_def"]
    (node,) = tf1.GraphDef.FromString(events(tmp_path)[1].graph_def).node
    assert (node.name, node.op) == ("x", "Placeholder")
    assert [d.size for d in node.attr["_output_shapes"].list.shape[0].dim] == [3, -1]
    assert tf1.MetaGraphDef.FromString(events(tmp_path)[2].meta_graph_def).graph_def.node[0].name == "x"


def test_a_graph_with_python_functions_is_added(tmp_path: Path, graph: Any) -> None:
    lock = __import__("threading").Lock()
    tf.py_function(lambda: float(lock.locked()), [], tf.float32, name="held")
    with tf1.summary.FileWriter(tmp_path) as writer:
        writer.add_graph(graph, 3)
    assert ("graph_def", 3) in kinds(tmp_path)


def test_what_a_summary_says_of_itself_is_written_once_for_a_tag(tmp_path: Path) -> None:
    made = tf1.Summary()
    made.value.add(tag="a", simple_value=1).metadata.display_name = "A"
    with tf1.summary.FileWriter(tmp_path) as writer:
        writer.add_summary(made, 1)
        writer.add_summary(made.SerializeToString(), 2)
    first, second = events(tmp_path)[1:]
    assert (first.summary.value[0].metadata.display_name, second.summary.value[0].HasField("metadata")) == ("A", False)
    assert made.value[0].metadata.display_name == "A", "the caller's message is left as it was"


def test_steps_may_be_arrays(tmp_path: Path) -> None:
    import numpy as np

    with tf1.summary.FileWriter(tmp_path) as writer:
        writer.add_summary(tf1.Summary(), np.int64(7))
        writer.add_session_log(tf1.SessionLog(status=tf1.SessionLog.STOP), np.array(8))
    assert kinds(tmp_path)[1:] == [("summary", 7), ("session_log", 8)]


def test_run_metadata_is_written_with_its_steps(tmp_path: Path) -> None:
    report = tf1.RunMetadata()
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf.float32, [])
        out = tf.square(x, name="squared")
        session.run(out, {x: 3.0}, tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE), report)
    with tf1.summary.FileWriter(tmp_path) as writer:
        writer.add_run_metadata(report, "step1", 1)
    read = tf1.RunMetadata.FromString(events(tmp_path)[1].tagged_run_metadata.run_metadata)
    assert read == report
    assert "squared" in [step.node_name for step in read.step_stats.dev_stats[0].node_stats]


def test_run_metadata_has_a_tag_of_its_own(tmp_path: Path) -> None:
    with tf1.summary.FileWriter(tmp_path) as writer:
        writer.add_run_metadata(tf1.RunMetadata(), "step1", 1)
        with pytest.raises(ValueError, match="already used"):
            writer.add_run_metadata(tf1.RunMetadata(), "step1", 2)
    assert [(e.tagged_run_metadata.tag, e.step) for e in events(tmp_path)[1:]] == [("step1", 1)]


def test_what_is_no_graph_is_refused(tmp_path: Path, graph: Any) -> None:
    with tf1.summary.FileWriter(tmp_path) as writer:
        with pytest.raises(TypeError, match="must be an instance of `Graph`"):
            writer.add_graph("graph")
        with pytest.raises(ValueError, match="only graph, or graph_def"):
            writer.add_graph(graph, graph_def=graph.as_graph_def())
        with pytest.raises(TypeError, match="must be type MetaGraphDef"):
            writer.add_meta_graph(graph)
        with pytest.raises(ValueError, match="no Summary"):
            writer.add_summary(b"\xff")


def test_a_closed_writer_warns_until_it_is_opened_again(tmp_path: Path) -> None:
    writer = tf1.summary.FileWriter(tmp_path)
    writer.add_summary(tf1.Summary(), 1)
    writer.close()
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.add_summary(tf1.Summary(), 2)
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.flush()
    writer.reopen()
    writer.add_summary(tf1.Summary(), 3)
    writer.close()
    assert sorted(step for kind, step in kinds(tmp_path) if kind == "summary") == [1, 3]


def test_writers_are_shared_by_folder(tmp_path: Path, graph: Any) -> None:
    tf1.placeholder(tf.float32, [], name="x")
    cache = tf1.summary.FileWriterCache
    first = cache.get(str(tmp_path / "a"))
    assert cache.get(str(tmp_path / "a")) is first
    assert cache.get(str(tmp_path / "b")) is not first
    cache.clear()
    assert cache.get(str(tmp_path / "a")) is not first
    cache.clear()
    assert [k for k, _ in kinds(tmp_path / "b")] == ["file_version", "graph_def", "meta_graph_def"]
