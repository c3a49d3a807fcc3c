"""Graphs of sessions that TensorFlow saved: loaded eagerly and into a session."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.protos.saved_model import SavedModel
from inlay._src.saved.container import GRAPH
from tests.unit.saved.hostile_tensorflow_models import GOLDEN

v1 = tf.compat.v1
FOLDER = GOLDEN / "session_models"
SAID = json.loads((GOLDEN / "session_models.json").read_text())
X, TARGET = [[1.0, 2.0], [-3.0, 0.5]], [[0.0, 0.0], [1.0, 1.0]]
KINDS = pytest.mark.parametrize("kind", ["references", "resources"])


def near(got: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-5)


@KINDS
def test_its_signatures_are_functions_and_its_variables_variables(kind: str) -> None:
    loaded, said = tf.saved_model.load(FOLDER / kind), SAID[kind]
    serve, train = loaded.signatures["serving_default"], loaded.signatures["train"]
    near(serve(x=tf.constant(X))["y"], said["y"])
    assert [v.name for v in loaded.variables] == ["w:0", "layer/b:0", "count:0"]
    assert [v.name for v in loaded.trainable_variables] == ["w:0", "layer/b:0"]
    assert train(x=tf.constant(X), target=tf.constant(TARGET))["count"].numpy() == said["count"]
    near(loaded.variables[0], said["w"])
    near(loaded.variables[1].numpy(), said["b"])
    loaded.variables[0].assign(tf.zeros([2, 2]))
    near(serve(x=tf.constant(X))["y"], [said["b"]] * 2)


@KINDS
def test_tapes_give_gradients_of_its_variables(kind: str) -> None:
    loaded = tf.saved_model.load(FOLDER / kind)
    loss = loaded.prune(["x:0", "target:0"], "loss:0")
    with tf.GradientTape() as tape:
        value = loss(tf.constant(X), tf.constant(TARGET))
    for got, expected in zip(tape.gradient(value, loaded.trainable_variables), SAID[kind]["gradients"], strict=True):
        near(got, expected)
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(loaded.signatures["serving_default"](x=tf.constant(X))["y"])
    assert all(gradient is not None for gradient in tape.gradient(value, loaded.trainable_variables))


@KINDS
def test_it_is_loaded_into_a_session(kind: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        meta = v1.saved_model.load(session, ["serve"], str(FOLDER / kind))
        said = meta.signature_def["train"]
        feeds = {said.inputs["x"].name: X, said.inputs["target"].name: TARGET}
        near(session.run("y:0", feeds), SAID[kind]["y"])
        near(session.run("w:0" if kind == "references" else "w/Read/ReadVariableOp:0"), [[1, -2], [0.25, 4]])
        assert session.run(said.outputs["count"].name, feeds) == 1
        near(session.run(v1.trainable_variables()[0]), SAID[kind]["w"])
        session.run(v1.global_variables_initializer())
        near(session.run(v1.global_variables()[0]), [[1, 2], [3, 4]])


def test_names_may_have_a_prefix() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], str(FOLDER / "references"), import_scope="mine")
        near(session.run("mine/y:0", {"mine/x:0": X}), SAID["references"]["y"])


def test_a_variable_of_several_parts() -> None:
    loaded = tf.saved_model.load(FOLDER / "partitioned")
    result = loaded.signatures["serving_default"](ids=tf.constant([4, 0, 3]))
    near(result["found"], SAID["partitioned"]["found"])
    near(result["whole"], SAID["partitioned"]["whole"])
    assert [v.shape.as_list() for v in loaded.variables] == [[3, 2], [2, 2]]
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], str(FOLDER / "partitioned"))
        near(session.run("found:0", {"ids:0": [4, 0, 3]}), SAID["partitioned"]["found"])


def test_a_table_is_filled_from_the_file_of_the_model(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "asset_table", tmp_path / "moved")
    loaded = tf.saved_model.load(tmp_path / "moved")
    words = ["two", "four", "one"]
    given = loaded.signatures["serving_default"](words=tf.constant(words))
    assert given["ids"].numpy().tolist() == SAID["asset_table"]["ids"]
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], str(tmp_path / "moved"))
        assert session.run("ids:0", {"words_in:0": words}).tolist() == SAID["asset_table"]["ids"]


def test_a_table_of_a_model_of_tensorflow_2_is_filled_in_a_session() -> None:
    """The path of its file goes through a variable there."""
    path = str(GOLDEN / "tensorflow_models" / "vocabulary_file")
    expected = tf.saved_model.load(path).find(tf.constant(["red", "blue"])).numpy().tolist()
    with tf.Graph().as_default(), v1.Session() as session:
        said = v1.saved_model.load(session, ["serve"], path).signature_def["serving_default"]
        (feed,), (fetch,) = said.inputs.values(), said.outputs.values()
        assert session.run(fetch.name, {feed.name: ["red", "blue"]}).tolist() == expected == [0, 2]


# ---------------------------------------------------------------- which graph, and what is missing


def changed(path: Path, kind: str, change: Any) -> str:
    """A copy of a model whose `SavedModel` was changed."""
    shutil.copytree(FOLDER / kind, path)
    read = SavedModel.FromString((path / GRAPH).read_bytes())
    change(read)
    (path / GRAPH).write_bytes(read.SerializeToString())
    return str(path)


def test_one_of_several_graphs_is_chosen_by_its_tags(tmp_path: Path) -> None:
    def twice(read: Any) -> None:
        read.meta_graphs.add().CopyFrom(read.meta_graphs[0])
        read.meta_graphs[1].meta_info_def.tags[:] = ["serve", "gpu"]
        del read.meta_graphs[1].signature_def["train"]

    path = changed(tmp_path / "m", "references", twice)
    with pytest.raises(ValueError, match=r"requires a `tags=` argument.*\['serve'\], \['gpu', 'serve'\]"):
        tf.saved_model.load(path)
    assert sorted(tf.saved_model.load(path, tags="serve").signatures) == ["serving_default", "train"]
    assert sorted(tf.saved_model.load(path, tags=["gpu", "serve"]).signatures) == ["serving_default"]
    for error in (RuntimeError, ValueError):
        with pytest.raises(error, match=r"MetaGraphDef associated with tags \['train'\] could not be found"):
            tf.saved_model.load(path, tags=["train"])
    with tf.Graph().as_default(), v1.Session() as session, pytest.raises(RuntimeError, match="could not be found"):
        v1.saved_model.load(session, ["train"], path)


def test_a_model_may_be_text(tmp_path: Path) -> None:
    from google.protobuf import text_format

    path = tmp_path / "m"
    shutil.copytree(FOLDER / "references", path)
    read = SavedModel.FromString((path / GRAPH).read_bytes())
    (path / GRAPH).unlink()
    (path / "saved_model.pbtxt").write_text(text_format.MessageToString(read))
    assert tf.saved_model.contains_saved_model(path)
    near(tf.saved_model.load(path).signatures["serving_default"](x=tf.constant(X))["y"], SAID["references"]["y"])


def test_variables_without_a_checkpoint_have_no_values(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "references", tmp_path / "m")
    shutil.rmtree(tmp_path / "m" / "variables")
    loaded = tf.saved_model.load(tmp_path / "m")
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value w"):
        loaded.signatures["serving_default"](x=tf.constant(X))


def test_a_node_that_is_not_here_is_told_where_it_is_needed(tmp_path: Path) -> None:
    def unknown(read: Any) -> None:
        graph = read.meta_graphs[0].graph_def
        node = next(n for n in graph.node if n.name == "loss")
        node.op = "MyCompany>Fancy"

    path = changed(tmp_path / "m", "references", unknown)
    loaded = tf.saved_model.load(path)
    near(loaded.signatures["serving_default"](x=tf.constant(X))["y"], SAID["references"]["y"])
    with pytest.raises(tf.errors.UnimplementedError, match=r"train cannot run here: .*'loss' \(MyCompany>Fancy\)"):
        loaded.signatures["train"](x=tf.constant(X), target=tf.constant(TARGET))
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], path)
        near(session.run("y:0", {"x:0": X}), SAID["references"]["y"])
        with pytest.raises(tf.errors.UnimplementedError, match=r"'loss' \(MyCompany>Fancy\)"):
            session.run("loss:0", {"x:0": X, "target:0": TARGET})


@pytest.mark.parametrize("kind", ["references", "resources", "partitioned"])
def test_it_is_saved_again_with_its_signatures(kind: str, tmp_path: Path) -> None:
    model, said = tf.saved_model.load(FOLDER / kind), SAID[kind]
    tf.saved_model.save(model, tmp_path / "model", signatures=dict(model.signatures))
    loaded = tf.saved_model.load(tmp_path / "model").signatures
    assert loaded.keys() == model.signatures.keys()
    if kind == "partitioned":
        result = loaded["serving_default"](ids=tf.constant([4, 0, 3]))
        near(result["found"], said["found"])
        near(result["whole"], said["whole"])
        return
    near(loaded["serving_default"](x=tf.constant(X))["y"], said["y"])
    assert loaded["train"](x=tf.constant(X), target=tf.constant(TARGET))["count"].numpy() == said["count"]
    again = loaded["serving_default"](x=tf.constant(X))["y"].numpy()
    near(again, np.matmul(np.float32(X), np.float32(said["w"])) + np.float32(said["b"]))
