"""Settings of devices that mean nothing here are kept and told; what cannot be is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

import inlay as tf
from inlay._src.core import device
from inlay._src.core.devices import settings

CPU = tf.config.list_physical_devices("CPU")[0]
GONE = tf.config.PhysicalDevice("/physical_device:GPU:99", "GPU")


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    settings._configured.clear()
    device.use(None)
    settings._growing.clear()


def test_memory_growth_is_for_gpus_that_are_there() -> None:
    assert tf.config.experimental.get_memory_growth(CPU) is False
    with pytest.raises(ValueError, match="Cannot set memory growth on non-GPU"):
        tf.config.experimental.set_memory_growth(CPU, True)
    with pytest.raises(ValueError, match="Unrecognized device: PhysicalDevice.*GPU:99"):
        tf.config.experimental.set_memory_growth(GONE, True)


def divided(count: int) -> list[str]:
    """The CPU under so many names."""
    device.use(None)
    tf.config.set_logical_device_configuration(CPU, [tf.config.LogicalDeviceConfiguration()] * count)
    return [d.name for d in tf.config.list_logical_devices("CPU")]


def where(tensor: tf.Tensor) -> str:
    return tensor.device.removeprefix("/job:localhost/replica:0/task:0/device:")


def test_a_cpu_is_one_logical_device_unless_it_is_divided() -> None:
    device.use(None)
    one = tf.config.LogicalDeviceConfiguration()
    assert tf.config.get_logical_device_configuration(CPU) is None
    tf.config.set_logical_device_configuration(CPU, [one])
    assert tf.config.get_logical_device_configuration(CPU) == [one]
    assert divided(3) == ["/device:CPU:0", "/device:CPU:1", "/device:CPU:2"]
    assert tf.config.list_physical_devices("CPU") == tf.config.get_visible_devices("CPU") == [CPU]
    for limited in (dict(memory_limit=5), dict(experimental_priority=5)):
        with pytest.raises(ValueError, match="CPU virtual devices is currently not supported"):
            tf.config.set_logical_device_configuration(CPU, [tf.config.LogicalDeviceConfiguration(**limited)])


def test_names_of_the_cpu_stay_once_they_are_used() -> None:
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    for use in (tf.config.list_logical_devices, tf.compat.v1.Session):
        device.use(None)
        use()
        with pytest.raises(RuntimeError, match="cannot be modified after being initialized"):
            tf.config.set_logical_device_configuration(CPU, two)
        assert tf.config.get_logical_device_configuration(CPU) is None
    divided(2)
    tf.config.set_logical_device_configuration(CPU, two)


AFTER_AN_OP = """
import inlay as tf
tf.constant(1.0)
cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
tf.ones([2]) + tf.ones([2])
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
"""


def test_names_of_the_cpu_stay_once_an_op_ran() -> None:
    run = subprocess.run([sys.executable, "-c", AFTER_AN_OP], capture_output=True, text=True)
    assert run.returncode == 1 and "line 8" in run.stderr and "cannot be modified after being" in run.stderr


def test_ops_are_placed_on_names_of_the_cpu() -> None:
    divided(2)
    with tf.device("/cpu:1"):
        constant, variable = tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0])
        made, parts = constant * 2.0 + variable, tf.split(constant, 2)
        held = tf.function(lambda x: x + 1.0)(constant)
        with tf.GradientTape() as tape:
            loss = tf.function(lambda x: x * variable)(constant)
        inside = tf.py_function(lambda x: x + len(where(tf.constant(1.0))), [constant], tf.float32)
    everything = [constant, made, *parts, held, loss, inside, tape.gradient(loss, variable)]
    assert [where(t) for t in everything[:7]] == ["CPU:1"] * 7 and where(variable) == "CPU:1"
    assert everything[7].numpy().tolist() == [1.0, 2.0]
    assert where(constant + 1.0) == where(tf.identity(constant)) == "CPU:0"
    with tf.device("/cpu:0"):
        assert where(constant + 1.0) == "CPU:0"
    with tf.device("/cpu:7"):  # softly, as in TensorFlow
        assert where(constant + 1.0) == "CPU:0"
    variable.assign_add([1.0, 1.0])
    assert variable.numpy().tolist() == [4.0, 5.0] and where(variable) == "CPU:1"


def test_sessions_have_names_of_the_cpu() -> None:
    divided(2)
    with tf.Graph().as_default(), tf.device("/cpu:2"):
        fed = tf.compat.v1.placeholder(tf.float32)
        there = fed + 1.0
        strict = tf.compat.v1.ConfigProto(allow_soft_placement=False)
        with tf.compat.v1.Session(config=strict) as session:
            assert [d.name[-5:] for d in session.list_devices()] == ["CPU:0", "CPU:1"]
            with pytest.raises(tf.errors.InvalidArgumentError, match="CPU:0, /device:CPU:1 "):
                session.run(there, {fed: 3.0})
        three = tf.compat.v1.ConfigProto(device_count={"CPU": 3})
        with tf.compat.v1.Session(config=three) as session:
            assert len(session.list_devices()) == 3 and session.run(there, {fed: 3.0}) == 4.0


def test_several_replicas_are_refused_by_name() -> None:
    divided(2)
    with pytest.raises(NotImplementedError, match="MirroredStrategy over 2 devices"):
        tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
