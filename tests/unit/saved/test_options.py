"""Options of saving and loading: functions that a model has besides, by alias."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.protos.saved_model import SavedModel

LOAD = tf.saved_model.LoadOptions(experimental_load_function_aliases=True)


def saved(folder: Path, **aliases: Any) -> str:
    module = tf.Module()
    module.v = tf.Variable(2.0)
    module.double = tf.function(lambda x: x * module.v, input_signature=[tf.TensorSpec([], tf.float32)])
    options = tf.saved_model.SaveOptions(function_aliases={"twice": module.double, **aliases})
    tf.saved_model.save(module, str(folder / "m"), options=options)
    return str(folder / "m")


def test_functions_have_aliases(tmp_path: Path) -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def halved(x: Any) -> Any:
        return x / 2.0

    path = saved(tmp_path, half=halved, concrete=halved.get_concrete_function())
    assert not hasattr(tf.saved_model.load(path), "function_aliases")
    loaded = tf.saved_model.load(path, options=LOAD)
    assert sorted(loaded.function_aliases) == ["concrete", "half", "twice"]
    assert float(loaded.function_aliases["twice"](3.0)) == 6.0
    assert float(loaded.function_aliases["half"](3.0)) == 1.5
    assert float(loaded.function_aliases["concrete"](tf.constant(3.0))) == 1.5
    loaded.v.assign(5.0)
    assert float(loaded.function_aliases["twice"](3.0)) == 15.0


def test_models_of_tensorflow_have_them_too(tmp_path: Path) -> None:
    @tf.function
    def added(x: Any) -> Any:
        return x + 1.0

    added(tf.constant(1.0))
    added(tf.constant([1.0]))
    path = Path(saved(tmp_path, more=added))
    for of_ours in ("manifest.json", "objects.json"):  # what is left is what TensorFlow writes
        (path / of_ours).unlink()
    model = SavedModel.FromString((path / "saved_model.pb").read_bytes())
    model.meta_graphs[0].meta_info_def.function_aliases["of_no_object"] = "twice"  # TensorFlow names such traces too
    (path / "saved_model.pb").write_bytes(model.SerializeToString())
    aliases = tf.saved_model.load(str(path), options=LOAD).function_aliases
    assert float(aliases["twice"](3.0)) == 6.0
    assert aliases["more"](tf.constant([2.0])).numpy().tolist() == [3.0] and float(aliases["more"](2.0)) == 3.0


def test_anything_else_has_none(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="takes functions, got 3 for 'three'"):
        saved(tmp_path, three=3)


def test_an_attribute_of_their_name_is_in_the_way(tmp_path: Path) -> None:
    module = tf.Module()
    module.function_aliases = tf.Variable(1.0)
    tf.saved_model.save(module, str(tmp_path / "m"))
    with pytest.raises(ValueError, match="already has an attribute with name 'function_aliases'"):
        tf.saved_model.load(str(tmp_path / "m"), options=LOAD)
