"""Whole programs around datasets: images rotated by SciPy, sentence pairs encoded in Python, indexable data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import inlay as tf

v1 = tf.compat.v1


# ---- files of images, rotated


def _pictures(folder: Path) -> list[str]:
    rng = np.random.default_rng(3)
    for i in range(12):
        place = folder / ("daisy" if i % 2 else "rose")
        place.mkdir(exist_ok=True)
        array = rng.integers(0, 255, (20 + i, 24, 3), np.uint8)
        Image.fromarray(array).save(place / f"{i:02}.{'png' if i % 3 else 'jpg'}")
    return sorted(str(p) for p in folder.glob("*/*"))


def _parse(path: Any) -> Any:
    label = tf.strings.split(path, "/")[-2]
    picture = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
    picture.set_shape([None, None, 3])
    return tf.image.resize(tf.image.convert_image_dtype(picture, tf.float32), [32, 32]), label


def test_images_of_files_are_rotated_in_batches(tmp_path: Path) -> None:
    scipy_ndimage = pytest.importorskip("scipy.ndimage")
    paths = _pictures(tmp_path)

    @tf.py_function(Tout=tf.float32)
    def rotated(image: Any) -> Any:
        return scipy_ndimage.rotate(image.numpy(), 30, reshape=False)

    def turned(image: Any, label: Any) -> Any:
        shape = image.shape
        image = rotated(image)
        image.set_shape(shape)
        return image, label

    files = tf.data.Dataset.list_files(str(tmp_path / "*" / "*"), shuffle=False)
    assert [f.decode() for f in files.as_numpy_iterator()] == paths
    parsed = files.map(_parse)
    unknown = parsed.map(lambda image, label: (rotated(image), label))
    assert unknown.element_spec[0].shape.rank is None
    batches = parsed.map(turned).batch(4)
    assert batches.element_spec[0] == tf.TensorSpec([None, 32, 32, 3], tf.float32)
    plain = list(parsed.batch(4).as_numpy_iterator())
    found = list(batches.as_numpy_iterator())
    assert [images.shape for images, _ in found] == [(4, 32, 32, 3)] * 3
    assert [label for _, labels in found for label in labels] == [Path(p).parent.name.encode() for p in paths]
    for (images, _), (before, _) in zip(found, plain, strict=True):
        assert np.isfinite(images).all() and np.abs(images - before).max() > 0.1
    eager = rotated(tf.constant(plain[0][0][0]))
    assert np.allclose(eager.numpy(), found[0][0][0])
    listed = parsed.map(lambda image, label: [tf.py_function(lambda i: i[::-1], [image], tf.float32), label])
    assert isinstance(listed.element_spec, tuple) and np.allclose(next(iter(listed))[0].numpy(), plain[0][0][0][::-1])


# ---- sentence pairs, encoded by a tokenizer in Python


class _Tokenizer:
    """Numbers for words; counts how often it is asked."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.calls = 0

    def encode(self, text: str) -> list[int]:
        self.calls += 1
        return [self.words.setdefault(word, len(self.words) + 1) for word in text.split()]


def test_sentence_pairs_are_encoded_once_padded_and_cached() -> None:
    rng = np.random.default_rng(5)
    pairs = [
        tuple(" ".join(f"w{n}" for n in rng.integers(0, 90, rng.integers(1, 50))) for _ in range(2)) for _ in range(500)
    ]
    tokenizer, start, end, most = _Tokenizer(), 1000, 1001, 40

    def encode(one: Any, two: Any) -> Any:
        return tuple([start, *tokenizer.encode(text.numpy().decode()), end] for text in (one, two))

    def tf_encode(one: Any, two: Any) -> Any:
        return tf.py_function(encode, [one, two], [tf.int64, tf.int64])

    def shaped(one: Any, two: Any) -> Any:
        one, two = tf_encode(one, two)
        one.set_shape([None])
        two.set_shape([None])
        return one, two

    source = tf.data.Dataset.from_tensor_slices(tuple(np.array(side) for side in zip(*pairs, strict=True)))
    unshaped = source.map(tf_encode)  # a list that is returned as it is
    assert isinstance(unshaped.element_spec, tuple)
    with pytest.raises(ValueError, match="must provide `padded_shapes` argument because component 0 has unknown rank"):
        unshaped.padded_batch(64)
    short = source.map(shaped).filter(lambda a, b: tf.logical_and(tf.size(a) <= most, tf.size(b) <= most))
    batches = short.cache().shuffle(500, seed=1).padded_batch(64).prefetch(2)
    wanted = sorted(len(a.split()) for a, b in pairs if max(len(a.split()), len(b.split())) + 2 <= most)
    for epoch in range(2):
        lengths = []
        for one, two in batches.as_numpy_iterator():
            assert one.dtype == two.dtype == np.int64 and len(one) == len(two)
            assert (one[:, 0] == start).all() and ((one == end).sum(1) == 1).all() and ((two == end).sum(1) == 1).all()
            for row in one:
                stop = int(np.argmax(row == end))
                lengths.append(stop - 1)
                assert not row[stop + 1 :].any()
        assert sorted(lengths) == wanted
        assert tokenizer.calls == 1000, f"epoch {epoch}"
    padded = unshaped.padded_batch(64, padded_shapes=([-1], [-1]))
    assert next(iter(padded))[0].shape[0] == 64


