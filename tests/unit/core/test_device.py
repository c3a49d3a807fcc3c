"""Device strings."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.base.interpreter import xla
from inlay._src.core import device


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
            device.check(absent, "x", soft=False)
        assert "allow_soft_placement" in str(caught.value)
        device.check(absent, "x", soft=True)
    for elsewhere in ("/job:worker/device:CPU:0", "/job:localhost/task:1/device:CPU:0"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            device.check(elsewhere, "x")


# ---- which devices are there


@pytest.fixture
def a_gpu_could_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a driver, JAX's plugin, and nothing that hides the GPU."""
    for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "JAX_PLATFORMS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(device.os.path, "exists", lambda path: path == "/dev/nvidiactl")
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: name == "jax_cuda12_plugin" or None)


def test_jax_is_asked_where_a_gpu_could_be(a_gpu_could_be_there: None, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"/device:GPU:0": object()}
    asked = []
    monkeypatch.setattr(device.xla, "gpus", lambda: asked.append(1) or found)
    device.use(None)
    try:
        assert device.accelerators() == found == device.accelerators() and asked == [1]
        assert device.available() == ["/device:CPU:0", "/device:GPU:0"]
        device.check("/device:GPU:0", "x")
        assert device.resolved("/job:localhost/device:GPU:*") == "/device:GPU:0"
        assert device.resolved("/device:GPU:1") == device.resolved("/job:worker/device:GPU:0") == "/device:CPU:0"
        assert device.resolved("") == device.resolved("/job:worker") == ""
    finally:
        device.use(None)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CUDA_VISIBLE_DEVICES", ""),
        ("CUDA_VISIBLE_DEVICES", "-1"),
        ("JAX_PLATFORMS", "cpu"),
        ("JAX_PLATFORMS", "tpu,cpu"),
    ],
)
def test_a_variable_that_hides_the_gpu_spares_asking_jax(
    a_gpu_could_be_there: None, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    assert device._may_have_gpu()
    monkeypatch.setenv(variable, value)
    assert not device._may_have_gpu()


def test_without_a_driver_or_a_plugin_jax_is_not_asked(
    a_gpu_could_be_there: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: None)
    assert not device._may_have_gpu()
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: True)
    monkeypatch.setattr(device.os.path, "exists", lambda path: False)
    assert not device._may_have_gpu()


def test_a_plugin_that_finds_no_gpu_is_no_error() -> None:
    assert all(name.startswith("/device:GPU:") for name in xla.gpus())
