"""Device strings."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay.core import device


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("/CPU:0", "/device:CPU:0"),
        ("cpu:1", "/device:CPU:1"),
        ("/gpu:*", "/device:GPU:*"),
        ("/device:GPU:2", "/device:GPU:2"),
        ("/job:worker/replica:0/task:1/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0"),
        ("/job:ps", "/job:ps"),
        ("", ""),
    ],
)
def test_canonical_spelling(text: str, canonical: str) -> None:
    assert device.canonical(text) == canonical
    assert device.canonical(canonical) == canonical


def test_an_inner_device_is_put_over_the_outer_one() -> None:
    assert device.canonical("/GPU:1", "/job:worker/task:2/device:CPU:0") == "/job:worker/task:2/device:GPU:1"
    assert device.canonical(None, "/device:CPU:0") == ""
    with tf.Graph().as_default(), tf.device("/job:localhost"), tf.device("/CPU:0"):
        assert tf.constant(1.0).device == "/job:localhost/device:CPU:0"
        with tf.device(None):
            assert tf.constant(1.0).device == ""


@pytest.mark.parametrize("bogus", ["bogus", "/job:", "/cpu:x", "/task:a"])
def test_what_is_no_device(bogus: str) -> None:
    with pytest.raises(ValueError, match="Unknown attribute .* is encountered while parsing the device spec"):
        device.canonical(bogus)


def test_devices_that_are_there_and_those_that_are_not() -> None:
    for there in ("", "/device:CPU:0", "/job:localhost/task:0/device:CPU:0", "/job:worker"):
        device.check(there, "x")
    for absent in ("/device:CPU:1", "/device:TPU:0", "/job:worker/device:CPU:0", "/job:localhost/task:1/device:CPU:0"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device for operation x") as caught:
            device.check(absent, "x")
        assert "allow_soft_placement" in str(caught.value)
        device.check(absent, "x", soft=True)