# ---- indexable data of nested entries


def _entry(i: int) -> dict[str, Any]:
    return {"path": f"{i}.jpg".encode(), "label": np.int64(i % 5), "boxes": np.arange(i % 4, dtype=np.int32)}


_TYPES = {"path": tf.string, "label": tf.int64, "boxes": tf.int32}
_SHAPES = {"path": tf.TensorShape([]), "label": tf.TensorShape([]), "boxes": tf.TensorShape([None])}


def _from_indexable(make: Any) -> Any:
    """A dataset of `make(i)`, whose nested result `contrib.framework.py_func` gives flat structure and shapes."""

    def at(i: Any) -> Any:
        return tf.contrib.framework.py_func(make, [i], output_types=_TYPES, output_shapes=_SHAPES, stateful=False)

    return tf.data.Dataset.range(50).map(at, num_parallel_calls=4).prefetch(1)


def test_entries_of_an_indexable_come_in_order_with_their_shapes() -> None:
    entries = _from_indexable(_entry)
    assert entries.element_spec == {
        "path": tf.TensorSpec([], tf.string), "label": tf.TensorSpec([], tf.int64),
        "boxes": tf.TensorSpec([None], tf.int32),
    }  # fmt: skip
    found = list(entries.as_numpy_iterator())
    assert [int(e["path"].split(b".")[0]) for e in found] == list(range(50))
    assert [e["boxes"].tolist() for e in found] == [list(range(i % 4)) for i in range(50)]
    padded = list(entries.padded_batch(8).as_numpy_iterator())
    assert padded[0]["boxes"].tolist() == [list(range(i % 4)) + [0] * (3 - i % 4) for i in range(8)]
    with pytest.raises(tf.errors.InvalidArgumentError):
        list(_from_indexable(lambda i: {"path": b"x"}))


@pytest.mark.parametrize("kind", ["one shot", "initialized"])
def test_iterators_over_an_indexable_end_in_a_session(kind: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        batches = _from_indexable(_entry).padded_batch(20)
        if kind == "one shot":
            iterator = batches.make_one_shot_iterator()
        else:
            iterator = batches.make_initializable_iterator()
            session.run(iterator.initializer)
        following = iterator.get_next()
        assert following["boxes"].shape.as_list() == [None, None]
        assert [session.run(following)["label"].shape for _ in range(3)] == [(20,), (20,), (10,)]
        for _ in range(2):
            with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
                session.run(following)


# ---- images that a plain function gives, preprocessed in the graph


def preprocess_fn(image: Any) -> Any:
    image.set_shape([None, None, 3])
    return tf.image.resize(image, [224, 224]) / 255.0


@pytest.mark.parametrize("how", [{}, {"num_parallel_calls": tf.data.AUTOTUNE}])
def test_a_plain_function_and_a_preprocessing_one_make_batches_of_images(how: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    images = [rng.integers(0, 256, (20 + i % 7, 17 + i % 5, 3), np.uint8) for i in range(200)]

    def load(i: Any) -> Any:
        return tf.numpy_function(lambda k: images[k], [i], tf.uint8)

    dataset = tf.data.Dataset.range(200).map(lambda i: preprocess_fn(load(i)), **how).batch(20)
    assert dataset.element_spec == tf.TensorSpec([None, 224, 224, 3], tf.float32)
    elements = list(dataset.as_numpy_iterator())
    assert [(element.shape, element.dtype) for element in elements] == [((20, 224, 224, 3), np.float32)] * 10
    for i in (0, 63, 199):
        np.testing.assert_array_equal(elements[i // 20][i % 20], preprocess_fn(tf.constant(images[i])).numpy())
