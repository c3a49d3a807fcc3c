"""Writers of 2.x: made, closed, and refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import inlay as tf


def test_the_file_is_there_at_once(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(tmp_path / "logs", filename_suffix="mine", max_queue=1, flush_millis=5)
    (name,) = os.listdir(tmp_path / "logs")
    assert name.endswith(".mine")
    assert writer.init() is None
    writer.close()


def test_a_closed_writer_is_refused(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.close()
    assert writer.close() is None
    assert writer.flush() is None
    for refused in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="already closed"):
            refused()


def test_no_folder_is_refused() -> None:
    with pytest.raises(ValueError, match="`logdir` cannot be None"):
        tf.summary.create_file_writer(None)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.FailedPreconditionError, match="file/below"):
        tf.summary.create_file_writer(str(tmp_path / "file" / "below"))


def test_a_traced_function_makes_its_writer_once(tmp_path: Path) -> None:
    kept: list[Any] = []

    @tf.function
    def traced(x: Any) -> Any:
        if not kept:
            kept.append(tf.summary.create_file_writer(str(tmp_path)))
        with kept[0].as_default():
            tf.summary.scalar("x", x, step=2)
        return x

    for k in range(3):
        traced(tf.constant(float(k)))
    kept[0].close()
    (name,) = os.listdir(tmp_path)
    found = list(tf.compat.v1.train.summary_iterator(str(tmp_path / name)))
    assert [e.step for e in found] == [0, 2, 2, 2]


def test_a_folder_that_only_a_run_knows_is_refused() -> None:
    with pytest.raises(ValueError, match="before the function runs"):
        tf.function(lambda x: tf.summary.create_file_writer(x) and x)(tf.constant("a"))


def test_flush_takes_writers_only(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    tf.summary.flush(writer)
    writer.close()
    with pytest.raises(ValueError, match="Invalid argument to flush"):
        tf.summary.flush("writer")


def test_recording_with_a_writer_that_was_closed_is_said(tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=1):
        writer.close()
        with pytest.raises(tf.errors.FailedPreconditionError, match="was closed: make another one"):
            tf.summary.scalar("a", 1.0)
