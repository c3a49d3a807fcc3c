"""Saved models of sessions, and models of objects in sessions."""

from __future__ import annotations

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
