"""TFRecord and tf.Example, as TensorFlow's tutorial goes through them: messages, files, parsing, and an image.

    python examples/records.py

The observations are made here, and so is the picture; everything is written into a temporary folder and read back. What
came of it is checked: the exit status is 0 only if it is right.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from checking import check, status
from PIL import Image

import inlay as tf

COUNT = 10_000
RANDOM = np.random.RandomState(0)
FLAGS = RANDOM.choice([False, True], COUNT)
NUMBERS = RANDOM.randint(0, 5, COUNT)
ANIMALS = np.array([b"cat", b"dog", b"chicken", b"horse", b"goat"])[NUMBERS]
MEASURES = RANDOM.randn(COUNT).astype(np.float32)

FEATURES = {
    "feature0": tf.io.FixedLenFeature([], tf.int64, default_value=0),
    "feature1": tf.io.FixedLenFeature([], tf.int64, default_value=0),
    "feature2": tf.io.FixedLenFeature([], tf.string, default_value=""),
    "feature3": tf.io.FixedLenFeature([], tf.float32, default_value=0.0),
}

# The helpers take plain scalars, NumPy's, and eager tensors.


def bytes_feature(value: Any) -> Any:
    if isinstance(value, type(tf.constant(0))):
        value = value.numpy()  # a list of bytes does not take a tensor of strings
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))


def float_feature(value: Any) -> Any:
    return tf.train.Feature(float_list=tf.train.FloatList(value=[value]))


def int64_feature(value: Any) -> Any:
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[int(value)]))  # a flag is no number to protobuf


def message(flag: Any, number: Any, animal: Any, measure: Any) -> bytes:
    """One observation, serialized."""
    feature = {
        "feature0": int64_feature(flag),
        "feature1": int64_feature(number),
        "feature2": bytes_feature(animal),
        "feature3": float_feature(measure),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()  # type: ignore[no-any-return]


serialize_example = tf.py_function(Tout=tf.string)(message)


def show_messages() -> None:
    print("messages")
    text = serialize_example(False, 4, b"goat", 0.9876)
    found = tf.train.Example.FromString(text.numpy())
    check(
        "a function called with plain scalars gives a message",
        found.features.feature["feature1"].int64_list.value == [4],
    )
    check(
        f"printed it is {str(text)[:30]}...",
        repr(text) == f"<tf.Tensor: shape=(), dtype=string, numpy={text.numpy()!r}>",
    )
    kinds = {name: feature.WhichOneof("kind") for name, feature in found.features.feature.items()}
    check(f"its kinds: {sorted(set(kinds.values()))}", kinds["feature2"] == "bytes_list" and len(kinds) == 4)
    from_tensors = message(tf.constant(False), tf.constant(4), tf.constant(b"goat"), tf.constant(0.9876))
    check("eager tensors are taken where a number is asked for", tf.train.Example.FromString(from_tensors) == found)


def show_files(folder: Path) -> None:
    print(f"{COUNT} observations in a file")
    path = str(folder / "test.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for row in zip(FLAGS, NUMBERS, ANIMALS, MEASURES, strict=True):
            writer.write(message(*row))
    raw = tf.data.TFRecordDataset([path])
    example = tf.train.Example()
    for record in raw.take(1):
        example.ParseFromString(record.numpy())
    check(
        "the first record is the first message", example.features.feature["feature2"].bytes_list.value == [ANIMALS[0]]
    )

    parsed = raw.map(lambda text: tf.io.parse_single_example(text, FEATURES))
    check(
        "its elements have the shapes of the features", parsed.element_spec["feature3"] == tf.TensorSpec([], tf.float32)
    )
    rows = list(parsed.as_numpy_iterator())
    for key, written in zip(FEATURES, (FLAGS, NUMBERS, ANIMALS, MEASURES), strict=True):
        check(f"{key} is what was written", np.array_equal([row[key] for row in rows], written))
    batched = raw.batch(1000).map(lambda texts: tf.io.parse_example(texts, FEATURES))
    measures = np.concatenate([batch["feature3"] for batch in batched.as_numpy_iterator()])
    check("a batch at a time gives the same", np.array_equal(measures, MEASURES))


def show_datasets(folder: Path) -> None:
    print("the same from datasets")
    rows = tf.data.Dataset.from_tensor_slices((FLAGS, NUMBERS, ANIMALS, MEASURES)).take(500)

    def tf_serialize_example(f0: Any, f1: Any, f2: Any, f3: Any) -> Any:
        text = tf.py_function(message, (f0, f1, f2, f3), tf.string)
        return tf.reshape(text, ())

    check(
        "a dataset says what its elements are",
        repr(rows) == "<_TakeDataset element_spec=(TensorSpec(shape=(), dtype=tf.bool, name=None), "
        "TensorSpec(shape=(), dtype=tf.int64, name=None), TensorSpec(shape=(), dtype=tf.string, name=None), "
        "TensorSpec(shape=(), dtype=tf.float32, name=None))>",
    )
    mapped = rows.map(tf_serialize_example)
    plain = "element_spec=TensorSpec(shape=(), dtype=tf.string, name=None)>"
    check("the message is a scalar, as reshape said", repr(mapped) == f"<_MapDataset {plain}")

    def generator() -> Iterator[bytes]:
        for row in rows:
            yield message(*row)

    generated = tf.data.Dataset.from_generator(generator, output_types=tf.string, output_shapes=())
    for name, dataset in (("map", mapped), ("from_generator", generated)):
        path = str(folder / f"{name}.tfrecord")
        tf.data.experimental.TFRecordWriter(path).write(dataset)
        again = tf.data.TFRecordDataset(path).map(lambda text: tf.io.parse_single_example(text, FEATURES))
        found = [row["feature2"] for row in again.as_numpy_iterator()]
        check(f"{name}: {len(found)} records hold the animals", found == ANIMALS[:500].tolist())

    damaged = bytearray(Path(path).read_bytes())
    damaged[len(damaged) // 2] ^= 1
    Path(path).write_bytes(damaged)
    try:
        for _ in tf.data.TFRecordDataset(path):
            pass
        check("a flipped bit is noticed", False)
    except tf.errors.DataLossError as error:
        check(f"a flipped bit is noticed: {str(error).split(':')[0]}", "corrupted record at" in str(error))


def show_image(folder: Path) -> None:
    print("a picture in a record")
    y, x = np.mgrid[0:48, 0:64]
    picture = np.stack([x * 4, y * 5, (x + y) * 2], -1).astype(np.uint8)
    file = folder / "picture.jpg"
    file.write_bytes(tf.io.encode_jpeg(picture).numpy())
    text = file.read_bytes()
    shape = tf.io.decode_jpeg(text).shape
    feature = {"height": int64_feature(shape[0]), "width": int64_feature(shape[1]), "image_raw": bytes_feature(text)}
    path = str(folder / "images.tfrecords")
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    wanted = {"height": tf.io.FixedLenFeature([], tf.int64), "image_raw": tf.io.FixedLenFeature([], tf.string)}
    dataset = tf.data.TFRecordDataset(path, "GZIP").map(lambda text: tf.io.parse_single_example(text, wanted))
    for row in dataset:
        pixels = tf.io.decode_jpeg(row["image_raw"], channels=3).numpy()
        expected = np.asarray(Image.open(io.BytesIO(text)))
        check("its pixels are those that Pillow reads", int(row["height"]) == 48 and np.array_equal(pixels, expected))


def show_older_names(folder: Path) -> None:
    print("the names of TensorFlow 1")
    v1 = tf.compat.v1
    path = str(folder / "older.tfrecord")
    options = v1.python_io.TFRecordOptions(v1.python_io.TFRecordCompressionType.ZLIB)
    with v1.python_io.TFRecordWriter(path, options) as writer:
        for row in list(zip(FLAGS, NUMBERS, ANIMALS, MEASURES, strict=True))[:20]:
            writer.write(message(*row))
    texts = list(v1.python_io.tf_record_iterator(path, options))
    check("tf_record_iterator gives the bytes", texts[3] == message(FLAGS[3], NUMBERS[3], ANIMALS[3], MEASURES[3]))
    with tf.Graph().as_default():
        text = v1.placeholder(tf.string, [])
        parsed = v1.parse_single_example(text, {"feature2": v1.FixedLenFeature([], tf.string)})
        with v1.Session() as session:
            animals = [session.run(parsed["feature2"], {text: t}) for t in texts]
    check("parse_single_example finds the animals in a session", animals == ANIMALS[:20].tolist())


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        show_messages()
        show_files(Path(name))
        show_datasets(Path(name))
        show_image(Path(name))
        show_older_names(Path(name))
    return status()


if __name__ == "__main__":
    sys.exit(main())
