"""The file `checkpoint` of a folder: written whole, read leniently; which checkpoint is the latest."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf

train = tf.compat.v1.train
NAME = st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=8).filter(
    lambda n: n not in (".", "..")
)


def saved(folder: Path, name: str) -> str:
    return tf.train.Checkpoint(v=tf.Variable(1.0)).write(folder / name)


@given(st.lists(NAME, min_size=1, max_size=3, unique=True), st.booleans())
def test_any_path_comes_back(tmp_path_factory: Any, names: list[str], relative: bool) -> None:
    folder = str(tmp_path_factory.mktemp("state"))
    paths = [os.path.join(folder, n) for n in names]
    tf.train.update_checkpoint_state(folder, paths[-1], paths, save_relative_paths=relative)
    state = tf.train.get_checkpoint_state(folder)
    assert state.model_checkpoint_path == paths[-1] and state.all_model_checkpoint_paths == paths


def test_the_latest_is_last_in_the_list_whatever_order_was_given(tmp_path: Path) -> None:
    folder = str(tmp_path)
    tf.train.update_checkpoint_state(folder, "/m-1", ["/m-1", "/m-2"])
    assert tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths == ["/m-2", "/m-1"]
    tf.train.update_checkpoint_state(folder, "/m-3")
    assert tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths == ["/m-3"]


def test_times_are_kept(tmp_path: Path) -> None:
    tf.train.update_checkpoint_state(
        str(tmp_path), "/b", ["/a", "/b"], all_model_checkpoint_timestamps=[1.5, 2.25], last_preserved_timestamp=1.0
    )
    state = tf.train.get_checkpoint_state(tmp_path)
    assert (state.all_model_checkpoint_timestamps, state.last_preserved_timestamp) == ([1.5, 2.25], 1.0)


@pytest.mark.parametrize(
    ("text", "latest"),
    [
        ('model_checkpoint_path: "m-1"\nall_model_checkpoint_paths: "m-1"\n', "m-1"),
        ('model_checkpoint_path:"m-1"\n', "m-1"),
        ('unknown: 3\nmodel_checkpoint_path: "m-1"\n# comment\n\n', "m-1"),
        ('model_checkpoint_path: "/elsewhere/m-1"\n', "/elsewhere/m-1"),
        ("nonsense\n", None),
    ],
)
def test_what_is_read_of_a_file(tmp_path: Path, text: str, latest: str | None) -> None:
    (tmp_path / "checkpoint").write_text(text, encoding="utf-8")
    state = tf.train.get_checkpoint_state(tmp_path)
    if latest is None:
        assert state is None
    else:
        assert state.model_checkpoint_path == os.path.join(tmp_path, latest)


def test_another_file_name_is_another_list(tmp_path: Path) -> None:
    one, two = saved(tmp_path, "m-1"), saved(tmp_path, "m-2")
    tf.train.update_checkpoint_state(str(tmp_path), one)
    tf.train.update_checkpoint_state(str(tmp_path), two, latest_filename="best")
    assert tf.train.latest_checkpoint(tmp_path) == one
    assert tf.train.latest_checkpoint(tmp_path, "best") == two


def test_nothing_but_the_state_file_is_left_behind(tmp_path: Path) -> None:
    for i in range(3):
        tf.train.update_checkpoint_state(str(tmp_path), f"/m-{i}")
    assert os.listdir(tmp_path) == ["checkpoint"]


def test_existing_and_removed_checkpoints(tmp_path: Path) -> None:
    path = saved(tmp_path, "m")
    assert train.checkpoint_exists(path) and not train.checkpoint_exists(path + "x")
    train.remove_checkpoint(path)
    train.remove_checkpoint(path)
    assert not train.checkpoint_exists(path) and tf.train.latest_checkpoint(tmp_path) is None


def test_a_reader_lists_types_shapes_and_text(tmp_path: Path) -> None:
    values = {"f": tf.Variable([[1.0, 2.0]]), "s": tf.Variable("text"), "n": tf.Variable(3)}
    reader = tf.train.load_checkpoint(tf.train.Checkpoint(**values).write(tmp_path / "c"))
    end = "/.ATTRIBUTES/VARIABLE_VALUE"
    objects = "_CHECKPOINTABLE_OBJECT_GRAPH"
    assert reader.get_variable_to_shape_map() == {f"f{end}": [1, 2], f"s{end}": [], f"n{end}": [], objects: []}
    types = {f"f{end}": tf.float32, f"s{end}": tf.string, f"n{end}": tf.int32, objects: tf.string}
    assert reader.get_variable_to_dtype_map() == types
    assert reader.get_tensor(f"s{end}") == b"text" and reader.get_tensor(f"n{end}") == 3
    assert reader.debug_string().decode().splitlines() == [
        f"{objects} (DT_STRING) []",
        f"f{end} (DT_FLOAT) [1,2]",
        f"n{end} (DT_INT32) []",
        f"s{end} (DT_STRING) []",
    ]


def test_a_state_prints_as_it_is_written(tmp_path: Path) -> None:
    state = train.CheckpointState("m-2", ["m-1", "m-2"], [1.0, 2.0], 0.5)
    assert repr(state).splitlines() == [
        'model_checkpoint_path: "m-2"',
        'all_model_checkpoint_paths: "m-1"',
        'all_model_checkpoint_paths: "m-2"',
        "all_model_checkpoint_timestamps: 1.0",
        "all_model_checkpoint_timestamps: 2.0",
        "last_preserved_timestamp: 0.5",
    ]


def test_paths_that_are_relative_are_so_to_the_folder(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train").mkdir()
    train.update_checkpoint_state("train", "train/m-2", ["train/m-1", "train/m-2"])
    assert (tmp_path / "train/checkpoint").read_text().splitlines()[0] == 'model_checkpoint_path: "m-2"'
    state = train.get_checkpoint_state("train")
    assert state.model_checkpoint_path == "train/m-2" and state.all_model_checkpoint_paths == ["train/m-1", "train/m-2"]


def test_a_file_that_names_no_checkpoint_is_refused(tmp_path: Path) -> None:
    for text in ("", 'model_checkpoint_path: ""\n'):
        (tmp_path / "checkpoint").write_text(text)
        with pytest.raises(ValueError, match="names no checkpoint"):
            train.get_checkpoint_state(tmp_path)
    (tmp_path / "checkpoint").write_text('   model_checkpoint_path: "./m-1"\n')
    assert train.get_checkpoint_state(tmp_path).model_checkpoint_path.endswith("m-1")
