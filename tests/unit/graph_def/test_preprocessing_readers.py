"""Nodes of preprocessing layers: buckets, distinct rows, projected images. Their values are among the golden ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf
from inlay._src.ops import image_projection

IMAGES = np.arange(70.0, dtype=np.float32).reshape(2, 5, 7, 1)


@given(
    hnp.arrays(
        st.sampled_from([np.int32, np.float32, np.bool_]),
        hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5),
        elements=st.integers(0, 1),
    ),
    st.data(),
)
def test_distinct_parts_make_up_the_whole(x: np.ndarray, data: Any) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    y, idx, count = tf.raw_ops.UniqueWithCountsV2(x=x, axis=[axis])
    np.testing.assert_array_equal(np.take(y.numpy(), idx.numpy(), axis), x)
    assert len(np.unique(idx)) == y.shape[axis] == len(count) and count.numpy().sum() == x.shape[axis]
    first = [idx.numpy().tolist().index(number) for number in range(y.shape[axis])]
    assert first == sorted(first)


def test_a_row_with_nan_equals_no_other() -> None:
    x = np.array([[np.nan, 1], [np.nan, 1], [2, 2], [2, 2]], np.float32)
    assert tf.raw_ops.UniqueV2(x=x, axis=[0]).idx.numpy().tolist() == [0, 1, 2, 2]


def test_in_a_function_with_open_shapes() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32)])
    def distinct(x: Any) -> Any:
        return tuple(tf.raw_ops.UniqueV2(x=x, axis=[1]))

    y, idx = distinct(tf.constant([[1, 2, 1], [0, 3, 0]]))
    assert y.numpy().tolist() == [[1, 2], [0, 3]] and idx.numpy().tolist() == [0, 1, 0]


def test_images_have_gradients() -> None:
    x = tf.constant(IMAGES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        seen = tf.raw_ops.ImageProjectiveTransformV3(
            images=x, transforms=[[1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]], output_shape=[5, 7], fill_value=0.0,
            interpolation="NEAREST",
        )  # fmt: skip
    gradient = tape.gradient(seen, x).numpy()
    assert (gradient[:, :, 1:] == 1).all() and (gradient[:, :, 0] == 0).all()  # the first column is not seen


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.raw_ops.UniqueV2(x=IMAGES, axis=[4]), r"axis has to be between \[-4, 4\), got 4"),
        (lambda: tf.raw_ops.UniqueV2(x=IMAGES, axis=[0, 1]), r"expected one number or none, got \[0, 1\]"),
        (lambda: tf.raw_ops.UniqueV2(x=IMAGES, axis=np.zeros(0, np.int64)), "unique expects a 1D vector"),
        (lambda: projected(transforms=np.zeros([3, 8], np.float32)), "should be num_images x 8 or 1 x 8"),
        (lambda: projected(interpolation="CUBIC"), "Invalid interpolation 'CUBIC'"),
        (lambda: projected(fill_mode="MIRROR"), "Invalid mode 'MIRROR'"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(call: Any, text: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()


def projected(**changes: Any) -> Any:
    """Images, seen through the transform that changes nothing."""
    arguments = {
        "images": IMAGES, "transforms": [[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]], "output_shape": [5, 7],
        "fill_value": 0.0, "interpolation": "BILINEAR",
    }  # fmt: skip
    return tf.raw_ops.ImageProjectiveTransformV3(**{**arguments, **changes})


@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT", "WRAP", "NEAREST"])
@pytest.mark.parametrize("interpolation", ["NEAREST", "BILINEAR"])
def test_the_transform_that_changes_nothing(interpolation: str, mode: str) -> None:
    unchanged = tf.constant([[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    images = image_projection.projected(tf.constant(IMAGES), unchanged, [5, 7], 0.0, interpolation, mode)
    np.testing.assert_array_equal(images, IMAGES)
