"""Names of TensorFlow that are not here say what to do instead, and settings that mean nothing are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

import inlay as tf


@pytest.mark.parametrize(
    ("path", "way"),
    [
        ("load_op_library", "tf.py_function"),
        ("tpu", "no TPU runtime"),
        ("compat.v1.CXX_VERSION", "nothing is compiled against"),
        ("compat.v1.nn.quantized_conv2d", "dequantize"),
        ("compat.v1.data.experimental.service", "executors"),
        ("distribute.cluster_resolver.SlurmClusterResolver", "TF_CONFIG"),
        ("distribute.experimental.rpc", "tf.distribute.Server"),
        ("experimental.dtensor.run_on", "layout"),
        ("io.decode_proto", "tf.numpy_function"),
        ("xla", "jit_compile"),
    ],
)
def test_an_absent_name_says_the_way_out(path: str, way: str) -> None:
    value = tf
    *spaces, name = path.split(".")
    for space in spaces:
        value = getattr(value, space)
    with pytest.raises(AttributeError, match=f"has no attribute '{name}': .*{way}"):
        getattr(value, name)


def test_a_horizon_of_compatibility_holds_in_its_block() -> None:
    with tf.compat.forward_compatibility_horizon(2018, 8, 2):
        assert tf.compat.forward_compatible(2018, 8, 1)
        assert not tf.compat.forward_compatible(2018, 8, 2)
    assert tf.compat.forward_compatible(2018, 8, 2)
    with pytest.raises(ValueError, match="day"), tf.compat.forward_compatibility_horizon(2018, 2, 31):
        pass


def test_a_path_is_text() -> None:
    assert tf.compat.path_to_str(Path("a") / "b") == str(Path("a") / "b")
    assert tf.compat.path_to_str(b"a") == b"a"


def test_settings_of_execution_are_kept() -> None:
    settings = tf.config.experimental
    settings.set_device_policy("warn")
    settings.set_synchronous_execution(False)
    settings.enable_tensor_float_32_execution(False)
    try:
        assert settings.get_device_policy() == "warn"
        assert settings.get_synchronous_execution() is False
        assert settings.tensor_float_32_execution_enabled() is False
    finally:
        settings.set_device_policy(None)
        settings.set_synchronous_execution(None)
        settings.enable_tensor_float_32_execution(True)
    assert settings.get_device_policy() == "silent"
    assert settings.get_synchronous_execution() is True
    with pytest.raises(ValueError, match="Invalid argument `device_policy`: 'loud'"):
        settings.set_device_policy("loud")
    with pytest.raises(ValueError, match="No matching devices found for 'GPU:9'"):
        settings.get_memory_info("GPU:9")
    with pytest.raises(ValueError, match="Failed parsing device name: 'CPU'"):
        settings.reset_memory_stats("CPU")
