"""A warning points at the line of the user's program, through however many frames of the library it came."""

from __future__ import annotations

import linecache
import warnings
from pathlib import Path

import numpy as np
import pytest

import inlay as tf


def line_of(warning: warnings.WarningMessage) -> str:
    return linecache.getline(warning.filename, warning.lineno).strip()


def test_a_lost_gradient_is_told_at_the_call_of_gradient() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(lambda v: np.square(v.numpy()), [x], tf.float32)
    with pytest.warns(tf.errors.LostGradientWarning) as told:
        tape.gradient(y, x)  # here
    assert [line_of(warning) for warning in told] == ["tape.gradient(y, x)  # here"]


def test_a_closed_writer_is_told_at_each_method(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        writer = tf.compat.v1.summary.FileWriter(str(tmp_path))
    writer.close()
    with pytest.warns(UserWarning, match="closed FileWriter") as told:
        writer.add_event(tf.compat.v1.Event())  # an event
        writer.add_summary(tf.compat.v1.Summary(), 1)  # a summary
    lines = [line_of(warning) for warning in told]
    assert lines == ["writer.add_event(tf.compat.v1.Event())  # an event"] + [
        "writer.add_summary(tf.compat.v1.Summary(), 1)  # a summary"
    ]


def test_a_captured_generator_is_told_at_the_call_that_sends_it() -> None:
    generator = np.random.default_rng(0)
    dataset = tf.data.Dataset.range(2)
    with pytest.warns(RuntimeWarning, match="refers to a generator") as told:
        drawn = dataset.map(
            lambda i: tf.numpy_function(lambda i: generator.random(), [i], tf.float64), 2, executor="processes"
        )
        list(drawn)  # sent
    assert {Path(warning.filename).name for warning in told} == {Path(__file__).name}
