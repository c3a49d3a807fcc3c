"""Images: shapes known while building, what is refused, random changes. Values are in tests/golden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


def preprocess_fn(image: Any) -> Any:
    image.set_shape([None, None, 3])
    return tf.image.resize(image, [224, 224]) / 255.0


def test_a_plain_mapped_function_resizes_images_of_unknown_shape() -> None:
    images = np.random.default_rng(0).integers(0, 256, (20, 31, 17, 3)).astype(np.uint8)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        loaded = [tf.py_func(lambda i: images[i], [k], tf.uint8) for k in range(20)]
        assert loaded[0].shape.rank is None
        batch = tf.stack([preprocess_fn(x) for x in loaded])
        assert batch.shape.as_list() == [20, 224, 224, 3]
        assert session.run(batch).shape == (20, 224, 224, 3)


def test_an_image_of_unknown_rank_is_refused_with_advice() -> None:
    with tf.Graph().as_default():
        image = tf.py_func(lambda: np.zeros([2, 2, 3], np.uint8), [], tf.uint8)
        with pytest.raises(ValueError, match=r"contains no shape.*set_shape"):
            tf.image.resize(image, [4, 4])


def test_images_of_the_wanted_size_become_float32_too() -> None:
    """FINDINGS F6."""
    image = tf.zeros([4, 4, 3], tf.uint8)
    assert tf.image.resize(image, [4, 4]).dtype is tf.float32
    assert tf.image.resize(image, [4, 4], "nearest").dtype is tf.uint8
    assert tf.compat.v1.image.resize(image, [4, 4]).dtype is tf.uint8


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "uint32"])
def test_images_of_integers_are_resized_as_their_floats(dtype: str) -> None:
    image = np.arange(5 * 6 * 3).reshape(5, 6, 3).astype(dtype)
    for method in ("bilinear", "bicubic", "area", "lanczos3"):
        resized = tf.image.resize(image, [3, 7], method)
        assert resized.dtype is tf.float32
        np.testing.assert_array_equal(resized, tf.image.resize(image.astype(np.float32), [3, 7], method))


def test_a_resize_of_integers_is_written_without_a_cast() -> None:
    with tf.Graph().as_default() as graph:
        tf.image.resize(tf.zeros([1, 2, 2, 1], tf.uint8), [4, 4])
    node = graph.as_graph_def().node[-1]
    assert (node.op, node.attr["T"].type) == ("ResizeBilinear", tf.uint8.as_datatype_enum)


def test_sizes_may_be_tensors_and_ratios_kept() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        image, size = tf.placeholder(tf.float32, [None, None, None, 1]), tf.placeholder(tf.int32, [2])
        free, kept = tf.image.resize(image, size), tf.image.resize(image, size, preserve_aspect_ratio=True)
        a, b = session.run([free, kept], {image: np.zeros([2, 4, 8, 1]), size: [6, 6]})
    assert (a.shape, b.shape) == ((2, 6, 6, 1), (2, 3, 6, 1))
    assert free.shape.as_list() == [None, None, None, 1]


REFUSED = {
    "rank": (lambda: tf.image.resize(np.zeros([2, 2]), [1, 1]), "3 or 4 dimensions"),
    "size": (lambda: tf.image.resize(np.zeros([2, 2, 1]), [1, 1, 1]), "2 elements"),
    "size type": (lambda: tf.image.resize(np.zeros([2, 2, 1]), [1.0, 1.0]), "must be a 1-D int32"),
    "empty": (lambda: tf.image.resize(np.zeros([2, 2, 1]), [0, 1]), "must be positive"),
    "method": (lambda: tf.image.resize(np.zeros([2, 2, 1]), [1, 1], method="cubic"), "none of area, bicubic"),
    "corners": (lambda: tf.image.resize_bilinear(np.zeros([1, 2, 2, 1]), [1, 1], True, None, True), "must be False"),
    "gray": (lambda: tf.image.rgb_to_grayscale(np.zeros([2, 2, 4])), "3 channels"),
    "crop": (lambda: tf.image.crop_to_bounding_box(np.zeros([2, 2, 1]), 1, 0, 2, 2), "height must be >= target"),
    "pad": (lambda: tf.image.pad_to_bounding_box(np.zeros([2, 2, 1]), 1, 0, 2, 2), "height must be <= target"),
    "boxes": (lambda: tf.image.non_max_suppression([[0.0, 0, 1]], [1.0], 1), r"\[n, 4\]"),
    "fraction": (lambda: tf.image.central_crop(np.zeros([2, 2, 1]), 0.0), "within"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused_and_said_why(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=message):
        call()


def test_random_flips_turn_about_half_of_the_images() -> None:
    tf.random.set_seed(0)
    images = np.arange(400 * 4, dtype=np.float32).reshape(400, 2, 2, 1)
    flipped = tf.image.random_flip_left_right(images).numpy()
    turned = (flipped == images[:, :, ::-1]).all((1, 2, 3))
    assert 150 < turned.sum() < 250
    np.testing.assert_array_equal(flipped[~turned], images[~turned])


def test_random_crops_and_colors_stay_within_bounds() -> None:
    image = np.random.default_rng(0).random((6, 7, 3)).astype(np.float32)
    crop = tf.image.random_crop(image, [2, 3, 3]).numpy()
    places = [image[y : y + 2, x : x + 3] for y in range(5) for x in range(5)]
    assert any(np.array_equal(crop, p) for p in places)
    bright = tf.image.random_brightness(image, 0.1).numpy() - image
    assert np.ptp(bright) < 1e-6 and abs(bright.mean()) <= 0.1
    for changed in (tf.image.random_contrast(image, 0.5, 1.5), tf.image.random_saturation(image, 0.5, 1.5)):
        assert changed.shape == image.shape
    with pytest.raises(ValueError, match="max_delta"):
        tf.image.random_hue(image, 0.7)


def test_crops_of_boxes_have_gradients_to_images_and_boxes() -> None:
    image = tf.constant(np.random.default_rng(0).random((1, 5, 6, 2)), tf.float32)
    boxes = tf.constant([[0.1, 0.15, 0.7, 0.9]])

    def total(image: Any, boxes: Any) -> Any:
        crops = tf.image.crop_and_resize(image, boxes, [0], [3, 3])
        return tf.reduce_sum(crops * crops)

    with tf.GradientTape() as tape:
        tape.watch([image, boxes])
        loss = total(image, boxes)
    d_image, d_boxes = tape.gradient(loss, [image, boxes])
    step = 1e-3
    nudged = boxes.numpy() + np.array([[step, 0, 0, 0]], np.float32)
    np.testing.assert_allclose((total(image, nudged) - loss) / step, d_boxes.numpy()[0, 0], rtol=0.05)
    np.testing.assert_allclose(np.sum(d_image.numpy() * image.numpy()), 2 * loss, rtol=1e-4)


def test_the_nodes_of_an_image_function_stand_below_its_name():
    with tf.Graph().as_default():
        image = tf.compat.v1.placeholder(tf.float32, [6, 6, 3])
        made = {
            "flip_left_right": tf.image.flip_left_right(image),
            "random_flip_up_down": tf.image.random_flip_up_down(image, seed=1),
            "central_crop": tf.image.central_crop(image, 0.5),
            "resize": tf.image.resize(image, [3, 3]),
            "own": tf.image.resize(image, [3, 3], name="own"),
            "resize_image_with_crop_or_pad": tf.image.resize_with_crop_or_pad(image, 8, 4),
            "adjust_contrast": tf.image.adjust_contrast(image, 0.5),
        }
    for name, output in made.items():
        assert output.name.startswith(f"{name}/")


def test_a_share_to_crop_may_be_a_tensor_and_is_checked_when_it_runs():
    crop = tf.function(lambda image, share: tf.image.central_crop(image, share))
    image = tf.zeros([240, 320, 3])
    assert crop(image, tf.constant(0.33)).shape == [80, 106, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be within \(0, 1\]"):
        crop(image, tf.constant(1.5))


def test_images_of_more_elements_than_a_tensor_may_have_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="overflow"):
        tf.image.resize(np.ones([5, 1, 1, 2]), [1610637938, 1610637938])


@pytest.mark.parametrize("name", ["flip_up_down", "flip_left_right", "transpose", "rot90", "random_flip_up_down"])
def test_a_rank_that_is_fed_is_that_of_one_image_or_of_a_batch(name: str) -> None:
    change = getattr(tf.image, name)
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        image = tf.compat.v1.placeholder(tf.float32, None)
        changed = change(image)
        for shape in ((2, 2, 1), (3, 2, 2, 1)):
            assert sess.run(changed, {image: np.zeros(shape)}).shape == shape
        for shape in ((2, 2), (1, 3, 2, 2, 1)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="must have either 3 or 4 dimensions"):
                sess.run(changed, {image: np.zeros(shape)})


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize("index", [-1, 2])
def test_the_index_of_no_image_is_out_of_range(index: int, method: str) -> None:
    def crop(indices: Any) -> Any:
        return tf.image.crop_and_resize(
            np.ones([2, 4, 4, 1], np.float32), [[0.0, 0.0, 1.0, 1.0]], indices, [2, 2], method
        )

    assert crop([1]).shape == [1, 2, 2, 1]
    for call in (crop, tf.function(crop)):
        with pytest.raises(tf.errors.OutOfRangeError, match=r"box_index has values outside \[0, batch_size\)"):
            call([index])
