"""Settings of devices that mean nothing here are kept and told; what cannot be is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import inlay as tf
from inlay.devices import settings

CPU = tf.config.list_physical_devices("CPU")[0]
GONE = tf.config.PhysicalDevice("/physical_device:GPU:99", "GPU")


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    settings._configured.clear()
    settings._growing.clear()


def test_memory_growth_is_for_gpus_that_are_there() -> None:
    assert tf.config.experimental.get_memory_growth(CPU) is False
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU"):
        tf.config.experimental.set_memory_growth(CPU, True)
    with pytest.raises(ValueError, match="Unrecognized device: PhysicalDevice.*GPU:99"):
        tf.config.experimental.set_memory_growth(GONE, True)


def test_a_device_is_one_logical_device() -> None:
    one = tf.config.LogicalDeviceConfiguration()
    assert tf.config.get_logical_device_configuration(CPU) is None
    tf.config.set_logical_device_configuration(CPU, [one])
    assert tf.config.get_logical_device_configuration(CPU) == [one]
    with pytest.raises(NotImplementedError, match="cannot be divided into 2 logical devices"):
        tf.config.set_logical_device_configuration(CPU, [one, one])
    with pytest.raises(ValueError, match="Setting memory limit on CPU virtual devices"):
        tf.config.set_logical_device_configuration(CPU, [tf.config.LogicalDeviceConfiguration(memory_limit=5)])
