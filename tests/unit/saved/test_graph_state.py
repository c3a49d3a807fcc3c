"""Models saved in a session or loaded into a graph, beyond what TensorFlow does (`golden/programs/saved_in_graphs`)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.saved.container import Container

v1 = tf.compat.v1
SCALAR = [tf.TensorSpec([], tf.float32)]


def _model(scale: Any) -> tf.Module:
    """A model whose function uses a variable that no attribute leads to."""
    model = tf.Module()
    model.call = tf.function(lambda x: x * scale, input_signature=SCALAR)
    return model


def test_a_variable_that_only_a_function_knows_is_saved_in_a_session_and_begins_in_a_graph(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as sess:
        scale = tf.Variable(1.0)
        sess.run(scale.initializer)
        sess.run(scale.assign(3.0))
        tf.saved_model.save(_model(scale), tmp_path / "model")
    assert float(tf.saved_model.load(tmp_path / "model").call(2.0)) == 6.0
    with tf.Graph().as_default(), v1.Session() as sess:
        result = tf.saved_model.load(tmp_path / "model").call(2.0)
        sess.run(v1.global_variables_initializer())
        assert sess.run(result) == 6.0


def test_eager_variables_are_saved_beside_those_of_a_graph(tmp_path: Path) -> None:
    model = _model(tf.Variable(3.0))
    model.eager = tf.Variable(1.0)
    with tf.Graph().as_default():
        tf.saved_model.save(model, tmp_path / "eager")
        model.graphs = tf.Variable(2.0)
        with v1.Session() as sess:
            sess.run(model.graphs.initializer)
            tf.saved_model.save(model, tmp_path / "both")
    eager, both = (tf.saved_model.load(tmp_path / name) for name in ("eager", "both"))
    assert [float(eager.call(2.0)), float(both.call(2.0)), float(both.eager), float(both.graphs)] == [6, 6, 1, 2]


def test_the_files_of_a_model_may_go_before_its_variables_begin(tmp_path: Path) -> None:
    tf.saved_model.save(_model(tf.Variable(3.0)), tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as sess:
        result = tf.saved_model.load(tmp_path / "model").call(2.0)
        shutil.rmtree(tmp_path / "model")
        sess.run(v1.global_variables_initializer())
        assert sess.run(result) == 6.0


def test_python_functions_use_the_variables_of_the_graph_that_a_model_was_loaded_into(tmp_path: Path) -> None:
    model = tf.Module()
    model.scale = tf.Variable(3.0)
    model.call = tf.function(
        lambda x: tf.py_function(lambda v, s: v * s, [x, model.scale], tf.float32), input_signature=SCALAR
    )
    tf.saved_model.save(model, tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as sess:
        loaded = tf.saved_model.load(tmp_path / "model", trust=Container(str(tmp_path / "model")).digest)
        sess.run(loaded.scale.initializer)
        sess.run(loaded.scale.assign(4.0))
        assert sess.run(loaded.call(2.0)) == 8.0
        tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again", trust=Container(str(tmp_path / "again")).digest)
    assert float(again.call(2.0)) == 8.0


def test_draws_of_a_function_that_was_traced_in_a_graph_go_on(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session():
        model = tf.Module()
        model.draw = tf.function(lambda: tf.random.uniform([4], seed=3), input_signature=[])
        tf.saved_model.save(model, tmp_path / "model")
    draw = tf.saved_model.load(tmp_path / "model").draw
    assert not np.array_equal(draw(), draw())


def test_datasets_of_a_graph_are_saved(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session():
        model = tf.Module()
        model.data = tf.data.Dataset.range(4)
        model.total = tf.function(lambda: model.data.reduce(np.int64(0), lambda a, b: a + b), input_signature=[])
        tf.saved_model.save(model, tmp_path / "model")
    assert int(tf.saved_model.load(tmp_path / "model").total()) == 6
    with tf.Graph().as_default(), v1.Session() as sess:
        assert sess.run(tf.saved_model.load(tmp_path / "model").total()) == 6


def test_a_refusal_says_where_a_variable_can_be_saved(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        model = tf.Module()
        model.scale = tf.Variable(1.0)
    with pytest.raises(tf.errors.InaccessibleTensorError, match="scale is the variable Variable:0 of a graph.*as_defa"):
        tf.saved_model.save(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()
