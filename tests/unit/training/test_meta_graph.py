"""Graphs with their collections as messages and files."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1


def trained(folder: Path) -> str:
    """A checkpoint of a small graph after three steps, with its graph beside; its prefix."""
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None], name="x")
        w = v1.get_variable("w", [], initializer=v1.constant_initializer(1.0))
        frozen = v1.get_variable("frozen", [2], trainable=False, initializer=v1.ones_initializer())
        loss = tf.reduce_mean((w * x - 3.0 * x) ** 2, name="loss")
        step = v1.train.get_or_create_global_step()
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss, step, name="train")
        v1.add_to_collection("outputs", loss)
        v1.add_to_collection("outputs", train)
        v1.add_to_collection("sizes", 7)
        v1.add_to_collection("words", "seven")
        v1.add_to_collection("mixed", [frozen, 3])
        with v1.Session() as sess:
            sess.run(v1.global_variables_initializer())
            for _ in range(3):
                sess.run(train, {x: [1.0]})
            return v1.train.Saver().save(sess, folder / "model")


def test_a_graph_is_made_again_with_its_variables_and_trains_on(tmp_path: Path) -> None:
    prefix = trained(tmp_path)
    assert (tmp_path / "model.meta").exists()
    with tf.Graph().as_default() as graph, v1.Session() as sess:
        saver = v1.train.import_meta_graph(f"{prefix}.meta")
        assert [v.name for v in v1.global_variables()] == ["w:0", "frozen:0", "global_step:0"]
        assert [v.name for v in v1.trainable_variables()] == ["w:0"]
        assert v1.trainable_variables()[0] is v1.global_variables()[0]
        assert v1.get_collection("sizes") == [7] and v1.get_collection("words") == [b"seven"]
        assert v1.get_collection("mixed") == []
        loss, train = v1.get_collection("outputs")
        saver.restore(sess, prefix)
        w = v1.global_variables()[0]
        before = sess.run([w, "global_step:0"])
        sess.run(train, {"x:0": [1.0]})
        after = sess.run([w, "global_step:0"])
        assert (before[1], after[1]) == (3, 4) and abs(after[0] - 3) < abs(before[0] - 3)
        assert sess.run(loss, {"x:0": [0.0]}) == 0.0
        sess.run(v1.global_variables_initializer())
        assert sess.run(w) == 1.0
        assert sess.run(tf.gradients(loss, w)[0], {"x:0": [1.0]}) == -4.0
    graph.verify()


def test_a_scope_stands_before_the_names_and_not_before_those_of_the_checkpoint(tmp_path: Path) -> None:
    prefix = trained(tmp_path)
    with tf.Graph().as_default(), v1.Session() as sess:
        saver = v1.train.import_meta_graph(f"{prefix}.meta", import_scope="again")
        assert v1.global_variables()[0].name == "again/w:0"
        saver.restore(sess, prefix)
        assert sess.run("again/global_step:0") == 3


@pytest.mark.parametrize("as_text", [False, True])
def test_graphs_are_exported_to_files_and_as_messages(tmp_path: Path, as_text: bool) -> None:
    file = str(tmp_path / "graph")
    with tf.Graph().as_default():
        v1.get_variable("v", [2])
        told = v1.train.export_meta_graph(file, as_text=as_text, collection_list=["variables"])
        assert v1.train.Saver(max_to_keep=2).export_meta_graph().saver_def.max_to_keep == 2
    assert list(told.collection_def) == ["variables"]
    for given in (told, file):
        with tf.Graph().as_default():
            assert v1.train.import_meta_graph(given, clear_devices=True) is not None
            assert [v.name for v in v1.global_variables()] == ["v:0"] and v1.trainable_variables() == []


def test_a_graph_without_variables_has_no_saver() -> None:
    with tf.Graph().as_default():
        tf.constant(1.0, name="one")
        message = v1.train.export_meta_graph()
    with tf.Graph().as_default() as graph:
        assert v1.train.import_meta_graph(message) is None
        assert graph.get_operation_by_name("one").type == "Const"


def test_what_is_no_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone.meta does not exist"):
        v1.train.import_meta_graph(tmp_path / "gone.meta")
    (tmp_path / "bad.meta").write_bytes(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="Cannot parse file .*bad.meta: it is not a MetaGraphDef"):
        v1.train.import_meta_graph(tmp_path / "bad.meta")


def test_python_functions_run_only_if_they_are_trusted(tmp_path: Path) -> None:
    file = str(tmp_path / "graph.meta")
    with tf.Graph().as_default():
        tf.numpy_function(np.sin, [tf.constant(0.0)], tf.float32, name="sine")
        v1.train.export_meta_graph(file)
    with tf.Graph().as_default(), pytest.raises(tf.errors.PermissionDeniedError, match="nothing allows to run"):
        v1.train.import_meta_graph(file)
    with tf.Graph().as_default(), v1.Session() as sess:
        v1.train.import_meta_graph(file, trust="numpy")
        assert sess.run("sine:0") == 0.0


def test_a_graph_that_cannot_be_written_is_told_and_the_checkpoint_is_there(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(graph: Any) -> Any:
        raise tf.errors.InvalidArgumentError(None, None, "an op of it has no form on the wire")

    with tf.Graph().as_default() as graph, v1.Session() as sess:
        v1.get_variable("v", [2])
        sess.run(v1.global_variables_initializer())
        monkeypatch.setattr(type(graph), "as_graph_def", refused)
        with caplog.at_level(logging.WARNING, "inlay"):
            prefix = v1.train.Saver().save(sess, tmp_path / "model")
    assert v1.train.checkpoint_exists(prefix) and not (tmp_path / "model.meta").exists()
    assert "the graph is not written beside the checkpoint" in caplog.text and "has no form on the wire" in caplog.text


def test_old_graphs_go_with_their_checkpoints(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        v1.get_variable("v", [2])
        sess.run(v1.global_variables_initializer())
        saver = v1.train.Saver(max_to_keep=1)
        for step in range(2):
            saver.save(sess, tmp_path / "m", global_step=step)
        assert [p.name for p in tmp_path.glob("*.meta")] == ["m-1.meta"]
        saver.save(sess, tmp_path / "plain", write_meta_graph=False)
    assert list(tmp_path.glob("*.meta")) == []


def test_a_graph_is_exported_without_devices_where_that_is_asked_for() -> None:
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0/device:GPU:0"):
            v1.get_variable("v", initializer=1.0)
        saver = v1.train.Saver()
        for export in (saver.export_meta_graph, v1.train.export_meta_graph):
            assert any(node.device for node in export().graph_def.node)
            assert not any(node.device for node in export(clear_devices=True).graph_def.node)
