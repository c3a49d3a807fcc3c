"""`tf.contrib`: nests with prefixes, initializers, the eager `py_func`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

nest = tf.contrib.framework.nest


@pytest.mark.parametrize(
    ("shallow", "deep", "expected"),
    [
        ([0, 0], [[1, 2], (3,)], [[1, 2], (3,)]),
        ({"b": 0, "a": 0}, {"a": [1], "b": 2}, [[1], 2]),
        (0, {"k": [1]}, [{"k": [1]}]),
        (([0], 0), (["x"], ["y", "z"]), ["x", ["y", "z"]]),
    ],
)
def test_flatten_up_to_stops_at_the_prefix(shallow: Any, deep: Any, expected: Any) -> None:
    assert nest.flatten_up_to(shallow, deep) == expected
    assert nest.flatten(nest.map_structure_up_to(shallow, lambda part: "leaf", deep)) == ["leaf"] * len(expected)


def test_the_old_names_of_the_same_questions() -> None:
    assert nest.is_sequence is nest.is_nested
    assert [nest.is_sequence(v) for v in ([], {}, (), "a", 1, None)] == [True, True, True, False, False, False]
    assert nest.pack_sequence_as({"a": 0, "b": [0]}, [1, 2]) == {"a": 1, "b": [2]}
    with pytest.raises(ValueError):
        nest.assert_same_structure([1], [[1]])
    with pytest.raises(TypeError):
        nest.assert_shallow_structure([0], 1)


@pytest.mark.parametrize("uniform", [True, False])
@pytest.mark.parametrize("shape", [[64, 32], [3, 3, 8, 16]])
def test_xavier_numbers_have_the_variance_of_their_fans(uniform: bool, shape: list[int]) -> None:
    values = tf.contrib.layers.xavier_initializer(uniform=uniform, seed=1)(shape).numpy()
    window = int(np.prod(shape[:-2]))
    wanted = 2 / (window * (shape[-2] + shape[-1]))
    assert values.shape == tuple(shape) and abs(values.mean()) < 3 * np.sqrt(wanted / values.size)
    np.testing.assert_allclose(values.var(), wanted, rtol=0.2)


def test_the_convolution_form_is_the_same() -> None:
    assert tf.contrib.layers.xavier_initializer_conv2d is tf.contrib.layers.xavier_initializer


def test_the_eager_form_of_py_func_differentiates() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.contrib.eager.py_func(lambda v: v * v, [x], tf.float32)
    assert float(y) == 9 and float(tape.gradient(y, x)) == 6


def test_what_there_is_not_is_said_with_the_module() -> None:
    with pytest.raises(AttributeError, match="inlay.contrib"):
        tf.contrib.learn  # noqa: B018
