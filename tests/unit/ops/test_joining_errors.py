"""What `concat` says of tensors that do not fit: TensorFlow 2.21's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf


def eager(a: Any, b: Any, axis: int) -> Any:
    return tf.concat([a, b], axis)


def of_unknown_shapes(a: Any, b: Any, axis: int) -> Any:
    spec = tf.TensorSpec(None)
    return tf.function(lambda a, b: tf.concat([a, b], axis), input_signature=[spec, spec])(a, b)


@pytest.mark.parametrize("concat", [eager, of_unknown_shapes])
@pytest.mark.parametrize(
    ("one", "two", "axis", "text"),
    [
        (
            [2, 3],
            [3, 2],
            0,
            "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [3,2]",
        ),
        (
            [2, 3],
            [3, 2],
            1,
            "ConcatOp : Dimension 0 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [3,2]",
        ),
        (
            [2, 3],
            [3, 2],
            -1,
            "ConcatOp : Dimension 0 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [3,2]",
        ),
        ([2, 3], [3], 0, "ConcatOp : Ranks of all input tensors should match: shape[0] = [2,3] vs. shape[1] = [3]"),
    ],
)
def test_tensors_that_do_not_fit(
    concat: Callable[..., Any], one: list[int], two: list[int], axis: int, text: str
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        concat(tf.ones(one), tf.ones(two), axis)
    assert text in str(caught.value)
