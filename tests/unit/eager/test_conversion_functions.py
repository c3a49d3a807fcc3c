"""Functions that make tensors of users' own types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


def _kind(*bases: type) -> Any:
    class Parameter(*bases):  # type: ignore[misc]
        def __init__(self, value: float) -> None:
            self.value = value

    return Parameter


def test_objects_become_tensors_wherever_one_is_expected() -> None:
    kind = _kind()
    asked: list[Any] = []

    def convert(value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
        asked.append((dtype, as_ref))
        return tf.constant(value.value, dtype or tf.float64)

    tf.register_tensor_conversion_function(kind, convert)
    assert tf.convert_to_tensor(kind(2.0)).dtype == tf.float64
    assert tf.convert_to_tensor(kind(2.0), tf.float32).dtype == tf.float32
    assert asked == [(None, False), (tf.float32, False)]
    assert float(tf.add(kind(1.0), kind(2.0))) == 3.0
    np.testing.assert_array_equal(tf.stack([kind(1.0), kind(4.0)]), [1.0, 4.0])
    assert float(tf.function(lambda: tf.square(kind(3.0)))()) == 9.0


def test_which_function_is_asked_first() -> None:
    kind = _kind()
    tf.register_tensor_conversion_function(kind, lambda v, dtype=None, name=None, as_ref=False: tf.constant(1))
    tf.register_tensor_conversion_function(kind, lambda v, dtype=None, name=None, as_ref=False: NotImplemented, 50)
    assert int(tf.convert_to_tensor(kind(0.0))) == 1
    tf.register_tensor_conversion_function(kind, lambda v, dtype=None, name=None, as_ref=False: tf.constant(2), 60)
    assert int(tf.convert_to_tensor(kind(0.0))) == 2
    child = _kind(kind)
    tf.register_tensor_conversion_function(child, lambda v, dtype=None, name=None, as_ref=False: NotImplemented)
    assert int(tf.convert_to_tensor(child(0.0))) == 2


def test_what_is_refused() -> None:
    def convert(value: Any, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
        return NotImplemented

    for wrong in ("text", [int], ()):
        with pytest.raises(TypeError, match="must be a type or a tuple of types"):
            tf.register_tensor_conversion_function(wrong, convert)
    for numbers in (int, float, np.ndarray, (str, np.float32)):
        with pytest.raises(TypeError, match="Cannot register conversions for Python numeric types"):
            tf.register_tensor_conversion_function(numbers, convert)
    with pytest.raises(TypeError, match="must be callable"):
        tf.register_tensor_conversion_function(_kind(), 3)
    kind = _kind()
    tf.register_tensor_conversion_function(kind, convert)
    with pytest.raises(TypeError, match="no registered function makes a tensor of Parameter"):
        tf.convert_to_tensor(kind(1.0))
