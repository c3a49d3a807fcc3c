"""Models that TensorFlow 2 saved: nodes that are not here, calls of Python, checkpoints that lack something."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.protos.saved_model import SavedModel
from inlay._src.saved.container import GRAPH
from tests.unit.saved.hostile_tensorflow_models import GOLDEN, INDEX, function, meta, nodes, of_kind

FOLDER = GOLDEN / "tensorflow_models"
X = np.float32([[1, 2], [3, 4]])


def copied(path: Path, name: str, change: Callable[[Path], Any] = lambda path: None) -> Path:
    """A copy of a model that was changed."""
    shutil.copytree(FOLDER / name, path)
    change(path)
    return path


# ---------------------------------------------------------------- calls of Python


def token() -> str:
    read = SavedModel.FromString((FOLDER / "host_function" / GRAPH).read_bytes())
    functions = read.meta_graphs[0].graph_def.library.function
    return next(n.attr["token"].s.decode() for f in functions for n in f.node_def if n.op == "PyFunc")


def test_a_call_of_python_says_that_the_function_was_never_saved() -> None:
    loaded = tf.saved_model.load(FOLDER / "host_function")
    assert loaded.plain(3.0).numpy() == 6
    with pytest.raises((ValueError, tf.errors.OpError), match=rf"callback {token()} is not found: .*host_functions="):
        loaded.call(1.0)


@pytest.mark.parametrize("name", [token(), "PyFunc"])
def test_a_function_is_supplied_by_its_token_or_by_the_name_of_the_node(name: str) -> None:
    loaded = tf.saved_model.load(FOLDER / "host_function", host_functions={name: lambda v: v * np.float32(10)})
    assert loaded.call(2.0).numpy() == 20
    assert loaded.plain(3.0).numpy() == 6


def test_a_name_that_no_call_has_is_told() -> None:
    with pytest.raises(ValueError, match=r"host_functions= names 'other'.*has no such call of Python"):
        tf.saved_model.load(FOLDER / "host_function", host_functions={token(): np.negative, "other": np.negative})
    with pytest.raises(ValueError, match="host_functions= names 'x'"):
        tf.saved_model.load(FOLDER / "dense", host_functions={"x": np.negative})


def test_models_of_inlay_have_functions_of_their_own(tmp_path: Path) -> None:
    tf.saved_model.save(tf.Module(), str(tmp_path / "m"))
    with pytest.raises(ValueError, match="host_functions= is for models of TensorFlow"):
        tf.saved_model.load(tmp_path / "m", host_functions={"x": np.negative})


def test_a_function_is_supplied_in_a_session() -> None:
    path = str(FOLDER / "host_function")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.saved_model.load(session, ["serve"], path)
        with pytest.raises(ValueError, match="host_functions= names 'x'"):
            tf.compat.v1.saved_model.load(session, ["serve"], path, import_scope="n", host_functions={"x": np.negative})


# ---------------------------------------------------------------- nodes that are not here


def unknown(op: str, stem: str = "__call", **kinds: int) -> Callable[[Path], Any]:
    """A node of an op that is not here, whose result nothing takes."""

    def change(f: Any) -> None:
        node = f.node_def.add(name="odd", op=op, input=[f.signature.input_arg[0].name])
        for name, kind in kinds.items():
            node.attr[name].type = kind

    return function(stem, change)


@pytest.mark.parametrize("op", ["MyCompany>Fancy", "CudnnRNN"])
def test_a_function_with_a_stateful_node_that_is_not_here_is_refused_alone(tmp_path: Path, op: str) -> None:
    loaded = tf.saved_model.load(copied(tmp_path / "m", "host_function", unknown(op, "plain")))
    with pytest.raises(ValueError, match=rf"cannot be made here:\n.*'odd' \({op}\)"):
        loaded.plain(1.0)
    assert loaded.call is not None


def test_a_node_without_effect_that_nothing_needs_is_left_out(tmp_path: Path) -> None:
    loaded = tf.saved_model.load(copied(tmp_path / "m", "host_function", unknown("AdjustContrast", "plain")))
    assert loaded.plain(3.0).numpy() == 6


def test_a_signature_that_needs_such_a_node_says_so(tmp_path: Path) -> None:
    loaded = tf.saved_model.load(copied(tmp_path / "m", "dense", unknown("MyCompany>Fancy")))
    with pytest.raises(tf.errors.UnimplementedError, match=r"cannot run here: .*'odd' \(MyCompany>Fancy\)"):
        loaded.signatures["serving_default"](tf.constant(X))
    assert len(loaded.variables) == 2


def test_a_resource_of_an_unknown_kind_is_refused_where_it_is_used(tmp_path: Path) -> None:
    def change(f: Any) -> None:
        f.node_def[0].op = "MyCompany>Table"

    path = copied(tmp_path / "m", "mutable_table", function("_creator", change))
    loaded = tf.saved_model.load(path)
    with pytest.raises(ValueError, match=r"MyCompany>Table"):
        loaded.find(tf.constant(["a"]))


# ---------------------------------------------------------------- what is missing


def test_a_model_without_its_checkpoint_is_told(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.DataLossError, match=r"the variable 'w' has no value in the checkpoint"):
        tf.saved_model.load(copied(tmp_path / "m", "dense", lambda path: (path / INDEX).unlink()))


def test_a_variable_that_the_checkpoint_lacks_is_told(tmp_path: Path) -> None:
    def change(listed: Any) -> None:
        listed.add().CopyFrom(of_kind("variable", listed)[0])
        listed[0].children.add(local_name="more", node_id=len(listed) - 1)

    with pytest.raises(tf.errors.DataLossError, match=r"the variable 'w' has no value"):
        tf.saved_model.load(copied(tmp_path / "m", "dense", nodes(change)))


def test_a_model_without_variables_needs_no_checkpoint(tmp_path: Path) -> None:
    path = copied(tmp_path / "m", "cumulative", lambda path: shutil.rmtree(path / "variables"))
    assert tf.saved_model.load(path) is not None


def test_tags_of_a_model_are_checked() -> None:
    assert tf.saved_model.load(FOLDER / "dense", tags=["serve"]) is not None
    with pytest.raises(ValueError, match=r"tags \['train'\] could not be found .*\['serve'\]"):
        tf.saved_model.load(FOLDER / "dense", tags=["train"])


def test_options_are_accepted() -> None:
    options = tf.saved_model.LoadOptions(experimental_io_device="/job:localhost")
    loaded = tf.saved_model.load(FOLDER / "dense", options=options)
    assert loaded.tensorflow_version.startswith("2.")


def test_a_graph_without_objects_is_that_of_a_session(tmp_path: Path) -> None:
    path = copied(tmp_path / "m", "static_table", meta(lambda m: m.ClearField("object_graph_def")))
    loaded = tf.saved_model.load(path)
    assert "serving_default" in loaded.signatures


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "tensorflow_models" / "asset", tmp_path / "model")
    (file,) = (tmp_path / "model" / "assets").iterdir()
    file.unlink()
    with pytest.raises(tf.errors.DataLossError, match=f"{file.name}', which is missing"):
        tf.saved_model.load(tmp_path / "model")
