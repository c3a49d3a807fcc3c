"""Tensors as messages."""

from __future__ import annotations

import pytest

import inlay as tf


def test_messages_of_tensors_are_made_and_read() -> None:
    message = tf.make_tensor_proto([1, 2])
    assert message.tensor_content == b"\x01\0\0\0\x02\0\0\0"
    assert tf.make_ndarray(message).tolist() == [1, 2]
    assert tf.make_ndarray(tf.make_tensor_proto([1, 2], shape=[4], dtype=tf.float32)).tolist() == [1.0, 2.0, 2.0, 2.0]
    assert tf.make_ndarray(tf.make_tensor_proto("a", shape=[1, 2])).tolist() == [[b"a", b"a"]]
    with pytest.raises(ValueError, match="Too many elements provided. Takes at most 1, but got 2"):
        tf.make_tensor_proto([1, 2], shape=[1])
    with pytest.raises(TypeError, match=r"Expected Tensor's shape: \(3,\), got \(2,\)"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)


@pytest.mark.parametrize("dtype", [tf.qint8, tf.quint16, tf.resource, tf.variant])
def test_numbers_are_no_elements_of_types_that_python_lacks(dtype: tf.DType) -> None:
    with pytest.raises(TypeError, match=f"Expected {dtype.name}"):
        tf.make_tensor_proto(3, dtype)
