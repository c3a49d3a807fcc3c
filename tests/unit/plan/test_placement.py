"""Placement tells where the steps of new plans run, if it is asked to."""

from __future__ import annotations

import pytest

import inlay as tf


def test_plans_tell_where_their_steps_run(capsys: pytest.CaptureFixture[str]) -> None:
    tf.debugging.set_log_device_placement(True)
    try:
        assert tf.debugging.get_log_device_placement()
        tf.function(lambda x: tf.add(x, 1.0, name="more"))(tf.constant(1.0))
        with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
            x = tf.compat.v1.placeholder(tf.float32)
            sess.run(tf.multiply(x, 3.0, name="times"), {x: 2.0})
    finally:
        tf.debugging.set_log_device_placement(False)
    told = capsys.readouterr().err
    assert "more: (AddV2): /device:CPU:0" in told and "times: (Mul): /device:CPU:0" in told
    tf.function(lambda x: x + 2.0)(tf.constant(1.0))
    assert capsys.readouterr().err == ""


def test_eager_ops_tell_where_they_run_in_every_call(capsys: pytest.CaptureFixture[str]) -> None:
    one = tf.constant(1.0)
    one + one  # known to the fast path by now
    tf.debugging.set_log_device_placement(True)
    try:
        for _ in range(2):
            assert float(one + one) == 2.0
    finally:
        tf.debugging.set_log_device_placement(False)
    text = "Executing op AddV2 in device /job:localhost/replica:0/task:0/device:CPU:0"
    assert capsys.readouterr().err.splitlines().count(text) == 2
    assert float(one + one) == 2.0 and not capsys.readouterr().err
