"""Datasets of the features of examples in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inlay as tf

FEATURES = {"number": tf.io.FixedLenFeature([], tf.int64), "words": tf.io.VarLenFeature(tf.string)}


def example(number: int) -> bytes:
    words = tf.train.BytesList(value=[b"w%d" % i for i in range(number % 3)])
    features = {
        "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
        "words": tf.train.Feature(bytes_list=words),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


@pytest.fixture
def files(tmp_path: Path) -> str:
    for i in range(2):
        with tf.io.TFRecordWriter(str(tmp_path / f"{i}.records")) as writer:
            for number in range(4 * i, 4 * i + 4):
                writer.write(example(number))
    return str(tmp_path / "*.records")


def batched(files: str, **given: Any) -> Any:
    return tf.data.experimental.make_batched_features_dataset(files, 3, FEATURES, num_epochs=1, **given)


@pytest.mark.parametrize("threads", [None, 1, tf.data.AUTOTUNE])
def test_batches_in_the_order_of_the_files(files: str, threads: Any) -> None:
    found = list(batched(files, shuffle=False, reader_num_threads=threads).as_numpy_iterator())
    in_order = [[0, 1, 2], [3, 4, 5], [6, 7]] if threads != tf.data.AUTOTUNE else None
    numbers = [batch["number"].tolist() for batch in found]
    assert numbers == in_order or sorted(sum(numbers, [])) == list(range(8)) and in_order is None
    assert len(batched(files, shuffle=False, drop_final_batch=True).element_spec) == 2


def test_files_are_read_in_turn(files: str) -> None:
    found = batched(files, shuffle=False, reader_num_threads=2).as_numpy_iterator()
    assert [batch["number"].tolist() for batch in found] == [[0, 4, 1], [5, 2, 6], [3, 7]]


def test_labels_and_epochs(files: str) -> None:
    dataset = tf.data.experimental.make_batched_features_dataset(
        files, 3, FEATURES, label_key="number", shuffle_seed=1, shuffle_buffer_size=4
    )
    assert dataset.element_spec[1] == tf.TensorSpec((3,), tf.int64)
    numbers = [n for _, label in dataset.take(8) for n in label.numpy().tolist()]
    assert sorted(numbers) == sorted(list(range(8)) * 3)
    with pytest.raises(ValueError, match=r"`label_key` provided \(other\)"):
        batched(files, label_key="other")


def test_readers_of_pairs(files: str) -> None:
    def pairs(name: Any, word: str) -> Any:
        return tf.data.TFRecordDataset(name).map(lambda text: (tf.constant(word), text))

    found = batched(files, shuffle=False, reader=pairs, reader_args=["key"]).as_numpy_iterator()
    assert next(found)["number"].tolist() == [0, 1, 2]


def test_parsing_batches_of_strings() -> None:
    texts = tf.data.Dataset.from_tensor_slices([example(i) for i in range(4)]).batch(2)
    parsed = tf.data.experimental.parse_example_dataset(FEATURES, num_parallel_calls=2)
    found = list(texts.apply(parsed))
    assert [x["number"].numpy().tolist() for x in found] == [[0, 1], [2, 3]]
    assert tf.sparse.to_dense(found[1]["words"]).numpy().tolist() == [[b"w0", b"w1"], [b"", b""]]
    with pytest.raises(TypeError, match="dataset of vectors of strings"):
        tf.data.Dataset.range(3).apply(parsed)
    with pytest.raises(ValueError, match="`features` is required"):
        tf.data.experimental.parse_example_dataset(None)


@pytest.mark.parametrize("reader", [tf.compat.v1.TFRecordReader, lambda name: [name]])
def test_a_reader_gives_a_dataset(files: str, reader: Any) -> None:
    with pytest.raises(TypeError, match="The `reader` argument must return a `Dataset` object"):
        batched(files, reader=reader)
