"""Lists of NumPy's numbers as constants of graphs: dtypes as TensorFlow 2.21 gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "uint16", "uint32", "uint64", "float16", "complex64", "bool"]
)
def test_numpy_numbers_keep_their_dtype_in_graphs(dtype: str) -> None:
    number = np.ones([], dtype)[()]
    with tf.Graph().as_default():
        assert tf.convert_to_tensor([number, number]).dtype.name == dtype
        assert tf.constant([[number], [number]]).dtype.name == dtype
        assert tf.stack([np.ones([2], dtype)]).dtype.name == dtype


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([np.int64(1)], "int32"),
        ([np.float64(1)], "float32"),
        ([np.int8(1), np.int16(1)], "int16"),
        ([np.uint8(1), np.int8(1)], "int16"),
        ([np.int8(1), 1], "int32"),
        ([np.complex128(1)], "complex128"),
    ],
)
def test_wide_and_mixed_numpy_numbers_have_the_usual_dtypes_in_graphs(values: list[Any], dtype: str) -> None:
    with tf.Graph().as_default():
        assert tf.convert_to_tensor(values).dtype.name == dtype


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "uint32"])
def test_narrow_numpy_integers_are_int32_eagerly(dtype: str) -> None:
    assert tf.convert_to_tensor([np.ones([], dtype)[()], 2]).dtype is tf.int32
