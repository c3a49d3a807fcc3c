"""Options of checkpoints: callbacks after writing, copies."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

import inlay as tf


def test_callbacks_run_in_order_once_the_checkpoint_is_there(tmp_path: Path) -> None:
    told: list[Any] = []
    callbacks = [
        lambda path: told.append((path, bool(list(tmp_path.rglob(Path(path).name + "*"))))),
        lambda: told.append("done"),
    ]
    options = tf.train.CheckpointOptions(experimental_write_callbacks=callbacks, enable_async=True)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    path = checkpoint.save(str(tmp_path / "c"), options)
    checkpoint.sync()
    assert told == [(path, True), "done"]
    manager = tf.train.CheckpointManager(checkpoint, str(tmp_path / "m"), 1)
    path = manager.save(options=options)
    manager.sync()
    assert told[2:] == [(path, True), "done"]


def test_a_callback_takes_one_argument_at_most() -> None:
    with pytest.raises(AssertionError, match="takes the checkpoint's prefix or nothing"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[lambda path, more: None])


def test_a_copy_has_its_own_callbacks() -> None:
    options = tf.train.CheckpointOptions("CPU:0", experimental_write_callbacks=[lambda: None])
    other = copy.copy(options)
    other.experimental_write_callbacks.append(str)
    other.experimental_io_device = "CPU:1"
    assert len(options.experimental_write_callbacks) == 1 and options.experimental_io_device == "CPU:0"
