"""Sizes in the 1.x style: Dimensions, and the items of shapes under v1 behavior (issue 10, point 6)."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf

D = tf.compat.v1.Dimension


@pytest.fixture
def v1_shapes() -> Iterator[None]:
    tf.compat.v1.disable_v2_tensorshape()
    yield
    tf.compat.v1.enable_v2_tensorshape()


def test_arithmetic_of_known_and_unknown_sizes() -> None:
    assert [(D(7) + 1).value, (1 + D(7)).value, (D(7) - 2).value, (9 - D(7)).value] == [8, 8, 5, 2]
    assert [(D(7) * 2).value, (D(7) // 2).value, (7 // D(2)).value, (D(7) % 4).value, (9 % D(7)).value] == [
        14,
        3,
        3,
        3,
        2,
    ]
    for operation in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
        assert operation(D(None), 2).value is operation(D(3), D(None)).value is None
    for refused in (lambda: D(7) / 2, lambda: 7 / D(2), lambda: D(3) + 2.5, lambda: -D(3)):
        with pytest.raises(TypeError):
            refused()


def test_comparisons_answer_none_where_they_cannot_know() -> None:
    assert D(3) == 3 and D(3) == D(3) and not D(3) != 3 and D(3) < 4 and D(3) >= 2
    unknown: Any = D(None)
    assert [D(3) == None, unknown == 3, unknown == unknown, unknown < 3, D(3) > unknown] == [None] * 5  # noqa: E711
    assert (D(3) == "a") is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(D(3))


def test_a_dimension_is_a_number_where_one_is_asked_for() -> None:
    assert int(D(3)) == 3 and list(range(D(3))) == [0, 1, 2] and "ab"[D(1)] == "b" and np.zeros(D(2)).shape == (2,)
    assert bool(D(0)) is bool(D(None)) is False and [str(D(3)), str(D(None)), repr(D(None))] == [
        "3",
        "?",
        "Dimension(None)",
    ]
    assert tf.constant(D(3)).numpy() == 3 and tf.constant([D(3), 2]).numpy().tolist() == [3, 2]
    assert tf.zeros([D(3), 2]).shape == tf.TensorShape([D(3), D(2)])
    with pytest.raises(ValueError, match="Cannot convert unknown Dimension"):
        tf.convert_to_tensor(D(None))
    with pytest.raises(ValueError, match="must be >= 0"):
        D(-1)


def test_merging() -> None:
    assert D(3).merge_with(None).value == D(None).merge_with(3).value == 3 and D(3).is_compatible_with(None)
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        D(3).merge_with(4)


def test_sizes_in_both_styles() -> None:
    assert (
        tf.compat.dimension_value(D(3)) == tf.compat.dimension_value(3) == 3 and tf.compat.dimension_value(None) is None
    )
    assert tf.compat.dimension_at_index(tf.TensorShape([1, 2]), 1) == 2
    assert tf.compat.dimension_at_index(tf.TensorShape(None), 1).value is None
    assert [d.value for d in tf.TensorShape([2, None]).dims] == [2, None]
    assert tf.TensorShape([2, None])[0].__class__ is int and tf.TensorShape([2, None])[1] is None
    assert tf.TensorShape(None)[1:3].as_list() == [None, None] and tf.TensorShape(None)[1:].rank is None


@pytest.mark.usefixtures("v1_shapes")
def test_items_of_shapes_are_dimensions_under_v1_behavior() -> None:
    shape = tf.TensorShape([2, None])
    assert [d.value for d in shape] == [2, None] and shape[-1].value is None and shape[:1][0].value == 2
    assert tf.TensorShape(None)[0].value is None and shape.as_list() == [2, None]
    assert str(shape) == "(2, ?)" and repr(shape) == "TensorShape([Dimension(2), Dimension(None)])"
    assert tf.zeros([2, 3]).shape == [2, 3] and tf.zeros([2, 3]).get_shape()[1].value == 3
    x = tf.zeros([2, 3])
    assert tf.reshape(x, [x.shape[0] * x.shape[1]]).shape.as_list() == [6]
    assert tf.zeros([x.shape[1], 4]).shape.as_list() == [3, 4] and tf.constant(x.shape).numpy().tolist() == [2, 3]


@pytest.mark.usefixtures("v1_shapes")
def test_the_library_itself_does_not_mind() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 4, 6, 3])
        assert tf.image.central_crop(x, 0.5).shape.as_list() == [None, 2, 4, 3]
        assert tf.image.resize_with_crop_or_pad(x, 2, 8).shape.as_list() == [None, 2, 8, 3]
        assert tf.map_fn(lambda row: row * 2.0, x).shape.as_list() == [None, 4, 6, 3]
        assert len(tf.unstack(x, axis=1)) == 4 and tf.image.rgb_to_grayscale(x).shape.as_list() == [None, 4, 6, 1]


def test_v1_behavior_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    before = tf.executing_eagerly()
    tf.compat.v1.disable_v2_behavior()
    try:
        assert tf.compat.v1.placeholder(tf.float32, [None, 3]).shape[1].value == 3
    finally:
        tf.compat.v1.enable_v2_behavior()
    assert tf.executing_eagerly() is before and tf.TensorShape([3])[0].__class__ is int
