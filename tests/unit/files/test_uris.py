"""A file of this machine may be named by a URI."""

from __future__ import annotations

from pathlib import Path

import pytest

import inlay as tf

v1 = tf.compat.v1


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URI of a folder; the current folder is another one, which stays empty."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    (tmp_path / "there").mkdir()
    return f"file://{tmp_path}/there"


def test_contents(folder: str, tmp_path: Path) -> None:
    tf.io.write_file(f"{folder}/a.txt", "one\ntwo\n")
    assert tf.io.read_file(f"{folder}/a.txt").numpy() == b"one\ntwo\n"
    assert [line.numpy() for line in tf.data.TextLineDataset(f"{folder}/a.txt")] == [b"one", b"two"]
    assert tf.io.matching_files(f"{folder}/*.txt").numpy().tolist() == [f"{folder}/a.txt".encode()]
    with tf.io.TFRecordWriter(f"{folder}/r") as writer:
        writer.write(b"x")
    assert [record.numpy() for record in tf.data.TFRecordDataset(f"{folder}/r")] == [b"x"]
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["a.txt", "r"]
    assert not list((tmp_path / "here").iterdir())


def test_checkpoints(folder: str, tmp_path: Path) -> None:
    variable = tf.Variable(1.0)
    path = tf.train.Checkpoint(v=variable).save(f"{folder}/c")
    variable.assign(2.0)
    assert tf.train.latest_checkpoint(folder) == path == f"{tmp_path}/there/c-1"
    tf.train.Checkpoint(v=variable).restore(f"{folder}/c-1")
    assert variable.numpy() == 1.0 and tf.train.checkpoint_exists(f"{folder}/c-1")
    assert not list((tmp_path / "here").iterdir())


def test_savers(folder: str, tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = tf.Variable(1.0, name="v")
        saver = v1.train.Saver([variable])
        session.run(variable.initializer)
        saver.save(session, f"{folder}/s")
        session.run(variable.assign(2.0))
        saver.restore(session, f"{folder}/s")
        assert session.run(variable) == 1.0
    assert (tmp_path / "there" / "s.meta").exists() and not list((tmp_path / "here").iterdir())


def test_saved_models_and_datasets(folder: str, tmp_path: Path) -> None:
    module = tf.Module()
    module.v = tf.Variable(3.0)
    tf.saved_model.save(module, f"{folder}/m")
    assert tf.saved_model.load(f"{folder}/m").v.numpy() == 3.0 and tf.saved_model.contains_saved_model(f"{folder}/m")
    tf.data.Dataset.range(3).save(f"{folder}/d")
    assert [int(i) for i in tf.data.Dataset.load(f"{folder}/d")] == [0, 1, 2]
    tf.summary.create_file_writer(f"{folder}/w").close()
    assert sorted(path.name for path in (tmp_path / "there").iterdir()) == ["d", "m", "w"]
    assert not list((tmp_path / "here").iterdir())
