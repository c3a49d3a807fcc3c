"""Where an op runs while executing eagerly, whether it can run on an accelerator, and its compiled kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.devices import kernels
from inlay._src.core.devices.device_tensor import DeviceTensor, sent
from inlay._src.core.opdef import OPS
from tests.unit.devices.standing_in import Crossings

GPU, CPU = "/device:GPU:0", "/device:CPU:0"


def test_the_scope_says_more_than_the_inputs(gpu: Crossings) -> None:
    here, there = tf.constant(1.0), sent(tf.constant(1.0), GPU)
    assert kernels.target("Mul", (here, there), "") == GPU
    assert kernels.target("Mul", (here, there), CPU) == ""
    assert kernels.target("Mul", (here, here), GPU) == GPU
    assert kernels.target("Mul", (here, 2.0), "") == ""
    assert kernels.target("Pack", ([here, there],), "") == GPU
    assert kernels.target("Mul", (here, there), "/job:localhost") == GPU


def test_a_scope_whose_device_is_not_there_is_refused_by_the_ops_name(gpu: Crossings) -> None:
    assert kernels.target("Mul", (), "/device:GPU:7") == ""
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device for operation Mul.*GPU:7"):
            kernels.target("Mul", (), "/device:GPU:7")
    finally:
        tf.config.set_soft_device_placement(True)


def test_pure_ops_of_numbers_can_run_there_and_others_cannot() -> None:
    f = [tf.float32]
    assert kernels.can_run(OPS["Mul"], f * 2, f)
    assert not kernels.can_run(OPS["Mul"], f * 2, [])
    assert not kernels.can_run(OPS["ReadVariableOp"], [tf.resource], f)
    assert not kernels.can_run(OPS["StringLower"], [tf.string], [tf.string])


def test_a_kernel_is_compiled_once_per_attributes_and_static_inputs(gpu: Crossings) -> None:
    x = sent(tf.constant(np.ones((2, 3), np.float32)), GPU)
    kernels._KERNELS.clear()  # another test may have compiled the same ones
    tf.reduce_sum(x, 1), tf.reduce_sum(x * 2, 1)
    once = len(kernels._KERNELS)
    tf.reduce_sum(x, 0)
    tf.reduce_sum(x, 1, keepdims=True)
    assert len(kernels._KERNELS) == once + 2 and once > 0


def test_attributes_that_are_equal_to_python_only_make_two_kernels(gpu: Crossings) -> None:
    x = sent(tf.constant([1.0, -2.0]), GPU)
    plus, minus = tf.fill([2], 0.0), tf.fill([2], -0.0)
    assert np.signbit((x * minus).numpy()).tolist() != np.signbit((x * plus).numpy()).tolist()


def test_fixed_numbers_of_an_index_are_no_part_of_the_kernel(gpu: Crossings) -> None:
    x = sent(tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4)), GPU)
    x[0, 1]
    before = len(kernels._KERNELS)
    assert [float(x[i, j]) for i in range(3) for j in (0, 3)] == [0, 3, 4, 7, 8, 11]
    assert len(kernels._KERNELS) == before
    assert float(x[-1, -1]) == 11


def test_an_index_out_of_range_is_worded_by_the_host(gpu: Crossings) -> None:
    here = tf.constant([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError) as on_host:
        here[5]
    with pytest.raises(tf.errors.InvalidArgumentError) as on_device:
        sent(here, GPU)[5]
    assert str(on_device.value) == str(on_host.value)


def test_ops_that_read_shapes_run_on_the_host_and_bring_nothing_back(gpu: Crossings) -> None:
    x = sent(tf.constant(np.zeros((2, 3), np.float32)), GPU)
    with gpu.none():
        made = [tf.shape(x), tf.size(x), tf.rank(x)]
    assert [m.numpy().tolist() for m in made] == [[2, 3], 6, 2]
    assert not any(isinstance(m, DeviceTensor) for m in made)


def test_identity_sends_and_is_another_tensor(gpu: Crossings) -> None:
    here = tf.constant([1.0])
    there = kernels.identity_on(here, "/GPU:0")
    assert isinstance(there, DeviceTensor)
    again = kernels.identity_on(there, "/GPU:0")
    assert again is not there and isinstance(again, DeviceTensor)
    assert not isinstance(there.cpu(), DeviceTensor)


def test_a_gradient_flows_through_the_way_there_and_back(gpu: Crossings) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum((x.gpu() ** 2).cpu() * 3.0)
    assert tape.gradient(y, x).numpy().tolist() == [6, 12]


def test_what_xla_cannot_hold_is_the_hosts_and_is_tried_once(gpu: Crossings) -> None:
    x = sent(tf.constant([0.0, 1.0, 0.0, 2.0]), GPU)
    for _ in range(2):
        assert tf.where(x).numpy().tolist() == [[1], [3]]


def test_a_new_tensor_lies_where_the_scope_says(gpu: Crossings) -> None:
    here: Any = tf.constant([1.0])
    assert kernels.in_scope(here, "") is here and kernels.in_scope(here, CPU) is here
    assert isinstance(kernels.in_scope(here, GPU), DeviceTensor)
