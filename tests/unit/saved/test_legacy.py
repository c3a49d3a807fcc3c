"""Saved models of sessions, and models of objects in sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


def test_a_model_of_objects_runs_in_a_session_whatever_its_variables_are_called(tmp_path: Any) -> None:
    root = tf.Module()
    root.parts = [tf.Variable(3.0), {"a": tf.Variable(2.0)}]
    root.f = tf.function(
        lambda x: root.parts[0] * root.parts[1]["a"] * x, input_signature=[tf.TensorSpec(None, tf.float32, name="x")]
    )
    tf.saved_model.save(root, tmp_path / "m")
    with tf.Graph().as_default(), v1.Session() as session:
        signature = v1.saved_model.load(session, ["serve"], tmp_path / "m").signature_def["serving_default"]
        fed = {signature.inputs["x"].name: 2.0}
        assert session.run(signature.outputs["output_0"].name, fed) == 12.0


@pytest.mark.parametrize("scope", ["", "in"])
@pytest.mark.parametrize("name", ["main_op", "legacy_init_op"])
def test_a_loaded_graph_has_its_collections_and_what_initializes_it_has_run(
    tmp_path: Any, name: str, scope: str
) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        a, b = v1.get_variable("a", initializer=1), v1.get_variable("b", initializer=42, trainable=False)
        begin = tf.group(v1.assign(b, a + 2), name="begin")
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(session, ["serve"], **{name: begin})
        builder.save()
        with pytest.raises(ValueError, match="Graph already contains one or more main ops"):
            v1.saved_model.Builder(tmp_path / "n").add_meta_graph_and_variables(session, ["serve"], main_op=begin)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], tmp_path / "m", import_scope=scope or None)
        prefix = f"{scope}/" if scope else ""
        assert [v.name for v in v1.global_variables()] == [f"{prefix}a:0", f"{prefix}b:0"]
        assert [v.name for v in v1.trainable_variables()] == [f"{prefix}a:0"]
        assert session.run(v1.global_variables()) == [1, 3]


def save_with_table(folder: Path, words: str, **more: Any) -> None:
    """Saves a graph with a variable and a table that is filled from a file with words."""
    file = folder / "words.txt"
    file.write_text(words)
    with tf.Graph().as_default(), v1.Session() as session:
        text, x = v1.placeholder(tf.string, [None], "text"), v1.placeholder(tf.float32, [], "x")
        index = tf.lookup.TextFileIndex
        filled = tf.lookup.TextFileInitializer(str(file), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
        table = tf.lookup.StaticHashTable(filled, -1)
        ids, y = tf.identity(table.lookup(text), "ids"), tf.multiply(v1.get_variable("w", initializer=3.0), x, name="y")
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        signature = v1.saved_model.predict_signature_def({"text": text, "x": x}, {"ids": ids, "y": y})
        builder = v1.saved_model.Builder(folder / "m")
        assets = v1.get_collection(v1.GraphKeys.ASSET_FILEPATHS)
        builder.add_meta_graph_and_variables(
            session, ["serve"], {"serving_default": signature}, assets, main_op=v1.tables_initializer(), **more
        )
        builder.save()
    file.unlink()


def test_a_table_of_a_session_is_filled_from_its_file_in_the_model(tmp_path: Path) -> None:
    save_with_table(tmp_path, "a\nb\n")
    assert (tmp_path / "m" / "assets" / "words.txt").read_text() == "a\nb\n"
    model = tf.saved_model.load(tmp_path / "m")
    result = model.signatures["serving_default"](text=tf.constant(["b", "c"]), x=tf.constant(2.0))
    assert result["ids"].numpy().tolist() == [1, -1] and result["y"].numpy() == 6.0
    with tf.Graph().as_default(), v1.Session() as session:
        v1.saved_model.load(session, ["serve"], tmp_path / "m", import_scope="in")
        assert session.run("in/ids:0", {"in/text:0": ["a", "b"]}).tolist() == [0, 1]
        assert session.run("in/y:0", {"in/x:0": 1.0}) == 3.0


@pytest.mark.parametrize("way", ["eagerly", "in a session"])
def test_a_file_that_is_not_as_it_was_saved_fills_no_table(tmp_path: Path, way: str) -> None:
    save_with_table(tmp_path, "a\nb\n")
    (tmp_path / "m" / "assets" / "words.txt").write_text("b\na\n")
    with pytest.raises(tf.errors.DataLossError, match=r"assets/words\.txt"):
        if way == "eagerly":
            tf.saved_model.load(tmp_path / "m")
        with tf.Graph().as_default(), v1.Session() as session:
            v1.saved_model.load(session, ["serve"], tmp_path / "m")


def test_files_of_one_name_have_different_names_in_the_model(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "words").write_text(name)
    with tf.Graph().as_default(), v1.Session() as session:
        files = [tf.constant(str(tmp_path / name / "words"), name=name) for name in ("one", "two")]
        builder = v1.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[*files, files[0]])
        builder.save()
    assert sorted(path.name for path in (tmp_path / "m" / "assets").iterdir()) == ["words", "words_1"]


@pytest.mark.parametrize("value", [1, "computed", ["a", "b"]])
def test_a_file_of_a_model_is_a_constant_of_the_graph(tmp_path: Path, value: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        builder = v1.saved_model.Builder(tmp_path / "m")
        file = tf.strings.join(["comp", "uted"]) if value == "computed" else tf.constant(value)
        with pytest.raises(TypeError, match="scalar string constants"):
            builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[file])
        with pytest.raises(FileNotFoundError, match="none at /no/such"):
            builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[tf.constant("/no/such")])


def test_a_table_that_can_change_is_not_saved_with_a_session(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        with pytest.raises(tf.errors.UnimplementedError, match="whose contents are not saved"):
            v1.saved_model.Builder(tmp_path / "m").add_meta_graph_and_variables(session, ["serve"])


def test_a_graph_is_saved_without_its_devices(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        with tf.device("/device:CPU:0"):
            tf.constant(1.0, name="x")
        builder = v1.saved_model.Builder(tmp_path / "m")
        builder.add_meta_graph_and_variables(session, ["serve"], clear_devices=True)
        builder.save()
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.saved_model.load(session, ["serve"], tmp_path / "m")
        assert graph.get_operation_by_name("x").device == ""


def test_what_runs_when_a_model_is_loaded_is_an_operation(tmp_path: Any) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        with pytest.raises(TypeError, match="must be an Operation"):
            v1.saved_model.Builder(tmp_path / "m").add_meta_graph_and_variables(session, ["serve"], main_op=tf.zeros(1))


def test_an_attribute_called_signatures_is_not_saved_in_silence(tmp_path: Any) -> None:
    root = tf.train.Checkpoint(signatures=tf.Variable(1.0))
    with pytest.raises(ValueError, match=r"del obj\.signatures"):
        tf.saved_model.save(root, tmp_path / "m")
    del root.signatures
    tf.saved_model.save(root, tmp_path / "m")


def test_a_signature_returns_tensors(tmp_path: Any) -> None:
    root = tf.Module()
    root.f = tf.function(lambda x: {"a": x, "b": (x, x)}, input_signature=[tf.TensorSpec([], tf.float32)])
    with pytest.raises(ValueError, match="non-Tensor value for 'b'"):
        tf.saved_model.save(root, tmp_path / "m", root.f)
