"""Tensors on an accelerator: where values lie, what is sent and what is kept there."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import device
from inlay._src.core.devices import device_tensor
from inlay._src.core.devices.device_tensor import DeviceTensor
from inlay._src.core.tensor import EagerTensor
from tests.unit.devices.standing_in import Crossings

GPU = "/device:GPU:0"


def there(value: Any) -> DeviceTensor:
    sent = device_tensor.sent(tf.constant(value), GPU)
    assert isinstance(sent, DeviceTensor)
    return sent


def test_shape_type_and_length_are_known_without_the_value(gpu: Crossings) -> None:
    x = there(np.zeros((3, 2), np.float64))
    with gpu.none():
        assert (x.shape.as_list(), x.ndim, len(x), x.dtype) == ([3, 2], 2, 3, tf.float64)
        assert x.device.endswith("/device:GPU:0")
    with pytest.raises(TypeError, match="Scalar tensor has no"):
        len(there(1.0))


def test_the_value_comes_back_once_and_cannot_be_written_into(gpu: Crossings) -> None:
    x = there([1.0, 2.0])
    view = x.__array__(copy=False)
    assert view.tolist() == [1, 2] and not view.flags.writeable
    for copied in (np.asarray(x), x.numpy()):
        copied[0] = 9
    assert x.numpy().tolist() == [1, 2]


def test_what_no_device_can_hold_stays_on_the_host(gpu: Crossings) -> None:
    text = tf.constant("a")
    assert device_tensor.sent(text, GPU) is text and device_tensor.read(text, GPU) is text
    assert gpu.there == 0


def test_a_tensor_that_lies_there_is_not_sent_again(gpu: Crossings) -> None:
    x = there([1.0])
    with gpu.none():
        assert device_tensor.sent(x, GPU) is x


def test_a_handle_is_another_tensor_of_the_same_value(gpu: Crossings) -> None:
    for x in (there([1.0]), tf.constant([1.0])):
        again = device_tensor.handle(x)
        assert again is not x and type(again) is type(x)
        assert device_tensor.value_of(again) is device_tensor.value_of(x)


def test_values_as_tensors_wherever_they_lie(gpu: Crossings) -> None:
    x = there([1.0])
    again = device_tensor.tensor_of(device_tensor.value_of(x), tf.float32)
    assert isinstance(again, DeviceTensor) and again.device == x.device
    here = device_tensor.tensor_of(np.zeros(2, np.float32), tf.float32)
    assert type(here) is EagerTensor
    assert device_tensor.is_array(device_tensor.value_of(x)) and not device_tensor.is_array(np.zeros(1))
    assert device_tensor.in_use()


def test_single_numbers_are_kept_there(gpu: Crossings) -> None:
    number = np.float32(123.25)
    device_tensor.array_on(number, GPU)
    before = gpu.there
    assert device_tensor.array_on(np.float32(123.25), GPU) is device_tensor.array_on(number, GPU)
    assert gpu.there == before
    assert device_tensor.array_on(np.float64(123.25), GPU).dtype == np.float64


def test_a_value_that_is_replaced_and_never_written_into_is_sent_once(gpu: Crossings) -> None:
    value = np.arange(4, dtype=np.float32)
    first = device_tensor.kept_on(value, GPU)
    with gpu.none():
        assert device_tensor.kept_on(value, GPU) is first
    assert device_tensor.kept_on(value.copy(), GPU) is not first


def test_what_was_kept_for_a_value_goes_with_it(gpu: Crossings) -> None:
    value = np.arange(4, dtype=np.float32)
    before = len(device_tensor._SENT)
    device_tensor.kept_on(value, GPU)
    assert len(device_tensor._SENT) == before + 1
    del value
    gc.collect()
    assert len(device_tensor._SENT) == before


def test_a_variable_read_there_is_sent_again_after_it_was_assigned(gpu: Crossings) -> None:
    v = tf.Variable(np.zeros(8, np.float32))
    with tf.device(GPU):
        v.read_value(), v.read_value()
        once = gpu.there
        v.assign_add(np.ones(8, np.float32))
        assert v.read_value().numpy().tolist() == [1] * 8
    assert once == 1


def test_a_hollow_array_has_shape_and_type_and_takes_no_memory(gpu: Crossings) -> None:
    x = there(np.zeros((1000, 3), np.float32))
    with gpu.none():
        hollow = device_tensor.hollow(x)
    assert hollow.shape == (1000, 3) and hollow.dtype == np.float32 and hollow.strides == (0, 0)
    here = tf.constant([1.0])
    assert device_tensor.hollow(here) is here._value


def test_an_array_is_said_to_lie_where_it_lies(gpu: Crossings) -> None:
    array = device_tensor.value_of(there([1.0]))
    assert device_tensor.accelerator_of(array) == GPU
    device.hide([GPU])
    assert device_tensor.accelerator_of(array) == device.CPU


def test_coming_back_to_the_host(gpu: Crossings) -> None:
    here = np.zeros(2)
    assert device_tensor.on_host(here) is here
    assert device_tensor.on_host(device_tensor.value_of(there([1.0, 2.0]))).tolist() == [1, 2]
