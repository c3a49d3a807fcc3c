"""Event files read: damage is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import inlay as tf


def written(folder: Path) -> Path:
    with tf.compat.v1.summary.FileWriter(folder) as writer:
        for k in range(3):
            writer.add_event(tf.compat.v1.Event(step=k, wall_time=1.5))
    (path,) = folder.iterdir()
    return path


def test_events_come_in_order(tmp_path: Path) -> None:
    found = list(tf.compat.v1.train.summary_iterator(str(written(tmp_path))))
    assert [e.step for e in found] == [0, 0, 1, 2]
    assert found[0].file_version == "brain.Event:2"
    assert found[1].wall_time == 1.5


def test_a_file_cut_short_gives_what_is_whole_and_then_says_so(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:-3])
    reader = tf.compat.v1.train.summary_iterator(str(path))
    assert [next(reader).step for _ in range(3)] == [0, 0, 1]
    with pytest.raises(tf.errors.DataLossError, match="truncated record"):
        next(reader)


def test_a_record_that_is_no_event_is_said(tmp_path: Path) -> None:
    with tf.io.TFRecordWriter(str(tmp_path / "file")) as writer:
        writer.write(b"\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="file: no Event"):
        list(tf.compat.v1.train.summary_iterator(str(tmp_path / "file")))


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.compat.v1.train.summary_iterator(str(tmp_path / "none")))
